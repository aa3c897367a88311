package import CBOR
package import CryptoSuite

/// A COSE signature over one payload (COSE_Sign1, RFC 9052, section 4.2).
package struct COSESign1: Sendable {
    /// The CBOR tag of COSE_Sign1.
    package static let tag: UInt64 = 18

    /// The protected and the unprotected header of the COSE object.
    package let headers: COSEHeaders
    /// The payload as a CBOR byte string, whose bytes are signed; nil when it is detached.
    package let payload: CBORValue?
    /// The bytes of the COSE signature.
    package let signature: [UInt8]
    /// True when the object has its CBOR tag, 18.
    package let isTagged: Bool

    /// Reads a COSE_Sign1 object with or without its tag.
    ///
    /// Throws the fault of another object of COSE, a payload that is neither bytes nor null, a signature that is none,
    /// other items, and those of the headers.
    package init(_ value: CBORValue, limits: CBORLimits) throws(COSEFault) {
        var object = value
        if let (tag, content) = value.tagged {
            guard tag == Self.tag else {
                throw COSEFault(
                    Self.otherTags.contains(tag) ? .object : .item, "Tag \(tag) is not that of COSE_Sign1.", in: value)
            }
            object = content
        }
        isTagged = value.tagged != nil
        guard let parts = object.array, parts.count == 4 else {
            throw COSEFault(.item, "A COSE_Sign1 is an array of four.", in: object)
        }
        headers = try COSEHeaders(protected: parts[0], unprotected: parts[1], limits: limits)
        guard let signature = parts[3].bytes else {
            throw COSEFault(.object, "The signature is not a byte string.", in: parts[3])
        }
        self.signature = signature
        switch parts[2].content {
        case .bytes: payload = parts[2]
        case .null: payload = nil
        default: throw COSEFault(.object, "The payload is not a byte string.", in: parts[2])
        }
    }

    /// The CBOR tags of other COSE objects: encrypted, authenticated, signed more than once.
    private static let otherTags: Set<UInt64> = [16, 17, 96, 97, 98]

    /// Returns the Sig_structure in CBOR, without external data: the bytes that are signed (RFC 9052, section 4.4).
    ///
    /// The bytes of the protected header are those received.
    package func signedBytes(_ payload: [UInt8]) -> [UInt8] {
        Self.signedBytes(payload, protected: headers.protectedBytes)
    }

    private static func signedBytes(_ payload: [UInt8], protected: [UInt8]) -> [UInt8] {
        CBORItem.array([.text("Signature1"), .bytes(protected), .bytes([]), .bytes(payload)]).encoded
    }

    /// Makes a COSE_Sign1 without its tag, whose protected header holds the algorithm alone.
    ///
    /// Throws the errors of signing.
    ///
    /// - Parameters:
    ///   - isDetached: true for an object without its payload.
    ///   - certificates: the signer's chain in DER, its own first, for the unprotected header (x5chain, RFC 9360,
    ///     section 2); empty for none.
    package static func make(
        over payload: [UInt8], isDetached: Bool, by key: CertificateTemplate.SigningKey,
        certificates: [[UInt8]] = []
    ) throws(CryptoError) -> CBORItem {
        let protected = CBORItem.map([.int(COSEHeaders.Label.algorithm): .int(key.coseAlgorithm)]).encoded
        let signature = try key.signCOSE(signedBytes(payload, protected: protected))
        let chain: CBORItem =
            certificates.count == 1 ? .bytes(certificates[0]) : .array(certificates.map { .bytes($0) })
        return .array([
            .bytes(protected), .map(certificates.isEmpty ? [:] : [.int(COSEHeaders.Label.certificates): chain]),
            isDetached ? .null : .bytes(payload), .bytes(signature),
        ])
    }
}

extension CertificateTemplate.SigningKey {
    /// The identifier of the signature algorithm of the key (RFC 9053, section 2; RFC 8812 for RSA).
    fileprivate var coseAlgorithm: Int {
        switch self {
        case .ecdsa(let key):
            switch key.publicKey.curve.hash {
            case .sha256: key.publicKey.curve == .secp256k1 ? -47 : -7
            case .sha384: -35
            case .sha512: -36
            }
        case .ed25519, .ed448: -8
        case .rsa: -257
        }
    }

    /// Returns the signature in the form of COSE: r and s of ECDSA side by side.
    fileprivate func signCOSE(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        switch self {
        case .ecdsa(let key): try key.sign(message, hash: key.publicKey.curve.hash)
        case .ed25519, .ed448, .rsa: try sign(message)
        }
    }
}
