// Properties of files by templates.

import DropboxAPIComplete

extension Statement {
    private static let place = "docs/sync.md#modes-times-and-attributes"

    static let properties: [Statement] = [
        .init(
            "property-of-upload", "A file is stored with its properties.", .files("CommitInfo"),
            rule: place, expects: "red"
        ) {
            try await withTemplate($0) { box, template in
                _ = try await stored(box, template)
                return try await colour(box, "a", template)
            }
        },
        .init(
            "property-template-unknown",
            "Where the template is unknown, the file is stored without properties.",
            .files("UploadSessionFinishError"), rule: place, expects: "file a"
        ) { box in
            _ = try? await stored(box, "ptid:1a5n2i6d3OYEAAAAAAAAAYa")
            return box.line(try await box.metadata("a"))
        },
        .init(
            "property-added-twice", "Properties of a template are added once.",
            .specification(file: "file_properties", name: "AddPropertiesError"), rule: place,
            expects: "property_group_already_exists"
        ) {
            try await withTemplate($0) { box, template in
                _ = try await box.given { try await stored($0, template) }
                try await box.client.fileProperties.propertiesAdd(
                    path: box.path("a"), propertyGroups: [group(template)])
                return "added"
            }
        },
        .init(
            "property-removed", "Removed properties are gone.",
            .specification(file: "file_properties", name: "properties/remove"), rule: place,
            expects: "none"
        ) {
            try await withTemplate($0) { box, template in
                _ = try await box.given { try await stored($0, template) }
                try await box.client.fileProperties.propertiesRemove(
                    path: box.path("a"), propertyTemplateIDs: [template])
                return try await colour(box, "a", template)
            }
        },
        .init(
            "property-of-move", "A moved file keeps its properties.", .assumption, rule: place,
            expects: "red"
        ) {
            try await withTemplate($0) { box, template in
                _ = try await box.given { try await stored($0, template) }
                try await box.move("a", "b")
                return try await colour(box, "b", template)
            }
        },
        .init(
            "property-of-copy", "A copy has no properties.", .assumption, rule: place,
            expects: "none"
        ) {
            try await withTemplate($0) { box, template in
                _ = try await box.given { try await stored($0, template) }
                try await box.copy("a", "b")
                return try await colour(box, "b", template)
            }
        },
        .init(
            "property-of-new-content", "A file keeps its properties when its content changes.",
            .assumption, rule: place, expects: "red"
        ) {
            try await withTemplate($0) { box, template in
                _ = try await box.given { try await stored($0, template) }
                try await box.put("a", "two", .overwrite)
                return try await colour(box, "a", template)
            }
        },
        .init(
            "property-keeps-rev", "A change of properties is no new rev.", .assumption,
            rule: place, expects: "the same rev, the same id"
        ) {
            try await withTemplate($0) { box, template in
                let file = try await box.file("a")
                try await box.client.fileProperties.propertiesAdd(
                    path: box.path("a"), propertyGroups: [group(template)])
                return compared(file, try await box.fileMetadata("a"))
            }
        },
        .init(
            "property-is-told", "A change of properties alone is told as a change of the file.",
            .assumption, rule: place, expects: "file a"
        ) {
            try await withTemplate($0) { box, template in
                try await box.file("a")
                let cursor = try await box.cursor()
                try await box.client.fileProperties.propertiesAdd(
                    path: box.path("a"), propertyGroups: [group(template)])
                return try await box.told(cursor)
            }
        },
        .init(
            "property-search", "A search for a property finds files with an equal value.",
            .assumption, rule: "docs/emulator.md#assumptions", expects: "file a"
        ) {
            try await withTemplate($0) { box, template in
                _ = try await box.given { try await stored($0, template) }
                try await box.file("b")
                return try await found(box, "red", template)
            }
        },
        .init(
            "property-search-for-part", "A search for a part of a property's value finds nothing.",
            .assumption, rule: "docs/emulator.md#assumptions", expects: "nothing"
        ) {
            try await withTemplate($0) { box, template in
                _ = try await box.given { try await stored($0, template) }
                return try await found(box, "re", template)
            }
        },
        .init(
            "property-search-deleted", "A search for a property finds no deleted file.",
            .assumption, rule: "docs/emulator.md#assumptions", expects: "nothing"
        ) {
            try await withTemplate($0) { box, template in
                _ = try await box.given { try await stored($0, template) }
                _ = try await box.given { try await $0.delete("a") }
                return try await found(box, "red", template)
            }
        },
    ]

    /// The entries that a search for a colour finds.
    private static func found(
        _ box: ConformanceAccount, _ colour: String, _ template: String
    ) async throws -> Observation {
        let matches = try await box.client.fileProperties.propertiesSearch(
            queries: [.init(query: colour, mode: .fieldName("colour"))],
            templateFilter: .filterSome([template])
        ).matches
        return ConformanceAccount.list(
            matches.map { "\($0.isDeleted ? "deleted" : "file") \(box.name($0.path.lowercased()))" }
        )
    }

    /// Asks with a template of its own, and removes it.
    private static func withTemplate(
        _ box: ConformanceAccount,
        _ ask: (ConformanceAccount, String) async throws -> Observation
    ) async throws -> Observation {
        let template = try await box.given {
            try await $0.client.fileProperties.templatesAddForUser(
                name: "dbxfs conformance", description: "made by a test, and removed by it",
                fields: [.init(name: "colour", description: "any", type: .string)]
            ).templateID
        }
        do {
            let answer = try await ask(box, template)
            try? await box.client.fileProperties.templatesRemoveForUser(templateID: template)
            return answer
        } catch {
            try? await box.client.fileProperties.templatesRemoveForUser(templateID: template)
            throw error
        }
    }

    private static func group(_ template: String) -> FileProperties.PropertyGroup {
        .init(templateID: template, fields: [.init(name: "colour", value: "red")])
    }

    private static func stored(
        _ box: ConformanceAccount, _ template: String
    ) async throws -> Files.FileMetadata {
        try await box.files.upload(
            path: box.path("a"), propertyGroups: [group(template)], body: BytesBody([1]))
    }

    private static func colour(
        _ box: ConformanceAccount, _ name: String, _ template: String
    ) async throws -> Observation {
        let found = try await box.files.getMetadata(
            path: box.path(name), includePropertyGroups: .filterSome([template]))
        guard case .file(let file) = found else { return "no file" }
        return file.propertyGroups?.first?.fields.first?.value ?? "none"
    }
}
