import CommandProgram
import Credentials
import Determinism
import Presentations
import Terminal
import Tuvali

/// Answers a verifier's request for `send` and `demo`: shows it, chooses from the wallet, and asks the user.
struct RequestAnswering: Sendable {
    static let wallet = ValueOption(
        "wallet", .path("FOLDER"), "Answers the verifier's request from the credentials in this folder.")
    static let trust = ValueOption(
        "trust", .path("FILE"), "The trust file that says which signers of requests are known.")
    static let unbound = FlagOption(
        "accept-unbound", "Answers a request that names no session, which may be relayed.")
    static let refusal = ValueOption(
        "refuse", .text("REASON"), "Refuses the verifier's request, and says why.")

    static let options = [wallet.declaration, trust.declaration, unbound.declaration, refusal.declaration].under(
        "Answering a request")

    /// The answer of a wallet to a request.
    struct WalletAnswer: Sendable {
        let payload: [UInt8]
        /// True when the answer is a refusal.
        let isRefusal: Bool
    }

    let folder: WalletFolder
    let store: TrustStore
    let acceptsUnbound: Bool
    let refusesBecause: String?
    /// True when the user is asked before sending, if there is a terminal.
    let asks: Bool
    let reporter: HandoverReporter
    let context: CommandContext

    /// Makes the answer to a request that came over the session with these keys.
    ///
    /// - Throws: the codes `request.…` for a request that is not answered at all, `answer.…`, `send.declined`.
    func answer(_ message: VerifierRequestMessage, over keys: SessionPublicKeys) async throws -> WalletAnswer {
        let time = context.environment.wallTime()
        let channel = ChannelBinding(verifierKey: keys.verifier, walletKey: keys.wallet)
        let parser = PresentationRequestParser(
            VerificationRequest(trust: store, at: time), acceptsUnbound: acceptsUnbound)
        let request = try parser.request(mediaType: message.mediaType, content: message.content, over: channel)
        for row in VerifierRequestText(request, shortensKeys: true).rows { reporter.say(row.label, row.value) }
        let writer = PresentationAnswerWriter(request, over: channel)
        if let refusesBecause {
            return WalletAnswer(payload: writer.refusal(.accessDenied, refusesBecause), isRefusal: true)
        }
        let verification = VerificationRequest(trust: TrustStore(), at: time)
        guard let presented = choose(request, verification) else {
            let reason = "The wallet has no credential that fits."
            return WalletAnswer(payload: writer.refusal(.accessDenied, reason), isRefusal: true)
        }
        let seconds = Int(time.millisecondsSinceEpoch / 1000)
        let chosen = presented.mapValues(\.credential)
        let payload = try writer.answer(chosen, holder: folder.holder, seconds: seconds)
        let checker = PresentationAnswerChecker(request, over: channel, verification)
        let flaw = flaw(of: payload, checker)
        if let flaw { reporter.say("warning", context.console.palette(flaw, .yellow)) }
        let unasked = request.queries.flatMap { presented[$0.id]?.unasked ?? [] }
        guard try await consent(hasFlaw: flaw != nil, unasked: unasked) else {
            return WalletAnswer(payload: writer.refusal(.accessDenied, "The user refused."), isRefusal: true)
        }
        return WalletAnswer(payload: payload, isRefusal: false)
    }

    /// Returns the reason why a verifier would refuse the wallet's own answer; nil when it would not.
    ///
    /// The answer is checked as a verifier does. Above all, a credential may be about a subject whose key is not in the
    /// folder.
    private func flaw(of payload: [UInt8], _ checker: PresentationAnswerChecker) -> String? {
        do {
            _ = try checker.check(payload)
            return nil
        } catch {
            let cure = folder.hasKey ? "" : " The folder has no \(WalletFolder.keyName)."
            return "The verifier will refuse this. \(error.reason)\(cure)"
        }
    }

    /// Chooses the first credential that fits each query, and its claims; nil when these make no answer.
    ///
    /// Says what is presented, and what is lacking.
    private func choose(
        _ request: PresentationRequest, _ verification: VerificationRequest
    ) -> [String: PresentedClaims]? {
        let matches = request.queries.map { QueryMatch($0, in: folder.credentials) }
        let fitting = Set(matches.filter { !$0.fitting.isEmpty }.map(\.query.id))
        let answered = request.answered(fitting: fitting)
        var chosen: [String: PresentedClaims] = [:]
        for match in matches {
            guard let credential = match.fitting.first else {
                // Of alternatives one may be lacking.
                guard answered == nil else { continue }
                let lacking = match.lacking.isEmpty ? "any credential" : match.lacking.joined(separator: ", ")
                reporter.say("missing", TerminalText.sanitised(lacking, limit: 200))
                continue
            }
            guard answered?.contains(match.query.id) ?? true else { continue }
            let presented = match.presented(of: credential, verification)
            chosen[match.query.id] = presented
            say(presented, of: match)
        }
        return answered == nil ? nil : chosen
    }

    /// Says which claims are sent, which of them were not asked for, and which are kept back.
    private func say(_ presented: PresentedClaims, of match: QueryMatch) {
        let asked = presented.asked.joined(separator: ", ")
        reporter.say(
            "would send",
            TerminalText.sanitised(presented.credential.name, limit: 60)
                + (match.fitting.count > 1 ? ", the first of \(match.fitting.count) that fit" : "")
                + (asked.isEmpty ? "" : "; asked for: " + TerminalText.sanitised(asked, limit: 200)))
        if !presented.unasked.isEmpty {
            let reason =
                presented.credential.format == .sdJWT
                ? "this credential cannot leave them out" : "this format cannot leave claims out"
            let list = Self.counted(presented.unasked)
            reporter.say("sends too", context.console.palette("\(list), not asked for: \(reason)", .yellow))
        }
        if !presented.withheld.isEmpty { reporter.say("stays here", Self.counted(presented.withheld)) }
        func texts(_ names: [String]) -> JSONText { .array(names.map { .string($0) }) }
        reporter.event(
            .disclosure,
            [
                .init("query", .string(match.query.id)), .init("credential", .string(presented.credential.name)),
                .init("format", .string(presented.credential.format.rawValue)),
                .init("asked", texts(presented.asked)), .init("unasked", texts(presented.unasked)),
                .init("withheld", texts(presented.withheld)),
            ])
    }

    /// Joins names of claims to a list; several get their number, which shows when the list is cut.
    private static func counted(_ names: [String]) -> String {
        let list = TerminalText.sanitised(names.joined(separator: ", "), limit: 400)
        return names.count > 1 ? "\(names.count) claims (\(list))" : list
    }

    /// Asks for the user's consent, and again for claims that the verifier did not ask for.
    private func consent(hasFlaw: Bool, unasked: [String]) async throws -> Bool {
        guard asks, context.console.canAsk else { return true }
        guard try await ask("Send this to the verifier" + (hasFlaw ? " all the same?" : "?")) else { return false }
        guard !unasked.isEmpty else { return true }
        return try await ask("It did not ask for \(Self.counted(unasked)). Send that too?")
    }

    private func ask(_ question: String) async throws -> Bool {
        guard let answer = await context.console.ask(question, fallback: false) else {
            try Task.checkCancellation()
            throw CommandError(.sendDeclined, "The question was not answered.")
        }
        return answer
    }
}
