// The words that shells offer at the Tab key for values. Not responsible for paths, which shells know by themselves.

import ArgumentParser
import Mounting

extension CompletionKind {
    /// The names of the user's accounts on this machine.
    static var accounts: CompletionKind {
        .custom { _, _, _ in
            guard let environment = try? Environment(leniently: .user) else { return [] }
            return AccountFolders.accounts(environment)
        }
    }

    /// The names of mount options, also behind others and a comma. bash expands what it is offered, so it gets no text in
    /// which the user has written a command or a variable.
    static var mountOptions: CompletionKind {
        .custom { words, index, _ in
            let word = words.indices.contains(index) ? words[index] : ""
            let others = word.lastIndex(of: ",").map { word[...$0] } ?? ""
            guard others.utf8.allSatisfy(plain.contains) else { return [] }
            return MountOption.all.map { option in
                "\(others)\(option.name)\(option.value == nil ? "" : "=")"
            }
        }
    }

    /// Characters that no shell expands.
    private static let plain = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_=.,:/@%+-".utf8)
}
