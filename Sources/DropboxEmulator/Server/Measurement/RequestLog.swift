// Logs each request and each response as a line of a file, to debug clients.

import Foundation

/// A file with a line for each request and each response.
final class RequestLog: Sendable {
    /// The most characters of an argument or a response in a line.
    private static let longest = 1_000_000

    private let file: BlockingFile

    /// Opens or creates the file for appending.
    init(path: String) throws(FileError) {
        file = try BlockingFile(writing: path, append: true)
    }

    /// Logs a call with its argument, once that is known.
    func note(_ number: UInt64, call function: String, token: String, argument: JSONValue) {
        write("#\(number) > \(token) \(function) \(argument.text().prefix(Self.longest))")
    }

    /// Logs a response, or how a request ended without one.
    func note(_ number: UInt64, answer text: String, function: String) {
        write("#\(number) < \(function) \(text.prefix(Self.longest))")
    }

    /// A failed write to the log does not fail the request.
    private func write(_ text: String) {
        let time = Date().formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true, timeZone: .gmt))
        let line = Array("\(time) \(text)\n".utf8)
        // The offset is ignored: the file is open with O_APPEND.
        line.withUnsafeBytes { try? file.write($0, at: 0) }
    }
}
