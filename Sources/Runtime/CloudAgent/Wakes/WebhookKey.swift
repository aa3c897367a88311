import ByteCoding
public import CryptoSuite

/// Signs posts as in Standard Webhooks, so that any library for that verifies them.
///
/// A post has the fields `webhook-id`, `webhook-timestamp` (seconds since 1970, in decimal digits) and
/// `webhook-signature`: `v1,` and in base64 with padding the HMAC-SHA256, by the key of 32 bytes, over the identifier,
/// a full stop, the timestamp, a full stop and the body, byte for byte. The key is shown as `whsec_` and its base64.
/// Source: standardwebhooks.com, version 1.
public struct WebhookKey: Sendable {
    /// The prefix of a shown key.
    public static let prefix = "whsec_"

    private let key: Secret

    /// Takes a key; 24 to 64 bytes are usual.
    public init(_ key: Secret) { self.key = key }

    /// Reads a key in its shown form; nil for another text.
    public init?(parsing text: String) {
        guard text.utf8.starts(with: Self.prefix.utf8),
            var bytes = Base64.decode(String(text.utf8.dropFirst(Self.prefix.utf8.count)) ?? ""), !bytes.isEmpty
        else { return nil }
        key = Secret(consuming: &bytes)
    }

    /// The form that is shown to the client, which verifies signatures.
    public var shown: String { Self.prefix + Base64.encode(key.copyBytes()) }

    /// The fields of a post with this body.
    ///
    /// - Parameter timestamp: in seconds since 1970.
    public func fields(id: String, timestamp: Int64, body: [UInt8]) -> [(name: String, value: String)] {
        let tag = HMACSHA256.authenticate(Self.signed(id, "\(timestamp)", body), key: key)
        return [
            ("webhook-id", id), ("webhook-timestamp", "\(timestamp)"),
            ("webhook-signature", "v1,\(Base64.encode(tag))"),
        ]
    }

    /// Whether a post was signed by this key within five minutes of `now`, in seconds since 1970.
    public func verifies(id: String, timestamp: String, signature: String, body: [UInt8], at now: Int64) -> Bool {
        let span = Int64(300)
        guard let time = Int64(timestamp), time >= now &- span, time <= now &+ span else { return false }
        return signature.utf8.split(separator: UInt8(ascii: " ")).prefix(16).contains { part in
            let entry = Array(part)
            guard entry.starts(with: "v1,".utf8),
                let tag = Base64.decode(String(decoding: entry.dropFirst(3), as: UTF8.self))
            else { return false }
            return HMACSHA256.verify(tag: tag, message: Self.signed(id, timestamp, body), key: key)
        }
    }

    private static func signed(_ id: String, _ timestamp: String, _ body: [UInt8]) -> [UInt8] {
        Array("\(id).\(timestamp).".utf8) + body
    }
}
