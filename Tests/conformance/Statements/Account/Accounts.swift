// The account itself: its space, its namespaces, its limits.

import DropboxAPIComplete

extension Statement {
    private static let place = "docs/sync.md#roots"

    static let accounts: [Statement] = [
        .init(
            "account-root", "The account tells the namespaces of its root and its home.",
            .specification(file: "users", name: "FullAccount"), rule: place, expects: "digits"
        ) { box in
            let root = try await box.client.users.getCurrentAccount().rootInfo
            let ids = root.rootNamespaceID + root.homeNamespaceID
            return !ids.isEmpty && ids.allSatisfy(\.isNumber) ? "digits" : ids
        },
        .init(
            "account-unknown", "An account that there is not is named so.",
            .recording("get_account/no_account"), rule: place, expects: "no_account"
        ) { box in
            try await box.client.users.getAccount(
                accountID: "dbid:AAAKVPLEKkkccsZMFkkZNXFeyXrPPhrtXXX"
            ).email
        },
        .init(
            "account-space", "The account tells the bytes that it uses and has.",
            .recording("get_space_usage/success"), rule: "docs/semantics.md#posix-on-dropbox",
            expects: "an allocation"
        ) { box in
            switch try await box.client.users.getSpaceUsage().allocation {
            case .individual, .team: "an allocation"
            case .unknown(let tag): tag
            }
        },
        .init(
            "account-features", "A question for no feature is refused.",
            .specification(file: "users", name: "UserFeaturesGetValuesBatchError"), rule: place,
            expects: "empty_features_list"
        ) { box in "\(try await box.client.users.featuresGetValues(features: []).values.count)" },
        .init(
            "account-echo", "The service echoes a query.",
            .specification(file: "check", name: "user"), rule: place, expects: "dbxfs"
        ) { box in try await box.client.check.user(query: "dbxfs").result },
        .init(
            "root-home", "Paths relative to the home are those without a header.", .pathRoots,
            rule: place, expects: "the same folder"
        ) { try await rooted($0) { _ in .home } },
        .init(
            "root-of-account", "Paths can be relative to the account's root.",
            .sdkTest("test_path_root"), rule: place, expects: "a listing"
        ) { box in
            let root = try await box.given {
                try await $0.client.users.getCurrentAccount().rootInfo
            }
            let client = box.client.rooted(at: .root(root.rootNamespaceID))
            _ = try await client.files.listFolder(path: "")
            return "a listing"
        },
        .init(
            "root-of-namespace", "Paths can be relative to the namespace of the home.",
            .sdkTest("test_path_root"), rule: place, expects: "the same folder"
        ) { try await rooted($0) { .namespaceID($0.homeNamespaceID) } },
        .init(
            "root-unknown-namespace", "A namespace that the account has not is refused.",
            .recording("list_folder/invalid_namespace_id"), rule: place,
            expects: "422 no_permission"
        ) { try await rooted($0) { _ in .namespaceID("1234567890") } },
        .init(
            "root-of-other-account", "A root that is not the account's is refused.",
            .sdkTest("test_path_root_err"), rule: place, expects: "422 invalid_root"
        ) { try await rooted($0) { _ in .root("1234567890") } },
        .init(
            "account-full", "An account that is full takes no content.", .files("WriteError"),
            rule: "docs/semantics.md#posix-on-dropbox", expects: "path/insufficient_space"
        ) { box in
            try await box.admin(
                "quota", #"{"bytes":0}"#, reason: "the account is not to be filled")
            let answer: Observation
            do {
                try await box.put("a", "text")
                answer = "stored"
            } catch let error as CallError<Files.UploadError> {
                answer = error.routeError?.tagPath ?? error.summary
            }
            try await box.admin("quota", #"{"bytes":2199023255552}"#, reason: "")
            return answer
        },
    ]

    /// Whether the statement's folder is the same below another root.
    private static func rooted(
        _ box: ConformanceAccount, _ root: (Common.RootInfo) -> Common.PathRoot
    ) async throws -> Observation {
        guard case .folder(let folder) = try await box.metadata("") else { return "no folder" }
        let info = try await box.given { try await $0.client.users.getCurrentAccount().rootInfo }
        let client = box.client.rooted(at: root(info))
        let found = try await client.files.getMetadata(path: box.folder)
        guard case .folder(let other) = found else { return "no folder" }
        return other.id == folder.id ? "the same folder" : "another folder"
    }
}
