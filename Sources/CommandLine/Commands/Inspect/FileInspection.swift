import Codes
import CommandProgram
import Credentials
import Determinism
import JSON
import Terminal

/// Says what a file that symbolon reads or writes is, and which command takes it: credentials, trust files, logs,
/// vaults, keys.
///
/// Nothing is verified, decrypted or opened; a credential's own statements are shown as such.
struct FileInspection {
    /// A kind of file: its name, its content, and the command that takes it.
    private struct RecognisedFile {
        let kind: String
        let title: String
        var rows: [(label: String, value: String)] = []
        let nextStep: String
    }

    /// The most bytes that are read as a credential.
    private static let maximumCredentialBytes = 16 << 20

    private let reporter: EventReporter
    private let time: WallTime

    /// Makes an inspection that reports to `reporter`, with the present time of day.
    init(_ reporter: EventReporter, at time: WallTime) {
        self.reporter = reporter
        self.time = time
    }

    /// Explains `bytes`; false when they are no file of a known kind.
    func run(_ bytes: [UInt8]) -> Bool {
        guard let finding = Self.marked(bytes) ?? Self.logged(bytes) ?? credential(bytes) ?? Self.text(bytes) else {
            return false
        }
        show(finding)
        return true
    }

    /// Explains the folder at `path` by the names in it; false when it is none that symbolon makes.
    func run(folder path: String) -> Bool {
        let holds = { (name: String) in POSIXFile.exists("\(path)/\(name)") }
        let finding: RecognisedFile? =
            if holds("vault.sqlite") {
                RecognisedFile(
                    kind: "vault", title: "a vault: keys, connections and messages, sealed", nextStep: "vault info")
            } else if holds("run.json") && (holds("events.jsonl") || holds("events.jsonl.gz")) {
                RecognisedFile(kind: "proximity-log", title: "the log of a proximity run", nextStep: "prox report")
            } else if holds("contacts.csv") || holds("statistics.csv") {
                RecognisedFile(kind: "herald-log", title: "the log of a phone with Herald", nextStep: "prox report")
            } else {
                nil
            }
        guard let finding else { return false }
        show(finding)
        return true
    }

    private func show(_ finding: RecognisedFile) {
        reporter.event(
            .file,
            [
                .init("kind", .string(finding.kind)),
                .init("statements", .array(finding.rows.map { .string("\($0.label): \($0.value)") })),
            ])
        reporter.put("This is \(finding.title).")
        let rows = finding.rows + [("next", "symbolon \(finding.nextStep)")]
        for row in rows {
            let value = TerminalText.hanging(row.value, indent: 16, width: reporter.console.outputColumns)
            reporter.put("  " + TerminalText.padded(row.label, to: 14) + value)
        }
    }

    /// Recognises a file by its magic bytes or its first words.
    private static func marked(_ bytes: [UInt8]) -> RecognisedFile? {
        let applications = [
            Array("SYMV".utf8): ("vault-database", "the database of a vault, sealed", "vault info FOLDER"),
            Array("SYMA".utf8): ("agent-store", "the store of a cloud agent", "agent status"),
        ]
        if bytes.starts(with: "SQLite format 3\0".utf8), bytes.count >= 72,
            let found = applications[Array(bytes[68..<72])]
        {
            return RecognisedFile(kind: found.0, title: found.1, nextStep: found.2)
        }
        // Libraries of 2020 wrote two columns less.
        if bytes.starts(with: "time,sensor,id,detect,read,measure,share,visit,".utf8) {
            return RecognisedFile(
                kind: "herald-log", title: "contacts.csv, the log of a phone with Herald",
                rows: [("lines", NumberText.count(bytes.count { $0 == 10 }))],
                nextStep: "prox report FOLDER, with the folder that it lies in")
        }
        if bytes.starts(with: "symbolon-export\n".utf8) {
            return RecognisedFile(
                kind: "vault-export", title: "an exported vault, sealed with a passphrase", nextStep: "vault import")
        }
        if bytes.starts(with: "symbolon-key-1 ".utf8) {
            return RecognisedFile(
                kind: "vault-key", title: "the secret key of a vault; show it to no one",
                nextStep: "vault info FOLDER --key-file FILE")
        }
        return nil
    }

    /// Recognises JSON, or lines of JSON, that name a schema of this program.
    private static func logged(_ bytes: [UInt8]) -> RecognisedFile? {
        let line = bytes.prefix { $0 != 10 }
        let value = (try? JSONDocument(parsing: Array(line)))?.value ?? (try? JSONDocument(parsing: bytes))?.value
        switch value?["schema"]?.string {
        case "symbolon.events":
            let lines = bytes.count { $0 == 10 }
            return RecognisedFile(
                kind: "events", title: "events of a symbolon command, a line of JSON each",
                rows: [("lines", NumberText.count(lines))], nextStep: "help; man 5 symbolon-events explains them")
        case "symbolon.prox.log":
            return RecognisedFile(
                kind: "proximity-run", title: "the head of a proximity run's log", nextStep: "prox report FOLDER")
        default: return nil
        }
    }

