package import Credentials
package import Terminal

/// A report of verifying, as text and as JSON.
package struct ReportText: Sendable {
    private let report: CredentialReport
    private let policy: VerificationPolicy

    /// Takes a report and the policy that it was made under.
    package init(_ report: CredentialReport, _ policy: VerificationPolicy) {
        self.report = report
        self.policy = policy
    }

    /// The code and reason that decide a result other than genuine; nil for a genuine credential.
    package var decision: (code: String, reason: String)? {
        let inner = report.inner.first { $0.result == report.result }
        let check = report.decisiveCheck(under: policy) ?? inner?.decisiveCheck(under: policy)
        guard report.result != .genuine, let check else { return nil }
        return (
            check.code?.rawValue ?? "\(check.kind.rawValue) not done", TerminalText.sanitised(check.reason, limit: 300)
        )
    }

    /// Whether a check failed.
    package var isRefused: Bool { report.result == .refused }

    /// The result in one line: `genuine`, or `refused: credential.sig-invalid, The signature …`.
    package var summary: String {
        guard let decision else { return report.result.rawValue }
        return "\(report.result.rawValue): \(decision.code), \(decision.reason)"
    }

    /// Every check, and which key signed what, a line each.
    package var explanation: [String] { lines(of: report, indent: "  ") }

    private func lines(of report: CredentialReport, indent: String) -> [String] {
        var lines = ["format \(report.format.rawValue)"]
        let content = report.content
        if let issuer = content.issuer { lines.append("issuer \(issuer)") }
        if let holder = content.holder { lines.append("holder \(holder)") }
        if !content.types.isEmpty { lines.append("types \(content.types.joined(separator: ", "))") }
        lines += content.signatures.map { signature in
            "signed by \(signature.key), \(signature.algorithm), over \(signature.covers): "
                + (signature.isValid ? "valid" : "not valid")
        }
        lines += content.notes
        lines += report.checks.map { check in
            let code = check.code.map { " \($0.rawValue)" } ?? ""
            let place = check.location.map { " at \($0)" } ?? ""
            return "\(check.kind.rawValue): \(check.outcome.rawValue)\(code)\(place). \(check.reason)"
        }
        let own = lines.map { indent + TerminalText.sanitised($0, limit: 600) }
        return own + report.inner.flatMap { ["\(indent)inside:"] + self.lines(of: $0, indent: indent + "  ") }
    }

    /// The members of the JSON line: `result`, `format`, `checks`, and for a presentation `credentials`.
    package var members: [JSONText.Member] { Self.members(of: report) }

    private static func members(of report: CredentialReport) -> [JSONText.Member] {
        let checks = report.checks.map { check in
            JSONText.object([
                .init("check", .string(check.kind.rawValue)), .init("outcome", .string(check.outcome.rawValue)),
                .init("code", .string(check.code?.rawValue)), .init("reason", .string(check.reason)),
                .init("location", .string(check.location?.description)),
            ])
        }
        let signatures = report.content.signatures.map { signature in
            JSONText.object([
                .init("key", .string(signature.key)), .init("algorithm", .string(signature.algorithm)),
                .init("covers", .string(signature.covers)), .init("valid", .bool(signature.isValid)),
            ])
        }
        let inner = report.inner.map { JSONText.object(members(of: $0)) }
        return [
            .init("result", .string(report.result.rawValue)), .init("format", .string(report.format.rawValue)),
            .init("issuer", .string(report.content.issuer)),
            .init("types", .array(report.content.types.map { .string($0) })),
            .init("checks", .array(checks)), .init("signatures", .array(signatures)),
        ] + (inner.isEmpty ? [] : [.init("credentials", .array(inner))])
    }
}
