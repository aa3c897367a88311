import ByteCoding

/// The grammar of trust files: the entries, their settings, which are required, and their numbers of words.
enum TrustGrammar {
    /// The values of an entry's first line or of a setting: their number, and their names for messages.
    private struct ValueRule {
        let counts: ClosedRange<Int>
        let words: String

        static func exactly(_ count: Int, _ words: String) -> Self { Self(counts: count...count, words: words) }
        static func atLeast(_ count: Int, _ words: String) -> Self { Self(counts: count...Int.max, words: words) }
    }

    private struct EntryRule {
        var values: ValueRule
        var settings: [String: ValueRule] = [:]
        var required: [String] = []
        /// The name of the setting that may be repeated with other words; nil for none.
        var repeated: String?
        /// True when the value names a file.
        var fileValue = false
        /// The settings whose first value names a file.
        var fileSettings: [String] = []
    }

    private static let forms: [String: EntryRule] = [
        "issuer": EntryRule(
            values: .exactly(1, "ID"),
            settings: [
                "name": .exactly(1, "TEXT, in quotation marks if it has blanks"),
                "document": .atLeast(3, "PATH sha256 DIGEST"), "keys": .exactly(3, "PATH sha256 DIGEST"),
                "pem": .atLeast(1, "PATH, or PATH sha256 DIGEST"),
                "relationships": .exactly(1, "listed, or controller-listed"), "types": .atLeast(1, "TYPE …"),
                "contexts": .atLeast(1, "ADDRESS …"), "status": .atLeast(1, "own, or ID …"),
                "issuer-less": .exactly(1, "accept"),
            ], fileSettings: ["document", "keys", "pem"]),
        "signers": EntryRule(
            values: .exactly(1, "FOLDER, or PATH"),
            settings: [
                "for": .atLeast(1, "health-certificates, or aadhaar, or both"),
                "name": .exactly(1, "TEXT, in quotation marks if it has blanks"),
            ], required: ["for"], fileValue: true),
        "aes-key": EntryRule(values: .exactly(1, "PATH"), fileValue: true),
        "key": EntryRule(
            values: .exactly(1, "ADDRESS"),
            settings: ["file": .exactly(3, "PATH sha256 DIGEST"), "for": .atLeast(1, "ID …")],
            required: ["for"], fileSettings: ["file"]),
        "method": EntryRule(values: .exactly(1, "did:NAME")),
        "root": EntryRule(
            values: .exactly(1, "PATH"),
            settings: [
                "for": .atLeast(1, "mdoc [doctype TYPE …] [country CC], or tokens [issuer ADDRESS …] [type TYPE …]"),
                "name": .exactly(1, "TEXT, in quotation marks if it has blanks"),
                "profile": .exactly(1, "strict, or lenient"), "status": .atLeast(1, "own, or ID …"),
                "sha256": .exactly(1, "DIGEST"),
            ], required: ["for"], repeated: "for", fileValue: true),
        "vical": EntryRule(
            values: .exactly(1, "PATH"), settings: ["root": .exactly(1, "PATH"), "sha256": .exactly(1, "DIGEST")],
            required: ["root"], fileValue: true, fileSettings: ["root"]),
        "context": EntryRule(
            values: .exactly(1, "ADDRESS, or inline"),
            settings: [
                "file": .exactly(1, "PATH"), "jcs-sha256": .exactly(1, "DIGEST"), "labels": .exactly(1, "accept"),
            ], required: ["jcs-sha256"], fileSettings: ["file"]),
        "status-list": EntryRule(
            values: .exactly(1, "ADDRESS"),
            settings: [
                "file": .exactly(1, "PATH"), "fetched": .exactly(1, "TIME"), "max-age": .exactly(1, "TIME"),
            ], required: ["file", "fetched"], fileSettings: ["file"]),
        "revocation-list": EntryRule(values: .exactly(1, "PATH"), fileValue: true),
        "policy": EntryRule(
            values: .exactly(0, "no word"),
            settings: [
                "tolerance": .exactly(1, "TIME"), "require": .atLeast(1, "CHECK …"), "want": .atLeast(1, "CHECK …"),
                "report": .atLeast(1, "CHECK …"), "fresh-status": .exactly(1, "require"),
                "status": .exactly(1, "optional, or required"),
            ]),
    ]

