/// A rule: each decoder of foreign bytes is tested with truncated messages and with messages that have bytes too many.
enum DecoderRules {
    /// The declarations of decoders: the text before the parenthesis, reversed, and the text after it.
    private static let patterns = [
        ("init", "parsing"), ("init?", "parsing"), ("init?", "decoding"), ("init?", "littleEndian"),
        ("static func decode", ""), ("static func decompress", ""), ("static func parse", ""),
        ("static func members", "of"),
    ].map { (before: Array($0.0.utf8.reversed()), after: Array($0.1.utf8)) }

    private static let search = WordSearch(["init", "static func"])

    /// The modules that decode as deployed libraries do, faults included, and so are exempt.
    private static let models = ["StockPeers"]

    /// Finds the files that declare a decoder, with the name of its type.
    static func readers(in tree: SourceTree) -> [(file: SourceFile, type: String)] {
        tree.sources.filter { !models.contains($0.module ?? "") }.flatMap { file in
            file.codeLines(with: search).filter { isReader(file.code[$0]) }.compactMap { index in
                type(around: index, in: file).map { (file, $0) }
            }
        }
    }

    private static let verifier = WordSearch(["DecoderVerifier."])

    /// Finds decoders whose type no test of the shared verifier names.
    static func violations(in tree: SourceTree) -> [Violation] {
        let tests = tree.tests.filter { $0.module != "TidyTests" && !verifier.matches(in: $0.bytes).isEmpty }
        let named = Set(tests.flatMap { $0.code.flatMap(SwiftWords.words) })
        return readers(in: tree).filter { !named.contains($0.type) }.map {
            Violation(path: $0.file.path, line: 0, sentence: "no test puts \($0.type) through the decoder verifier")
        }
    }

    private static func isReader(_ line: String) -> Bool {
        let bytes = line.utf8
        let isFound = bytes.indices.contains { index in
            bytes[index] == UInt8(ascii: "(")
                && patterns.contains {
                    bytes[..<index].reversed().starts(with: $0.before)
                        && bytes[index...].dropFirst().starts(with: $0.after)
                }
        }
        return isFound && !line.contains("private")
    }

    /// Finds the type that is declared around a line; nil for a private one.
    private static func type(around index: Int, in file: SourceFile) -> String? {
        let kinds = ["struct", "enum", "class", "extension"]
        for line in file.code[...index].reversed() where line.first.map({ $0 != " " && $0 != "}" }) ?? false {
            let words = SwiftWords.words(of: line)
            guard let kind = words.firstIndex(where: kinds.contains), kind + 1 < words.count else { continue }
            return words.contains("private") ? nil : words[kind + 1]
        }
        return nil
    }
}
