package import CBOR
package import CryptoSuite

/// An encrypted object of COSE for one recipient whose key is known (COSE_Encrypt0, RFC 9052, section 5.2).
package struct COSEEncrypt0: Sendable {
    /// The CBOR tag of COSE_Encrypt0.
    package static let tag: UInt64 = 16

    /// The protected and the unprotected header of the COSE object.
    package let headers: COSEHeaders
    private let ciphertext: [UInt8]

    /// Reads an object with its tag; throws the fault of other items, and those of the headers.
    package init(_ value: CBORValue, limits: CBORLimits) throws(COSEFault) {
        guard let (tag, object) = value.tagged, tag == Self.tag, let parts = object.array, parts.count == 3,
            let ciphertext = parts[2].bytes
        else { throw COSEFault(.object, "A COSE_Encrypt0 is an array of three with tag 16.", in: value) }
        headers = try COSEHeaders(protected: parts[0], unprotected: parts[1], limits: limits)
        self.ciphertext = ciphertext
    }

    /// The length of the key in bytes, by the algorithm: A128GCM or A256GCM (RFC 9053, section 4.1); nil for another.
    package var keyCount: Int? {
        headers.protected?[COSEHeaders.Label.algorithm]?.int.flatMap { [1: 16, 3: 32][$0] }
    }

    /// The vector of 12 bytes; nil without one.
    package var nonce: [UInt8]? {
        let bytes = headers.value(COSEHeaders.Label.initialisationVector)?.bytes
        return bytes?.count == AuthenticatedCipher.aesGCM.nonceCount ? bytes : nil
    }

    /// Returns the plaintext that the first fitting key decrypts; nil when none does.
    package func decrypted(with keys: [Secret]) -> [UInt8]? {
        guard let keyCount, let nonce else { return nil }
        let structure = CBORItem.array([.text("Encrypt0"), .bytes(headers.protectedBytes), .bytes([])]).encoded
        for key in keys where key.count == keyCount {
            let plaintext = try? AuthenticatedCipher.aesGCM.open(
                ciphertext, key: key, nonce: nonce, additionalData: structure)
            if let plaintext { return plaintext }
        }
        return nil
    }
}
