import ByteCoding

/// A text file that lists the trusted issuers, with the documents that offline verification needs.
///
/// Shape: UTF-8, an entry per unindented line, its settings on the indented lines below, words separated by blanks or
/// in quotation marks, comments from `#` before which a blank or nothing stands. `Documentation/Manual/TrustFile.md`
/// has every entry. Nothing is guessed: a word that is not known refuses the whole file, and so does a digest that does
/// not fit. Limits: 1 MiB and 20,000 lines.
public struct TrustFile: Sendable {
    /// The most bytes of a trust file.
    public static let maximumBytes = 1 << 20
    /// The most lines of a trust file.
    public static let maximumLines = 20_000

    /// One setting of an entry in a trust file: its words and its line.
    struct Setting: Sendable {
        let words: [String]
        let line: Int

        var name: String { words[0] }
        var values: ArraySlice<String> { words.dropFirst() }
    }

    /// One entry of a trust file: its words and its settings.
    struct ParsedTrustEntry: Sendable {
        let head: Setting
        var settings: [Setting] = []

        /// Returns the setting with a name; nil when it is absent.
        func setting(_ name: String) -> Setting? { settings.first { $0.name == name } }
    }

    let entries: [ParsedTrustEntry]

    /// Parses a trust file; the files that it names are given to `store(files:)`.
    ///
    /// Throws `trust.syntax`, `trust.too-large`, `trust.unknown-word`, `trust.missing-setting` and `trust.doubled`.
    public init(parsing bytes: [UInt8]) throws(TrustFileError) {
        guard bytes.count <= Self.maximumBytes else {
            throw TrustFileError(.tooLarge, line: 0, "The trust file has \(bytes.count) bytes.")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw TrustFileError(.syntax, line: 0, "The trust file is not UTF-8.")
        }
        var entries: [ParsedTrustEntry] = []
        let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        guard lines.count <= Self.maximumLines else {
            throw TrustFileError(.tooLarge, line: 0, "The trust file has \(lines.count) lines.")
        }
        for (index, line) in lines.enumerated() {
            let words = try Self.words(of: line, number: index + 1)
            guard !words.isEmpty else { continue }
            let setting = Setting(words: words, line: index + 1)
            if line.first?.isWhitespace == true {
                guard !entries.isEmpty else {
                    throw TrustFileError(.syntax, line: index + 1, "A setting stands before the first entry.")
                }
                entries[entries.count - 1].settings.append(setting)
            } else {
                entries.append(ParsedTrustEntry(head: setting))
            }
        }
        self.entries = entries
        try TrustGrammar.check(entries)
    }

    /// The paths of all files that the entries name, each once in order, relative to the trust file.
    public var paths: [String] {
        var seen: Set<String> = []
        return entries.flatMap(TrustGrammar.paths).filter { seen.insert($0).inserted }
    }

    /// The paths of the entries that may be folders, whose files `store(files:)` takes under `PATH/NAME`.
    public var folders: [String] { entries.filter { $0.head.name == "signers" }.compactMap(\.head.values.first) }

    /// The paths of the files that hold secret keys, which no other user of the machine may read.
    public var secretPaths: [String] { entries.filter { $0.head.name == "aes-key" }.compactMap(\.head.values.first) }

    private static func words(of line: Substring, number: Int) throws(TrustFileError) -> [String] {
        try parts(of: line, number: number).words
    }

    /// Splits a line into its words, and returns the position behind the last one, before a comment.
    static func parts(
        of line: Substring, number: Int
    ) throws(TrustFileError) -> (words: [String], end: Substring.Index) {
        var words: [String] = []
        var rest = line[...]
        while true {
            let end = rest.startIndex
            rest = rest.drop { $0.isWhitespace }
            guard let first = rest.first, first != "#" else { return (words, end) }
            if first == "\"" {
                guard let end = rest.dropFirst().unicodeScalars.firstIndex(of: "\"") else {
                    throw TrustFileError(.syntax, line: number, "A quotation mark has no second one.")
                }
                words.append(String(rest[rest.index(after: rest.startIndex)..<end]))
                rest = rest[rest.unicodeScalars.index(after: end)...]
                guard rest.first.map(\.isWhitespace) ?? true else {
                    throw TrustFileError(.syntax, line: number, "Something follows a quotation mark directly.")
                }
            } else {
                let word = rest.prefix { !$0.isWhitespace }
                guard !word.holds("\"") else {
                    throw TrustFileError(.syntax, line: number, "A quotation mark stands inside a word.")
                }
                words.append(String(word))
                rest = rest[word.endIndex...]
            }
        }
    }
}
