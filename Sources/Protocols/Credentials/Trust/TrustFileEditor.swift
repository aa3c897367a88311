/// Edits the text of a trust file: adds entries at its end and removes entries.
///
/// All other lines stay as they are.
///
/// The changed text is read again before it is given, so that a file that was good stays good.
public struct TrustFileEditor: Sendable {
    /// The comment before entries that a command has added.
    private static let mark = "# Added "

    /// The text of the trust file.
    public private(set) var text: String

    /// Makes an editor of a trust file's text, which is empty for a new file.
    ///
    /// Throws what `TrustFile.init(parsing:)` throws.
    public init(_ bytes: [UInt8]) throws(TrustFileError) {
        _ = try TrustFile(parsing: bytes)
        text = String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a word as the grammar has it, quoted if needed; nil for one with a quotation mark or a line end.
    public static func quoted(_ word: String) -> String? {
        guard !word.contains(where: { $0 == "\"" || $0.isNewline }) else { return nil }
        let isPlain = !word.isEmpty && !word.contains(where: \.isWhitespace) && !word.hasPrefix("#")
        return isPlain ? word : "\"\(word)\""
    }

    /// Adds entries at the end of the file, with a comment before each.
    ///
    /// - Parameter entries: the lines of each entry, and the comment that follows `Added`.
    ///
    /// Throws what `TrustFile.init(parsing:)` throws; the text is as it was then.
    public mutating func add(_ entries: [(comment: String, lines: [String])]) throws(TrustFileError) {
        var changed = text
        if !changed.isEmpty, changed.last?.isNewline != true { changed += "\n" }
        for entry in entries {
            if !changed.isEmpty { changed += "\n" }
            let comment = entry.comment.filter { !$0.isNewline }
            changed += ([Self.mark + comment] + entry.lines).map { $0 + "\n" }.joined()
        }
        _ = try TrustFile(parsing: Array(changed.utf8))
        text = changed
    }

    /// Adds types that an issuer may issue; types that it already has are not repeated.
    ///
    /// Throws `trust.no-such-entry` where no entry restricts the types of this issuer, and what
    /// `TrustFile.init(parsing:)` throws; the text is as it was then.
    public mutating func add(types: [String], toIssuer issuer: String) throws(TrustFileError) {
        let file = try TrustFile(parsing: Array(text.utf8))
        let settings = file.entries.first { $0.head.name == "issuer" && $0.head.values.first == issuer }?.settings
        guard let setting = settings?.first(where: { $0.name == "types" }) else {
            throw TrustFileError(.noSuchEntry, line: 0, "There is no entry that restricts the types of \(issuer).")
        }
        let new = types.filter { !setting.values.contains($0) }.map { " " + (Self.quoted($0) ?? $0) }
        let line = text.split(omittingEmptySubsequences: false) { $0.isNewline }[setting.line - 1]
        var changed = text
        changed.insert(contentsOf: new.joined(), at: try TrustFile.parts(of: line, number: setting.line).end)
        _ = try TrustFile(parsing: Array(changed.utf8))
        text = changed
    }

    /// Removes the entries with a subject, or with a name, and returns them.
    ///
    /// The subject may come after its kind, as in `root ca.pem`; the name is the one that people are shown.
    ///
    /// Throws `trust.no-such-entry`, and what `TrustFile.init(parsing:)` throws; the text is as it was then.
    public mutating func remove(_ name: String) throws(TrustFileError) -> [TrustFileEntry] {
        let file = try TrustFile(parsing: Array(text.utf8))
        let found = file.listing.filter { entry in
            !entry.subject.isEmpty
                && (entry.subject == name || "\(entry.kind) \(entry.subject)" == name || entry.name == name)
        }
        guard !found.isEmpty else { throw TrustFileError(.noSuchEntry, line: 0, "There is no entry \(name).") }
        let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        var gone: Set<Int> = []
        for entry in found {
            gone.formUnion((entry.lines.lowerBound - 1)..<entry.lines.upperBound)
            let before = entry.lines.lowerBound - 2
            guard before >= 0, lines[before].hasPrefix(Self.mark) else { continue }
            gone.insert(before)
            if before > 0, lines[before - 1].isEmpty { gone.insert(before - 1) }
        }
        var changed = ""
        for (index, line) in lines.enumerated() where !gone.contains(index) {
            let next = index + 1 < lines.count ? lines[index + 1].startIndex : text.endIndex
            changed += text[line.startIndex..<next]
        }
        _ = try TrustFile(parsing: Array(changed.utf8))
        text = changed
        return found
    }
}
