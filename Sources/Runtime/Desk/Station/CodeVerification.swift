import Codes
import Credentials
import Determinism

/// Judges a code, away from the station's own work.
struct CodeVerification: Sendable {
    let settings: StationSettings
    let time: WallTime

    /// Returns the view of the credential in a code, and the decision of the desk's policy; nil for a code without one.
    func judge(_ bytes: [UInt8]) -> (CredentialView, DecisionPolicy.PolicyDecision)? {
        let request = VerificationRequest(policy: settings.policy, trust: settings.trust, at: time)
        let report = CodeVerifier(request).verify(bytes)
        guard Self.holdsCredential(report) else { return nil }
        let view = CredentialView([report.credential], origin: .code(report), policy: settings.policy, bytes: bytes)
        return (view, settings.decisions.outcome(of: [report.credential]))
    }

    /// True for a credential, and for a code of one that is damaged, encrypted or beyond a limit.
    private static func holdsCredential(_ report: CodeReport) -> Bool {
        let codes = report.credential.checks.compactMap(\.code)
        guard !codes.contains(.codeForeign) else { return false }
        return report.credential.format != .unknown || codes.contains { $0.rawValue.utf8.starts(with: "code.".utf8) }
    }
}
