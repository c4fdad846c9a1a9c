// Unverified content, and the folder where it is kept until a user handles it. Not responsible for
// finding it: that is `StagingCheck`.

import CLinux
import Core
import Foundation
import Glibc
import LocalFiles
import Saturating

/// A staging file that was put aside, and the facts known about it.
package struct LostContent: Codable, Hashable, Sendable {
    /// The reason why content was put aside.
    package enum Reason: String, Codable, Hashable, Sendable {
        /// A power cut came before the bytes had reached the disk, or the file is damaged.
        case notFlushed = "not-flushed"
        /// The file is shorter than the content was.
        case short
        /// The file was written to after it was saved for the last time.
        case changed
        /// The file is gone; only the facts about it remain.
        case missing
        /// The database does not know the file.
        case unknown
        /// The database was damaged: no content, only this note.
        case database
    }

    /// The name of the content's file in the folder; nil if there is none.
    package var file: String?
    /// Its path from the mount's root; nil if the database does not say.
    package var path: String?
    /// The size that it should have, in bytes.
    package var size: Int64
    /// Bytes that the file has.
    package var bytes: Int64
    /// When it was last written to, in seconds since 1970.
    package var modified: Int64
    /// When it was put aside, in seconds since 1970.
    package var found: Int64
    /// Reason for putting it aside.
    package var reason: Reason
    /// The damage of the database, for `database`.
    package var detail: String?
    /// The base revision of the content.
    package var base: String?
    /// The numbers of the 4 MiB blocks that the file holds; nil if it holds all.
    package var blocks: [Int]?

    /// Reads a note; nil if it is none.
    init?(text: String) {
        // Foundation's decoder traps on a document that is cut off within deep nesting, unless a
        // byte follows.
        let bytes = Data((text + " ").utf8)
        guard let content = try? JSONDecoder().decode(LostContent.self, from: bytes) else {
            return nil
        }
        self = content
    }

    /// The note as it is written.
    func text() throws(StagingError) -> String {
        guard let bytes = try? JSONEncoder().encode(self) else { throw StagingError(code: EIO) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// One line for people.
    package var explanation: String {
        switch reason {
        case .notFlushed: "a power cut came before it was safe on the disk"
        case .short: "the file on the disk is shorter than the content was"
        case .changed: "it was being written to when the power was cut"
        case .missing: "its staging file is gone"
        case .unknown: "the database does not know what it is"
        case .database: detail ?? "the database was damaged"
        }
    }
}

/// A piece of content in the folder, with its name for commands.
package struct LostEntry: Hashable, Sendable {
    /// The name of its note, without the suffix.
    package let name: String
    /// The contents of the note.
    package let content: LostContent
}

/// The folder of content that was put aside: each file with a note of the same number beside it.
package struct LostAndFound: Sendable {
    /// The folder; it is created with the first piece of content.
    package let folder: String

    /// Takes a path, which need not exist.
    package init(folder: String) {
        self.folder = folder
    }

    /// The pieces, oldest first.
    package func contents() -> [LostContent] { entries().map(\.content) }

    /// The pieces with their names, oldest first.
    package func entries() -> [LostEntry] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(Self.noteSuffix) }.compactMap { file in
            let name = String(file.dropLast(Self.noteSuffix.count))
            return noted(name).map { LostEntry(name: name, content: $0) }
        }.sorted { ($0.content.found, $0.name) < ($1.content.found, $1.name) }
    }

    /// The file of a piece of content; nil if there is only a note.
    package func file(of entry: LostEntry) -> String? {
        entry.content.file.flatMap {
            $0.utf8.contains(UInt8(ascii: "/")) ? nil : folder + "/" + $0
        }
    }

    /// Moves a staging file here, after its note. Returns the note. Throws when the disk refuses;
    /// then the file is where it was. After a crash, the next call for the file ends what this one
    /// began.
    func take(
        _ path: String, number: Int64, _ content: LostContent
    ) throws(StagingError) -> LostContent {
        try makeFolder()
        var content = content
        if let taken = taken(path, number, content) {
            guard unlink(path) == 0 else { throw StagingError(code: errno) }
            return taken
        }
        let name = freeName(number, content)
        let file = Self.fileName(name, content.path)
        content.file = file
        Self.flushBytes(of: path)
        try write(content, name)
        // The file must not arrive before its note.
        try flush()
        try Self.nameNew(path, "\(folder)/\(file)")
        try flush()
        return content
    }

    /// As far as the disk takes them: content that it refuses is put aside, too.
    private static func flushBytes(of path: String) {
        guard let descriptor = try? RegularFile.open(path, O_RDONLY) else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// Writes a note without a file.
    func note(_ content: LostContent, number: Int64) throws(StagingError) {
        try makeFolder()
        try write(content, "\(number)-\(content.found)")
        try flush()
    }

    /// Removes a piece of content: its file before its note, because a file without a note would be
    /// listed nowhere.
    package func remove(_ entry: LostEntry) throws(StagingError) {
        for path in [file(of: entry), notePath(entry.name)].compactMap(\.self) {
            guard unlink(path) == 0 || errno == ENOENT else { throw StagingError(code: errno) }
        }
    }

    private static let noteSuffix = ".json"
    /// Bytes of a note, at most: a path has 4,096, each six in JSON, and the largest file 2^19
    /// blocks, each seven.
    private static let noteLimit = 1 << 23
    /// Bytes of a name before its last character; with that and the note's end it is well below the
    /// 255 of the system.
    private static let nameLimit = 196

    private func notePath(_ name: String) -> String { "\(folder)/\(name)\(Self.noteSuffix)" }

    private func noted(_ name: String) -> LostContent? {
        ((try? RegularFile.contents(of: notePath(name), limit: Self.noteLimit)) ?? nil)
            .flatMap { LostContent(text: String(decoding: $0, as: UTF8.self)) }
    }

    /// A free name: after the loss of a database, numbers begin anew.
    private func freeName(_ number: Int64, _ content: LostContent) -> String {
        var names = Names(number: number)
        while !isFree(names.current, content) { names.advance() }
        return names.current
    }

    /// The names of pieces with one number, in the order in which they are given.
    private struct Names {
        let number: Int64
        private var count = 1

        init(number: Int64) { self.number = number }

        var current: String { count == 1 ? "\(number)" : "\(number)-\(count)" }

        mutating func advance() { count +|= 1 }
    }

    /// Whether nothing has a name. A note whose file never came is from a start that was cut off;
    /// a note that cannot be read may be of any file.
    private func isFree(_ name: String, _ content: LostContent) -> Bool {
        if exists(Self.fileName(name, content.path)) { return false }
        guard exists("\(name)\(Self.noteSuffix)") else { return true }
        return noted(name)?.file.map { !exists($0) } ?? false
    }

    /// The note of a file that is here already, too: its filesystem moves by links, and the move
    /// was cut off.
    private func taken(_ path: String, _ number: Int64, _ content: LostContent) -> LostContent? {
        var names = Names(number: number)
        while !isFree(names.current, content) {
            let file = Self.fileName(names.current, content.path)
            if Self.isSame(path, "\(folder)/\(file)"), let noted = noted(names.current) {
                return noted
            }
            names.advance()
        }
        return nil
    }

    private static func isSame(_ path: String, _ other: String) -> Bool {
        var (one, two) = (stat(), stat())
        return lstat(path, &one) == 0 && lstat(other, &two) == 0 && one.st_dev == two.st_dev
            && one.st_ino == two.st_ino
    }

    private func exists(_ name: String) -> Bool {
        var status = stat()
        return lstat("\(folder)/\(name)", &status) == 0
    }

    /// The name, with the last component of the path as far as it is safe and fits.
    private static func fileName(_ ownName: String, _ path: String?) -> String {
        // Split by scalars: a name may begin with an accent, which would make one character with
        // the slash.
        guard let name = path?.unicodeScalars.split(separator: "/").last else { return ownName }
        let kept = name.filter { $0.value >= 0x20 && $0.value != 0x7F }
        var text = "\(ownName) "
        for scalar in kept where text.utf8.count <= nameLimit { text.unicodeScalars.append(scalar) }
        return text.hasSuffix(noteSuffix) ? "\(text)_" : text
    }

    private func makeFolder() throws(StagingError) {
        guard mkdir(folder, 0o700) == 0 else {
            if errno == EEXIST { return }
            throw StagingError(code: errno)
        }
        try Self.flush(Self.folder(of: folder))
    }

    private func write(_ content: LostContent, _ name: String) throws(StagingError) {
        let bytes = Array(try content.text().utf8)
        let descriptor = try StagingError.opening(notePath(name), O_WRONLY | O_CREAT | O_TRUNC)
        defer { close(descriptor) }
        let written = bytes.withUnsafeBytes { FileBytes.write($0, at: 0, to: descriptor) }
        guard written == bytes.count, fsync(descriptor) == 0 else {
            throw StagingError(code: errno)
        }
    }

    private func flush() throws(StagingError) { try Self.flush(folder) }
}
