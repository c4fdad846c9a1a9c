// Templates, and the properties of files by them: the routes of file_properties.stone, and where
// metadata has properties.

import Testing

@testable import DropboxEmulator

@Suite("Properties of files")
struct PropertyTests {
    private static let routes = "file_properties/"

    private static func field(_ name: String) -> JSONValue {
        ["name": .string(name), "description": "d", "type": "string"]
    }

    private static func addTemplate(
        _ client: EmulatorClient, fields: [String] = ["a", "b"]
    ) async throws -> String {
        let response = try await client.call(
            routes + "templates/add_for_user",
            [
                "name": "n", "description": "d",
                "fields": .array(fields.map { field($0) }),
            ])
        return try #require(response["template_id"]?.string)
    }

    private static func group(_ template: String, _ fields: [String: String]) -> JSONValue {
        [
            "template_id": .string(template),
            "fields": .array(
                fields.sorted { $0.key < $1.key }.map {
                    ["name": .string($0.key), "value": .string($0.value)]
                }),
        ]
    }

    /// The properties of a file as its metadata has them.
    private static func properties(
        _ client: EmulatorClient, _ path: String, _ template: String
    ) async throws -> JSONValue? {
        let response = try await client.call(
            "files/get_metadata",
            [
                "path": .string(path),
                "include_property_groups": [
                    ".tag": "filter_some", "filter_some": [.string(template)],
                ],
            ])
        return response["property_groups"]
    }

    private static func change(
        _ client: EmulatorClient, _ route: String, _ name: String, _ value: JSONValue
    ) async throws -> JSONValue {
        try await client.call(
            routes + "properties/" + route, .object([.init("path", "/f"), .init(name, value)]))
    }

