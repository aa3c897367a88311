import ByteCoding

/// The entries of a trust file and their settings: which there are, which must be there, and how many words each has.
enum TrustGrammar {
    /// How many values a setting has.
    private enum Count {
        case exactly(Int)
        case atLeast(Int)

        func allows(_ count: Int) -> Bool {
            switch self {
            case .exactly(let wanted): count == wanted
            case .atLeast(let least): count >= least
            }
        }
    }

    private struct Form {
        var values: Count
        var settings: [String: Count] = [:]
        var required: [String] = []
        /// The values that name files, and the settings whose first value does.
        var fileValue = false
        var fileSettings: [String] = []
    }

    private static let forms: [String: Form] = [
        "issuer": Form(
            values: .exactly(1),
            settings: [
                "document": .atLeast(3), "keys": .exactly(3), "relationships": .exactly(1), "types": .atLeast(1),
                "contexts": .atLeast(1), "status": .atLeast(1),
            ], fileSettings: ["document", "keys"]),
        "key": Form(
            values: .exactly(1), settings: ["file": .exactly(3), "for": .atLeast(1)], required: ["file", "for"],
            fileSettings: ["file"]),
        "method": Form(values: .exactly(1)),
        "root": Form(values: .exactly(1), settings: ["for": .atLeast(1)], required: ["for"], fileValue: true),
        "vical": Form(
            values: .exactly(1), settings: ["root": .exactly(1)], required: ["root"], fileValue: true,
            fileSettings: ["root"]),
        "context": Form(
            values: .exactly(1), settings: ["file": .exactly(1), "jcs-sha256": .exactly(1), "labels": .exactly(1)],
            required: ["jcs-sha256"], fileSettings: ["file"]),
        "status-list": Form(
            values: .exactly(1), settings: ["file": .exactly(1), "fetched": .exactly(1), "max-age": .exactly(1)],
            required: ["file", "fetched"], fileSettings: ["file"]),
        "revocation-list": Form(values: .exactly(1), fileValue: true),
        "policy": Form(
            values: .exactly(0),
            settings: [
                "tolerance": .exactly(1), "require": .atLeast(1), "want": .atLeast(1), "report": .atLeast(1),
                "fresh-status": .exactly(1),
            ]),
    ]

    /// Throws `trust.unknown-word`, `trust.syntax`, `trust.missing-setting` and `trust.doubled`.
    static func check(_ entries: [TrustFile.Entry]) throws(TrustFileError) {
        var seen: Set<[String]> = []
        for entry in entries {
            let head = entry.head
            guard let form = forms[head.name] else {
                throw TrustFileError(.unknownWord, line: head.line, "There is no entry \(head.name).")
            }
            try check(head, form.values)
            let isInline = head.words == ["context", "inline"]
            guard isInline || seen.insert(head.words).inserted else {
                throw TrustFileError(.doubled, line: head.line, "This entry is there already.")
            }
            var names: Set<String> = []
            for setting in entry.settings {
                guard let count = form.settings[setting.name] else {
                    throw TrustFileError(
                        .unknownWord, line: setting.line, "The entry \(head.name) has no setting \(setting.name).")
                }
                try check(setting, count)
                guard names.insert(setting.name).inserted else {
                    throw TrustFileError(.doubled, line: setting.line, "This setting is there already.")
                }
            }
            guard let missing = form.required.first(where: { !names.contains($0) }) else { continue }
            throw TrustFileError(.missingSetting, line: head.line, "The entry needs the setting \(missing).")
        }
    }

    /// The files that an entry names.
    static func paths(of entry: TrustFile.Entry) -> [String] {
        guard let form = forms[entry.head.name] else { return [] }
        let own = form.fileValue ? Array(entry.head.values.prefix(1)) : []
        let settings = entry.settings.filter { form.fileSettings.contains($0.name) }
        return own + settings.compactMap(\.values.first)
    }

    private static func check(_ setting: TrustFile.Setting, _ count: Count) throws(TrustFileError) {
        guard count.allows(setting.values.count) else {
            throw TrustFileError(
                .syntax, line: setting.line, "\(setting.name) does not have \(setting.values.count) values.")
        }
    }

    /// 32 bytes in hexadecimal digits.
    static func digest(_ text: String, line: Int) throws(TrustFileError) -> [UInt8] {
        guard let digest = Hex.decode(text), digest.count == 32 else {
            throw TrustFileError(.syntax, line: line, "A digest has 64 hexadecimal digits.")
        }
        return digest
    }

    /// A duration such as `60s`, `10m`, `24h` or `7d`, in seconds.
    static func duration(_ text: String, line: Int) throws(TrustFileError) -> Double {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
        guard let unit = text.last.flatMap({ units[$0] }), let number = Int(text.dropLast()),
            (0...1_000_000_000).contains(number)
        else { throw TrustFileError(.syntax, line: line, "A duration is a number and one of s, m, h and d.") }
        return Double(number) * unit
    }

    /// A time with a zone, in seconds since 1970; a date alone is its beginning in UTC.
    static func time(_ text: String, line: Int) throws(TrustFileError) -> Double {
        let full = text.utf8.count == 10 ? text + "T00:00:00Z" : text
        guard let seconds = try? CredentialTime.seconds(dateTime: full, "A time") else {
            throw TrustFileError(.syntax, line: line, "A time is written as 2026-11-20T10:00:00Z.")
        }
        return seconds
    }
}
