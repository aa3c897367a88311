public import CodedErrors

/// Why a cryptographic operation failed.
///
/// The reason never holds key material or plaintext.
public struct CryptoError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// The tag does not belong to these bytes under this key and nonce; nothing was decrypted.
        case authenticationFailed = "crypto.authentication-failed"
        /// The key has a length or a value that the operation does not take.
        case invalidKey = "crypto.invalid-key"
        /// The peer's public key is one of those that give the same shared secret with every key.
        case lowOrderPoint = "crypto.low-order-point"
        /// A public key is not a point of the curve's large group, or not in an encoding that the curve has.
        case invalidPoint = "crypto.invalid-point"
        /// A nonce, message or output has a length outside what the operation allows.
        case invalidLength = "crypto.invalid-length"
        /// A certificate, public key or revocation list is not the DER encoding of one.
        case malformedCertificate = "crypto.malformed-certificate"
        /// A certificate, public key or revocation list has more bytes than are read.
        case certificateTooLarge = "crypto.certificate-too-large"
        /// The library failed for another reason, such as lack of memory.
        case `internal` = "crypto.internal"
    }

    /// The stable code of the cause.
    public let code: Code

    /// One sentence for a log line; not for comparison.
    public let reason: String

    /// Makes an error with its code and a sentence about the cause.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}

extension CryptoError {
    /// Returns the library's result; throws the code `internal` when there is none.
    static func require<Value>(_ value: Value?, _ reason: String) throws(CryptoError) -> Value {
        guard let value else { throw CryptoError(.internal, reason) }
        return value
    }
}
