import CommandProgram
import Credentials
import Determinism
import Presentations
import Terminal
import Tuvali

/// Answers a verifier's request for `send` and `demo`: shows who asks for what, chooses from the wallet, and asks.
struct RequestAnswering: Sendable {
    static let wallet = ValueOption(
        "wallet", .path("FOLDER"), "Answers the verifier's request from the credentials in this folder.")
    static let trust = ValueOption(
        "trust", .path("FILE"), "The trust file that says which signers of requests are known.")
    static let unbound = FlagOption(
        "accept-unbound", "Answers a request that names no session, which may be relayed.")
    static let refusal = ValueOption(
        "refuse", .text("REASON"), "Refuses the verifier's request, and says why.")

    static let options = [wallet.declaration, trust.declaration, unbound.declaration, refusal.declaration]

    /// What a wallet sends to a request.
    struct Answer: Sendable {
        let payload: [UInt8]
        /// Whether it is a refusal.
        let isRefusal: Bool
    }

    let folder: WalletFolder
    let store: TrustStore
    let acceptsUnbound: Bool
    let refusesBecause: String?
    /// Whether the user is asked, where there is a terminal.
    let asks: Bool
    let reporter: HandoverReporter
    let context: CommandContext

    /// The answer to a request that came over the session with these keys.
    ///
    /// - Throws: the codes `request.…` for a request that is not answered at all, `answer.…`, `send.declined`.
    func answer(_ message: RequestMessage, over keys: ChannelKeys) async throws -> Answer {
        let time = context.environment.wallTime()
        let channel = ChannelBinding(verifierKey: keys.verifier, walletKey: keys.wallet)
        let parser = RequestParser(VerificationRequest(trust: store, at: time), acceptsUnbound: acceptsUnbound)
        let request = try parser.request(mediaType: message.mediaType, content: message.content, over: channel)
        for row in RequestText(request, shortensKeys: true).rows { reporter.say(row.label, row.value) }
        let writer = AnswerWriter(request, over: channel)
        if let refusesBecause { return Answer(payload: writer.refusal(.accessDenied, refusesBecause), isRefusal: true) }
        guard let chosen = choose(request) else {
            let reason = "The wallet has no credential that fits."
            return Answer(payload: writer.refusal(.accessDenied, reason), isRefusal: true)
        }
        let seconds = Int(time.millisecondsSinceEpoch / 1000)
        let payload = try writer.answer(chosen, holder: folder.holder, seconds: seconds)
        let checker = AnswerChecker(request, over: channel, VerificationRequest(trust: TrustStore(), at: time))
        let flaw = flaw(of: payload, checker)
        if let flaw { reporter.say("warning", context.console.palette(flaw, .yellow)) }
        guard try await consent(hasFlaw: flaw != nil) else {
            return Answer(payload: writer.refusal(.accessDenied, "The user refused."), isRefusal: true)
        }
        return Answer(payload: payload, isRefusal: false)
    }

    /// Why a verifier would refuse the wallet's own answer, which is checked as a verifier does: above all a credential
    /// about a subject whose key is not in the folder.
    private func flaw(of payload: [UInt8], _ checker: AnswerChecker) -> String? {
        do {
            _ = try checker.check(payload)
            return nil
        } catch {
            let cure = folder.hasKey ? "" : " The folder has no \(WalletFolder.keyName)."
            return "The verifier will refuse this. \(error.reason)\(cure)"
        }
    }

    /// The first credential that fits each query, with what is shown of it, or what is lacking; nil when what fits is
    /// no answer.
    private func choose(_ request: PresentationRequest) -> [String: HeldCredential]? {
        let matches = request.queries.map { QueryMatch($0, in: folder.credentials) }
        let fitting = Set(matches.filter { !$0.fitting.isEmpty }.map(\.query.id))
        let answered = request.answered(fitting: fitting)
        var chosen: [String: HeldCredential] = [:]
        for match in matches {
            guard let credential = match.fitting.first else {
                // Of alternatives one may be lacking.
                guard answered == nil else { continue }
                let lacking = match.lacking.isEmpty ? "any credential" : match.lacking.joined(separator: ", ")
                reporter.say("lacking", TerminalText.sanitised(lacking, limit: 200))
                continue
            }
            guard answered?.contains(match.query.id) ?? true else { continue }
            chosen[match.query.id] = credential
            let shown = match.shown(of: credential).joined(separator: ", ")
            reporter.say(
                "would send",
                TerminalText.sanitised(credential.name, limit: 60)
                    + (match.fitting.count > 1 ? ", the first of \(match.fitting.count) that fit" : "")
                    + (shown.isEmpty ? "" : "; asked for: " + TerminalText.sanitised(shown, limit: 200)))
        }
        return answered == nil ? nil : chosen
    }

    private func consent(hasFlaw: Bool) async throws -> Bool {
        guard asks, context.console.canAsk else { return true }
        let question = "Send this whole credential to the verifier" + (hasFlaw ? " all the same?" : "?")
        guard let answer = await context.console.ask(question, fallback: false) else {
            try Task.checkCancellation()
            throw CommandError(.sendDeclined, "The question was not answered.")
        }
        return answer
    }
}
