// The words with which a shell completes options and their values, from the table of options. Not
// responsible for the shells (Packaging/completion.bash, ArgumentParser).

/// The words that can stand in the place of one that a user has begun.
package enum OptionWords {
    /// Options of a mount, behind others and a comma if the word has them; behind `=`, the values
    /// that have names.
    ///
    /// bash expands what it is offered, so there is nothing for a text in which the user has
    /// written a command or a variable.
    package static func mountOptions(_ word: String) -> [String] {
        let others = word.lastIndex(of: ",").map { word[...$0] } ?? ""
        guard others.utf8.allSatisfy(plain.contains) else { return [] }
        let last = word[others.endIndex...]
        return words(MountOption.all.map { ($0.name, $0.value == nil ? nil : $0.words) }, last)
            .map { "\(others)\($0)" }
    }

    /// The settings of a running mount, with the values that have names.
    package static func settings(_ word: String) -> [String] {
        words(LiveSettings.words.map { ($0.name, $0.words) }, Substring(word))
    }

    /// Names, those that take a value with `=`; behind that, the values of the option.
    private static func words(
        _ options: [(name: String, values: [String]?)], _ word: Substring
    ) -> [String] {
        guard let end = word.firstIndex(of: "=") else {
            return options.map { $0.values == nil ? $0.name : $0.name + "=" }
        }
        let name = word[..<end]
        let option = options.first { $0.name == name }
        return (option?.values ?? []).map { "\(name)=\($0)" }
    }

    /// Characters that no shell expands.
    private static let plain = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_=.,:/@%+-".utf8)
}
