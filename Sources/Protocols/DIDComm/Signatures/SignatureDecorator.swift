import ByteCoding
public import CryptoSuite
public import Determinism
public import JSON

/// The signature decorator: a part of a message with a time and an Ed25519 signature over both.
///
/// Shape: `{@type, signature, sig_data, signer}`. `sig_data` is base64url of eight bytes (seconds since the Unix epoch,
/// most significant first) and the signed JSON; `signature` is base64url of 64 bytes over those decoded bytes; `signer`
/// is a verkey, in practice in base 58. Source: RFC 0234.
public enum SignatureDecorator {
    /// The content of a decorator whose signature is valid.
    public struct VerifiedSignature: Hashable, Sendable {
        /// The signed bytes, without the time.
        public let payload: [UInt8]

        /// The key that made the signature.
        public let signer: Verkey

        /// The time of signing that the signer states, in seconds since the Unix epoch.
        public let seconds: UInt64

        /// The error `didcomm.signature.time` when the signing time is too far from now; nil otherwise.
        ///
        /// More than `toleratedClockError`. Some agents write 0, so this is for a warning and not a reason to refuse.
        public let timeWarning: DIDCommError?
    }

    /// The largest difference from the own clock without a warning about the time: a day.
    public static let toleratedClockError = Duration.seconds(86_400)

    /// The longest signed payload that is read, in bytes.
    public static let maximumPayloadBytes = 64 * 1024

    /// The only supported signature type.
    public static let type = MessageType(MessageProtocol("signature", 1, 0), "ed25519Sha512_single")

    /// Signs `payload`, the bytes of a JSON value.
    ///
    /// - Parameters:
    ///   - time: written in whole seconds; a time before 1970 counts as 1970.
    ///   - seed: 32 bytes. Throws `crypto.invalid-key` for another length.
    public static func sign(_ payload: [UInt8], at time: WallTime, seed: Secret) throws(CryptoError) -> JSONObject {
        var data: [UInt8] = []
        data.appendBigEndian(UInt64(max(0, time.millisecondsSinceEpoch / 1000)))
        data += payload
        let signature = try Ed25519.sign(data, seed: seed)
        return [
            "@type": .string(type.description),
            "signature": .string(Base64URL.encode(signature, isPadded: true)),
            "sig_data": .string(Base64URL.encode(data, isPadded: true)),
            "signer": .string(Base58.encode(try Ed25519.publicKey(for: seed))),
        ]
    }

    /// Verifies a signature decorator.
    ///
    /// - Parameter signers: the keys that may have signed; never empty.
    ///
    /// Throws `didcomm.signature.malformed`, `didcomm.signature.type-unsupported`,
    /// `didcomm.signature.wrong-signer` when the signature names another signer, and `didcomm.signature.invalid`.
    public static func verify(
        _ reader: JSONValueReader, by signers: [Verkey], now: WallTime
    ) throws(DIDCommError) -> VerifiedSignature {
        let parts = try DIDCommError.reading(.signatureMalformed) { () throws(JSONError) in try Fields(reader) }
        guard let type = try? MessageType(parsing: parts.type), type.isSame(as: Self.type) else {
            throw DIDCommError(.signatureType, "the signature is not of the type \(Self.type.name)")
        }
        let signer = try signer(parts.signer)
        guard signers.contains(signer) else {
            throw DIDCommError(.signatureWrongSigner, "the signature names \(signer), who is not expected here")
        }
        guard parts.data.utf8.count <= (maximumPayloadBytes + 8) / 3 * 4 + 4,
            let data = Base64URL.decode(parts.data, acceptsBothAlphabets: true),
            let signature = Base64URL.decode(parts.signature, acceptsBothAlphabets: true)
        else { throw DIDCommError(.signatureMalformed, "the signature is too long, or not in base64url") }
        guard Ed25519.verify(signature: signature, message: data, publicKey: signer.bytes) else {
            throw DIDCommError(.signatureInvalid, "the signature was not made over these bytes by \(signer)")
        }
        var bytes = ByteReader(data)
        guard let seconds = bytes.bigEndian(UInt64.self) else {
            throw DIDCommError(.signatureMalformed, "the signed bytes do not begin with a time")
        }
        return VerifiedSignature(
            payload: Array(bytes.rest()), signer: signer, seconds: seconds, timeWarning: warning(seconds, now))
    }

    private struct Fields {
        let type: String
        let signature: String
        let data: String
        let signer: String

        init(_ reader: JSONValueReader) throws(JSONError) {
            type = try reader.string("@type")
            signature = try reader.string("signature")
            data = try reader.string("sig_data")
            signer = try reader.string("signer")
        }
    }

    /// Reads a verkey in base 58, as other agents write it, or in base64url, as the RFC says.
    private static func signer(_ text: String) throws(DIDCommError) -> Verkey {
        if let key = try? Verkey(parsing: text) { return key }
        guard text.utf8.count <= 44, let bytes = Base64URL.decode(text), let key = Verkey(bytes) else {
            throw DIDCommError(.signatureMalformed, "the signer is not a verkey")
        }
        return key
    }

    private static func warning(_ seconds: UInt64, _ now: WallTime) -> DIDCommError? {
        let present = now.millisecondsSinceEpoch / 1000
        let (difference, overflow) = Int64(clamping: seconds).subtractingReportingOverflow(present)
        let isNear = !overflow && difference.magnitude <= UInt64(toleratedClockError.components.seconds)
        return isNear
            ? nil : DIDCommError(.signatureTime, "the signature says it is of \(seconds), and it is \(present)")
    }
}
