import ByteCoding
public import DIDComm
import JSON

/// The content of a scanned or pasted text: an invitation as link, base64 or JSON, a request, or a short link.
///
/// One reader for all forms. Source: RFC 0160 and RFC 0434 (`c_i`, `oob`), seed 002 (`d_m`, `m`, short links).
public enum InvitationText: Hashable, Sendable {
    /// The text contains an invitation.
    case invitation(Invitation)
    /// A connectionless request of another family that names its own reply address (RFC 0056).
    case request(Message)
    /// The text is a URL without an invitation, from which the caller has to fetch it.
    case shortLink(String)

    /// The most bytes of the text: an invitation in base64 with a URL before it.
    public static let maximumBytes = 100_000

    /// The query parameters that carry invitations, most specific first.
    static let parameters = ["oob", "c_i", "d_m", "m", "_oob"]

    /// Reads a scanned or pasted text; white space around it is ignored.
    ///
    /// A link is found between angle brackets or words, and one that a mail program has folded into several lines is
    /// joined; names of parameters are read in capital letters, too.
    ///
    /// Throws `aries.invitation.not-recognised` for what has none of the forms, `aries.invitation.too-large`, and what
    /// `Invitation.init(parsing:)` throws.
    public init(parsing text: String) throws(AriesError) {
        guard text.utf8.count <= Self.maximumBytes else {
            throw AriesError(.invitationTooLarge, "The text is longer than an invitation may be.")
        }
        let text = Self.trimmed(text)
        if text.hasPrefix("{") {
            self = try Self.content(Array(text.utf8))
            return
        }
        if text.hasPrefix("\""),
            let inner = try? JSONValue(parsing: Array(text.utf8), limits: Invitation.limits).string,
            !inner.hasPrefix("\"")
        {
            try self.init(parsing: inner)
            return
        }
        let candidates = Self.candidates(in: text)
        for candidate in candidates.dropLast() {
            guard let found = try? InvitationText(whole: candidate), !found.isShortLink else { continue }
            self = found
            return
        }
        try self.init(whole: candidates.last ?? text)
    }

    private var isShortLink: Bool { if case .shortLink = self { true } else { false } }

    /// Reads a text that as a whole is a link or base64.
    private init(whole text: String) throws(AriesError) {
        if let value = Self.parameter(in: text) {
            self = try Self.content(try Self.decoded(value))
        } else if Self.isLink(text) {
            self = .shortLink(text)
        } else if let bytes = Self.base64(text), bytes.first == UInt8(ascii: "{") {
            self = try Self.content(bytes)
        } else {
            throw AriesError(
                .invitationUnrecognised,
                text.isEmpty ? "The text is empty." : "It is no link, no base64 of an invitation, and no JSON.")
        }
    }

    /// Reads the body of the answer to a short link; its final URL may hold the invitation as well.
    ///
    /// Throws as `init(parsing:)`, and `aries.invitation.web-page` for a page of the web; a body that is one more link
    /// is `.shortLink`.
    public init(body: [UInt8], at address: String) throws(AriesError) {
        guard !Self.holdsInvitation(address) else {
            try self.init(parsing: address)
            return
        }
        let isSpace = { (byte: UInt8) in [0x09, 0x0A, 0x0D, 0x20].contains(byte) }
        let start = body.drop(while: isSpace)
        guard !start.isEmpty else {
            throw AriesError(.invitationUnrecognised, "The link leads to an empty answer.")
        }
        guard start.first != UInt8(ascii: "<") else {
            throw AriesError(.invitationIsPage, "The link leads to a page for people and not to an invitation.")
        }
        guard let text = String(validating: body, as: UTF8.self) else {
            throw AriesError(.invitationUnrecognised, "The link leads to something that is not text.")
        }
        try self.init(parsing: text)
    }

    /// Returns true when a URL has a parameter that carries an invitation, so that nothing is fetched from it.
    public static func holdsInvitation(_ address: String) -> Bool { parameter(in: address) != nil }

    /// Reads JSON: an invitation, a request, or the response of an agent's API that contains an invitation.
    private static func content(_ bytes: [UInt8]) throws(AriesError) -> InvitationText {
        if let object = try? JSONValue(parsing: bytes, limits: Invitation.limits).object, object["@type"] == nil,
            let inner = object["invitation"]?.object ?? object["invitation_url"].map({ ["url": $0] })
        {
            guard let link = inner["url"]?.string, inner["@type"] == nil else {
                return .invitation(try Invitation(inner))
            }
            return try InvitationText(whole: link)
        }
        if let message = try? Message(parsing: bytes, limits: Invitation.limits), message.object["~service"] != nil {
            return .request(message)
        }
        return .invitation(try Invitation(parsing: bytes))
    }

    private static func decoded(_ value: String) throws(AriesError) -> [UInt8] {
        guard let bytes = base64(value) else {
            throw AriesError(
                .invitationMalformed,
                "The link holds an invitation whose base64 cannot be read; a part of it may be missing.")
        }
        return bytes
    }

    /// Decodes base64 of either alphabet with any padding; nil when it is malformed.
    private static func base64(_ text: String) -> [UInt8]? {
        var bytes = text.utf8[...]
        while bytes.last == UInt8(ascii: "=") { bytes.removeLast() }
        return Base64URL.decode(String(Substring(bytes)), acceptsBothAlphabets: true)
    }

    private static func trimmed(_ text: String) -> String {
        let isSpace = { (character: Character) in character.isWhitespace || character == "\u{FEFF}" }
        let start = text.drop(while: isSpace)
        return String(start.reversed().drop(while: isSpace).reversed())
    }

    /// Returns the value of the first of `parameters` in the query or fragment of a URL; nil without one.
    private static func parameter(in text: String) -> String? {
        guard text.holds("://") || text.hasPrefix("didcomm:") || text.hasPrefix("?"),
            let start = text.firstIndex(where: { $0 == "?" || $0 == "#" })
        else { return nil }
        let pairs = text[text.index(after: start)...].split { "&?#".contains($0) }
        for name in parameters {
            if let pair = pairs.first(where: { $0.prefix(name.utf8.count + 1).lowercased() == name + "=" }) {
                let value = unescaped(pair.dropFirst(name.utf8.count + 1))
                // Programs that pass a link on encode it once more.
                return value.utf8.contains(UInt8(ascii: "%")) ? unescaped(value[...]) : value
            }
        }
        return nil
    }

    /// Decodes percent encoding; a blank becomes the plus sign that an HTML form replaced by it.
    private static func unescaped(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = Hex.decode(String(decoding: rest.prefix(2), as: UTF8.self)),
                let value = value.first
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "+") : $0 }, as: UTF8.self)
    }

    private static func isLink(_ text: String) -> Bool {
        guard let endpoint = try? ServiceEndpoint(parsing: text) else { return false }
        return endpoint.transport == .http || endpoint.transport == .https
    }
}