    /// Checks entries; throws `trust.unknown-word`, `trust.syntax`, `trust.missing-setting`, `trust.doubled`.
    static func check(_ entries: [TrustFile.ParsedTrustEntry]) throws(TrustFileError) {
        // The line of each entry; a root counts with each of its purposes, because it may have several.
        var lines: [[String]: Int] = [:]
        for entry in entries {
            let head = entry.head
            guard let form = forms[head.name] else {
                let isSetting = forms.values.contains { $0.settings[head.name] != nil }
                throw TrustFileError(
                    .unknownWord, line: head.line,
                    isSetting
                        ? "\(head.name) is a setting: write it with two blanks before it, below its entry."
                        : "There is no entry \(head.name); there are \(forms.keys.sorted().joined(separator: ", ")).")
            }
            try check(head, form.values)
            try checkSettings(of: entry, form)
            guard head.words != ["context", "inline"] else { continue }
            let purposes = form.repeated.map { name in entry.settings.filter { $0.name == name } } ?? [head]
            for purpose in purposes {
                if let line = lines.updateValue(head.line, forKey: head.words + purpose.words) {
                    throw TrustFileError(.doubled, line: head.line, "Line \(line) has this entry already.")
                }
            }
        }
    }

    private static func checkSettings(of entry: TrustFile.ParsedTrustEntry, _ form: EntryRule) throws(TrustFileError) {
        var lines: [[String]: Int] = [:]
        for setting in entry.settings {
            guard let values = form.settings[setting.name] else {
                let known = form.settings.keys.sorted().joined(separator: ", ")
                throw TrustFileError(
                    .unknownWord, line: setting.line,
                    "The entry \(entry.head.name) has no setting \(setting.name); it has \(known.isEmpty ? "none" : known)."
                )
            }
            try check(setting, values)
            let words = setting.name == form.repeated ? setting.words : [setting.name]
            if let line = lines.updateValue(setting.line, forKey: words) {
                throw TrustFileError(.doubled, line: setting.line, "Line \(line) has this setting already.")
            }
        }
        let names = Set(entry.settings.map(\.name))
        guard let missing = form.required.first(where: { !names.contains($0) }) else { return }
        throw TrustFileError(
            .missingSetting, line: entry.head.line,
            "The entry needs the setting \(missing) \(form.settings[missing]?.words ?? "").")
    }

    /// Returns the paths of the files that an entry names.
    static func paths(of entry: TrustFile.ParsedTrustEntry) -> [String] {
        guard let form = forms[entry.head.name] else { return [] }
        let own = form.fileValue ? Array(entry.head.values.prefix(1)) : []
        let settings = entry.settings.filter { form.fileSettings.contains($0.name) }
        return own + settings.compactMap(\.values.first)
    }

    private static func check(_ setting: TrustFile.Setting, _ values: ValueRule) throws(TrustFileError) {
        guard values.counts.contains(setting.values.count) else {
            throw TrustFileError(.syntax, line: setting.line, "\(setting.name) needs \(values.words).")
        }
    }

    /// Checks a display name: 1 to 100 printable characters.
    static func name(_ text: String, line: Int) throws(TrustFileError) -> String {
        guard (1...100).contains(text.unicodeScalars.count), !HiddenCodePoint.isPart(of: text) else {
            throw TrustFileError(.syntax, line: line, "A name has 1 to 100 characters that can be printed.")
        }
        return text
    }

    /// Reads 32 bytes in hexadecimal digits.
    static func digest(_ text: String, line: Int) throws(TrustFileError) -> [UInt8] {
        guard let digest = Hex.decode(text), digest.count == 32 else {
            throw TrustFileError(.syntax, line: line, "A digest has 64 hexadecimal digits.")
        }
        return digest
    }

    /// Reads a duration such as `60s`, `10m`, `24h` or `7d`, in seconds.
    static func duration(_ text: String, line: Int) throws(TrustFileError) -> Double {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
        guard let unit = text.last.flatMap({ units[$0] }), let number = Int(text.dropLast()),
            (0...1_000_000_000).contains(number)
        else { throw TrustFileError(.syntax, line: line, "A duration is a number and one of s, m, h and d.") }
        return Double(number) * unit
    }

    /// Reads a time with a zone in seconds since 1970; a date without time means its beginning in UTC.
    static func time(_ text: String, line: Int) throws(TrustFileError) -> Double {
        let full = text.utf8.count == 10 ? text + "T00:00:00Z" : text
        guard let seconds = try? CredentialTime.seconds(dateTime: full, "A time") else {
            throw TrustFileError(.syntax, line: line, "A time is written as 2026-11-20T10:00:00Z.")
        }
        return seconds
    }
}
