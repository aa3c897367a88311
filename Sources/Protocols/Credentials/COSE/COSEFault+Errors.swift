package import CBOR
package import COSE
import CryptoSuite

extension CredentialError {
    /// Converts a fault in the form of COSE.
    init(_ fault: COSEFault) {
        let code: Code =
            switch fault.cause {
            case .object: .mdForm
            case .item: .parseCBOR
            case .cbor(let error):
                // The whole input ends elsewhere: what follows here is no trailing data of the credential.
                error.code == .trailingData ? .parseCBOR : CredentialError(error).code
            case .labelCount: .limitInput
            case .algorithms: .algMismatch
            case .keyForm: .keyForm
            case .keyPrivate: .keyPrivate
            case .keyCurve: .keyCurve
            }
        self.init(code, fault.reason, at: .bytes(fault.range))
    }
}

extension COSESign1 {
    /// Reads a COSE_Sign1 object with or without its tag.
    ///
    /// Throws `credential.md-form` for another object of COSE, a payload that is neither bytes nor null, and a
    /// signature that is none; `credential.parse-cbor` for other items; and the codes of the headers.
    package init(_ value: CBORValue, _ limits: VerificationLimits) throws(CredentialError) {
        do throws(COSEFault) {
            try self.init(value, limits: CredentialCBORReader.readerLimits(limits))
        } catch {
            throw CredentialError(error)
        }
    }

    /// Returns the payload in the object; throws `credential.md-form` when it is detached.
    func attachedPayload() throws(CredentialError) -> CBORValue {
        guard let payload else { throw CredentialError(.mdForm, "The payload is not there.") }
        return payload
    }

    /// Verifies the signature over a payload, without external data; throws the codes of `VerificationKey.verify`.
    package func verify(
        _ payload: [UInt8], by key: VerificationKey, algorithm: SignatureAlgorithm
    ) throws(CredentialError) {
        try headers.checkCurve(of: key)
        try key.verify(signature, over: signedBytes(payload), algorithm: algorithm)
    }
}

extension COSEMac0 {
    /// Reads a COSE_Mac0 with or without its tag; throws `credential.md-form` for others and an attached payload.
    init(detached value: CBORValue, _ limits: VerificationLimits) throws(CredentialError) {
        do throws(COSEFault) {
            try self.init(value, limits: CredentialCBORReader.readerLimits(limits))
        } catch {
            throw CredentialError(error)
        }
        guard payload == nil else {
            throw CredentialError(.mdForm, "The MAC of the device has a payload of its own.", at: value.place)
        }
    }

    /// Verifies a MAC of this key over the payload; throws when it is wrong.
    ///
    /// Throws `credential.alg-mismatch` for another algorithm, `credential.alg-crit`, and `credential.sig-invalid` for
    /// a wrong code.
    func verify(_ payload: [UInt8], by key: Secret) throws(CredentialError) {
        try headers.checkCritical()
        guard isHMAC256 else { throw CredentialError(.algMismatch, "The MAC of the device is not HMAC 256/256.") }
        guard isValid(over: payload, key: key) else {
            throw CredentialError(.sigInvalid, "The MAC does not fit the keys and the session.")
        }
    }
}

extension COSEEncrypt0 {
    /// Reads an object with its tag, also within that of CWT, and checks that it can be decrypted with a key.
    ///
    /// Throws `credential.md-form` for other items, `credential.alg-unknown` for another algorithm,
    /// `credential.parse-cbor` without a vector, and the codes of the headers.
    package init(_ bytes: [UInt8], _ limits: VerificationLimits) throws(CredentialError) {
        var value = try CredentialCBORReader.value(bytes, limits)
        if let (tag, content) = value.tagged, tag == 61 { value = content }
        do throws(COSEFault) {
            try self.init(value, limits: CredentialCBORReader.readerLimits(limits))
        } catch {
            throw CredentialError(error)
        }
        try headers.checkCritical()
        guard keyCount != nil else {
            throw CredentialError(.algUnknown, "The encryption is not by A128GCM or A256GCM.", at: value.place)
        }
        guard nonce != nil else {
            throw CredentialError(.parseCBOR, "The encryption has no vector of 12 bytes.", at: value.place)
        }
    }
}

extension COSEKey {
    /// Reads a COSE key.
    ///
    /// Throws `credential.key-form`, `credential.key-private` for one with a private part, and `credential.key-curve`
    /// for a point off its curve.
    static func read(_ value: CBORValue) throws(CredentialError) -> Self {
        do throws(COSEFault) {
            return try Self(value)
        } catch {
            throw CredentialError(error)
        }
    }

    /// The key as one that signatures are checked with; nil for one that only agrees on secrets, or is unknown.
    var verificationKey: VerificationKey? {
        switch self {
        case .ecdsa(let key): .ecdsa(key)
        case .ed25519(let key): .ed25519(key)
        case .ed448(let key): .ed448(key)
        case .x25519, .x448, .unknown: nil
        }
    }
}
