import CryptoSuite

/// A public key that signatures are checked with, of any of the kinds that credentials use.
public enum VerificationKey: Hashable, Sendable {
    /// An Ed25519 key, 32 bytes.
    case ed25519([UInt8])

    /// The algorithms that the key may serve.
    public var algorithms: [SignatureAlgorithm] {
        switch self {
        case .ed25519: [.edDSA, .ed25519]
        }
    }

    /// The kind of key in words, for reasons: `Ed25519`.
    public var kind: String {
        switch self {
        case .ed25519: "Ed25519"
        }
    }

    /// Checks that `signature` is one of this key over `message`.
    ///
    /// The form of the signature is that of JOSE and COSE: 64 bytes of Ed25519, r and s of ECDSA side by side at full
    /// length, and as many bytes as the modulus has for RSA. Throws `credential.alg-mismatch` when the key does not
    /// serve the algorithm, `credential.sig-form` when the length is another, and `credential.sig-invalid`.
    public func verify(
        _ signature: [UInt8], over message: some Collection<UInt8>, algorithm: SignatureAlgorithm
    ) throws(CredentialError) {
        guard algorithms.contains(algorithm) else {
            throw CredentialError(.algMismatch, "\(algorithm.rawValue) is no algorithm of a key of kind \(kind).")
        }
        let isValid: Bool
        switch self {
        case .ed25519(let key):
            try Self.checkCount(signature, Ed25519.signatureCount, algorithm)
            isValid = Ed25519.verify(signature: signature, message: message, publicKey: key)
        }
        guard isValid else {
            throw CredentialError(.sigInvalid, "The signature does not fit the key and the signed bytes.")
        }
    }

    private static func checkCount(
        _ signature: [UInt8], _ count: Int, _ algorithm: SignatureAlgorithm
    ) throws(CredentialError) {
        guard signature.count == count else {
            throw CredentialError(
                .sigForm, "A signature of \(algorithm.rawValue) has \(count) bytes, not \(signature.count).")
        }
    }
}
