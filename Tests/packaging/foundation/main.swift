// Asks Foundation all that it asks ICU: Tests/packaging/check-icu links this program with all of
// ICU's data and with the data that the installed programs have, and compares the answers. It is no
// test by itself: no answer is expected here.
//
//     program characters           all forms of all characters
//     program fixed                questions without a language, among them those of dbxfs and its libraries
//     program local LOCALE...      questions of languages, in each of these locales, or in all that ICU knows
//     program conversions          between character sets and scripts
import Foundation

let arguments = CommandLine.arguments.dropFirst()
if arguments.first == "characters" {
    showCharacters()
} else if arguments.first == "fixed" {
    showNames()
    showDates()
    showTimeZones()
    showNumbersAndErrors()
    showPatterns()
} else if arguments.first == "conversions" {
    showConversions()
} else {
    let named = Array(arguments.dropFirst())
    show("current", Locale.current.identifier, TimeZone.current.identifier)
    showLocal(.current)
    for identifier in named.isEmpty ? Locale.availableIdentifiers.sorted() : named {
        showLocal(Locale(identifier: identifier))
    }
}
