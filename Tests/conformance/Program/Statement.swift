// One statement about Dropbox: a sentence with its source, and the question that puts it to a
// server. Not responsible for asking: Run.

/// The answer of a server in one line: what a call returned, or the tags of its error.
typealias Observation = String

/// Something that Dropbox is said to do.
struct Statement: Sendable {
    /// A short name that stays.
    let id: String
    let sentence: String
    let source: Source
    /// The place in dbxfs that relies on it: a file, or a section of a document.
    let rule: String
    /// The answer of a server for which the statement holds.
    let expected: Observation
    let ask: @Sendable (ConformanceAccount) async throws -> Observation

    init(
        _ id: String, _ sentence: String, _ source: Source, rule: String,
        expects expected: Observation,
        ask: @escaping @Sendable (ConformanceAccount) async throws -> Observation
    ) {
        self.id = id
        self.sentence = sentence
        self.source = source
        self.rule = rule
        self.expected = expected
        self.ask = ask
    }
}

/// The statements about one subject.
struct Chapter: Sendable {
    let title: String
    let statements: [Statement]

    /// All statements, in the order in which they are asked.
    static let all: [Chapter] = [
        .init(title: "Names", statements: Statement.names),
        .init(title: "Names that are one", statements: Statement.folding),
        .init(title: "Commits", statements: Statement.commits),
        .init(title: "Conflicts", statements: Statement.conflicts),
        .init(title: "Dates", statements: Statement.dates),
        .init(title: "Moves and copies", statements: Statement.moves),
        .init(title: "Folders and deletions", statements: Statement.deletions),
        .init(title: "Batches", statements: Statement.batches),
        .init(title: "Upload sessions", statements: Statement.sessions),
        .init(title: "Concurrent upload sessions", statements: Statement.concurrentSessions),
        .init(title: "Listings", statements: Statement.listings),
        .init(title: "Changes", statements: Statement.changes),
        .init(title: "Longpoll", statements: Statement.longpolls),
        .init(title: "Metadata", statements: Statement.metadata),
        .init(title: "Downloads", statements: Statement.downloads),
        .init(title: "Revisions", statements: Statement.revisions),
        .init(title: "Properties", statements: Statement.properties),
        .init(
            title: "Links and shared folders",
            statements: Statement.sharing + Statement.sharedFolders),
        .init(title: "Requests", statements: Statement.requests),
        .init(title: "Accounts and limits", statements: Statement.accounts),
        .init(title: "Teams", statements: Statement.teams),
    ]
}

/// Where a statement comes from.
enum Source: Sendable {
    /// Dropbox's specification: the file and the route or type.
    case specification(file: String, name: String)
    /// A page of Dropbox.
    case page(String)
    /// An issue, a test or the source of another client, by its address.
    case client(String)
    /// The reasoning of dbxfs itself, without a source.
    case assumption

    /// A route or type of files.stone.
    static func files(_ name: String) -> Source { .specification(file: "files", name: name) }

    /// An answer of the service, as the tests of a client for Ruby have recorded it.
    static func recording(_ name: String) -> Source {
        .client(
            "https://github.com/Jesus/dropbox_api/blob/master/spec/fixtures/vcr_cassettes/\(name).yml"
        )
    }

    /// A test of the official SDK that runs against the service.
    static func sdkTest(_ name: String) -> Source {
        .client(
            "https://github.com/dropbox/dropbox-sdk-python/blob/main/test/integration/test_dropbox.py#\(name)"
        )
    }

    /// An issue or pull request.
    static func issue(_ repository: String, _ number: Int) -> Source {
        .client("https://github.com/\(repository)/issues/\(number)")
    }

    static let fileNames = Source.page("https://help.dropbox.com/organize/file-names")
    static let changesGuide = Source.page("https://developers.dropbox.com/detecting-changes-guide")
    static let performanceGuide = Source.page(
        "https://developers.dropbox.com/dbx-performance-guide")
    static let errorGuide = Source.page("https://developers.dropbox.com/error-handling-guide")
    static let reference = Source.page(
        "https://www.dropbox.com/developers/documentation/http/documentation")
    static let pathRoots = Source.page(
        "https://www.dropbox.com/developers/reference/path-root-header-modes")
    static let contentHash = Source.page(
        "https://www.dropbox.com/developers/reference/content-hash")
    static let rcloneNames = Source.client(
        "https://github.com/rclone/rclone/blob/master/backend/dropbox/dropbox.go")
    static let caseTable = Source.client("https://github.com/wfraser/dbxcase")
    static let normalisedPaths = Source.client("https://github.com/samschott/maestral/pull/409")

    /// The source as the table names it.
    var text: String {
        switch self {
        case .specification(let file, let name): "\(file).stone: \(name)"
        case .page(let address), .client(let address): address
        case .assumption: "assumption"
        }
    }
}
