import ByteCoding

/// The text of the QR code, as deployed verifiers write it and deployed wallets take it.
public enum StockURI {
    /// A wallet's result of reading a text.
    public enum Verdict: Hashable, Sendable {
        /// Taken: the advertised name, and the first key bytes, which are all that is ever compared.
        case accepted(name: String, leadingKey: [UInt8])
        /// The wallet reports an error event.
        case refused(StockErrorCode)
        /// The wallet's process crashes.
        case crash(String)
    }

    /// The text of a verifier's QR code: 0.4.1 to 0.5.1 with a stray colon before the question mark.
    public static func text(name: String, key: [UInt8], generation: StockGeneration) -> String {
        let stray = generation == .v04 ? ":" : ""
        return "OPENID4VP://connect\(stray)?name=\(encoded(name))&key=\(Hex.encode(key))"
    }

    /// Reads `text` as an Android wallet does, which ignores scheme and host.
    public static func readByAndroid(_ text: String) -> Verdict {
        guard let query = Parts(text).hierarchicalQuery else { return .refused(.unknown) }
        let name = value("name", in: query, isPlusBlank: true) ?? ""
        let key = value("key", in: query, isPlusBlank: true) ?? ""
        guard !name.isEmpty, !key.isEmpty else { return .refused(.invalidURI) }
        guard let bytes = Hex.decode(key), bytes.count >= 5 else { return .refused(.unknown) }
        return .accepted(name: name, leadingKey: Array(bytes.prefix(5)))
    }

    /// Reads `text` as an iOS wallet does, which compares the scheme letter by letter and accepts empty values.
    public static func readByIOS(_ text: String) -> Verdict {
        let parts = Parts(text)
        guard parts.scheme == "OPENID4VP", let name = value("name", in: parts.query, isPlusBlank: false),
            let key = value("key", in: parts.query, isPlusBlank: false)
        else { return .refused(.invalidURI) }
        guard let bytes = Hex.decode(key) else { return .crash("the key is not hexadecimal") }
        return .accepted(name: name, leadingKey: Array(bytes.prefix(5)))
    }

    private static func encoded(_ name: String) -> String {
        let plain = Array("-._~".utf8)
        return name.utf8.map { byte in
            let isPlain =
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || plain.contains(byte)
            return isPlain ? String(Character(Unicode.Scalar(byte))) : "%" + Hex.encode([byte]).uppercased()
        }.joined()
    }

    private static func value(_ name: String, in query: Substring, isPlusBlank: Bool) -> String? {
        for item in query.split(separator: "&") {
            let sides = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard decoded(sides[0], isPlusBlank) == name else { continue }
            return sides.count == 2 ? decoded(sides[1], isPlusBlank) : ""
        }
        return nil
    }

    /// Decodes percent encoding; invalid sequences stay unchanged.
    private static func decoded(_ text: Substring, _ isPlusBlank: Bool) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = Hex.decode(String(decoding: rest.prefix(2), as: UTF8.self))
            {
                rest = rest.dropFirst(2)
                bytes += value
            } else {
                bytes.append(byte == UInt8(ascii: "+") && isPlusBlank ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Scheme, whether an authority or a path follows it, and query.
    private struct Parts {
        var scheme = ""
        var query: Substring = ""
        var isOpaque = false

        init(_ text: String) {
            let whole = text.prefix { $0 != "#" }
            var rest = whole
            if let colon = whole.firstIndex(of: ":"), !whole[..<colon].contains(where: { "/?".contains($0) }) {
                scheme = String(whole[..<colon])
                rest = whole[whole.index(after: colon)...]
                isOpaque = rest.first != "/"
            }
            if let mark = rest.firstIndex(of: "?") { query = rest[rest.index(after: mark)...] }
        }

        var hierarchicalQuery: Substring? { isOpaque ? nil : query }
    }
}
