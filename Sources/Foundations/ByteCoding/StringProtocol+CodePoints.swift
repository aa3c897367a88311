// A Character may join a sign with the marks that follow it: a search by Characters then misses a sign that is there,
// and a few Characters may be a megabyte. Texts of strangers are therefore cut and searched by code points.

extension StringProtocol {
    /// Returns the parts of the text between separators, as `split` would if each code point were a Character.
    public func parts(
        at separator: Unicode.Scalar, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
    ) -> [Substring] {
        Substring(self).unicodeScalars.split(
            separator: separator, maxSplits: maxSplits, omittingEmptySubsequences: omittingEmptySubsequences
        ).map { Substring($0) }
    }

    /// Returns the first code points of the text, at most `count`.
    public func start(scalars count: Int) -> String { String(Substring(self).unicodeScalars.prefix(count)) }

    /// Returns true when the UTF-8 bytes of the text contain those of `part`.
    public func holds(_ part: String) -> Bool { Substring(self).utf8.contains(part.utf8) }

    /// Returns the text with each occurrence of `part` replaced.
    public func substituting(_ part: String, by other: String) -> String {
        String(Substring(self).unicodeScalars.replacing(part.unicodeScalars, with: other.unicodeScalars))
    }
}
