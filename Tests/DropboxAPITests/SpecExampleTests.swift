// Every type against the examples of the specification: read, write, read again.

import Foundation
import Testing

@testable import DropboxAPI

struct SpecExampleTests {
    /// One example and the type that has to read it.
    struct Example: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let check: @Sendable () throws -> Void

        /// What is read and written again is equal as a value, and loses no field of the example.
        init<Value: Codable & Hashable & Sendable>(_ type: Value.Type, _ json: String) {
            testDescription = "\(type)"
            check = {
                let bytes = Array(json.utf8)
                let value = try JSON.decode(Value.self, from: bytes)
                let written = try JSON.encode(value)
                #expect(try JSON.decode(Value.self, from: written) == value)
                let before = try JSONSerialization.jsonObject(
                    with: Data(bytes), options: .fragmentsAllowed)
                let after = try JSONSerialization.jsonObject(
                    with: Data(written), options: .fragmentsAllowed)
                #expect(Self.contains(after, before), "\(after) lacks a part of \(before)")
            }
        }

        /// Defaults may be added; a bare tag may become an object with that tag.
        private static func contains(_ whole: Any, _ part: Any) -> Bool {
            switch (whole, part) {
            case (let whole as [String: Any], let part as [String: Any]):
                part.allSatisfy { key, value in
                    whole[key].map { contains($0, value) } ?? (value is NSNull)
                }
            case (let whole as [Any], let part as [Any]):
                whole.count == part.count && zip(whole, part).allSatisfy(contains)
            case (let whole as [String: Any], let tag as String):
                whole[".tag"] as? String == tag
            default: (whole as? NSObject) == (part as? NSObject)
            }
        }
    }

    private static let metadata: [Example] = [
        Example(Files.Metadata.self, Examples.taggedFile),
        Example(Files.Metadata.self, Examples.taggedFolder),
        Example(Files.Metadata.self, Examples.deleted),
        Example(Files.FileMetadata.self, Examples.file),
        Example(Files.FolderMetadata.self, Examples.folder),
        Example(
            Files.FolderSharingInfo.self, #"{"read_only":true,"shared_folder_id":"84528192421"}"#),
        Example(Files.ExportInfo.self, #"{"export_as":"xlsx"}"#),
        Example(Files.SymlinkInfo.self, #"{"target":"../x"}"#),
        Example(
            Files.MediaInfo.self,
            #"{".tag":"metadata","metadata":{".tag":"video","dimensions":{"height":768,"width":1024},"#
                + #""location":{"latitude":37.7833,"longitude":122.4167},"#
                + #""time_taken":"2015-05-12T15:50:38Z","duration":1000}}"#),
        Example(Files.MediaInfo.self, #""pending""#),
    ]

    private static let listing: [Example] = [
        Example(Files.ListFolderArg.self, #"{"path":"/Homework/math","recursive":false}"#),
        Example(
            Files.ListFolderResult.self,
            #"{"entries":[\#(Examples.taggedFile),\#(Examples.taggedFolder)],"#
                + #""cursor":"\#(Examples.listCursor)","has_more":false}"#),
        Example(Files.ListFolderContinueArg.self, #"{"cursor":"\#(Examples.listCursor)"}"#),
        Example(
            Files.ListFolderGetLatestCursorResult.self, #"{"cursor":"\#(Examples.listCursor)"}"#),
        Example(Files.ListFolderLongpollArg.self, #"{"cursor":"\#(Examples.listCursor)"}"#),
        Example(Files.ListFolderLongpollResult.self, #"{"changes":true}"#),
        Example(Files.GetMetadataArg.self, #"{"path":"rev:a1c10ce0dd78"}"#),
        Example(Files.DownloadArg.self, #"{"path":"id:a4ayc_80_OEAAAAAAAAAYa"}"#),
        Example(Files.GetTemporaryLinkArg.self, #"{"path":"/video.mp4"}"#),
        Example(
            Files.GetTemporaryLinkResult.self,
            #"{"metadata":\#(Examples.file),"link":"https://x/y"}"#),
        Example(
            Files.ListRevisionsArg.self,
            #"{"path":"/root/word.docx","mode":{".tag":"path"},"limit":10}"#),
        Example(
            Files.ListRevisionsResult.self,
            #"{"is_deleted":false,"entries":[\#(Examples.file)],"has_more":false}"#),
        Example(Files.RestoreArg.self, #"{"path":"/root/word.docx","rev":"a1c10ce0dd78"}"#),
    ]

    private static let uploads: [Example] = [
        Example(Files.WriteMode.self, #""add""#),
        Example(Files.WriteMode.self, #"{".tag":"overwrite"}"#),
        Example(Files.WriteMode.self, #"{".tag":"update","update":"a1c10ce0dd78"}"#),
        Example(Files.CommitInfo.self, Examples.commit),
        Example(
            Files.UploadArg.self,
            #"{"path":"/Homework/math/Matrices.txt","content_hash":"\#(Examples.hash)"}"#),
        Example(
            Files.UploadArg.self, #"{"path":"/Homework/math/Matrices.txt","content_hash":null}"#),
        Example(Files.UploadSessionStartArg.self, #"{"close":false}"#),
        Example(Files.UploadSessionStartResult.self, #"{"session_id":"\#(Examples.session)"}"#),
        Example(Files.UploadSessionStartBatchArg.self, #"{"num_sessions":1}"#),
        Example(
            Files.UploadSessionStartBatchResult.self, #"{"session_ids":["\#(Examples.session)"]}"#),
        Example(Files.UploadSessionCursor.self, Examples.cursor),
        Example(Files.UploadSessionAppendArg.self, #"{"cursor":\#(Examples.cursor)}"#),
        Example(
            Files.UploadSessionAppendBatchArg.self,
            #"{"entries":[{"cursor":\#(Examples.cursor),"length":12345}]}"#),
        Example(
            Files.UploadSessionAppendBatchResult.self,
            #"{"entries":[{".tag":"success"},{".tag":"failure","failure":"#
                + #"{".tag":"incorrect_offset","correct_offset":5}}]}"#),
        Example(Files.UploadSessionFinishArg.self, Examples.finish),
        Example(Files.UploadSessionFinishBatchArg.self, #"{"entries":[\#(Examples.finish)]}"#),
        Example(
            Files.UploadSessionFinishBatchResult.self,
            #"{"entries":[{".tag":"success",\#(Examples.fileFields)},{".tag":"failure","failure":"#
                + #"{".tag":"lookup_failed","lookup_failed":{".tag":"not_found"}}}]}"#),
    ]

    private static let changes: [Example] = [
        Example(Files.CreateFolderArg.self, #"{"path":"/Homework/math"}"#),
        Example(Files.CreateFolderResult.self, #"{"metadata":\#(Examples.folder)}"#),
        Example(
            Files.CreateFolderBatchArg.self, #"{"paths":["/Homework/math"],"autorename":false}"#),
        Example(
            Files.CreateFolderBatchLaunch.self,
            #"{".tag":"complete","entries":[{".tag":"success","metadata":\#(Examples.folder)}]}"#),
        Example(Files.CreateFolderBatchLaunch.self, Examples.job),
        Example(
            Files.CreateFolderBatchJobStatus.self,
            #"{".tag":"failed","failed":{".tag":"too_many_files"}}"#),
        Example(Files.DeleteArg.self, #"{"path":"/Homework/math/Prime_Numbers.txt"}"#),
        Example(Files.DeleteResult.self, #"{"metadata":\#(Examples.taggedFile)}"#),
        Example(
            Files.DeleteBatchArg.self,
            #"{"entries":[{"path":"/Homework/math/Prime_Numbers.txt","parent_rev":"a1c10ce0dd78"}]}"#
        ),
        Example(
            Files.DeleteBatchLaunch.self,
            #"{".tag":"complete","entries":[{".tag":"success","metadata":\#(Examples.taggedFile)}]}"#
        ),
        Example(Files.DeleteBatchJobStatus.self, #"{".tag":"in_progress"}"#),
        Example(
            Files.RelocationArg.self,
            #"{"from_path":"/Homework/math","to_path":"/Homework/algebra"}"#),
        Example(Files.RelocationResult.self, #"{"metadata":\#(Examples.taggedFolder)}"#),
        Example(
            Files.MoveBatchArg.self,
            #"{"entries":[{"from_path":"/Homework/math","to_path":"/Homework/algebra"}]}"#),
        Example(
            Files.CopyBatchArg.self,
            #"{"entries":[{"from_path":"/Homework/math","to_path":"/Homework/algebra"}]}"#),
        Example(
            Files.RelocationBatchV2Launch.self,
            #"{".tag":"complete","entries":[{".tag":"success","success":\#(Examples.taggedFile)},"#
                + #"{".tag":"failure","failure":{".tag":"relocation_error","relocation_error":"#
                + #"{".tag":"to","to":{".tag":"conflict","conflict":"file"}}}}]}"#),
        Example(Files.RelocationBatchV2Launch.self, Examples.job),
        Example(Files.RelocationBatchV2JobStatus.self, #"{".tag":"complete","entries":[]}"#),
        Example(Async.PollArg.self, #"{"async_job_id":"34g93hh34h04y384084"}"#),
    ]

    private static let accounts: [Example] = [
        Example(Users.FullAccount.self, Examples.account),
        Example(
            Users.SpaceUsage.self,
            #"{"used":314159265,"allocation":{".tag":"individual","allocated":10000000000}}"#),
        Example(
            Users.SpaceUsage.self,
            #"{"used":314159265,"allocation":{".tag":"team","used":27182818284,"#
                + #""allocated":100000000000,"user_within_team_space_allocated":2000000000,"#
                + #""user_within_team_space_limit_type":"stop_sync","#
                + #""user_within_team_space_used_cached":314159265}}"#),
        Example(Check.EchoArg.self, #"{"query":"foo"}"#),
        Example(Check.EchoResult.self, #"{"result":"foo"}"#),
        Example(Common.PathRoot.self, #"{".tag":"root","root":"3235641"}"#),
        Example(
            Common.RootInfo.self,
            #"{".tag":"team","root_namespace_id":"1","home_namespace_id":"2","home_path":"/A"}"#),
    ]

    @Test(
        "examples of the specification survive reading and writing",
        arguments: metadata + listing + uploads + changes + accounts)
    func example(_ example: Example) throws {
        try example.check()
    }
}
