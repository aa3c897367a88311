import ByteCoding
import CBOR
public import CryptoSuite
import JSON

/// The ISO/IEC 18013-5 session in which the reader received a mobile document.
public struct MobileDocumentSession: Sendable {
    /// The encoded SessionTranscript, without the tag that SessionTranscriptBytes has.
    public let transcript: [UInt8]
    /// The reader's ephemeral private key, for checking a device's MAC; nil if only signatures can be checked.
    public let readerKey: ECDSA.PrivateKey?

    /// Makes a session from a transcript, bare or as SessionTranscriptBytes (a byte string with tag 24).
    ///
    /// Throws `credential.parse-cbor` and the other codes of reading for bytes that are no array of three in CBOR.
    public init(transcript: [UInt8], readerKey: ECDSA.PrivateKey? = nil) throws(CredentialError) {
        let limits = VerificationLimits()
        var value = try CredentialCBORReader.value(transcript, limits)
        if value.tagged?.tag == 24 { value = try CredentialCBORReader.embedded(value, "The transcript", limits) }
        guard value.array?.count == 3 else {
            throw CredentialError(.parseCBOR, "The transcript of a session is an array of three.")
        }
        self.transcript = Array(value.encoding)
        self.readerKey = readerKey
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
    func macKey(deviceKey: ECDSA.PublicKey) -> Secret? {
        guard let readerKey, let secret = try? ECDH.sharedSecret(privateKey: readerKey, publicKey: deviceKey) else {
            return nil
        }
        let salt = SHA256.hash(CBORItem.embedded(.raw(transcript)).encoded)
        return try? HKDF.deriveSHA256(inputKey: secret, salt: salt, info: Array("EMacKey".utf8), count: 32)
    }
}

/// A COSE_Mac0 over a detached payload (RFC 9052, section 6.2), only with HMAC 256/256.
struct COSEMac0 {
    private static let tag: UInt64 = 17
    private static let hmac256 = 5

    private let headers: COSEHeaders
    private let code: [UInt8]

    /// Reads a COSE_Mac0 with or without its tag; throws `credential.md-form` for others and an attached payload.
    init(_ value: CBORValue, _ limits: VerificationLimits) throws(CredentialError) {
        var object = value
        if let (tag, content) = value.tagged {
            guard tag == Self.tag else {
                throw CredentialError(.mdForm, "The MAC of the device has another tag.", at: value.place)
            }
            object = content
        }
        guard let parts = object.array, parts.count == 4, case .null = parts[2].content, let code = parts[3].bytes
        else { throw CredentialError(.mdForm, "The MAC of the device is not COSE_Mac0.", at: value.place) }
        headers = try COSEHeaders(protected: parts[0], unprotected: parts[1], limits)
        self.code = code
    }

    /// Verifies a MAC of this key over the payload; throws when it is wrong.
    ///
    /// Throws `credential.alg-mismatch` for another algorithm, `credential.alg-crit`, and `credential.sig-invalid` for
    /// a wrong code.
    func verify(_ payload: [UInt8], by key: Secret) throws(CredentialError) {
        try headers.checkCritical()
        guard headers.isProtected(COSEHeaders.Label.algorithm),
            headers.value(COSEHeaders.Label.algorithm)?.int == Self.hmac256
        else { throw CredentialError(.algMismatch, "The MAC of the device is not HMAC 256/256.") }
        let message = CBORItem.array([.text("MAC0"), .bytes(headers.protectedBytes), .bytes([]), .bytes(payload)])
        guard HMACSHA256.verify(tag: code, message: message.encoded, key: key) else {
            throw CredentialError(.sigInvalid, "The MAC does not fit the keys and the session.")
        }
    }
}
