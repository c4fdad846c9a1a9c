// Checksums of the bytes that a failed flush may lose.

import Foundation
import Glibc
import TestSupport
import Testing

@testable import Staging

@Suite struct UnflushedBytesTests {
    private let folder = TemporaryFolder.make()
    private let bytes = UnflushedBytes(isNew: true)

    /// Runs a test with a file that is open for reading and writing.
    private func withFile(_ body: (Int32) throws -> Void) throws {
        let descriptor = open(folder + "/file", O_RDWR | O_CREAT | O_TRUNC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try body(descriptor)
    }

    private func write(_ text: [UInt8], at offset: Int64, _ descriptor: Int32) throws {
        if let part = try text.withUnsafeBytes({
            try bytes.write($0, at: offset, to: descriptor)
        }) {
            throw part.refusal
        }
    }

    private func change(_ offset: Int, _ descriptor: Int32) {
        var byte: UInt8 = 0
        #expect(pread(descriptor, &byte, 1, offset) == 1)
        byte ^= 1
        #expect(pwrite(descriptor, &byte, 1, offset) == 1)
    }

    @Test("random writes over each other are all known, and no other byte is believed")
    func random() throws {
        try withFile { descriptor in
            var random = SeededRandom(seed: 1)
            for _ in 0..<300 {
                let count = Int.random(in: 1...5000, using: &random)
                let offset = Int64.random(in: 0..<1_000_000, using: &random)
                let text = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
                try write(text, at: offset, descriptor)
                if Int.random(in: 0..<4, using: &random) == 0 {
                    try write(text, at: offset + Int64(count), descriptor)
                }
                #expect(bytes.writeAnew(to: descriptor) == .written)
                change(Int(offset) + count - 1, descriptor)
                if Int.random(in: 0..<10, using: &random) == 0 {
                    #expect(bytes.writeAnew(to: descriptor) == .lost)
                    bytes.noteFlushed(bytes.changes)
                } else {
                    change(Int(offset) + count - 1, descriptor)
                }
            }
        }
    }

    @Test("a byte that changed by itself is noticed also if it is partly written over")
    func over() throws {
        try withFile { descriptor in
            try write([UInt8](repeating: 1, count: 100), at: 0, descriptor)
            change(90, descriptor)
            try write([2], at: 50, descriptor)
            #expect(bytes.writeAnew(to: descriptor) == .lost)
            // The whole of it is known again after that.
            bytes.noteFlushed(bytes.changes)
            #expect(bytes.writeAnew(to: descriptor) == .written)
        }
    }

    @Test("a write during a flush stays unflushed")
    func during() throws {
        try withFile { descriptor in
            try write([1], at: 0, descriptor)
            let before = bytes.changes
            try write([2], at: 1, descriptor)
            bytes.noteFlushed(before)
            change(1, descriptor)
            #expect(bytes.writeAnew(to: descriptor) == .lost)
        }
    }

    @Test("a file that is emptied is known, one that is cut or changed otherwise is not")
    func others() throws {
        try withFile { descriptor in
            try write([1, 2, 3], at: 0, descriptor)
            try bytes.resize(to: 10, descriptor)
            #expect(bytes.isComplete)
            try bytes.resize(to: 2, descriptor)
            #expect(!bytes.isComplete)
            try bytes.resize(to: 0, descriptor)
            #expect(bytes.isComplete)
            try write([1, 2, 3], at: 0, descriptor)
            bytes.change {}
            #expect(bytes.writeAnew(to: descriptor) == .lost)
            try write([1, 2, 3], at: 0, descriptor)
            #expect(bytes.writeAnew(to: descriptor) == .lost)
        }
    }

    @Test("a write that the disk takes in part leaves its beginning known")
    func refused() throws {
        try withFile { descriptor in
            try write([1, 2, 3], at: 0, descriptor)
            let reading = open(folder + "/file", O_RDONLY)
            defer { close(reading) }
            #expect(throws: StagingError(code: EBADF)) { try write([4], at: 3, reading) }
            #expect(bytes.writeAnew(to: descriptor) == .written)
            #expect(throws: StagingError(code: EBADF)) { try write([4], at: 1, reading) }
            #expect(!bytes.isComplete)
        }
    }
}
