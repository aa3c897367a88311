import Compression
import CryptoSuite

/// A verifier's request, compressed and encrypted for the wallet of one session.
///
/// Shape: salt (16 bytes), ciphertext, tag (16 bytes). Key and initialisation vector are both derived from the salt,
/// which is drawn for each sealing, so that no key is ever used twice with one vector, even where a verifier's key pair
/// and a wallet's Identify come again. The announcement is the additional data. Source:
/// `Documentation/Profiles/request.md`, "Keys".
public enum SealedRequest {
    /// The number of bytes of the salt.
    public static let saltBytes = 16

    /// The fewest bytes of a sealed request: salt, tag and one byte between them.
    static let minimumBytes = saltBytes + AuthenticatedCipher.tagCount + 1

    /// The most bytes of a sealed request: 65 KiB.
    public static let maximumBytes = 66_560

    /// The limits of decompressing a request: the most bytes, and the highest ratio.
    static let unzipLimits = Gzip.Limits(
        maximumBytes: 1 + VerifierRequestMessage.maximumTypeBytes + VerifierRequestMessage.maximumContentBytes,
        maximumRatio: 100)

    /// The values of a session that the request is sealed for.
    struct SealingContext: Sendable {
        /// The key `SKWallet`, for the messages that the wallet receives.
        let walletKey: Secret
        /// The wallet's first message: its nonce and public key.
        let identify: IdentifyRequest
        /// The verifier's public key, 32 bytes.
        let verifierKey: [UInt8]

        /// Derives the key (32 bytes) and the initialisation vector (12 bytes) of a sealed request from its salt.
        fileprivate func material(salt: [UInt8]) throws(CryptoError) -> (key: Secret, vector: [UInt8]) {
            let info = Array("symbolon-request-1".utf8) + identify.bytes + verifierKey
            var bytes = try HKDF.deriveSHA256(inputKey: walletKey, salt: salt, info: info, count: 44).copyBytes()
            let vector = Array(bytes[32...])
            bytes.removeLast(12)
            return (Secret(consuming: &bytes), vector)
        }
    }

    /// Compresses and seals a request under a fresh salt of 16 bytes.
    ///
    /// - Throws: `tuvali.session.misused` when it makes more than 66,560 bytes, `tuvali.session.internal` when the
    ///   library fails.
    static func seal(_ message: VerifierRequestMessage, for context: SealingContext, salt: [UInt8]) throws(TuvaliError)
        -> [UInt8]
    {
        precondition(salt.count == saltBytes, "a salt has 16 bytes")
        do {
            let zipped = try Gzip.compress(message.bytes)
            return try seal(zipped: zipped, for: context, salt: salt)
        } catch {
            throw TuvaliError(.sessionInternal, "The request could not be sealed.")
        }
    }

    /// Seals a request that is compressed already.
    static func seal(zipped: [UInt8], for context: SealingContext, salt: [UInt8]) throws(CryptoError) -> [UInt8] {
        let (key, vector) = try context.material(salt: salt)
        let count = saltBytes + zipped.count + AuthenticatedCipher.tagCount
        let announcement = VerifierRequestSize(sealedBytes: UInt32(clamping: count))
        return salt
            + (try AuthenticatedCipher.aesGCM.seal(
                zipped, key: key, nonce: vector, additionalData: announcement.bytes))
    }

    /// Opens and decompresses a request; nothing is decompressed before the tag was checked.
    ///
    /// - Throws: `tuvali.wallet.request-not-authentic`, `tuvali.wallet.request-too-large`,
    ///   `tuvali.wallet.request-malformed`.
    static func open(_ sealed: [UInt8], for context: SealingContext) throws(TuvaliError) -> VerifierRequestMessage {
        let notAuthentic = TuvaliError(.walletRequestNotAuthentic, "The request is not what the verifier sealed.")
        guard sealed.count >= minimumBytes else { throw notAuthentic }
        let zipped: [UInt8]
        do {
            let (key, vector) = try context.material(salt: Array(sealed.prefix(saltBytes)))
            let announcement = VerifierRequestSize(sealedBytes: UInt32(clamping: sealed.count))
            zipped = try AuthenticatedCipher.aesGCM.open(
                sealed.dropFirst(saltBytes), key: key, nonce: vector, additionalData: announcement.bytes)
        } catch {
            throw notAuthentic
        }
        return try unzip(zipped)
    }

    private static func unzip(_ zipped: [UInt8]) throws(TuvaliError) -> VerifierRequestMessage {
        let bytes: [UInt8]
        do {
            bytes = try Gzip.decompress(zipped, limits: unzipLimits)
        } catch {
            switch error.code {
            case .tooLarge, .ratio:
                throw TuvaliError(.walletRequestTooLarge, "The request decompresses to more than is allowed.")
            case .notGzip, .corrupt, .truncated, .trailingData, .internal:
                throw TuvaliError(.walletRequestMalformed, "The request is not a gzip stream.")
            }
        }
        guard let message = VerifierRequestMessage(parsing: bytes) else {
            throw TuvaliError(.walletRequestMalformed, "The request has no media type, or no content.")
        }
        return message
    }
}
