package import COSE
import CryptoSuite
package import MobileSession

/// The encryption of a session by the letter of ISO/IEC 18013-5, clause 12.2.5, written for a stock peer.
package struct StockCipher: Sendable {
    /// The keys with which documents are proved in the session.
    package let session: MobileSessionKeys
    private let keys: [Secret]

    /// Derives both keys from this side's key, the other side's, and the bytes that both saw.
    package init?(own: AgreementKey, peer: COSEKey, engagement: [UInt8], readerKeyBytes: [UInt8]) {
        let transcript = Self.transcript(engagement: engagement, readerKeyBytes: readerKeyBytes)
        let salt = SHA256.hash(Self.embedded(transcript))
        guard let secret = try? own.sharedSecret(with: peer),
            let reader = try? HKDF.deriveSHA256(inputKey: secret, salt: salt, info: Array("SKReader".utf8), count: 32),
            let device = try? HKDF.deriveSHA256(inputKey: secret, salt: salt, info: Array("SKDevice".utf8), count: 32)
        else { return nil }
        keys = [reader, device]
        session = MobileSessionKeys(
            transcript: SessionTranscript(encoded: transcript), ownKey: own, peerKey: peer)
    }

    /// Returns the transcript of both sides, by hand: 83 is an array of three, D8 18 tag 24, F6 null.
    package static func transcript(engagement: [UInt8], readerKeyBytes: [UInt8]) -> [UInt8] {
        [0x83] + embedded(engagement) + readerKeyBytes + [0xF6]
    }

    /// Returns the bytes in a byte string with tag 24.
    package static func embedded(_ bytes: [UInt8]) -> [UInt8] { [0xD8, 0x18] + head(2, bytes.count) + bytes }

    private static func head(_ major: UInt8, _ count: Int) -> [UInt8] {
        let type = major << 5
        switch count {
        case 0...23: return [type | UInt8(count)]
        case 24...0xFF: return [type | 24, UInt8(count)]
        case 0x100...0xFFFF: return [type | 25, UInt8(count >> 8), UInt8(count & 0xFF)]
        default: return [type | 26] + (0..<4).reversed().map { UInt8(count >> (8 * $0) & 0xFF) }
        }
    }

    private static func nonce(byReader: Bool, _ counter: Int) -> [UInt8] {
        [0, 0, 0, 0, 0, 0, 0, byReader ? 0 : 1] + (0..<4).reversed().map { UInt8(counter >> (8 * $0) & 0xFF) }
    }

    /// Encrypts a message of a side under a counter.
    package func seal(_ message: [UInt8], byReader: Bool, counter: Int) -> [UInt8] {
        (try? AuthenticatedCipher.aesGCM.seal(
            message, key: keys[byReader ? 0 : 1], nonce: Self.nonce(byReader: byReader, counter), additionalData: []))
            ?? []
    }

    /// Decrypts a message of a side under a counter; nil for another one.
    package func open(_ sealed: [UInt8], byReader: Bool, counter: Int) -> [UInt8]? {
        try? AuthenticatedCipher.aesGCM.open(
            sealed, key: keys[byReader ? 0 : 1], nonce: Self.nonce(byReader: byReader, counter), additionalData: [])
    }
}
