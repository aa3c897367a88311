@_exported public import CodedErrors

/// Why a cryptographic operation failed.
///
/// The reason never holds key material or plaintext.
public typealias CryptoError = CodedFailure<CryptoErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum CryptoErrorCode: String, CaseIterable, Sendable {
    case authenticationFailed = "crypto.authentication-failed"
    case invalidKey = "crypto.invalid-key"
    case lowOrderPoint = "crypto.low-order-point"
    case invalidPoint = "crypto.invalid-point"
    case invalidLength = "crypto.invalid-length"
    case malformedCertificate = "crypto.malformed-certificate"
    case certificateTooLarge = "crypto.certificate-too-large"
    case `internal` = "crypto.internal"
}

extension CryptoError {
    /// Returns the library's result; throws the code `internal` when there is none.
    static func require<Value>(_ value: Value?, _ reason: String) throws(CryptoError) -> Value {
        guard let value else { throw CryptoError(.internal, reason) }
        return value
    }
}
