// Things that the tests of SwiftyDropbox share: an emulator with a client, and handlers as values
// that a test waits for.

import DropboxEmulator
import Foundation
import SwiftyDropbox

/// An emulator with a client for its first account.
struct Service: Sendable {
    let emulator: RunningEmulator
    let client: DropboxClient
    let folder: URL

    var hosts: BaseHosts {
        BaseHosts(
            apiHost: emulator.baseURL, contentHost: emulator.baseURL, notifyHost: emulator.baseURL)
    }

    /// A file of this test's.
    func file(_ name: String, _ content: Data) throws -> URL {
        let file = folder.appendingPathComponent(name)
        try content.write(to: file)
        return file
    }

    /// How many requests of a route have come.
    func requests(_ route: String) -> Int64 {
        emulator.statistics["routes"]?[route]?["requests"]?.integer ?? 0
    }
}

/// Runs an emulator for as long as some work takes.
func withService(_ work: (Service) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let state = folder.appendingPathComponent("state")
    try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
    let emulator = try await EmulatorServer(
        configuration: .init(stateFolder: state.path, tokens: ["token"])
    ).start()
    let hosts = BaseHosts(
        apiHost: emulator.baseURL, contentHost: emulator.baseURL, notifyHost: emulator.baseURL)
    let client = DropboxClient(
        transportClient: DropboxTransportClientImpl(accessToken: "token", baseHosts: hosts))
    do {
        try await work(Service(emulator: emulator, client: client, folder: folder))
        await emulator.stop()
    } catch {
        await emulator.stop()
        throw error
    }
}

/// Bytes that no compression or repetition hides.
func content(_ count: Int, seed: UInt64 = 1) -> Data {
    var state = seed
    return Data(
        (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        })
}
