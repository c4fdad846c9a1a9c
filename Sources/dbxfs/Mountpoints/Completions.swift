// The words that shells offer at the Tab key for values. Not responsible for paths, which shells
// know by themselves.

import ArgumentParser
import LocalFiles
import LocalIO
import Mounting

extension CompletionKind {
    /// The names of the user's accounts on this machine.
    static var accounts: CompletionKind {
        .custom { _, _, _ in
            guard let environment = try? Environment(leniently: .user) else { return [] }
            return AccountFolders.accounts(environment)
        }
    }

    /// The remotes of Dropbox in rclone's configuration.
    static var remotesOfRclone: CompletionKind {
        .custom { _, _, _ in RcloneLogin(ProcessVariables.all).remotes }
    }

    /// Mount options and their values, also behind others and a comma.
    static var mountOptions: CompletionKind {
        .custom { words, index, _ in
            OptionWords.mountOptions(words.indices.contains(index) ? words[index] : "")
        }
    }

    /// The settings of a running mount and their values, and folders.
    static var settings: CompletionKind {
        .custom { words, index, _ in
            let word = words.indices.contains(index) ? words[index] : ""
            return [OptionWords.settings(word), FolderWords.all(for: word)].flatMap(\.self)
        }
    }
}

/// The folders that a shell would offer, for words that need not be paths. Nothing on a mount is
/// looked at but the folder that the user has written.
private enum FolderWords {
    static func all(for word: String) -> [String] {
        let slash = word.utf8.lastIndex(of: UInt8(ascii: "/"))
        let parent = slash.map { String(Substring(word.utf8[...$0])) } ?? ""
        // bash expands what it is offered.
        guard parent.utf8.allSatisfy(isPlain) else { return [] }
        return folderNames(in: parent.isEmpty ? "." : parent).sorted()
            .filter { $0.utf8.allSatisfy(isPlain) }
            .map { "\(parent)\($0)" }
            .filter(isFolder)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "@"), 0x80...:
            true
        default: false
        }
    }
}
