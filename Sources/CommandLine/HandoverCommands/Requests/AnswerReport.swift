import CommandProgram
import Determinism
import Presentations
import Terminal

/// Checks an answer to a verifier's request, and reports why one is not taken.
struct AnswerReport {
    let asked: AskedRequest
    let reporter: HandoverReporter

    /// The presentations of an answer that fits the request.
    ///
    /// - Throws: `tuvali.verifier.request-unread`, the codes `answer.…`; `answer.refused` for a refusal.
    func presentations(
        in payload: ReceivedPayload, session: Int, at time: WallTime
    ) throws -> [AnswerChecker.Presented] {
        do {
            switch try asked.check(payload.bytes, over: payload.channelKeys, at: time) {
            case .presented(let found): return found
            case .refused(let refusal):
                let kind = refusal.kind?.rawValue ?? "unknown kind"
                reporter.say("refused", "\(kind): \(TerminalText.sanitised(refusal.reason, limit: 200))")
                throw refusal.error
            }
        } catch {
            reporter.event(
                .checked,
                [
                    .init("session", .integer(session)), .init("result", .string("refused")),
                    .init("format", .string("answer")),
                    .init("code", .string("\(Failure(error).code)")),
                ])
            throw error
        }
    }
}
