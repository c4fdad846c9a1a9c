// A client for tests of the server, and an emulator to go with it.

import Foundation
import FoundationNetworking
import Testing

@testable import DropboxEmulator

/// A client of one emulator.
struct EmulatorClient {
    let emulator: RunningEmulator
    var token = "emulator-token"

    func send(
        _ function: String, argument: JSONValue? = nil, body: [UInt8]? = nil,
        headers: [String: String] = [:]
    ) async throws -> (status: Int, body: Data, headers: HTTPURLResponse) {
        let url = try #require(URL(string: "\(emulator.baseURL)/2/\(function)"))
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.timeoutInterval = 300
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        if let body {
            request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
            request.setValue(argument?.text(.ascii), forHTTPHeaderField: "Dropbox-API-Arg")
            request.httpBody = Data(body)
        } else {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data((argument ?? .null).utf8())
        }
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let (data, response) = try await URLSession.shared.data(for: request)
        let http = try #require(response as? HTTPURLResponse)
        return (http.statusCode, data, http)
    }

    func call(_ function: String, _ argument: JSONValue) async throws -> JSONValue {
        try JSONParser.parse(try await send(function, argument: argument).body)
    }

    func upload(_ text: String, to path: String) async throws -> JSONValue {
        let response = try await send(
            "files/upload", argument: ["path": .string(path)], body: Array(text.utf8))
        return try JSONParser.parse(response.body)
    }
}

/// Runs an emulator in a temporary folder for as long as some work takes.
func withEmulator(
    folding: FoldingRule = .scalar, _ work: (EmulatorClient) async throws -> Void
) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = EmulatorServer(
        configuration: .init(stateFolder: folder.path, folding: folding))
    let emulator = try await server.start()
    do {
        try await work(EmulatorClient(emulator: emulator))
        await emulator.stop()
    } catch {
        await emulator.stop()
        throw error
    }
}
