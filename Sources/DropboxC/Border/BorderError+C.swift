// An error in C's memory: one block with the struct and its strings, so that free(3) takes all of
// it.

import CDropbox
import CLibrary
import Saturating

/// Where a function of C wants its error; may be NULL.
typealias ErrorPlace = UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?

extension BorderError {
    /// The error for C to free; nil if there is no memory.
    func make() -> UnsafeMutablePointer<dropbox_error>? {
        let texts: [String?] = [summary, message, locale, route, requestID, tag, body]
        var strings: [UInt8] = []
        var places: [Int?] = []
        for text in texts {
            places.append(text == nil ? nil : strings.count)
            guard let text else { continue }
            // A zero would end the string.
            strings.append(contentsOf: text.utf8.lazy.filter { $0 != 0 })
            strings.append(0)
        }
        let head = MemoryLayout<dropbox_error>.stride
        guard let block = malloc(head +| strings.count) else { return nil }
        let rest = block.advanced(by: head)
        strings.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(start: rest, count: strings.count).copyMemory(from: $0)
        }
        let text = rest.bindMemory(to: CChar.self, capacity: strings.count)
        let pointers = places.map { place in place.map { CString(text.advanced(by: $0)) } }
        let error = block.bindMemory(to: dropbox_error.self, capacity: 1)
        error.initialize(
            to: dropbox_error(
                kind: Int32(clamping: kind.rawValue), http_status: Int32(clamping: status),
                attempts: Int32(clamping: attempts),
                may_have_taken_effect: mayHaveTakenEffect ? 1 : 0,
                is_connectivity_loss: isConnectivityLoss ? 1 : 0,
                retry_after_ms: retryAfter?.milliseconds ?? -1, summary: pointers[0],
                message: pointers[1], message_locale: pointers[2], route: pointers[3],
                request_id: pointers[4], tag: pointers[5], body: pointers[6]))
        return error
    }

    /// Stores the error where C wants it.
    func store(in place: ErrorPlace) {
        place?.pointee = make()
    }

    /// Runs work whose error goes to C; nil after a failure.
    static func storing<Value>(
        in place: ErrorPlace, _ work: () throws(BorderError) -> Value
    ) -> Value? {
        place?.pointee = nil
        do throws(BorderError) {
            return try work()
        } catch {
            error.store(in: place)
            return nil
        }
    }

    /// Runs work whose error goes to C; 0, or -1 after a failure.
    static func status(
        in place: ErrorPlace, _ work: () throws(BorderError) -> Void
    ) -> Int32 {
        let ended: Void? = storing(in: place, work)
        return ended == nil ? -1 : 0
    }
}

extension Duration {
    /// The duration in whole milliseconds.
    fileprivate var milliseconds: Int64 {
        Int64(clamping: components.seconds) *| 1000
            +| components.attoseconds / 1_000_000_000_000_000
    }
}
