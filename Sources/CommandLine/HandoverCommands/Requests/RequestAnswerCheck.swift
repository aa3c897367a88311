import CommandProgram
import Determinism
import Presentations
import Terminal

/// Checks a payload against a verifier's request, and reports why it is refused.
struct RequestAnswerCheck {
    /// The answer in a payload, about which the verifier can decide.
    enum JudgedPayload: Sendable {
        /// Presentations that answer the request, bound to the session.
        case bound([PresentationAnswerChecker.CheckedPresentation])
        /// A credential of a wallet that did not read the request.
        case unbound(UnboundCredential)
    }

    let asked: HandOverRequest
    let reporter: HandoverReporter

    /// The answer that arrived, or the credential of a wallet that did not read the request.
    ///
    /// - Throws: the codes `answer.…`; `answer.refused` for a refusal.
    func answer(in payload: ReceivedPayload, session: Int, at time: WallTime) throws -> JudgedPayload {
        do {
            switch try asked.check(payload.bytes, over: payload.channelKeys, at: time) {
            case .presented(let found): return .bound(found)
            case .unbound(let credential): return .unbound(credential)
            case .refused(let refusal):
                let kind = refusal.kind?.rawValue ?? "unknown kind"
                reporter.say("refused", "\(kind): \(TerminalText.sanitised(refusal.reason, limit: 200))")
                throw refusal.error
            }
        } catch {
            reporter.event(
                .checked,
                [
                    .init("session", .integer(session)), .init("result", .string("refused")), .init("issued", .null),
                    .init("holder", .null), .init("now", .null), .init("format", .string("answer")),
                    .init("code", .string("\(CommandFailure(error).code)")), .init("request", .string("answered")),
                    .init("lacking", .array([])),
                ])
            throw error
        }
    }
}
