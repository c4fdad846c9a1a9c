// A line for each request and each answer, in a file: what a client did, for those who look for the reason of
// a failure.

import Foundation

/// A file with all requests.
final class RequestLog: Sendable {
    /// The most characters of an argument or an answer in a line.
    private static let longest = 1_000_000

    private let file: BlockingFile

    /// Opens the file, which is made if it is missing; lines are added at its end.
    init(path: String) throws(FileError) {
        file = try BlockingFile(writing: path, append: true)
    }

    /// Notes a call with its argument, once that is known.
    func note(_ number: UInt64, call function: String, token: String, argument: JSONValue) {
        write("#\(number) > \(token) \(function) \(argument.text().prefix(Self.longest))")
    }

    /// Notes an answer, or what became of a request without one.
    func note(_ number: UInt64, answer text: String, function: String) {
        write("#\(number) < \(function) \(text.prefix(Self.longest))")
    }

    /// A log that cannot be written is no reason to fail a request.
    private func write(_ text: String) {
        let time = Date().formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true, timeZone: .gmt))
        let line = Array("\(time) \(text)\n".utf8)
        // In a file that is opened for appending, the offset means nothing.
        line.withUnsafeBytes { try? file.write($0, at: 0) }
    }
}
