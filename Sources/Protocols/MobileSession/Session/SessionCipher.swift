package import CryptoSuite

/// The encryption of a session's messages, with a key and a counter for each direction.
///
/// AES-256-GCM without additional data; the nonce is an identifier of eight bytes and a counter of four, from 1. No key
/// and counter are used twice: the cipher is a value of one owner, and a copy of it must not encrypt.
///
/// Source: ISO/IEC 18013-5, clause 12.2.5.
package struct SessionCipher: Sendable {
    /// The side of a session.
    package enum Side: Sendable {
        case reader, holder

        fileprivate var label: String {
            switch self {
            case .reader: "SKReader"
            case .holder: "SKDevice"
            }
        }

        fileprivate var identifier: [UInt8] {
            switch self {
            case .reader: [UInt8](repeating: 0, count: 8)
            case .holder: [UInt8](repeating: 0, count: 7) + [1]
            }
        }

        fileprivate var other: Side { self == .reader ? .holder : .reader }
    }

    /// The key of one direction, and its nonces.
    struct CipherDirection {
        let key: Secret
        let side: Side
        /// The counter of the next message; nil when all are used.
        private(set) var counter: UInt32? = 1

        /// Returns the nonce of the next message; nil when all were used.
        mutating func nextNonce() -> [UInt8]? {
            guard let counter else { return nil }
            self.counter = counter == .max ? nil : counter + 1
            return side.identifier + (0..<4).reversed().map { UInt8(truncatingIfNeeded: counter >> (8 * UInt32($0))) }
        }
    }

    private var outgoing: CipherDirection
    private var incoming: CipherDirection

    /// Derives the keys of a session from the secret that both sides share; throws the errors of deriving them.
    package init(side: Side, secret: Secret, transcript: SessionTranscript) throws(CryptoError) {
        outgoing = try Self.direction(side, secret, transcript)
        incoming = try Self.direction(side.other, secret, transcript)
    }

    private static func direction(
        _ side: Side, _ secret: Secret, _ transcript: SessionTranscript
    ) throws(CryptoError) -> CipherDirection {
        let key = try HKDF.deriveSHA256(
            inputKey: secret, salt: transcript.salt, info: Array(side.label.utf8), count: 32)
        return CipherDirection(key: key, side: side)
    }

    /// Encrypts the next message; nil when no counter is left.
    package mutating func seal(_ message: [UInt8]) -> [UInt8]? {
        guard let nonce = outgoing.nextNonce() else { return nil }
        return try? AuthenticatedCipher.aesGCM.seal(message, key: outgoing.key, nonce: nonce, additionalData: [])
    }

    /// Decrypts the next message of the other side; nil for one that is changed, repeated or out of order.
    package mutating func open(_ sealed: [UInt8]) -> [UInt8]? {
        guard let nonce = incoming.nextNonce() else { return nil }
        return try? AuthenticatedCipher.aesGCM.open(sealed, key: incoming.key, nonce: nonce, additionalData: [])
    }
}
