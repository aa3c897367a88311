import CodedErrors
package import Codes
package import Credentials
package import Terminal

/// A report of verifying, as text and as JSON.
package struct VerificationReportText: Sendable {
    private let report: CredentialReport
    private let policy: VerificationPolicy
    private let trustFile: LoadedTrustFile?
    private let code: CodeReport?

    /// Makes the text of a report, given the policy that it was made under and the trust file.
    package init(_ report: CredentialReport, policy: VerificationPolicy, trustFile: LoadedTrustFile? = nil) {
        self.init(report, code: nil, policy: policy, trustFile: trustFile)
    }

    /// Makes the text of a report about what a person shows.
    package init(_ code: CodeReport, policy: VerificationPolicy, trustFile: LoadedTrustFile? = nil) {
        self.init(code.credential, code: code, policy: policy, trustFile: trustFile)
    }

    private init(
        _ report: CredentialReport, code: CodeReport?, policy: VerificationPolicy, trustFile: LoadedTrustFile?
    ) {
        self.code = code
        self.report = report
        self.policy = policy
        self.trustFile = trustFile
    }

    /// The check that decides a result other than genuine, and the report that it stands in: this one, or that of the
    /// first credential inside with the result.
    private var decisive: (check: CredentialCheck, report: CredentialReport)? {
        guard report.result != .genuine else { return nil }
        if let check = report.decisiveCheck(under: policy), check.code != nil || report.inner.isEmpty {
            return (check, report)
        }
        let inner = report.inner.first { $0.result == report.result }
        return inner.flatMap { inner in inner.decisiveCheck(under: policy).map { ($0, inner) } }
            ?? report.decisiveCheck(under: policy).map { ($0, report) }
    }

    /// The code and reason that decide a result other than genuine; nil for a genuine credential.
    package var decision: (code: String, reason: String)? {
        guard let check = decisive?.check else { return nil }
        return (
            check.code?.rawValue ?? "\(check.kind.rawValue) not done", TerminalText.sanitised(check.reason, limit: 300)
        )
    }

    /// The step that would settle a result other than genuine: that of the deciding code, and the command that adds
    /// what the trust file lacks; nil without a code.
    package var nextStep: (sentence: String, command: String?)? {
        guard let (check, report) = decisive, let code = check.code else { return nil }
        let advice = TrustAdvice(for: code, of: report, trustFile)
        return (advice?.sentence ?? code.explanation.nextStep, advice?.command)
    }

    /// The three answers, a label and a value each: the issuer, the presenter, the present status; and below them how
    /// old a list is that should have been replaced.
    package var answers: [(label: String, value: String)] {
        let isOpen = code?.isCode == true && report.holder == .notShown
        let holder =
            isOpen
            ? "not shown by a code: compare the picture and the data with the person"
            : report.holder == .proved ? "proved now" : Self.words(report.holder.rawValue)
        return [
            ("issued by", Self.words(report.issuance.rawValue)), ("holder", holder),
            ("now", Self.words(report.standing.rawValue)),
        ] + Self.staleLists(of: report).map { ("note", $0) }
    }

    private static func staleLists(of report: CredentialReport) -> [String] {
        let own = report.checks.filter { $0.outcome == .passed && $0.code == .stStale }.map {
            TerminalText.sanitised($0.reason, limit: 300)
        }
        return own + report.inner.flatMap { staleLists(of: $0) }
    }

    /// The issuer by its name in the trust file and its identifier; nil for a credential that names none.
    package var issuer: String? { Self.issuer(of: report.inner.first ?? report) }

    /// The issuer of one credential, in the same words.
    package static func issuer(of report: CredentialReport) -> String? {
        CredentialSummary.issuer(CredentialFacts(report)).map { TerminalText.sanitised($0, limit: 300) }
    }

    /// Returns a result or an answer as words: `not-checked` as “not checked”.
    package static func words(_ value: String) -> String { value.split(separator: "-").joined(separator: " ") }

    /// True when a check of the credential failed.
    package var isRefused: Bool { report.result == .refused }

    /// The result in one line: `genuine`, or `refused: credential.sig-invalid, The signature …`.
    package var summary: String {
        guard let decision else { return report.result.rawValue }
        return "\(report.result.rawValue): \(decision.code), \(decision.reason)"
    }

    /// Every check, and the key of each signature, a line each.
    package var explanation: [String] {
        var lines = (code?.layers ?? []).map { "  layer: " + TerminalText.sanitised($0.text, limit: 120) }
        lines += self.lines(of: report, indent: "  ")
        for member in code?.members ?? [] {
            let path = TerminalText.sanitised(member.path.joined(separator: "."), limit: 200)
            lines.append("  token in \(path): \(member.report.result.rawValue)")
            lines += self.lines(of: member.report, indent: "    ")
        }
        return lines
    }

    private func lines(of report: CredentialReport, indent: String) -> [String] {
        var lines = ["format \(report.format.rawValue)"]
        let content = report.content
        if let name = content.issuerName { lines.append("issuer's name by the trust file: \(name)") }
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
    package var members: [JSONText.Member] {
        let own = Self.members(of: report)
        guard let code, code.isCode || !code.members.isEmpty else { return own }
        let layers = code.layers.map { layer in
            JSONText.object([
                .init("kind", .string(layer.kind.rawValue)), .init("detail", .string(layer.detail)),
                .init("bytes", .integer(layer.count)),
            ])
        }
        let tokens = code.members.map { member in
            JSONText.object(
                [.init("path", .array(member.path.map(JSONText.string)))] + Self.members(of: member.report))
        }
        return own + [.init("layers", .array(layers))] + (tokens.isEmpty ? [] : [.init("tokens", .array(tokens))])
    }

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
            .init("issued", .string(report.issuance.rawValue)), .init("holder", .string(report.holder.rawValue)),
            .init("now", .string(report.standing.rawValue)), .init("issuer", .string(report.content.issuer)),
            .init("issuerName", .string(report.content.issuerName)),
            .init("types", .array(report.content.types.map { .string($0) })),
            .init("checks", .array(checks)), .init("signatures", .array(signatures)),
        ] + (inner.isEmpty ? [] : [.init("credentials", .array(inner))])
    }
}

