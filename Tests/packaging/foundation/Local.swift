// Answers of Foundation that depend on a language. With less data they are others, or none, but the
// program goes on.
import Foundation

func showLocal(_ locale: Locale) {
    show("locale", locale.identifier)
    showLanguage(locale)
    showText(locale)
    showFormats(locale)
    showOldFormats(locale)
    showCalendars(locale)
}

private let moment = Date(timeIntervalSince1970: 1_700_000_000)
private let other = Date(timeIntervalSince1970: 1_734_567_890)
private let sample = "Iı İi ß ŒUVRE, ไทยภาษาไทย 日本語の文章。 Ein Satz! Another one? ១២៣ မြန်မာ ລາວ 👩‍👩‍👧"

private func showLanguage(_ locale: Locale) {
    show(
        locale.language.languageCode ?? "-", locale.language.script ?? "-",
        locale.language.region ?? "-", locale.hourCycle)
    show(
        locale.firstDayOfWeek, locale.measurementSystem, locale.currency ?? "-",
        locale.numberingSystem, locale.collation)
    show(
        locale.decimalSeparator ?? "-", locale.groupingSeparator ?? "-",
        locale.quotationBeginDelimiter ?? "-", locale.calendar.identifier)
    show(locale.availableNumberingSystems.count, locale.language.characterDirection)
    show(
        locale.localizedString(forLanguageCode: "de") ?? "-",
        locale.localizedString(forRegionCode: "JP") ?? "-",
        locale.localizedString(forCurrencyCode: "EUR") ?? "-",
        locale.localizedString(forIdentifier: "zh_Hant_TW") ?? "-",
        locale.localizedString(forScriptCode: "Cyrl") ?? "-",
        locale.localizedString(for: .buddhist) ?? "-",
        locale.localizedString(forCollationIdentifier: "phonebook") ?? "-")
}

private func showText(_ locale: Locale) {
    show(
        sample.lowercased(with: locale), sample.uppercased(with: locale),
        sample.capitalized(with: locale))
    show(sample.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: locale))
    let words = ["zebra", "Äpfel", "apfel", "öl", "Z10", "Z9", "日本", "ch", "cz", "", "I", "ı"]
    show(
        words.sorted {
            $0.compare($1, options: .caseInsensitive, range: nil, locale: locale)
                == .orderedAscending
        })
    show(
        words.sorted {
            $0.compare($1, options: [.numeric, .diacriticInsensitive], range: nil, locale: locale)
                == .orderedAscending
        })
    show(
        words.sorted { $0.localizedCompare($1) == .orderedAscending },
        words.sorted { $0.localizedStandardCompare($1) == .orderedAscending })
    show(
        sample.localizedStandardContains("oeuvre"), sample.localizedCaseInsensitiveContains("satz"),
        sample.localizedCapitalized)
    for unit in [.byLines, .byParagraphs, .byComposedCharacterSequences]
        as [NSString.EnumerationOptions]
    {
        var count = 0
        sample.enumerateSubstrings(in: sample.startIndex..., options: [unit, .localized]) {
            _, _, _, _ in count += 1
        }
        show("parts", count)
    }
}

private func showFormats(_ locale: Locale) {
    for date in [Date.FormatStyle.DateStyle.omitted, .numeric, .abbreviated, .long, .complete] {
        for time in [Date.FormatStyle.TimeStyle.omitted, .shortened, .standard, .complete] {
            show(
                moment.formatted(
                    Date.FormatStyle(date: date, time: time, locale: locale, timeZone: .current)))
        }
    }
    show(
        moment.formatted(
            .dateTime.era().year().quarter().month().week().day().weekday().hour(
                .conversationalDefaultDigits(amPM: .wide)
            ).timeZone(.exemplarLocation).locale(locale)))
    show(
        (moment..<other).formatted(.interval.locale(locale)),
        moment.formatted(.relative(presentation: .named).locale(locale)).isEmpty)
    show(
        1_234_567.891.formatted(.number.locale(locale)), 0.25.formatted(.percent.locale(locale)),
        12.5.formatted(.currency(code: "EUR").locale(locale)))
    show(
        1_234_567.formatted(.number.notation(.compactName).locale(locale)),
        12_345_678.formatted(.byteCount(style: .file).locale(locale)))
    show(
        1e300.formatted(.number.notation(.scientific).locale(locale)),
        (12 as Decimal).formatted(.currency(code: "JPY").presentation(.fullName).locale(locale)))
    show(
        Duration.seconds(98_765).formatted(.units(width: .wide).locale(locale)),
        Duration.seconds(98_765).formatted(.time(pattern: .hourMinuteSecond).locale(locale)))
    show(
        ["a", "b", "c"].formatted(.list(type: .and).locale(locale)),
        ["a", "b"].formatted(.list(type: .or, width: .short).locale(locale)))
    show(
        (try? Double("1.234,5", format: .number.locale(locale))) ?? .nan,
        (try? Date("1/2/2024", strategy: .dateTime.day().month().year().locale(locale))) ?? "-")
    show(
        moment.description(with: locale), NSNumber(value: 12.5).description(withLocale: locale),
        String(format: "%.2f", locale: locale, 1234.5))
}

