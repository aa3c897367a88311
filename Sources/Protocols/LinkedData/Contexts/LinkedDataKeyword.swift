/// The keywords of JSON-LD 1.1 (section 1.7).
enum LinkedDataKeyword {
    private static let all: Set<String> = [
        "@base", "@container", "@context", "@default", "@direction", "@graph", "@id", "@import", "@included", "@index",
        "@json", "@language", "@list", "@nest", "@none", "@prefix", "@propagate", "@protected", "@reverse", "@set",
        "@type", "@value", "@version", "@vocab",
    ]

    /// The keywords that a context may contain beside terms.
    static let ofContexts: Set<String> = [
        "@base", "@direction", "@import", "@language", "@propagate", "@protected", "@version", "@vocab",
    ]

    static func isOne(_ text: String) -> Bool { text.utf8.first == UInt8(ascii: "@") && all.contains(text) }

    /// Returns true when a text is `@` and letters, which JSON-LD reserves for future keywords and ignores.
    static func resemblesOne(_ text: String) -> Bool {
        let bytes = text.utf8
        return bytes.count > 1 && bytes.first == UInt8(ascii: "@") && bytes.dropFirst().allSatisfy(IRISyntax.isLetter)
    }
}
