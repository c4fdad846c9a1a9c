// Strings and bytes that cross the border. All that C gives is copied; all that it gets is from
// malloc(3).

import CLibrary
import DropboxAPI

/// A string of C.
typealias CString = UnsafePointer<CChar>

/// Strings and bytes that cross the border.
enum CText {
    /// A copy of a string; nil for NULL. Throws unless it is UTF-8.
    static func optional(_ text: CString?, _ name: String) throws(BorderError) -> String? {
        guard let text else { return nil }
        guard let copy = String(validatingCString: text) else {
            throw .argument("\(name) is not UTF-8")
        }
        return copy
    }

    /// A copy of a string that must not be NULL.
    static func required(_ text: CString?, _ name: String) throws(BorderError) -> String {
        guard let copy = try optional(text, name) else { throw .argument("\(name) is NULL") }
        return copy
    }

    /// A string that can be a header's value: not empty, and printable ASCII alone.
    static func header(_ text: CString?, _ name: String) throws(BorderError) -> String {
        let copy = try required(text, name)
        guard !copy.isEmpty, copy.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw .argument("\(name) is empty, or has characters that are not printable ASCII")
        }
        return copy
    }

    /// The JSON of a string; `null` for NULL.
    static func document(_ text: CString?, _ name: String) throws(BorderError) -> JSONText {
        guard let copy = try optional(text, name) else { return .null }
        guard let document = JSONText(copy) else { throw .argument("\(name) is not JSON") }
        return document
    }

    /// A copy of bytes. Throws for NULL, unless there are none.
    static func bytes(
        _ bytes: UnsafeRawPointer?, _ size: Int, _ name: String
    ) throws(BorderError) -> [UInt8] {
        guard size != 0 else { return [] }
        // A size_t beyond the half of all addresses is negative here.
        guard let bytes, size > 0 else {
            throw .argument(bytes == nil ? "\(name) is NULL" : "\(name) is too large")
        }
        return Array(UnsafeRawBufferPointer(start: bytes, count: size))
    }

    /// A string for C to free.
    static func make(_ text: String) -> UnsafeMutablePointer<CChar>? {
        make(Array(text.utf8))
    }

    /// The bytes as a string for C to free; zeros, which would end it, are left out.
    static func make(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar>? {
        var ended = bytes.filter { $0 != 0 }
        ended.append(0)
        guard let copy = malloc(ended.count) else { return nil }
        ended.withUnsafeBytes { source in
            UnsafeMutableRawBufferPointer(start: copy, count: ended.count).copyMemory(from: source)
        }
        return copy.bindMemory(to: CChar.self, capacity: ended.count)
    }
}