private func showOldFormats(_ locale: Locale) {
    let dates = DateFormatter()
    dates.locale = locale
    for style in [.short, .medium, .long, .full] as [DateFormatter.Style] {
        (dates.dateStyle, dates.timeStyle) = (style, style)
        show(dates.string(from: moment), dates.dateFormat ?? "-")
    }
    dates.setLocalizedDateFormatFromTemplate("yMMMMEEEEdjm")
    show(
        dates.string(from: moment), dates.monthSymbols, dates.amSymbol, dates.date(from: "x") ?? "-"
    )
    let numbers = NumberFormatter()
    numbers.locale = locale
    let styles: [NumberFormatter.Style] = [
        .none, .decimal, .currency, .percent, .scientific, .spellOut, .ordinal, .currencyISOCode,
        .currencyPlural, .currencyAccounting,
    ]
    for style in styles {
        numbers.numberStyle = style
        show(
            numbers.string(from: 1234.5) ?? "-", numbers.number(from: "12") ?? "-", terminator: " ")
    }
    show(ByteCountFormatter.string(fromByteCount: 1_234_567, countStyle: .file))
    show(ISO8601DateFormatter().string(from: moment))
}

private func showCalendars(_ locale: Locale) {
    let identifiers: [Calendar.Identifier] = [
        .gregorian, .buddhist, .chinese, .coptic, .ethiopicAmeteMihret, .hebrew, .indian, .islamic,
        .islamicCivil, .islamicUmmAlQura, .iso8601,
        .japanese, .persian, .republicOfChina,
    ]
    for identifier in identifiers {
        var calendar = Calendar(identifier: identifier)
        calendar.locale = locale
        show(
            identifier, calendar.firstWeekday, calendar.monthSymbols, calendar.eraSymbols,
            calendar.isDateInWeekend(moment), calendar.amSymbol)
        show(
            calendar.dateComponents([.era, .year, .month, .day], from: moment),
            calendar.date(byAdding: .month, value: 1, to: moment) ?? "-")
        let dates = DateFormatter()
        (dates.calendar, dates.locale, dates.dateStyle) = (calendar, locale, .full)
        show(dates.string(from: moment))
    }
    for identifier in ["Europe/Berlin", "Asia/Kolkata", "America/New_York", "GMT"] {
        let zone = TimeZone(identifier: identifier)
        for style in [.standard, .shortDaylightSaving, .generic, .shortGeneric]
            as [NSTimeZone.NameStyle]
        {
            show(zone?.localizedName(for: style, locale: locale) ?? "-", terminator: " ")
        }
    }
    show()
}

/// Questions to which only the whole data has all answers.
func showConversions() {
    let transforms: [StringTransform] = [
        .toLatin, .latinToCyrillic, .toUnicodeName, .stripDiacritics, .toXMLHex,
        .init("Any-Publishing"),
    ]
    show(transforms.map { sample.applyingTransform($0, reverse: false) ?? "-" })
    let encodings: [String.Encoding] = [
        .shiftJIS, .windowsCP1251, .macOSRoman, .iso2022JP, .japaneseEUC,
        .init(rawValue: 0x8000_0632), .utf32,
    ]
    show(encodings.map { sample.data(using: $0, allowLossyConversion: true)?.count ?? -1 })
    show(encodings.map { String(data: Data([0x41, 0xe4, 0x83, 0x42]), encoding: $0) ?? "-" })
    _ = try? NSRegularExpression(pattern: "\\N{LATIN SMALL LETTER A}")
}