/// The command that adds the missing entry of a check to a trust file.
package struct TrustAdvice {
    /// The sentence that introduces the command to add trust.
    let sentence: String
    let command: String

    /// The advice for a code, with the issuer and type of the credential; nil where no line of a trust file helps.
    init?(for code: CredentialError.Code, of report: CredentialReport, _ trustFile: LoadedTrustFile?) {
        let content = report.content
        let type = content.types.last { $0 != "VerifiableCredential" }
        if code == .trustIssuer, let type, let entry = trustFile?.entry(of: content.issuer), !entry.types.contains(type)
        {
            sentence =
                "Line \(entry.lines.lowerBound) of the trust file lets this issuer issue other types. To add this one:"
            command = Self.command([entry.subject, "--type", type], trustFile)
            return
        }
        var words = type.map { ["--type", $0] } ?? []
        let issuer = content.issuer.map { ["--issuer", $0] } ?? []
        let needsRoot = report.checks.contains { $0.code == .x5Anchor || $0.code == .x5SelfSigned }
        switch code {
        case .keyUnresolved, .trustIssuer, .x5Anchor, .x5SelfSigned:
            if !needsRoot, let issuer = content.issuer, KeyResolver.holdsKey(issuer) {
                sentence =
                    "Ask the issuer whether this identifier is its own, because anyone can make one. To add it then:"
                words = [issuer] + words
            } else if report.format == .aadhaar {
                sentence = "Add the certificate of the authority's codes, as it publishes it, to the trust file:"
                words = ["CERTIFICATE", "--for", PinnedSigners.Purpose.aadhaar.rawValue]
            } else if content.types.contains(HealthCertificate.type) {
                sentence = "Add the certificates of the country's document signers to the trust file:"
                words = ["FOLDER", "--for", PinnedSigners.Purpose.healthCertificates.rawValue]
            } else if report.format == .mobileDocument {
                sentence = Self.rootWanted
                words = ["ROOT-FILE", "--for", "mdoc"] + words
            } else if needsRoot {
                sentence = Self.rootWanted
                words = ["ROOT-FILE", "--for", "tokens"] + issuer + words
            } else {
                sentence = "Add the issuer's key, key set or document, as the issuer publishes it, to the trust file:"
                words = ["FILE"] + issuer + words
            }
        case .ctxUnpinned, .ctxNested, .stUnknown, .stStale, .stSig, .stUri:
            sentence = code.explanation.nextStep + " To add it:"
            words = code.kind == .contexts ? ["CONTEXT-FILE", "--address", "URL"] : ["LIST-FILE"]
        default: return nil
        }
        command = Self.command(words, trustFile)
    }

    private static let rootWanted =
        "Add the root certificate of the issuer's authority, as it publishes it, to the trust file:"

    /// Returns the command `symbolon trust add` with these words.
    package static func command(_ words: [String], _ trustFile: LoadedTrustFile? = nil) -> String {
        let file = trustFile.flatMap { $0.isDefault ? nil : $0.path }.map { ["--trust", $0] } ?? []
        return (["symbolon", "trust", "add"] + (words + file).map(word)).joined(separator: " ")
    }

    /// A text as a word for a shell: in quotation marks where it holds more than letters, digits and a few signs.
    ///
    /// Works on scalars, because a mark behind a quotation mark makes one character with it.
    private static func word(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-._:/#%+@=".utf8.contains(byte)
        }
        guard !isPlain || text.isEmpty else { return text }
        var word = "'"
        for scalar in text.unicodeScalars {
            if scalar == "'" { word += "'\\''" } else { word.unicodeScalars.append(scalar) }
        }
        return word + "'"
    }
}
