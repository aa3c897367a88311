import ByteCoding
import CryptoSuite
import Tuvali

/// A payload that arrived whole, with its digest and kind, each computed once.
struct ReceivedPayload: Sendable {
    let bytes: [UInt8]
    /// The SHA-256 digest of the payload in hexadecimal digits.
    let digest: String
    let kind: ReceivedPayloadKind
    /// The keys of the session when the wallet read the verifier's request; nil otherwise.
    let channelKeys: SessionPublicKeys?

    init(_ bytes: [UInt8], channelKeys: SessionPublicKeys? = nil) {
        self.bytes = bytes
        digest = Hex.encode(SHA256.hash(bytes))
        kind = ReceivedPayloadKind(of: bytes)
        self.channelKeys = channelKeys
    }
}
