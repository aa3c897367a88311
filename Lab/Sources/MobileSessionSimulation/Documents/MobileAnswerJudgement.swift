package import Credentials
import CryptoSuite
import Determinism
package import MobileSession

/// The verdict of a reader's verifier about one answer.
package struct MobileAnswerVerdict: Hashable, Sendable {
    /// True when every document was found genuine, and to be of the device that answered.
    package let isGenuine: Bool
    /// The checks that failed, in the order of the report.
    package let failed: [CredentialCheck.Kind]
}

/// The verifier of a simulated reader, which trusts the test authority.
package struct MobileAnswerJudge: Sendable {
    private let time: WallTime
    private let authority: [UInt8]

    /// Makes a verifier; throws the errors of making the test authority.
    init(_ forgery: MobileForgery?) throws {
        authority = try SimulatedDocument.authority()
        let offset: Int64 =
            switch forgery {
            case .expired: 366 * 86_400_000
            case .notYetValid: -3_600_000
            default: 0
            }
        time = WallTime(millisecondsSinceEpoch: SimulatedDocument.time.millisecondsSinceEpoch + offset)
    }

    /// Verifies an answer in the session in which it came.
    package func verdict(_ response: DeviceResponse, in keys: MobileSessionKeys) -> MobileAnswerVerdict {
        var trust = TrustStore()
        trust.roots = [TrustedRoot(certificate: authority, purpose: .mobileDocuments(types: [], country: nil))]
        var request = VerificationRequest(trust: trust, at: time)
        request.policy.requiresHolderProof = true
        request.policy.limits.maximumBytes = ReaderSession.maximumResponseBytes
        request.session = try? MobileDocumentSession(transcript: keys.transcript.bytes, agreementKey: keys.ownKey)
        let report = MobileDocumentVerifier(request).verify(response.bytes)
        let checks = ([report] + report.inner).flatMap(\.checks)
        return MobileAnswerVerdict(
            isGenuine: report.result == .genuine && report.holder == .proved,
            failed: checks.filter { $0.outcome == .failed }.map(\.kind))
    }
}
