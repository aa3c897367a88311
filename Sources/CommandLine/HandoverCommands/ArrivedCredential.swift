import CommandProgram
import Credentials
import Determinism
import Presentations
import Terminal

/// A payload that arrived whole, as a person reads it before the decision, and what verifying it found.
struct ArrivedCredential: Sendable {
    /// One line: what it is about, and what is known.
    typealias Row = (label: String, value: String)

    /// The label of what verifying found.
    static let checkLabel = "check"

    /// The lines, in the order in which they are shown.
    let rows: [Row]
    /// Whether every check that the trust file requires passed.
    let isGenuine: Bool

    /// What verifying found, of the payload or of each presentation in it.
    private let found: [(report: CredentialReport, code: String?)]

    /// Verifies `payload`.
    ///
    /// - Parameters:
    ///   - answers: the presentations of an answer to the verifier's request, already checked against that.
    ///   - verification: the policy and the trust of `--check`; without it no issuer is trusted, so that nothing is
    ///     genuine, but what cannot be true is still found.
    init(
        _ payload: ReceivedPayload, _ answers: [AnswerChecker.Presented]? = nil,
        _ verification: (policy: VerificationPolicy, trust: TrustStore)?, at time: WallTime
    ) {
        let policy = verification?.policy ?? VerificationPolicy()
        let request = VerificationRequest(policy: policy, trust: verification?.trust ?? TrustStore(), at: time)
        let reports = answers?.map(\.report) ?? [CredentialVerifier(request).verify(payload.bytes)]
        isGenuine = reports.allSatisfy { $0.result == .genuine }
        found = reports.map { ($0, ReportText($0, policy).decision?.code) }
        var rows: [Row] = []
        for (index, report) in reports.enumerated() {
            let text = ReportText(report, policy)
            let summary = CredentialSummary(report).rows.map { ($0.label, $0.value) }
            if let answers {
                rows.append(("answers", "\(Self.name(of: answers[index])), bound to this session"))
                if let answer = AnswerText.line(answers[index].answers) { rows.append(("answer", answer)) }
            }
            rows += summary.isEmpty ? [("type", "no credential that is known")] : summary
            let verdict = Self.verdict(text, isWanted: verification != nil, isKnown: !summary.isEmpty)
            rows.append((Self.checkLabel, verdict))
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
            ]
        }
    }

    private static func name(of answer: AnswerChecker.Presented) -> String {
        TerminalText.sanitised(answer.query, limit: 64)
    }

    private static func verdict(_ text: ReportText, isWanted: Bool, isKnown: Bool) -> String {
        if isWanted {
            let answers = text.answers.map { "\($0.label) \($0.value)" }.joined(separator: "; ")
            return "The credential is \(text.summary) (\(answers))"
        }
        guard isKnown, text.isRefused else { return "not verified; --check --trust FILE does it" }
        return "\(text.summary) (found without a trust file)"
    }
}
