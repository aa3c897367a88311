import CBOR
import CryptoSuite

/// An encrypted object of COSE for one recipient whose key is known (COSE_Encrypt0, RFC 9052, section 5.2).
package struct COSEEncrypt0 {
    /// The CBOR tag of COSE_Encrypt0.
    static let tag: UInt64 = 16

    /// The length of the key in bytes, by the algorithm: A128GCM or A256GCM (RFC 9053, section 4.1).
    private let keyCount: Int
    private let headers: COSEHeaders
    private let nonce: [UInt8]
    private let ciphertext: [UInt8]

    /// Reads an object with its tag, also within that of CWT.
    ///
    /// Throws `credential.md-form` for other items, `credential.alg-unknown` for another algorithm, and the codes of
    /// the headers.
    package init(_ bytes: [UInt8], _ limits: VerificationLimits) throws(CredentialError) {
        var value = try CredentialCBORReader.value(bytes, limits)
        if let (tag, content) = value.tagged, tag == 61 { value = content }
        guard let (tag, object) = value.tagged, tag == Self.tag, let parts = object.array, parts.count == 3,
            let ciphertext = parts[2].bytes
        else {
            throw CredentialError(.mdForm, "A COSE_Encrypt0 is an array of three with tag 16.", at: value.place)
        }
        headers = try COSEHeaders(protected: parts[0], unprotected: parts[1], limits)
        try headers.checkCritical()
        let counts = [1: 16, 3: 32]
        guard headers.isProtected(COSEHeaders.Label.algorithm),
            let count = headers.value(COSEHeaders.Label.algorithm)?.int.flatMap({ counts[$0] })
        else {
            throw CredentialError(.algUnknown, "The encryption is not by A128GCM or A256GCM.", at: value.place)
        }
        guard let nonce = headers.value(COSEHeaders.Label.initialisationVector)?.bytes,
            nonce.count == AuthenticatedCipher.aesGCM.nonceCount
        else { throw CredentialError(.parseCBOR, "The encryption has no vector of 12 bytes.", at: value.place) }
        self.nonce = nonce
        self.ciphertext = ciphertext
        keyCount = count
    }

    /// Returns the plaintext that the first fitting key decrypts; nil when none does.
    package func decrypted(with keys: [Secret]) -> [UInt8]? {
        let structure = CBORItem.array([.text("Encrypt0"), .bytes(headers.protectedBytes), .bytes([])]).encoded
        for key in keys where key.count == keyCount {
            let plaintext = try? AuthenticatedCipher.aesGCM.open(
                ciphertext, key: key, nonce: nonce, additionalData: structure)
            if let plaintext { return plaintext }
        }
        return nil
    }
}
