/// Verifies a credential of any supported format.
///
/// A value without state: it recognises the format and calls that format's verifier. It reads nothing but what the
/// request holds. Work and memory are bounded by the limits of the policy.
public struct CredentialVerifier: Sendable {
    private let request: VerificationRequest

    /// Makes a verifier for a request.
    public init(_ request: VerificationRequest) { self.request = request }

    /// Verifies a credential or presentation; white space around a text does not matter.
    public func verify(_ bytes: [UInt8]) -> CredentialReport { verify(bytes, isInner: false) }

    /// Verifies a credential inside a presentation or a status list, which must not be a presentation.
    func verify(_ bytes: [UInt8], isInner: Bool) -> CredentialReport {
        guard bytes.count <= request.policy.limits.maximumBytes else {
            return report(.unknown, CredentialError(.limitInput, "The input has \(bytes.count) bytes."))
        }
        let format = CredentialFormatDetection.format(of: bytes)
        // Each format has its verifier here, and nowhere else.
        switch format {
        case .jwt: return JWTVerifier(request, isInner: isInner).verify(CredentialFormatDetection.trimmed(bytes))
        case .sdJWT: return SDJWTVerifier(request, isInner: isInner).verify(CredentialFormatDetection.trimmed(bytes))
        case .mobileDocument: return MobileDocumentVerifier(request).verify(bytes)
        case .cwt: return CWTVerifier(request, isInner: isInner).verify(bytes)
        case .linkedData: return LinkedDataVerifier(request, isInner: isInner).verify(bytes)
        // The last but one stand in codes alone.
        case .aadhaar, .healthCard, .unknown:
            return report(format, CredentialError(.formatUnknown, "The format of the input is unknown."))
        }
    }

    private func report(_ format: CredentialFormat, _ error: CredentialError) -> CredentialReport {
        var list = CredentialCheckList()
        list.record(error)
        return CredentialReport(format, list, policy: request.policy)
    }
}
