// Requests against the emulator: what handlers are called with, when, and where.

import Dispatch
import DropboxEmulator
import Foundation
import SwiftyDropbox
import Synchronization
import Testing

struct RequestTests {
    @Test("a listing calls its handler with entries of their classes, on the queue that was named")
    func listing() async throws {
        try await withService { service in
            let files: FilesRoutes = service.client.files
            _ = try await files.createFolderV2(path: "/photos").response()
            _ = try await files.upload(path: "/a.txt", input: Data("hello".utf8)).response()
            let queue = DispatchQueue(label: "a queue of the app")
            let key = DispatchSpecificKey<Bool>()
            queue.setSpecific(key: key, value: true)
            let (names, isOnQueue) = await withCheckedContinuation { continuation in
                files.listFolder(path: "", recursive: true).response(queue: queue) {
                    response, error in
                    let names = (response?.entries ?? []).map { entry in
                        switch entry {
                        case let file as Files.FileMetadata: "file \(file.name) \(file.size)"
                        case let folder as Files.FolderMetadata: "folder \(folder.name)"
                        default: "other"
                        }
                    }
                    let isOnQueue = DispatchQueue.getSpecific(key: key) == true
                    continuation.resume(returning: (names.sorted(), isOnQueue))
                }
            }
            #expect(names == ["file a.txt 5", "folder photos"])
            #expect(isOnQueue)
        }
    }

    @Test("without a queue a handler is called on the main queue")
    func mainQueue() async throws {
        try await withService { service in
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            let isMain = await withCheckedContinuation { continuation in
                service.client.users.getCurrentAccount().response { response, _ in
                    let isMain = DispatchQueue.getSpecific(key: key) == true
                    continuation.resume(returning: response != nil && isMain)
                }
            }
            #expect(isMain)
        }
    }

