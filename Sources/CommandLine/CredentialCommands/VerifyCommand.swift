import Codes
package import CommandProgram
import Credentials
import Determinism
import MobileDocuments
package import Terminal

/// `symbolon verify FILE…`: says of each file whether it is a genuine credential, without a network.
package enum VerifyCommand {
    private static let files = Operand(
        .path("FILE|-"), "Credentials, texts of codes or pictures of them; - is standard input.", arity: .many)
    private static let trust = ValueOption(
        "trust", .path("FILE"), "The trust file: who may issue what, with keys, roots, contexts and status lists.")
    private static let time = ValueOption(
        "at", timeKind, "The time to judge by, instead of now: 2026-11-20T10:00:00Z, or 2026-11-20 for its noon in UTC."
    )
    private static let explains = FlagOption("explain", "Shows every check, and which key signed what.")
    private static let nonce = ValueOption(
        "nonce", .text("TEXT"), "The nonce or challenge that the holder's proof must carry; demands that proof.")
    private static let audience = ValueOption(
        "audience", .text("TEXT"), "The verifier that the holder's proof must be for; demands that proof.")
    private static let type = ValueOption("type", .text("TYPE"), "The type that a credential must have.")
    private static let holder = FlagOption("holder", "Demands a proof of the holder that was made for you now.")
    private static let transcript = ValueOption(
        "transcript", .path("FILE"), "The session transcript (CBOR) of a mobile document, to check its device's proof.")
    private static let readerKey = ValueOption(
        "reader-key", .path("FILE"), "Your key of that session, a private JWK: checks a proof that is a MAC.")

    /// The most bytes of a file that are read; the verifier says that it takes fewer.
    private static let maximumFileBytes = 16 << 20

    private static let timeKind = ValueKind<WallTime>("TIME") { (text) throws(InvalidValue) in
        let isDate = text.utf8.count == 10
        guard let seconds = try? CredentialTime.seconds(dateTime: isDate ? text + "T12:00:00Z" : text, "The time")
        else {
            throw InvalidValue(
                "is not a date, or a time with a zone", advice: "Write it as 2026-11-20, or 2026-11-20T10:00:00Z")
        }
        return WallTime(millisecondsSinceEpoch: Int64(seconds * 1000))
    }

    package static let declaration = CommandDeclaration(
        "verify", "Checks offline whether credentials are genuine.",
        discussion: [
            "A file holds a W3C credential or presentation (JSON-LD or JWT), an SD-JWT VC, mobile documents, a CWT, or "
                + "the text of a printed code: claim 169, PixelPass, HC1, Aadhaar, SMART Health Card; or a picture of codes, "
                + "PNG or JPEG. "
                + "genuine: every check that the policy requires passed. refused: a check failed. not-checked: none "
                + "failed, and one could not be done, such as for want of trust in the issuer.",
            "Three answers follow: who issued it, who presents it, and whether it is valid now. A file needs the first and "
                + "the last to be genuine; --holder, --nonce and --audience also demand the holder's proof.",
            "Nothing is fetched: the trust file names all keys, roots, contexts and status lists; symbolon trust makes it. "
                + "Without --trust the file of SYMBOLON_TRUST or of the settings is read, else "
                + "~/.config/symbolon/trust/trust.txt. With several files the exit status is that of the worst.",
            "With --json each file gives one line with file, result and checks, and nothing else is written.",
        ],
        examples: [
            .init("symbolon verify degree.jwt --trust trust.txt", "Says whether the degree is genuine now."),
            .init("symbolon verify *.jwt --trust trust.txt --json", "Writes a line of JSON for each file."),
            .init(
                "symbolon verify id.sd-jwt --trust t.txt --holder --nonce n --audience URL",
                "Also demands that the presenter holds the credential's key."),
            .init("symbolon verify degree.json --trust trust.txt --explain", "Shows which key signed what."),
        ],
        options: [
            trust.declaration, time.declaration, explains.declaration, nonce.declaration, audience.declaration,
            type.declaration, holder.declaration, transcript.declaration, readerKey.declaration,
        ], operands: [files.declaration])

    package static let run: Program.Body = { context in
        let (request, trustFile) = try request(context)
        let verifier = CodeVerifier(request)
        var worst: (result: CredentialReport.CredentialVerdict, reason: String, text: VerificationReportText)?
        let names = context.arguments.all(files)
        var shown: [(name: String, bytes: [UInt8])] = []
        for name in names {
            let bytes = try await context.contents(of: name, limit: maximumFileBytes)
            let documents = HeldMobileDocument.parts(ofFile: bytes)
            let parts = try documents ?? PictureFile.codes(in: bytes) ?? [bytes]
            let kind = documents == nil ? "code" : "document"
            shown += parts.enumerated().map {
                (parts.count > 1 ? "\(name), \(kind) \($0.offset + 1)" : name, $0.element)
            }
        }
        for (name, bytes) in shown {
            try Task.checkCancellation()
            let code = verifier.verify(bytes)
            let report = code.credential
            let text = VerificationReportText(code, policy: request.policy, trustFile: trustFile)
            show(name, text, trustFile.texts, context)
            // Of one file the next step follows with the error.
            if shown.count > 1, !context.arguments[Options.json], let next = text.nextStep {
                context.console.put("  next: \(next.sentence)")
                if let command = next.command { context.console.put("        \(command)") }
            }
            guard report.result != .genuine, worst?.result != .refused else { continue }
            if worst == nil || report.result == .refused {
                worst = (report.result, "\(TerminalText.sanitised(name)): \(text.summary)", text)
            }
        }
        guard let worst else { return }
        let error = CommandError(
            worst.result == .refused ? .credentialRefused : .credentialNotChecked, worst.reason)
        throw worst.text.nextStep.map { CommandFailure(error, nextStep: $0.sentence, command: $0.command) }
            ?? CommandFailure(error)
    }

    private static func show(
        _ name: String, _ text: VerificationReportText, _ warnings: [String], _ context: CommandContext
    ) {
        let asOf = context.arguments[time].map { CivilDateTime($0).text }
        guard !context.arguments[Options.json] else {
            var members = [JSONText.Member("file", .string(name)), .init("at", .string(asOf))] + text.members
            if !warnings.isEmpty { members.append(.init("warnings", .array(warnings.map(JSONText.string)))) }
            return context.console.put(JSONText.object(members).line)
        }
        let width = context.console.outputColumns
        context.console.put(
            TerminalText.hanging("\(TerminalText.sanitised(name)): \(text.summary)", indent: 6, width: width))
        for (label, value) in text.answers {
            let issuer = label == "issued by" ? text.issuer.map { ", \($0)" } : nil
            let time = label == "now" ? asOf.map { ", as of \($0)" } : nil
            let line = "  \(label): \(value)\(issuer ?? time ?? "")"
            context.console.put(TerminalText.hanging(line, indent: 6, width: width))
        }
        if context.arguments[explains] { for line in text.explanation { context.console.put(line) } }
    }

    /// Makes the verification request from the options, and reads the trust file, whose warnings are reported.
    private static func request(_ context: CommandContext) throws -> (VerificationRequest, LoadedTrustFile) {
        let arguments = context.arguments
        var policy = VerificationPolicy()
        let loaded = try TrustFileReader.loadUsual(arguments[trust], context, into: &policy)
        loaded.report(context.reporter)
        policy.nonce = arguments[nonce]
        policy.audience = arguments[audience]
        policy.types = arguments[type].map { [$0] } ?? []
        if arguments[holder] { policy.requiresHolderProof = true }
        var request = VerificationRequest(
            policy: policy, trust: loaded.store, at: arguments[time] ?? context.environment.wallTime())
        request.session = try session(arguments)
        return (request, loaded)
    }

    /// The most bytes of an mdoc session transcript file: an engagement, a key and a handover.
    private static let maximumTranscriptBytes = 64 << 10

    private static func session(_ arguments: ParsedArguments) throws -> MobileDocumentSession? {
        guard let path = arguments[transcript] else {
            guard arguments[readerKey] == nil else {
                throw UsageError(
                    .conflict, "--reader-key is for a session.",
                    nextStep: "Add --transcript with the session's transcript.")
            }
            return nil
        }
        let key = try arguments[readerKey].map { try BoundedFile.read($0, limit: 8192) }
        let bytes = try BoundedFile.read(path, limit: maximumTranscriptBytes)
        do throws(CredentialError) {
            return try MobileDocumentSession(transcript: bytes, readerJWK: key)
        } catch {
            throw UsageError(
                .badValue, "The session of the document cannot be used: \(error.reason)",
                nextStep: "Give the bytes of the SessionTranscript, and for --reader-key a JWK of kind EC with d.")
        }
    }
}
