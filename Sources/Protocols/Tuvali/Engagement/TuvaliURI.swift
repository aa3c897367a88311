import ByteCoding

/// The content of a verifier's QR code: its name and its whole public key.
///
/// Shape: `OPENID4VP://connect?name=NAME&key=KEY`, the name percent-encoded UTF-8, the key 64 lower-case hexadecimal
/// digits. Android 0.4.1 to 0.5.1 put a colon after `connect`; both spellings are read, the one without is written.
/// A verifier that holds a request adds `&request=1`, which deployed wallets ignore. Source: Tuvali documentation 0.5
/// (docs.inji.io); the spelling as deployed; `Documentation/Profiles/request.md`.
public struct TuvaliURI: Hashable, Sendable, CustomStringConvertible {
    /// The most UTF-8 bytes of a name: what the 31 bytes of an advertisement leave.
    public static let maximumNameBytes = 14

    /// The most characters of a scanned text that are read.
    public static let maximumCharacters = 1024

    /// The spelling of the URI's authority.
    public enum Spelling: String, Hashable, Sendable {
        /// The spelling `connect?`, as documented and as Android 0.5.2 writes it.
        case plain
        /// The spelling `connect:?`, as Android 0.4.1 to 0.5.1 wrote it.
        case withColon
    }

    /// The verifier's name: 1 to 14 UTF-8 bytes.
    ///
    /// Untrusted text: neutralise it before showing it.
    public let name: String

    /// The verifier's X25519 public key: 32 bytes.
    public let key: [UInt8]

    /// The spelling in which the text was read.
    public let spelling: Spelling

    /// True when the QR code announces a request; a wallet that receives none was then prevented from reading it.
    public let asks: Bool

    /// Makes the URI of a verifier.
    ///
    /// - Throws: `tuvali.uri.bad-name` unless the name has 1 to 14 UTF-8 bytes, `tuvali.uri.bad-key` unless the key has
    ///   32 bytes.
    public init(name: String, key: [UInt8], asks: Bool = false) throws(TuvaliError) {
        try self.init(name: name, key: key, spelling: .plain, asks: asks)
    }

    private init(name: String, key: [UInt8], spelling: Spelling, asks: Bool) throws(TuvaliError) {
        guard !name.isEmpty else { throw TuvaliError(.uriMissingName, "The code holds an empty name.") }
        guard name.utf8.count <= Self.maximumNameBytes else {
            throw TuvaliError(
                .uriBadName, "The name has \(name.utf8.count) bytes; an advertisement holds \(Self.maximumNameBytes).")
        }
        guard key.count == 32 else {
            throw TuvaliError(.uriBadKey, "The key has \(key.count) bytes instead of 32.")
        }
        self.name = name
        self.key = key
        self.spelling = spelling
        self.asks = asks
    }

    /// Returns the URI of the same verifier with the mark that it holds a request.
    func asking() -> TuvaliURI { TuvaliURI(asking: self) }

    private init(asking uri: TuvaliURI) {
        name = uri.name
        key = uri.key
        spelling = uri.spelling
        asks = true
    }

    /// Reads a scanned code; white space around it is ignored.
    ///
    /// Scheme and authority must be spelled as shown, in their case: `openid4vp` in lower case is another protocol.
    /// `name` and `key` may come in any order and once each; other parameters and a fragment are ignored.
    ///
    /// - Throws: `tuvali.uri.not-tuvali`, `tuvali.uri.malformed`, `tuvali.uri.missing-name`, `tuvali.uri.bad-name`,
    ///   `tuvali.uri.missing-key`, `tuvali.uri.bad-key`.
    public init(parsing text: String) throws(TuvaliError) {
        guard text.utf8.count <= Self.maximumCharacters else {
            throw TuvaliError(.uriMalformed, "The code is longer than \(Self.maximumCharacters) characters.")
        }
        let (spelling, query) = try Self.split(text.trimmingWhiteSpace())
        let parameters = try Self.parameters(of: query)
        guard let name = parameters.name else { throw TuvaliError(.uriMissingName, "The code holds no name.") }
        guard let digits = parameters.key, !digits.isEmpty else {
            throw TuvaliError(.uriMissingKey, "The code holds no key.")
        }
        guard digits.utf8.count == 64, let key = Hex.decode(digits) else {
            throw TuvaliError(.uriBadKey, "The key is not 64 hexadecimal digits.")
        }
        try self.init(name: name, key: key, spelling: spelling, asks: parameters.asks)
    }

    /// The URI as documented, without the colon of older releases.
    public var text: String {
        "OPENID4VP://connect?name=\(Self.percentEncode(name))&key=\(Hex.encode(key))\(asks ? "&request=1" : "")"
    }

    /// The URI as documented.
    public var description: String { text }

    /// Returns true when both URIs name the same verifier, however they were spelled.
    public static func == (left: TuvaliURI, right: TuvaliURI) -> Bool {
        left.name == right.name && left.key == right.key
    }

    /// Hashes the parts of the URI that equality compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(key)
    }

    private static func split(_ text: Substring) throws(TuvaliError) -> (Spelling, Substring) {
        let scheme = "OPENID4VP://"
        guard text.hasPrefix(scheme) else {
            let reason =
                text.lowercased().hasPrefix("openid4vp:")
                ? "The scheme must be written in upper case; lower case belongs to the online protocol."
                : "The text does not start with OPENID4VP://connect."
            throw TuvaliError(.uriNotTuvali, reason)
        }
        let rest = text.dropFirst(scheme.count)
        guard let mark = rest.unicodeScalars.firstIndex(of: "?") else {
            throw TuvaliError(.uriMalformed, "The code has no parameters.")
        }
        let query = rest[rest.unicodeScalars.index(after: mark)...].prefix { $0 != "#" }
        switch rest[..<mark] {
        case "connect", "connect/": return (.plain, query)
        case "connect:", "connect:/": return (.withColon, query)
        default: throw TuvaliError(.uriNotTuvali, "The code does not say OPENID4VP://connect.")
        }
    }

    private static func parameters(of query: Substring) throws(TuvaliError) -> (name: String?, key: String?, asks: Bool)
    {
        var name: String?
        var key: String?
        var asks = false
        for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                .map(Substring.init)
            guard let value = percentDecode(parts.count == 2 ? parts[1] : "") else {
                throw TuvaliError(.uriMalformed, "A parameter is not percent-encoded UTF-8.")
            }
            switch parts[0] {
            case "name":
                guard name == nil else { throw TuvaliError(.uriMalformed, "The code holds two names.") }
                name = value
            case "key":
                guard key == nil else { throw TuvaliError(.uriMalformed, "The code holds two keys.") }
                key = value
            case "request": asks = asks || value == "1"
            default: break
            }
        }
        return (name, key, asks)
    }

    private static func percentEncode(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default: encoded += "%" + Hex.encode([byte]).uppercased()
            }
        }
        return encoded
    }

    private static func percentDecode(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let digits = String(rest.prefix(2)), digits.utf8.count == 2, let value = Hex.decode(digits) else {
                return nil
            }
            bytes += value
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension String {
    fileprivate func trimmingWhiteSpace() -> Substring {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