    @Test("data, files and streams go up, and come down into memory and into files, with progress")
    func content() async throws {
        try await withService { service in
            let bytes = SwiftyDropboxTests.content(3 << 20)
            let files: FilesRoutes = service.client.files
            let source = try service.file("source", bytes)
            let queue = DispatchQueue(label: "progress")
            let seen = Mutex<[Int64]>([0])
            let up = try await files.upload(path: "/file", input: source)
                .progress { progress in seen.withLock { $0.append(progress.completedUnitCount) } }
                .response()
            #expect(up.size == UInt64(bytes.count))
            #expect(seen.withLock { $0 == $0.sorted() && ($0.last ?? 0) <= Int64(bytes.count) })
            _ = try await files.upload(path: "/data", input: bytes).response()
            _ = try await files.upload(path: "/stream", input: InputStream(data: bytes)).response()
            for path in ["/file", "/data", "/stream"] {
                let (metadata, data) = try await files.download(path: path).response()
                #expect(metadata.name == String(path.dropFirst()))
                #expect(data == bytes)
            }
            let place = service.folder.appendingPathComponent("down")
            let told = Mutex<(done: Int64, total: Int64)>((0, 0))
            let (metadata, url): (Files.FileMetadata, URL) =
                try await withCheckedThrowingContinuation {
                    continuation in
                    files.download(path: "/file", overwrite: false, destination: place)
                        .progress { progress in
                            told.withLock {
                                $0 = (progress.completedUnitCount, progress.totalUnitCount)
                            }
                        }
                        .response(queue: queue) { response, error in
                            if let response {
                                continuation.resume(returning: response)
                            } else {
                                continuation.resume(
                                    throwing: error ?? .clientError(.unexpectedState))
                            }
                        }
                }
            #expect(metadata.contentHash == up.contentHash)
            #expect(url == place)
            #expect(try Data(contentsOf: place) == bytes)
            #expect(
                told.withLock { $0.done == Int64(bytes.count) && $0.total == Int64(bytes.count) })
        }
    }

    @Test("a download replaces a file only if asked, and leaves nothing else behind")
    func overwrite() async throws {
        try await withService { service in
            let files: FilesRoutes = service.client.files
            _ = try await files.upload(path: "/a", input: Data("new".utf8)).response()
            let place = try service.file("place", Data("old".utf8))
            let refused = await files.download(path: "/a", destination: place).responseResult()
            guard case .failure(.clientError(.fileAccessError(let error))) = refused,
                case FilesAccessError.errorMovingFromTempLocationDestinationCollision = error
            else {
                Issue.record("\(refused)")
                return
            }
            #expect(try Data(contentsOf: place) == Data("old".utf8))
            _ = try await files.download(path: "/a", overwrite: true, destination: place).response()
            #expect(try Data(contentsOf: place) == Data("new".utf8))
            let left = try FileManager.default.contentsOfDirectory(atPath: service.folder.path)
            #expect(Set(left) == ["state", "place"])
        }
    }

    @Test("a request that is cancelled calls its handler with URLError.cancelled")
    func cancelling() async throws {
        try await withService { service in
            try service.emulator.addFault([
                "route": "files/get_metadata", "kind": "stall", "seconds": 600,
            ])
            let request = service.client.files.getMetadata(path: "/a")
            let result = await withCheckedContinuation { continuation in
                request.response(queue: .global()) { _, error in
                    continuation.resume(returning: error)
                }
                request.cancel()
            }
            #expect(isCancelled(result))
            let before = service.client.files.getMetadata(path: "/a")
            before.cancel()
            #expect(isCancelled(await before.responseResult().failure))
            let task = Task { await service.client.files.getMetadata(path: "/a").responseResult() }
            task.cancel()
            #expect(isCancelled(await task.value.failure))
        }
    }

    private func isCancelled<Failure>(_ error: CallError<Failure>?) -> Bool {
        guard case .clientError(.urlSessionError(let error as URLError)) = error else {
            return false
        }
        return error.code == .cancelled
    }

    @Test("the error of a route comes in a box, with the summary and the id of the request")
    func routeError() async throws {
        try await withService { service in
            let result = await service.client.files.deleteV2(path: "/nothing").responseResult()
            guard case .failure(.routeError(let box, _, let summary, let id)) = result,
                case .pathLookup(.notFound) = box.unboxed
            else {
                Issue.record("\(result)")
                return
            }
            #expect(summary?.hasPrefix("path_lookup/not_found") == true)
            #expect(id?.isEmpty == false)
            #expect(
                "\(CallError<Files.DeleteError>.routeError(box, nil, summary, id))".contains(
                    "API route error"))
        }
    }

    @Test(
        "a request without a handler is sent when the app lets go of it, and one that may not start yet is not"
    )
    func start() async throws {
        try await withService { service in
            let files: FilesRoutes = service.client.files
            let later = files.createFolderV2(path: "/later")
                .persistingString(string: "mine").settingEarliestBeginDate(date: .distantFuture)
            #expect(later.clientPersistedString == "mine")
            async let result = later.responseResult()
            files.createFolderV2(path: "/now")
            let longpoll = try await files.listFolderGetLatestCursor(path: "").response()
            var names: [String] = []
            while names.isEmpty {
                names = try await files.listFolder(path: "").response().entries.map(\.name)
                if names.isEmpty {
                    _ = try await files.listFolderLongpoll(cursor: longpoll.cursor, timeout: 30)
                        .response()
                }
            }
            #expect(names == ["now"])
            later.cancel()
            #expect(await result.failure != nil)
        }
    }

    @Test("members of a team, roots and additional headers are said in each request")
    func selection() async throws {
        try await withService { service in
            let member = try service.emulator.makeTeamMember(token: "member", teamToken: "team")
            let team = DropboxTeamClient(
                transportClient: DropboxTransportClientImpl(
                    accessToken: "team", baseHosts: service.hosts))
            let client = team.asMember(member.memberID)
            let account = try await client.users.getCurrentAccount().response()
            #expect(account.email == member.email)
            guard let root = account.rootInfo as? Common.TeamRootInfo else {
                Issue.record("\(account.rootInfo)")
                return
            }
            let rooted = client.withPathRoot(.root(root.rootNamespaceId))
            let names = try await rooted.files.listFolder(path: "").response().entries.map(\.name)
            #expect(names.contains(member.homeName))
        }
    }

    @Test("handlers of all errors are told, with the route's own error, until they are removed")
    func globalHandlers() async throws {
        try await withService { service in
            let name = "/\(UUID().uuidString)"
            let (stream, told) = AsyncStream.makeStream(of: Bool.self)
            let queue = OperationQueue()
            let key = GlobalErrorResponseHandler.shared.registerGlobalErrorHandler(
                { error in
                    guard case .routeError(let box, _, _, _) = error,
                        case Files.GetMetadataError.path(.notFound)? = box.unboxed
                            as? Files.GetMetadataError
                    else { return }
                    told.yield(true)
                }, queue: queue)
            _ = await service.client.files.getMetadata(path: name).responseResult()
            var iterator = stream.makeAsyncIterator()
            #expect(await iterator.next() == true)
            GlobalErrorResponseHandler.shared.deregisterGlobalErrorHandler(key: key)
        }
    }
}

extension Result {
    var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