    private func credential(_ bytes: [UInt8]) -> RecognisedFile? {
        guard bytes.count <= Self.maximumCredentialBytes else { return nil }
        var policy = VerificationPolicy()
        policy.limits.maximumBytes = Self.maximumCredentialBytes
        let request = VerificationRequest(policy: policy, trust: TrustStore(), at: time)
        let code = CodeVerifier(request).verify(bytes)
        let report = code.credential
        let summary = CredentialSummary(report)
        guard !summary.rows.isEmpty else { return code.isCode ? Self.unread(code) : nil }
        let isPresentation = !report.inner.isEmpty || report.content.types.contains("VerifiablePresentation")
        let form = "\(isPresentation ? "a presentation" : "a credential") (\(report.format.rawValue))"
        var rows = Self.layerRows(code) + summary.rows.map { ($0.label, $0.value) }
        for signature in report.content.signatures.prefix(8) {
            let text = TerminalText.sanitised("\(signature.algorithm), \(signature.key)", limit: 160)
            rows.append(("signature", "\(text): \(signature.isValid ? "valid" : "not valid")"))
        }
        rows.append(("verified", "no; the lines above are its own claims"))
        return RecognisedFile(
            kind: code.isCode ? "code" : "credential",
            title: code.isCode ? "the text of a code with \(form)" : form, rows: rows, nextStep: "verify FILE")
    }

    private static func layerRows(_ code: CodeReport) -> [(label: String, value: String)] {
        code.layers.map { ("layer", TerminalText.sanitised($0.text, limit: 120)) }
    }

    /// The layers of a code without a credential that can be shown, and the reason.
    private static func unread(_ code: CodeReport) -> RecognisedFile {
        let check = code.credential.checks.first { $0.code != nil }
        let reason = check.map { "\($0.code?.rawValue ?? ""), \($0.reason)" } ?? "there is no credential"
        return RecognisedFile(
            kind: "code", title: "the text of a code",
            rows: layerRows(code) + [("credential", TerminalText.sanitised(reason, limit: 300))],
            nextStep: "verify FILE")
    }

    /// The most entries, and the most warnings, of a trust file that are shown.
    private static let maximumTrustRows = 100

    /// The entries of a trust file, a row each, followed by its warnings.
    private static func trustRows(_ file: TrustFile) -> [(label: String, value: String)] {
        func cut(_ rows: [(label: String, value: String)], _ what: String) -> [(label: String, value: String)] {
            let rest = rows.count - maximumTrustRows
            return rows.prefix(maximumTrustRows)
                + (rest > 0 ? [(what, "\(NumberText.count(rest)) more")] : [])
        }
        let entries = file.listing.map { entry in
            (
                label: entry.kind == "revocation-list" ? "revocations" : entry.kind,
                value: TerminalText.sanitised(entry.summary, limit: 400)
            )
        }
        let warnings = file.warnings.map { warning in
            let sentence = TerminalText.sanitised(warning.sentence, limit: 300)
            return (label: warning.isGrave ? "WARNING" : "wide open", value: "line \(warning.line): \(sentence)")
        }
        return cut(entries, "entries") + cut(warnings, "warnings")
    }

    /// Recognises a file of text lines: a trust file, or a cloud agent's settings.
    private static func text(_ bytes: [UInt8]) -> RecognisedFile? {
        guard bytes.count <= TrustFile.maximumBytes, let text = String(validating: bytes, as: UTF8.self) else {
            return nil
        }
        let lines = text.split { $0.isNewline }.filter { line in
            !(line.first { !$0.isWhitespace }.map { $0 == "#" } ?? true)
        }
        guard !lines.isEmpty else { return nil }
        if let file = try? TrustFile(parsing: bytes) {
            return RecognisedFile(
                kind: "trust-file", title: "a trust file: who may issue what", rows: trustRows(file),
                nextStep: "verify FILE")
        }
        let isSetting = { (line: Substring) in
            let name = line.prefix { $0 != "=" }
            return name.count < line.count
                && name.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" || $0.isWhitespace }
        }
        guard lines.allSatisfy(isSetting) else { return nil }
        let names = lines.map { line in line.prefix { $0 != "=" }.filter { !$0.isWhitespace } }
        if names.allSatisfy(UserSettings.names.contains) {
            return RecognisedFile(
                kind: "settings", title: "settings of a user, for ~/.config/symbolon/settings",
                rows: [("settings", String(lines.count))], nextStep: "config show, when the file is there")
        }
        return RecognisedFile(
            kind: "settings", title: "a file of settings, as symbolon agent run takes",
            rows: [("settings", String(lines.count))], nextStep: "agent config show --config FILE")
    }
}
