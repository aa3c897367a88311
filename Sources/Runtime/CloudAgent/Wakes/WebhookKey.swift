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
        let tag = HMACSHA256.authenticate(Array("\(id).\(timestamp).".utf8) + body, key: key)
        return [
            ("webhook-id", id), ("webhook-timestamp", "\(timestamp)"),
            ("webhook-signature", "v1,\(Base64.encode(tag))"),
        ]
    }
}
