/// Finds an invitation's link or base64 in text that people or mail programs have folded or surrounded.
extension InvitationText {
    /// The most words at the end that the parser tries to leave out, because they may not belong to the link.
    private static let maximumTrailingWords = 8

    /// Returns the possible readings of the text, most likely first; the last is used when none holds an invitation.
    static func candidates(in text: String) -> [String] {
        guard let start = linkStart(in: text) else { return [text, text.filter { !$0.isWhitespace }] }
        let isBracketed = start > text.startIndex && text[text.index(before: start)] == "<"
        let rest = text[start...]
        if isBracketed, let end = rest.unicodeScalars.firstIndex(of: ">") {
            return [rest[..<end].filter { !$0.isWhitespace }]
        }
        let words = rest.split(whereSeparator: \.isWhitespace)
        guard let first = words.first, words.count > 1 else { return [String(rest), trimmedOfSigns(rest)] }
        // A line of a folded link consists of base64 characters only, as a word of the text may too.
        let folded = words.dropFirst().prefix { $0.utf8.allSatisfy(isOfBase64) }
        let tails = (0...min(folded.count, maximumTrailingWords)).map { folded.dropLast($0) }
        // An HTML form has turned the plus signs of base64 into blanks, if the whole text is one link.
        return [String(rest)] + tails.map { String(first) + $0.joined() } + [trimmedOfSigns(first)]
    }

    private static func linkStart(in text: String) -> String.Index? {
        let schemes = ["https://", "http://", "didcomm://", "ws://", "wss://"]
        let lower = text.lowercased()
        guard lower.utf8.count == text.utf8.count else { return nil }
        let starts = schemes.compactMap { scheme -> Int? in
            lower.firstRange(of: scheme).map { lower.utf8.distance(from: lower.startIndex, to: $0.lowerBound) }
        }
        return starts.min().map { text.utf8.index(text.startIndex, offsetBy: $0) }
    }

    private static func isOfBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "+"),
            UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "%"):
            true
        default: false
        }
    }

    /// Returns a link without the punctuation that ends a sentence.
    private static func trimmedOfSigns(_ word: Substring) -> String {
        var word = word
        while let last = word.last, ".,;:!?)]\"'".contains(last) { word = word.dropLast() }
        return String(word)
    }
}