    @Test("a template is made, read, changed, listed and removed, and its properties with it")
    func templates() async throws {
        try await withEmulator { client in
            let id = try await Self.addTemplate(client)
            #expect(id.hasPrefix("ptid:"))
            let argument: JSONValue = ["template_id": .string(id)]
            var updated = argument.adding("name", "new")
            updated = updated.adding("add_fields", [Self.field("c")])
            #expect(
                try await client.call(Self.routes + "templates/update_for_user", updated)
                    == argument)
            let template = try await client.call(Self.routes + "templates/get_for_user", argument)
            #expect(template["name"] == "new")
            #expect(template["description"] == "d")
            #expect(
                template["fields"]?.array?.compactMap { $0["name"]?.string } == ["a", "b", "c"])
            #expect(
                try await client.call(Self.routes + "templates/list_for_user", .null)
                    == ["template_ids": [.string(id)]])
            _ = try await client.upload("x", to: "/f")
            #expect(
                try await Self.change(
                    client, "add", "property_groups", [Self.group(id, ["a": "1"])])
                    == .null)
            #expect(
                try await client.call(Self.routes + "templates/remove_for_user", argument) == .null)
            #expect(
                try await client.call(Self.routes + "templates/get_for_user", argument)["error"]
                    == .tag("template_not_found", .string(id)))
            #expect(try await Self.properties(client, "/f", id) == nil)
        }
    }

    @Test("the limits of templates")
    func limits() async throws {
        try await withEmulator { (client: EmulatorClient) async throws in
            func refusal(_ name: String, _ fields: [String]) async throws -> String? {
                let response = try await client.call(
                    Self.routes + "templates/add_for_user",
                    [
                        "name": .string(name), "description": "d",
                        "fields": .array(fields.map { Self.field($0) }),
                    ])
                return response["error"]?[".tag"]?.string
            }
            let many = (0..<33).map { "f\($0)" }
            #expect(try await refusal("n", many) == "too_many_properties")
            #expect(try await refusal("n", Array(many.dropLast())) == nil)
            #expect(try await refusal("n", ["a", "a"]) == "conflicting_property_names")
            let long = String(repeating: "ü", count: 129)
            #expect(try await refusal(long, []) == "template_attribute_too_large")
            #expect(try await refusal("n", [long]) == "template_attribute_too_large")
            #expect(try await refusal(String(repeating: "n", count: 256), []) == nil)
        }
    }

    @Test("properties are added once, overwritten, updated by field, and removed")
    func changes() async throws {
        try await withEmulator { client in
            let id = try await Self.addTemplate(client)
            _ = try await client.upload("x", to: "/f")
            let one = Self.group(id, ["a": "1"])
            #expect(try await Self.change(client, "add", "property_groups", [one]) == .null)
            #expect(try await Self.properties(client, "/f", id) == [one])
            #expect(
                try await Self.change(client, "add", "property_groups", [one])["error"]
                    == .tag("property_group_already_exists"))
            let update: JSONValue = [
                "template_id": .string(id),
                "add_or_update_fields": [["name": "b", "value": "2"]], "remove_fields": ["a"],
            ]
            #expect(
                try await Self.change(client, "update", "update_property_groups", [update])
                    == .null)
            #expect(try await Self.properties(client, "/f", id) == [Self.group(id, ["b": "2"])])
            #expect(try await Self.change(client, "overwrite", "property_groups", [one]) == .null)
            #expect(try await Self.properties(client, "/f", id) == [one])
            let ids: JSONValue = [.string(id)]
            #expect(try await Self.change(client, "remove", "property_template_ids", ids) == .null)
            #expect(try await Self.properties(client, "/f", id) == nil)
            #expect(
                try await Self.change(client, "remove", "property_template_ids", ids)["error"]
                    == .tag("property_group_lookup", .tag("property_group_not_found")))
        }
    }

    @Test("what does not fit is refused as a whole")
    func refusals() async throws {
        try await withEmulator { client in
            let id = try await Self.addTemplate(client)
            let other = try await Self.addTemplate(client)
            _ = try await client.upload("x", to: "/f")
            func refusal(_ groups: [JSONValue]) async throws -> JSONValue? {
                try await Self.change(client, "add", "property_groups", .array(groups))["error"]
            }
            let fine = Self.group(other, ["a": "1"])
            #expect(
                try await refusal([fine, Self.group(id, ["c": "1"])])
                    == .tag("does_not_fit_template"))
            let long = String(repeating: "x", count: 1025)
            #expect(
                try await refusal([fine, Self.group(id, ["a": long])])
                    == .tag("property_field_too_large"))
            #expect(try await refusal([fine, fine]) == .tag("duplicate_property_groups"))
            #expect(
                try await refusal([fine, Self.group("ptid:x", ["a": "1"])])
                    == .tag("template_not_found", "ptid:x"))
            #expect(try await Self.properties(client, "/f", other) == nil)
            let nowhere = try await client.call(
                Self.routes + "properties/add", ["path": "/g", "property_groups": [fine]])
            #expect(nowhere["error"] == .tag("path", .tag("not_found")))
            let bad = try await client.send(
                Self.routes + "properties/overwrite",
                argument: ["path": "/f", "property_groups": []])
            #expect(bad.status == 400)
        }
    }

    @Test("a commit stores properties with the content; refused ones leave the file without")
    func commits() async throws {
        try await withEmulator { client in
            let id = try await Self.addTemplate(client)
            func upload(_ path: String, _ group: JSONValue) async throws -> Int {
                try await client.send(
                    "files/upload",
                    argument: ["path": .string(path), "property_groups": [group]], body: [1]
                ).status
            }
            let one = Self.group(id, ["a": "1"])
            #expect(try await upload("/f", one) == 200)
            #expect(try await Self.properties(client, "/f", id) == [one])
            let response = try await client.send(
                "files/upload",
                argument: [
                    "path": "/g", "property_groups": [Self.group(id, ["none": "1"])],
                ], body: [1])
            #expect(response.status == 409)
            #expect(
                try JSONParser.parse(response.body)["error"]
                    == .tag("properties_error", .tag("does_not_fit_template")))
            #expect(try await client.call("files/get_metadata", ["path": "/g"])["name"] == "g")
            // They belong to the file: new content and a move leave them.
            _ = try await client.send(
                "files/upload", argument: ["path": "/f", "mode": "overwrite"], body: [2])
            _ = try await client.call("files/move_v2", ["from_path": "/f", "to_path": "/h"])
            #expect(try await Self.properties(client, "/h", id) == [one])
        }
    }

    @Test("a listing has the properties that it was asked for, on each page, and tells of changes")
    func listings() async throws {
        try await withEmulator { client in
            let id = try await Self.addTemplate(client)
            for name in ["a", "b", "c"] { _ = try await client.upload("x", to: "/" + name) }
            let one = Self.group(id, ["a": "1"])
            func add(_ path: String) async throws {
                _ = try await client.call(
                    Self.routes + "properties/add",
                    ["path": .string(path), "property_groups": [one]])
            }
            try await add("/c")
            let filter: JSONValue = [".tag": "filter_some", "filter_some": [.string(id)]]
            var page = try await client.call(
                "files/list_folder",
                ["path": "", "limit": 1, "include_property_groups": filter])
            var entries = page["entries"]?.array ?? []
            while page["has_more"] == true, let cursor = page["cursor"] {
                page = try await client.call("files/list_folder/continue", ["cursor": cursor])
                entries += page["entries"]?.array ?? []
            }
            #expect(entries.map { $0["property_groups"] } == [nil, nil, [one]])
            let cursor = try #require(page["cursor"])
            for isTold in [true, false] {
                try client.emulator.updateSettings(["tell_properties": .boolean(isTold)])
                try await add(isTold ? "/a" : "/b")
                let news = try await client.call("files/list_folder/continue", ["cursor": cursor])
                let names = news["entries"]?.array?.compactMap { $0["name"]?.string }
                #expect(names == ["a"])
            }
            let plain = try await client.call("files/list_folder", ["path": ""])
            #expect(plain["entries"]?.array?.allSatisfy { $0["property_groups"] == nil } == true)
            let unknown = try await client.call(
                "files/list_folder",
                [
                    "path": "",
                    "include_property_groups": [
                        ".tag": "filter_some", "filter_some": ["ptid:x"],
                    ],
                ])
            #expect(
                unknown["error"] == .tag("template_error", .tag("template_not_found", "ptid:x")))
        }
    }

    @Test("a search finds values by the names of their fields, in pages")
    func searches() async throws {
        try await withEmulator { client in
            let id = try await Self.addTemplate(client)
            for (name, value) in [("x", "1"), ("y", "2"), ("z", "1")] {
                _ = try await client.upload(name, to: "/" + name)
                _ = try await client.call(
                    Self.routes + "properties/add",
                    [
                        "path": .string("/" + name),
                        "property_groups": [Self.group(id, ["a": value])],
                    ])
            }
            func found(_ value: String) async throws -> [String] {
                var page = try await client.call(
                    Self.routes + "properties/search",
                    [
                        "queries": [
                            [
                                "query": .string(value),
                                "mode": [".tag": "field_name", "field_name": "a"],
                            ]
                        ]
                    ])
                var paths: [String] = []
                while true {
                    paths += page["matches"]?.array?.compactMap { $0["path"]?.string } ?? []
                    guard let cursor = page["cursor"] else { return paths }
                    page = try await client.call(
                        Self.routes + "properties/search/continue", ["cursor": cursor])
                }
            }
            #expect(try await found("1") == ["/x", "/z"])
            try client.emulator.updateSettings(["page_size": 1])
            #expect(try await found("1") == ["/x", "/z"])
            #expect(try await found("3") == [])
            let bad = try await client.call(
                Self.routes + "properties/search/continue", ["cursor": "?"])
            #expect(bad["error"] == .tag("reset"))
        }
    }
}
