// The generated part of the Objective-C library, for a small specification.

import Stone
import Testing

@testable import SwiftEmission

struct ObjectiveCTests {
    private func files(_ lines: String) throws -> [String: String] {
        let files = lines.split(separator: "---\n").enumerated().map {
            (name: "\($0.offset).stone", text: String($0.element))
        }
        let all = try ObjectiveCEmitter(Specification(files: files)).files()
        return Dictionary(all.map { ($0.name, $0.text) }) { first, _ in first }
    }

    @Test(
        "names of members are those of Stone's own generator for Objective-C",
        arguments: [
            ("path_lower", "pathLower"), ("id", "id_"), ("description", "description_"),
            ("default", "default_"), ("delete", "delete_"), ("copy_reference", "dCopyReference"),
            ("copyright", "dCopyright"), ("new_value", "dNewValue"), ("public", "public"),
            ("list_folder/continue", "listFolderContinue"),
        ])
    func members(_ name: String, _ spelling: String) {
        #expect(ObjectiveCNames.member(name) == spelling)
    }

    @Test(
        "a struct has its fields, an initialiser with all of them and one with those that are needed"
    )
    func structs() throws {
        let files = try files(
            """
            namespace file_requests
            struct Metadata
                union
                    file FileMetadata
                name String
                day Timestamp("%Y-%m-%d")?
            struct FileMetadata extends Metadata
                size UInt64 = 5
                id String
                parts Map(String, List(Metadata))?
            struct Empty
            """)
        let header = try #require(files["DBFILEREQUESTS.h"])
        let tables = try #require(files["DBFILEREQUESTS.m"])
        #expect(header.contains("@interface DBFILEREQUESTSMetadata : DBStoneObject\n"))
        #expect(
            header.contains("@interface DBFILEREQUESTSFileMetadata : DBFILEREQUESTSMetadata\n"))
        #expect(header.contains("@property (nonatomic, readonly, copy) NSString *id_;"))
        #expect(header.contains("@property (nonatomic, readonly, nullable) NSDate *day;"))
        #expect(
            header.contains(
                "- (instancetype)initWithName:(NSString *)name id_:(NSString *)id_ day:(nullable NSDate *)day size:(nullable NSNumber *)size parts:(nullable NSDictionary<NSString *, NSArray<DBFILEREQUESTSMetadata *> *> *)parts;"
            ))
        #expect(
            header.contains("- (instancetype)initWithName:(NSString *)name id_:(NSString *)id_;"))
        #expect(header.contains("- (instancetype)initDefault;"))
        #expect(header.contains("@interface DBFILEREQUESTSEmptySerializer : DBStoneSerializer\n"))
        // A parent is declared before its child, independent of their names.
        let parent = try #require(header.firstRange(of: "@interface DBFILEREQUESTSMetadata :"))
        let child = try #require(header.firstRange(of: "@interface DBFILEREQUESTSFileMetadata :"))
        #expect(parent.lowerBound < child.lowerBound)

        #expect(
            tables.contains(
                "DB_SUBTYPES(DBFILEREQUESTSMetadata, {\"file\", \"@DBFILEREQUESTSFileMetadata;\"})\n"
            ))
        #expect(
            tables.contains(
                "DB_STRUCT(DBFILEREQUESTSFileMetadata, 2, 5, NULL, {\"name\", \"name\", \"s\", NULL}, {\"id_\", \"id\", \"s\", NULL}, {\"day\", \"day\", \"?t<%Y-%m-%d>\", NULL}, {\"size\", \"size\", \"i\", \"5\"}, {\"parts\", \"parts\", \"?{[@DBFILEREQUESTSMetadata;\", NULL})"
            ))
        #expect(tables.contains("DB_STRUCT(DBFILEREQUESTSEmpty, 0, 0, NULL, {NULL})"))
    }

    @Test(
        "a union has a constant, a question and an initialiser for each tag; an open one has other")
    func unions() throws {
        let files = try files(
            """
            namespace files
            union Open
                malformed String?
                default
            union_closed Closed
                copy Open
            struct Arg
                mode Open = default
                limit Float64 = 0.5
                flag Boolean = true
            """)
        let header = try #require(files["DBFILES.h"])
        let tables = try #require(files["DBFILES.m"])
        #expect(
            header.contains(
                "    DBFILESOpenMalformed,\n    DBFILESOpenDefault_,\n    DBFILESOpenOther,\n"))
        #expect(
            header.contains("- (instancetype)initWithMalformed:(nullable NSString *)malformed;"))
        #expect(header.contains("- (instancetype)initWithOther;"))
        #expect(header.contains("- (BOOL)isDefault_;"))
        #expect(header.contains("- (instancetype)initWithDCopy:(DBFILESOpen *)dCopy;"))
        #expect(!header.contains("DBFILESClosedOther"))
        #expect(
            tables.contains(
                "DB_UNION(DBFILESClosed, YES, 1, {\"dCopy\", \"copy\", \"@DBFILESOpen;\", NULL})"))
        #expect(tables.contains("{\"mode\", \"mode\", \"@DBFILESOpen;\", \"\\\"default\\\"\"}"))
        #expect(tables.contains("{\"limit\", \"limit\", \"f\", \"0.5\"}"))
        #expect(tables.contains("{\"flag\", \"flag\", \"b\", \"true\"}"))
    }

    @Test("a route is an object, and methods by style, callers, and needed or all parameters")
    func routes() throws {
        let files = try files(
            """
            namespace stone_cfg
            struct Route
                auth String = "user"
                host String = "api"
                style String = "rpc"
            ---
            namespace files
            import async
            struct Arg
                path String
                limit UInt32 = 5
            union Problem
                bad
            route delete:2 (Arg, Void, Problem)
            route check (async.PollArg, Void, Void)
                attrs
                    auth = "team"
            route get (Arg, Arg, Void) deprecated
                attrs
                    auth = "app, user"
                    host = "content"
                    style = "download"
            route put (Arg, List(Arg), Problem)
                attrs
                    host = "content"
                    style = "upload"
            ---
            namespace async
            struct PollArg
                async_job_id String
            """)
        let header = try #require(files["DBFILESRoutes.h"])
        let code = try #require(files["DBFILESRoutes.m"])
        #expect(
            header.contains(
                "- (DBRpcTask<DBNilObject *, DBFILESProblem *> *)delete_V2:(NSString *)path;"))
        #expect(
            header.contains(
                "- (DBRpcTask<DBNilObject *, DBFILESProblem *> *)delete_V2:(NSString *)path limit:(nullable NSNumber *)limit;"
            ))
        #expect(
            header.contains(
                "getUrl:(NSString *)path overwrite:(BOOL)overwrite destination:(NSURL *)destination byteOffsetStart:(NSNumber *)byteOffsetStart byteOffsetEnd:(NSNumber *)byteOffsetEnd __deprecated_msg(\"get is deprecated.\");"
            ))
        #expect(header.contains("*)getData:(NSString *)path __deprecated_msg"))
        for input in [
            "putUrl:(NSString *)path inputUrl:(NSString *)inputUrl;",
            "putData:(NSString *)path inputData:(NSData *)inputData;",
            "putStream:(NSString *)path limit:(nullable NSNumber *)limit inputStream:(NSInputStream *)inputStream;",
        ] {
            #expect(
                header.contains(
                    "- (DBUploadTask<NSArray<DBFILESArg *> *, DBFILESProblem *> *)" + input))
        }
        #expect(
            code.contains(
                "DB_ROUTE(DBFILESDelete_V2, \"files\", \"delete_v2\", \"api\", \"rpc\", \"user\", NO, \"@DBFILESArg;\", \"v\", \"@DBFILESProblem;\")"
            ))
        #expect(
            code.contains(
                "{ return [self.client requestRpc:[DBFILESRouteObjects DBFILESDelete_V2] arg:[[[DBFILESArg alloc] initWithPath:path limit:limit] autorelease]]; }"
            ))
        // The headers of arguments, which may be another namespace's.
        #expect(code.contains("#import \"DBASYNC.h\"\n#import \"DBFILES.h\"\n"))
        let clients = try #require(files["DBBaseClients.h"])
        #expect(
            clients.contains("@property (nonatomic, readonly) DBFILESTeamAuthRoutes *filesRoutes;"))
        #expect(
            clients.contains("@property (nonatomic, readonly) DBFILESAppAuthRoutes *filesRoutes;"))
        #expect(header.split(separator: "getData:").count == 9)
    }

    @Test("what the runtime cannot have is an error")
    func errors() {
        #expect(throws: EmissionError.self) { try files("namespace files\nunion_closed None\n") }
        let fields = (0...ObjectiveCEmitter.mostFields).map { "    f\($0) String\n" }.joined()
        #expect(throws: EmissionError.self) {
            try files("namespace files\nstruct Wide\n" + fields)
        }
        #expect(throws: EmissionError.self) {
            try files("namespace files\nstruct A\n    b_c String\n    bC String\n")
        }
    }
}
