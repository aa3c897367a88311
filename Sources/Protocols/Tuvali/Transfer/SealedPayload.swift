public import Compression
public import CryptoSuite

/// The compression and encryption of a session's payload: gzip, then AES-256-GCM under the receiver's key.
///
/// Shape: ciphertext, then the tag of 16 bytes; no additional data. Source: Tuvali documentation (docs.mosip.io) "Data
/// transfer"; the order as deployed.
public enum SealedPayload {
    /// The reason why a payload could not be opened.
    public enum OpeningFailure: Error, Hashable, Sendable {
        /// The tag does not match: wrong key, wrong nonce or changed bytes.
        case notAuthentic
        /// The decrypted payload is no gzip stream, or a damaged one.
        case notGzip
        /// The payload decompresses to more than the limits allow.
        case tooLarge
    }

    /// Compresses and seals `payload`.
    ///
    /// - Throws: `TuvaliError` with `tuvali.session.internal` when the library fails.
    public static func seal(_ payload: [UInt8], key: Secret, nonce: [UInt8]) throws(TuvaliError) -> [UInt8] {
        do {
            return try AuthenticatedCipher.aesGCM.seal(Gzip.compress(payload), key: key, nonce: nonce)
        } catch {
            throw TuvaliError(.sessionInternal, "The payload could not be sealed.")
        }
    }

    /// Opens and decompresses `sealed`; nothing is decompressed before the tag was checked.
    public static func open(
        _ sealed: [UInt8], key: Secret, nonce: [UInt8], limits: Gzip.Limits
    ) throws(OpeningFailure) -> [UInt8] {
        let zipped: [UInt8]
        do {
            zipped = try AuthenticatedCipher.aesGCM.open(sealed, key: key, nonce: nonce)
        } catch {
            throw .notAuthentic
        }
        do {
            return try Gzip.decompress(zipped, limits: limits)
        } catch {
            switch error.code {
            case .tooLarge, .ratio: throw .tooLarge
            case .notGzip, .corrupt, .truncated, .trailingData, .internal: throw .notGzip
            }
        }
    }
}
