// A reader over a fake cloud and a cache in a folder of its own.

import BlockCache
@testable import FileSystem
import Core
import Logging
import RemoteStore
import TestSupport

/// All that a test of the read pipeline needs. The folder goes with it.
final class Fixture: Sendable {
    var folder: String { temporary.path }
    let store: FakeStore
    let cache: DiskBlockCache
    let reader: ContentReader
    private let temporary: TemporaryFolder

    /// On a machine that is busy with something else an answer may be late by any time, so nothing
    /// is asked for twice unless a test wants that.
    init(
        _ samples: [Sample], memory: Int64 = 64 << 20, requests: Int = 16,
        cacheSize: Int64 = 1 << 30, hedgeDelay: Duration = .seconds(600),
        idleTime: Duration = .seconds(600)
    ) throws {
        temporary = try TemporaryFolder()
        store = FakeStore(samples)
        cache = try DiskBlockCache(directory: temporary.path, limit: cacheSize)
        reader = Self.reader(
            store, cache, memory: memory, requests: requests, hedgeDelay: hedgeDelay,
            idleTime: idleTime)
    }

    /// Another reader on the same cache, as after a restart.
    func freshReader() -> ContentReader {
        Self.reader(store, cache, memory: 64 << 20, requests: 16)
    }

    private static func reader(
        _ store: FakeStore, _ cache: DiskBlockCache, memory: Int64, requests: Int,
        hedgeDelay: Duration = .seconds(600), idleTime: Duration = .seconds(600)
    ) -> ContentReader {
        var log = Logger(label: "test")
        log.logLevel = .critical
        return ContentReader(
            remote: store, cache: cache,
            limits: ContentReader.Limits(
                memory: memory, requests: requests, retryDelay: .zero, idleTime: idleTime,
                hedgeDelay: hedgeDelay),
            log: log)
    }
}

extension ContentReader {
    /// Reads like a FUSE read: at once from memory and cache, or waiting.
    func read(
        _ sample: Sample, _ range: Range<Int64>, _ session: ReadSession
    ) async throws(RemoteError) -> [UInt8] {
        if let bytes = cachedBytes(of: sample.content, range: range) {
            noteRead(of: sample.content, range: range, session: session)
            return bytes
        }
        return try await bytes(of: sample.content, range: range, session: session)
    }

    /// Reads a range in steps, as a program does; true if all bytes were right.
    func readThrough(
        _ sample: Sample, _ session: ReadSession, _ range: Range<Int64>? = nil,
        step: Int64 = 128 << 10
    ) async throws(RemoteError) -> Bool {
        let range = range ?? 0..<sample.content.size
        var position = range.lowerBound
        while position < range.upperBound {
            let part = position..<min(position + step, range.upperBound)
            guard try await read(sample, part, session) == sample[part] else { return false }
            position = part.upperBound
        }
        return true
    }
}

/// Waits until something becomes so; false if it does not within a time that only a broken
/// implementation takes.
func eventually(_ condition: () -> Bool) async -> Bool {
    do {
        try await waitWhile { !condition() }
        return true
    } catch {
        return condition()
    }
}
