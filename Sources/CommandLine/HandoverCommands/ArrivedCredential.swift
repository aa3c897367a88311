import CommandProgram
import Credentials
import Determinism
import Presentations
import Terminal

/// A payload that arrived whole, as a person reads it before the decision, and the result of verifying it.
struct ArrivedCredential: Sendable {
    /// One line of the summary: its label and its text.
    typealias Row = (label: String, value: String)

    /// The label of the row with the verification's result.
    static let checkLabel = "check"

    /// The lines of the summary, in the order in which they are shown.
    let rows: [Row]
    /// True when every check passed that the trust file requires.
    let isGenuine: Bool
    /// True when the credential has all that the verifier asked for, or the verifier asked for nothing.
    let isComplete: Bool

    /// The result of verifying the payload, or each presentation in it.
    private let found: [(report: CredentialReport, code: String?)]
    private let answer: RequestAnswerCheck.JudgedPayload?

    /// Verifies a received payload and makes its summary.
    ///
    /// - Parameters:
    ///   - answer: what arrived, measured against the verifier's request; nil when it asked for nothing.
    ///   - verification: the policy and the trust of `--check`; without it no issuer is trusted, so that nothing is
    ///     genuine, but what cannot be true is still found.
    init(
        _ payload: ReceivedPayload, answer: RequestAnswerCheck.JudgedPayload? = nil,
        verification: (policy: VerificationPolicy, trust: TrustStore)?, at time: WallTime
    ) {
        let policy = verification?.policy ?? VerificationPolicy()
        let request = VerificationRequest(policy: policy, trust: verification?.trust ?? TrustStore(), at: time)
        self.answer = answer
        let parts: [(rows: [Row], report: CredentialReport)]
        switch answer {
        case nil: parts = [([], CredentialVerifier(request).verify(payload.bytes))]
        case .bound(let presented): parts = presented.map { (Self.rows(of: $0), $0.report) }
        case .unbound(let credential): parts = [(Self.rows(of: credential), credential.report)]
        }
        if case .unbound(let credential)? = answer { isComplete = credential.isComplete } else { isComplete = true }
        isGenuine = parts.allSatisfy { $0.report.result == .genuine }
        found = parts.map { ($0.report, VerificationReportText($0.report, policy: policy).decision?.code) }
        var rows: [Row] = []
        for part in parts {
            let summary = CredentialSummary(part.report).rows.map { ($0.label, $0.value) }
            let verdict = Self.verdict(
                VerificationReportText(part.report, policy: policy), isWanted: verification != nil,
                isKnown: !summary.isEmpty)
            // Before what a stranger wrote, so that no length of that leaves it out of the screen.
            rows += part.rows + [(Self.checkLabel, verdict)]
            rows += summary.isEmpty ? [("type", "no credential that is known")] : summary
        }
        let size = NumberText.bytes(payload.bytes.count)
        rows.append(("size", "\(size) (\(payload.kind.rawValue)), complete and unaltered"))
        rows.append(("SHA-256", payload.digest))
        self.rows = rows
    }

    /// The members of the event `checked`, for each report.
    func members(session: Int) -> [[JSONText.Member]] {
        found.map { report, code in
            [
                .init("session", .integer(session)), .init("result", .string(report.result.rawValue)),
                .init("issued", .string(report.issuance.rawValue)), .init("holder", .string(report.holder.rawValue)),
                .init("now", .string(report.standing.rawValue)), .init("format", .string(report.format.rawValue)),
                .init("code", .string(code)),
            ] + requestMembers
        }
    }

    /// The members that compare the payload with the verifier's request.
    private var requestMembers: [JSONText.Member] {
        let (request, lacking): (String?, [String]) =
            switch answer {
            case nil: (nil, [])
            case .bound: ("answered", [])
            case .unbound(let credential): ("unread", credential.lacking)
            }
        return [.init("request", .string(request)), .init("lacking", .array(lacking.map { .string($0) }))]
    }

    private static func rows(of presented: PresentationAnswerChecker.CheckedPresentation) -> [Row] {
        let query = TerminalText.sanitised(presented.query, limit: 64)
        return [("answers", "\(query), bound to this session")]
            + (RequestedClaimsText.line(presented.answers).map { [("answer", $0)] } ?? [])
    }

    private static func rows(of credential: UnboundCredential) -> [Row] {
        [("request", "not read by this wallet; nothing shows that the holder presented this to you now")]
            + (RequestedClaimsText.line(credential.answers).map { [("answer", $0)] } ?? [])
            + (RequestedClaimsText.lacking(credential).map { [("lacking", $0)] } ?? [])
    }

    private static func verdict(_ text: VerificationReportText, isWanted: Bool, isKnown: Bool) -> String {
        if isWanted {
            let answers = text.answers.map { "\($0.label) \($0.value)" }.joined(separator: "; ")
            return "The credential is \(text.summary) (\(answers))"
        }
        guard isKnown else { return "not possible: it has the form of no credential that is known" }
        guard text.isRefused else { return "not verified; --check --trust FILE does it" }
        return "\(text.summary) (found without a trust file)"
    }
}
