package import Credentials
import Determinism
import JSON
import Terminal

/// The content of a credential, as a person reads it: type, issuer, holder's name, dates, pictures.
///
/// Nothing of it is verified until the report says so. Every text is sanitised, and bounded in length.
package struct CredentialSummary: Sendable {
    /// One line of the summary.
    package struct Row: Hashable, Sendable {
        /// The subject of the line: `type`, `issuer`, `name`, `valid`, `pictures`.
        package let label: String
        /// The text of the credential about the subject.
        package let value: String
    }

    /// The most characters of one value.
    private static let maximumLength = 120
    /// The lines, in the order in which they are shown; empty when the bytes hold no credential.
    package let rows: [Row]

    /// Summarises the credential of a report, or the first credential of a presentation.
    package init(_ report: CredentialReport) {
        let shown = report.inner.first ?? report
        let facts = CredentialFacts(shown)
        let isCredential = !facts.types.isEmpty || facts.issuer != nil
        guard isCredential, report.format != .unknown else {
            rows = []
            return
        }
        var rows: [Row] = []
        func add(_ label: String, _ value: String?) {
            guard let value, !value.isEmpty else { return }
            rows.append(Row(label: label, value: TerminalText.sanitised(value, limit: Self.maximumLength)))
        }
        add("type", facts.types.joined(separator: ", "))
        add("issuer", Self.issuer(facts))
        add("name", Self.english(facts.holderNames))
        add("valid", Self.validity(facts))
        if !facts.pictures.isEmpty { add("pictures", String(facts.pictures.count)) }
        if report.inner.count > 1 { add("credentials", "\(report.inner.count); the first is shown") }
        self.rows = rows
    }

    /// The issuer by its name in the trust file and its identifier; quoted where the credential only claims it.
    package static func issuer(_ facts: CredentialFacts) -> String? {
        guard let issuer = facts.quotedIssuer else { return nil }
        guard facts.isIssued else { return issuer + ", as it claims" }
        return facts.issuerName.map { "\($0) (\(issuer))" } ?? issuer
    }

    /// The English one of texts by language, or else the first.
    private static func english(_ texts: [CredentialFacts.Text]) -> String? {
        (texts.first { ["en", "eng"].contains($0.language) } ?? texts.first)?.text
    }

    /// The first and the last day of validity; nil when the credential names neither.
    private static func validity(_ facts: CredentialFacts) -> String? {
        switch (facts.validFrom.map(day), facts.validUntil.map(day)) {
        case (let start?, let end?): "\(start) to \(end)"
        case (let start?, nil): "from \(start), without end"
        case (nil, let end?): "until \(end)"
        case (nil, nil): nil
        }
    }

    /// The day of a date, or of a count of seconds since 1970.
    private static func day(_ value: JSONValue) -> String {
        value.int.map { CivilDateTime(secondsSinceEpoch: $0).date.text } ?? String((value.string ?? "").prefix(10))
    }
}
