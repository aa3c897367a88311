import CBOR

/// A COSE signature over one payload (COSE_Sign1, RFC 9052, section 4.2).
struct COSESign1 {
    /// The CBOR tag of COSE_Sign1.
    static let tag: UInt64 = 18

    /// The protected and the unprotected header of the COSE object.
    let headers: COSEHeaders
    /// The payload as a CBOR byte string, whose bytes are signed; nil when it is detached.
    let payload: CBORValue?
    /// The bytes of the COSE signature.
    let signature: [UInt8]
    /// True when the object has its CBOR tag, 18.
    let isTagged: Bool

    /// Reads a COSE_Sign1 object with or without its tag.
    ///
    /// Throws `credential.md-form` for another object of COSE, a payload that is neither bytes nor null, and a
    /// signature that is none; `credential.parse-cbor` for other items; and the codes of the headers.
    init(_ value: CBORValue, _ limits: VerificationLimits) throws(CredentialError) {
        var object = value
        if let (tag, content) = value.tagged {
            guard tag == Self.tag else {
                throw CredentialError(
                    Self.otherTags.contains(tag) ? .mdForm : .parseCBOR, "Tag \(tag) is not that of COSE_Sign1.",
                    at: value.place)
            }
            object = content
        }
        isTagged = value.tagged != nil
        guard let parts = object.array, parts.count == 4 else {
            throw CredentialError(.parseCBOR, "A COSE_Sign1 is an array of four.", at: object.place)
        }
        headers = try COSEHeaders(protected: parts[0], unprotected: parts[1], limits)
        guard let signature = parts[3].bytes else {
            throw CredentialError(.mdForm, "The signature is not a byte string.", at: parts[3].place)
        }
        self.signature = signature
        switch parts[2].content {
        case .bytes: payload = parts[2]
        case .null: payload = nil
        default: throw CredentialError(.mdForm, "The payload is not a byte string.", at: parts[2].place)
        }
    }

    /// The CBOR tags of other COSE objects: encrypted, authenticated, signed more than once.
    private static let otherTags: Set<UInt64> = [16, 17, 96, 97, 98]

    /// Returns the payload in the object; throws `credential.md-form` when it is detached.
    func attachedPayload() throws(CredentialError) -> CBORValue {
        guard let payload else { throw CredentialError(.mdForm, "The payload is not there.") }
        return payload
    }

    /// Verifies the signature over a payload, without external data (RFC 9052, section 4.4).
    ///
    /// The bytes of the protected header are those received. Throws the codes of `VerificationKey.verify`.
    func verify(
        _ payload: [UInt8], by key: VerificationKey, algorithm: SignatureAlgorithm
    ) throws(CredentialError) {
        try key.verify(signature, over: signedBytes(payload), algorithm: algorithm)
    }

    /// Returns the Sig_structure in CBOR: the bytes that are signed.
    func signedBytes(_ payload: [UInt8]) -> [UInt8] {
        CBORItem.array([.text("Signature1"), .bytes(headers.protectedBytes), .bytes([]), .bytes(payload)]).encoded
    }
}
