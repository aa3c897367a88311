import ByteCoding
import CryptoSuite

/// A payload that arrived whole, with its digest and kind, each computed once.
struct ReceivedPayload: Sendable {
    let bytes: [UInt8]
    /// The SHA-256 digest in hexadecimal digits.
    let digest: String
    let kind: PayloadKind

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        digest = Hex.encode(SHA256.hash(bytes))
        kind = PayloadKind(of: bytes)
    }
}
