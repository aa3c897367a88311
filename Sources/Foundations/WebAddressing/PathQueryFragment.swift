/// The part of a web address after the host: path, query and fragment, percent-encoded as received.
struct PathQueryFragment {
    let path: String
    let query: String?
    let fragment: String?

    /// Splits the bytes at the first `#`, and before it at the first `?`.
    init(_ bytes: ArraySlice<UInt8>) {
        let hash = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
        let mark = bytes[..<hash].firstIndex(of: UInt8(ascii: "?")) ?? hash
        path = String(decoding: bytes[..<mark], as: UTF8.self)
        query = mark < hash ? String(decoding: bytes[(mark + 1)..<hash], as: UTF8.self) : nil
        fragment = hash < bytes.endIndex ? String(decoding: bytes[(hash + 1)...], as: UTF8.self) : nil
    }

    /// Throws for what RFC 3986 does not allow here: brackets, a second `#`, a `%` without two hexadecimal digits.
    func check() throws(WebAddressError) {
        for part in [path, query ?? "", fragment ?? ""] {
            let bytes = Array(part.utf8)
            if bytes.contains(where: { "[]#".utf8.contains($0) }) {
                throw WebAddressError(.character, "a bracket or a second number sign stands in the address")
            }
            for index in bytes.indices where bytes[index] == UInt8(ascii: "%") {
                let digits = bytes[(index + 1)...].prefix(2)
                guard digits.count == 2, digits.allSatisfy(URICharacterClass.isHexDigit) else {
                    throw WebAddressError(.percentEncoding, "two hexadecimal digits must follow a per cent sign")
                }
            }
        }
    }

    /// Returns the path with `.` and `..` resolved (RFC 3986, section 5.2.4), and `/` for an empty one.
    static func withoutDotSegments(_ path: String) -> String {
        var kept: [Substring] = []
        let segments = path.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
            Substring($0)
        }
        for (index, segment) in zip(segments.indices, segments) {
            let isLast = index == segments.endIndex - 1
            switch segment {
            case "..":
                _ = kept.popLast()
                if isLast { kept.append("") }
            case ".":
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return "/" + kept.joined(separator: "/")
    }
}
