// The command line: reads a folder of .stone files and writes Swift into a repository's folders.

import ArgumentParser
import Foundation
import Stone
import SwiftEmission

/// `stone-generator SPEC --sources DIR --tests DIR --compatibility-tests DIR [--origin TEXT]`.
@main
struct StoneGenerator: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stone-generator",
        abstract: "Writes the Dropbox SDK from the specification of the API.")

    @Argument(help: "The folder with the .stone files.")
    var specification: String

    @Option(
        help: "The folder that holds a folder for each module; its Generated folder is replaced.")
    var sources: String

    @Option(help: "The folder for tables and documents of the tests.")
    var tests: String

    @Flag(help: "Takes along what the specification says about types and routes.")
    var documentation = false

    @Option(help: "The commit of the specification, for the head of each file.")
    var origin = "of an unknown commit"

    @Option(help: "The folder for the table of the tests of SwiftyDropbox.")
    var compatibilityTests: String

    @Option(help: "The folder for the generated part of the Objective-C library.")
    var objectiveC: String

    func run() throws {
        let folder = URL(filePath: specification, directoryHint: .isDirectory)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".stone") }.sorted()
        guard !names.isEmpty else {
            throw ValidationError("there are no .stone files in \(specification)")
        }
        let files = try names.map { name in
            (
                name: name,
                text: try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            )
        }
        let model = try Specification(files: files, keepingDocumentation: documentation)
        try write(
            Emitter(model, origin: origin), examples: model,
            CompatibilityEmitter(model, origin: origin))
        let ownFolder = URL(filePath: objectiveC, directoryHint: .isDirectory)
        try? FileManager.default.removeItem(at: ownFolder)
        for (name, text) in try ObjectiveCEmitter(model, origin: origin).files() {
            try write(text, to: ownFolder.appending(path: name))
        }
    }

    private func write(
        _ emitter: Emitter, examples model: Specification, _ compatibility: CompatibilityEmitter
    ) throws {
        let files = try emitter.files() + [emitter.routeTable()] + compatibility.files()
        let root = URL(filePath: sources, directoryHint: .isDirectory)
        for module in Set(files.map(\.module)) {
            let folder = root.appending(path: module).appending(path: "Generated")
            try? FileManager.default.removeItem(at: folder)
        }
        for file in files {
            try write(
                file.text,
                to: root.appending(path: file.module).appending(path: "Generated")
                    .appending(path: file.path))
        }
        let data = URL(filePath: tests, directoryHint: .isDirectory)
        try? FileManager.default.removeItem(at: data)
        try write(emitter.testTables(), to: data.appending(path: "Tables.swift"))
        try write(
            emitter.lines(try model.exampleDocuments()),
            to: data.appending(path: "Documents/examples.jsonl"))
        try write(
            emitter.lines(model.sampleDocuments()),
            to: data.appending(path: "Documents/samples.jsonl"))
        try write(
            try emitter.routeDocuments(), to: data.appending(path: "Documents/routes.jsonl"))
        try write(
            compatibility.testTables(),
            to: URL(filePath: compatibilityTests, directoryHint: .isDirectory)
                .appending(path: "Tables.swift"))
        let routes = model.namespaces.map(\.routes.count).reduce(0, +)
        let types = model.namespaces.map { $0.structures.count + $0.unions.count }.reduce(0, +)
        print("\(routes) routes, \(types) types, \(files.count) files")
    }

    private func write(_ text: String, to file: URL) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }
}
