import ByteCoding
import CBOR
package import COSE
public import CryptoSuite
import JSON

/// The ISO/IEC 18013-5 session in which the reader received a mobile document.
public struct MobileDocumentSession: Sendable {
    /// The encoded SessionTranscript, without the tag that SessionTranscriptBytes has.
    public let transcript: [UInt8]
    /// The reader's ephemeral private key, for checking a device's MAC; nil if only signatures can be checked.
    package let readerKey: AgreementKey?

    /// Makes a session from a transcript, bare or as SessionTranscriptBytes (a byte string with tag 24).
    ///
    /// Throws `credential.parse-cbor` and the other codes of reading for bytes that are no array of three in CBOR.
    public init(transcript: [UInt8], readerKey: ECDSA.PrivateKey? = nil) throws(CredentialError) {
        try self.init(transcript: transcript, agreementKey: readerKey.map { .ecdsa($0) })
    }

    /// Makes a session from a transcript and the reader's key on any curve; throws as above.
    package init(transcript: [UInt8], agreementKey: AgreementKey?) throws(CredentialError) {
        let limits = VerificationLimits()
        var value = try CredentialCBORReader.value(transcript, limits)
        if value.tagged?.tag == 24 { value = try CredentialCBORReader.embedded(value, "The transcript", limits) }
        guard value.array?.count == 3 else {
            throw CredentialError(.parseCBOR, "The transcript of a session is an array of three.")
        }
        self.transcript = Array(value.encoding)
        readerKey = agreementKey
    }

    /// Makes a session from a transcript and the reader's private key as an EC JWK; nil without one.
    ///
    /// Throws as above, and `credential.key-form` for bytes that are no such JWK.
    public init(transcript: [UInt8], readerJWK: [UInt8]?) throws(CredentialError) {
        guard let readerJWK else {
            try self.init(transcript: transcript)
            return
        }
        let curves: [String: ECDSA.Curve] = ["P-256": .p256, "P-384": .p384, "P-521": .p521]
        guard let jwk = (try? JSONValue(parsing: readerJWK))?.object, jwk["kty"]?.string == "EC",
            let curve = jwk["crv"]?.string.flatMap({ curves[$0] }),
            var scalar = jwk["d"]?.string.flatMap({ Base64URL.decode($0) }),
            let key = try? ECDSA.PrivateKey(curve: curve, scalar: Secret(consuming: &scalar))
        else { throw CredentialError(.keyForm, "The reader's key is not a private JWK of P-256, P-384 or P-521.") }
        try self.init(transcript: transcript, readerKey: key)
    }

    /// Returns the key of a device's MAC (EMacKey, clause 9.1.3.5), 32 bytes.
    ///
    /// Nil without the reader's key, or when both keys are not of one curve.
    ///
    /// - Parameter transcript: the encoded SessionTranscript that the key is derived over.
    func macKey(deviceKey: COSEKey, over transcript: [UInt8]) -> Secret? {
        guard let secret = try? readerKey?.sharedSecret(with: deviceKey) else { return nil }
        let salt = SHA256.hash(CBORItem.embedded(.raw(transcript)).encoded)
        return try? HKDF.deriveSHA256(inputKey: secret, salt: salt, info: Array("EMacKey".utf8), count: 32)
    }
}
