// The messages to a supervisor on its socket, and their order.

import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Mounting

/// The supervisor's side: a socket, and what arrives there.
private final class Supervisor {
    private let descriptor: Int32

    /// Listens at a path, or at a name outside of the filesystem that begins with `@`.
    init(at address: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var name = Array(address.utf8)
        if name[0] == UInt8(ascii: "@") { name[0] = 0 } else { name.append(0) }
        var socketAddress = sockaddr_un()
        socketAddress.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &socketAddress.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout.size(ofValue: socketAddress.sun_family) + name.count)
        let status = withUnsafePointer(to: &socketAddress) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length)
            }
        }
        try #require(status == 0, "errno \(errno)")
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
    }

    /// The next message, as lines.
    func receive() throws -> [String] {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        try #require(count > 0, "nothing came")
        return String(decoding: buffer[..<count], as: UTF8.self)
            .split(separator: "\n").map(String.init)
    }
}

@Suite struct ServiceNotifierTests {
    @Test("messages arrive at a path and at a name outside of the filesystem")
    func addresses() throws {
        let folder = try TemporaryFolder()
        for address in [folder.path + "/notify", "@dbxfs-test-\(UUID().uuidString)"] {
            let supervisor = try Supervisor(at: address)
            let notifier = try #require(ServiceNotifier(address))
            #expect(notifier.send(["READY=1", "STATUS=fine"]))
            #expect(try supervisor.receive() == ["READY=1", "STATUS=fine"])
        }
    }

    @Test("an address that no socket can have is none", arguments: ["", "@", "x", "vsock:2:1"])
    func noAddress(address: String) {
        #expect(ServiceNotifier(address) == nil)
        #expect(ServiceNotifier("/" + String(repeating: "x", count: 107)) == nil)
    }

    @Test("a supervisor that is gone keeps no mount from working")
    func nobodyListens() throws {
        #expect(try #require(ServiceNotifier("/nowhere/notify")).send(["READY=1"]) == false)
    }

    @Test("a status is sent when it is new, and in one line")
    func status() {
        var report = ServiceReport()
        #expect(report.next(status: "online", isStopping: false) == ["STATUS=online"])
        #expect(report.next(status: "online", isStopping: false).isEmpty)
        #expect(
            report.next(status: "a\nREADY=0", isStopping: false) == ["STATUS=a READY=0"])
    }

    @Test("an end is sent once, and asks for time again and again")
    func stopping() {
        var report = ServiceReport()
        _ = report.next(status: "online", isStopping: false)
        #expect(
            report.next(status: "2 changes", isStopping: true)
                == ["STOPPING=1", "EXTEND_TIMEOUT_USEC=30000000", "STATUS=2 changes"])
        #expect(
            report.next(status: "2 changes", isStopping: true) == ["EXTEND_TIMEOUT_USEC=30000000"])
    }

    @Test("readiness comes first, then the status, then the end")
    func supervision() throws {
        let folder = try TemporaryFolder()
        let supervisor = try Supervisor(at: folder.path + "/notify")
        let box = Box("online")
        let supervision = ServiceSupervision(
            try #require(ServiceNotifier(folder.path + "/notify"))
        ) { box.value.withLock { $0 } }
        supervision.ready()
        #expect(try supervisor.receive() == ["READY=1"])
        #expect(try supervisor.receive() == ["STATUS=online"])
        box.value.withLock { $0 = "finishing" }
        supervision.stop()
        #expect(try supervisor.receive().first == "STOPPING=1")
        supervision.end()
    }
}

/// A value that closures share.
private final class Box: Sendable {
    let value: Mutex<String>

    init(_ value: String) {
        self.value = Mutex(value)
    }
}
