// Answers of Foundation that depend on no language.
import Foundation

/// FNV-1a, for answers that are too many to be printed.
struct Digest: CustomStringConvertible {
    private var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ text: String) {
        for byte in text.utf8 + [0xff] { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    var description: String { String(value, radix: 16) }
}

/// All that Unicode has assigned.
private let characters = (0...0x10_ffff as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
    .filter { ![.unassigned, .privateUse].contains($0.properties.generalCategory) }

/// Every character by itself and before a mark, in all the forms by which names are compared.
func showCharacters() {
    let forms: [(String, (String) -> String)] = [
        ("composed", \.precomposedStringWithCanonicalMapping),
        ("decomposed", \.decomposedStringWithCanonicalMapping),
        ("compatible", \.precomposedStringWithCompatibilityMapping),
        ("apart", \.decomposedStringWithCompatibilityMapping),
        ("lower", { $0.lowercased() }),
        ("upper", { $0.uppercased() }),
        ("capital", \.capitalized),
        (
            "folded",
            {
                $0.folding(
                    options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive],
                    locale: nil)
            }
        ),
        ("quoted", { $0.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? "-" }),
    ]
    let sets: [CharacterSet] = [
        .letters, .alphanumerics, .whitespacesAndNewlines, .symbols, .controlCharacters,
        .nonBaseCharacters,
    ]
    for (name, form) in forms {
        var digest = Digest()
        for scalar in characters {
            digest.add(form(String(scalar)))
            if scalar.value < 0x3000 { digest.add(form("a\(scalar)\u{301}\u{327}")) }
        }
        show("characters", name, digest)
    }
    var digest = Digest()
    for scalar in characters {
        digest.add(sets.map { $0.contains(scalar) ? "1" : "0" }.joined())
    }
    show("sets", digest)
}

func showNames() {
    let names = [
        "a.txt", "A.TXT", "Ä", "a\u{308}", "ß", "SS", "İ", "ı", "file 10", "file 9", "日本", "ไทย",
        "👨‍👩‍👧", "", "é", "E",
    ]
    for left in names {
        let compared = names.map { right in
            [
                left.compare(right), left.caseInsensitiveCompare(right),
                left.compare(right, options: .numeric),
                left.compare(right, options: [.caseInsensitive, .diacriticInsensitive, .literal]),
            ].map { String($0.rawValue) }.joined(separator: ",")
        }
        show("names", left, compared)
        show(
            "found", left,
            "xÄ.TXT a\u{308} 日本".range(
                of: left, options: [.caseInsensitive, .diacriticInsensitive]) != nil)
        show(
            "data", left,
            [.utf8, .utf16, .ascii, .isoLatin1].map { left.data(using: $0).map(Array.init) ?? [] })
    }
    for text in [
        "https://bücher.example/ä?ö=ü", "https://日本.example", "https://xn--bcher-kva.example",
        "file:///tmp/ä ö", "a b",
    ] {
        show(
            "address", text, URL(string: text)?.absoluteString ?? "-",
            URLComponents(string: text)?.host ?? "-")
    }
    show(
        "path", URL(fileURLWithPath: "/a/../ä/./b").standardizedFileURL.path,
        ("~/x/../ä" as NSString).standardizingPath)
}

func showDates() {
    let posix = DateFormatter()
    posix.locale = Locale(identifier: "en_US_POSIX")
    posix.timeZone = .gmt
    for format in [
        "EEE, dd MMM yyyy HH:mm:ss 'GMT'", "yyyy-MM-dd HH:mm:ss.SSS",
        "EEEE MMMM d h:mm a zzzz VVVV", "G y Q w e",
    ] {
        posix.dateFormat = format
        for seconds in [-62_135_596_800, -1, 0, 951_782_400, 1_700_000_000.123, 253_402_300_799] {
            let text = posix.string(from: Date(timeIntervalSince1970: seconds))
            show("date", text, posix.date(from: text)?.timeIntervalSince1970 ?? .nan)
        }
    }
    for header in [
        "Fri, 27 Nov 2026 06:00:00 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "", "nonsense",
    ] {
        posix.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        show("header", header, posix.date(from: header)?.timeIntervalSince1970 ?? .nan)
    }
    let moment = Date(timeIntervalSince1970: 1_700_000_000.123)
    show(
        "iso", ISO8601DateFormatter().string(from: moment), moment.ISO8601Format(),
        moment.formatted(.iso8601))
    show(
        "iso",
        moment.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true, timeZone: .gmt)))
    show(
        "iso", ISO8601DateFormatter().date(from: "2026-02-29T00:00:00Z") ?? "-",
        (try? Date("2026-02-28T01:02:03Z", strategy: .iso8601)) ?? "-")
    show("described", moment, moment.description(with: Locale(identifier: "en_US_POSIX")).count)
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    show(
        "json",
        (try? encoder.encode(["a": moment])).map { String(decoding: $0, as: UTF8.self) } ?? "-")
}

func showTimeZones() {
    for identifier in TimeZone.knownTimeZoneIdentifiers + [
        "GMT", "UTC+3", "EST5EDT", "Nowhere/Here",
    ] {
        guard let zone = TimeZone(identifier: identifier) else {
            show("zone", identifier, "-")
            continue
        }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        var digest = Digest()
        for year in stride(from: -3_000_000_000.0, through: 4_000_000_000, by: 70_000_001) {
            let date = Date(timeIntervalSince1970: year)
            let parts = calendar.dateComponents(
                [.year, .month, .day, .hour, .minute, .second, .weekday, .weekOfYear], from: date)
            digest.add(
                "\(zone.secondsFromGMT(for: date)) \(zone.isDaylightSavingTime(for: date)) \(parts)"
            )
            digest.add("\(calendar.date(from: parts)?.timeIntervalSince1970 ?? 0)")
        }
        show(
            "zone", zone.identifier, digest,
            zone.abbreviation(for: Date(timeIntervalSince1970: 1e9)) ?? "-")
        show(
            "next",
            zone.nextDaylightSavingTimeTransition(after: Date(timeIntervalSince1970: 1e9)) ?? "-")
    }
}

func showNumbersAndErrors() {
    let posix = Locale(identifier: "en_US_POSIX")
    show(
        "decimal", Decimal(string: "12,345.678", locale: posix) ?? 0,
        (Decimal(string: "-1e-10", locale: posix) ?? 0) as NSDecimalNumber)
    show(
        "format", String(format: "%04d-%02d %.3f %@ %x", 7, 3, 1234.5678, "ä", 255),
        String(format: "%.2f", locale: posix, 1e6))
    show(
        "number", NSNumber(value: 1234.5).description(withLocale: posix),
        NSNumber(value: true).stringValue)
    // Some of these are rules of Japanese and Chinese.
    let systems = [
        "armn", "beng", "cyrl", "deva", "ethi", "geor", "grek", "hanidays", "hanidec", "hans",
        "hansfin",
        "hant", "hantfin", "hebr", "jpan", "jpanfin", "jpanyear", "mathsans", "roman", "taml",
        "tibt",
    ]
    for system in systems {
        let locale = Locale(identifier: "en@numbers=\(system)")
        let ago = Date(timeIntervalSinceNow: -1e6).formatted(
            .relative(presentation: .numeric).locale(locale))
        show("numerals", system, 1234.formatted(.number.locale(locale)), ago.isEmpty)
    }
    for code in [ENOENT, EACCES, ENOSPC, EIO] {
        show("error", NSError(domain: NSPOSIXErrorDomain, code: Int(code)).localizedDescription)
    }
    for code in [CocoaError.fileReadNoSuchFile, .fileWriteOutOfSpace, .coderInvalidValue] {
        show("error", CocoaError(code).localizedDescription)
    }
    do { _ = try String(contentsOfFile: "/nowhere/ä", encoding: .utf8) } catch {
        show("error", error.localizedDescription)
    }
}

func showPatterns() {
    let text = "Über die Brücke: photos/2024/IMG_0001.JPG, matrices and women, ΑΒΓ ǅ 日本語 5 ٥"
    let patterns = [
        "\\b\\w+$", "_[^_]+$", "[^A-Z][A-Z]+[a-z1-9]+$", "(matri)ces", "(?i)ÜBER", "\\p{Lu}+",
        "\\p{Han}+", "\\p{IsGreek}", "\\X", "\\d+",
        "[[:alpha:]&&[^a-z]]+", "(?w)\\b", "(", "\\p{Nonsense}",
    ]
    for pattern in patterns {
        for options in [[], .caseInsensitive] as [NSRegularExpression.Options] {
            guard let expression = try? NSRegularExpression(pattern: pattern, options: options)
            else {
                show("pattern", pattern, "-")
                continue
            }
            let all = NSRange(text.startIndex..., in: text)
            show("pattern", pattern, expression.matches(in: text, range: all).map(\.range))
            show(
                "replaced",
                expression.stringByReplacingMatches(in: text, range: all, withTemplate: "<$0>"))
        }
    }
}
