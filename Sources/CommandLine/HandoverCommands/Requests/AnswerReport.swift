import CommandProgram
import Credentials
import Presentations
import Terminal
import Tuvali

/// What a verifier says of an answer to its request.
struct AnswerReport {
    let asked: AskedRequest
    let reporter: HandoverReporter
    let context: CommandContext

    /// Checks an answer and says what it is; whether every credential in it is genuine.
    ///
    /// - Throws: `tuvali.verifier.request-unread`, the codes `answer.…`; `answer.refused` for a refusal.
    func check(_ payload: ReceivedPayload, session: Int) throws -> Bool {
        let time = context.environment.wallTime()
        let presented: [AnswerChecker.Presented]
        do {
            switch try asked.check(payload.bytes, over: payload.channelKeys, at: time) {
            case .presented(let found): presented = found
            case .refused(let refusal):
                let kind = refusal.kind?.rawValue ?? "unknown kind"
                reporter.say("refused", "\(kind): \(TerminalText.sanitised(refusal.reason, limit: 200))")
                throw refusal.error
            }
        } catch {
            event(session, result: "refused", format: "answer", code: "\(Failure(error).code)")
            throw error
        }
        var isGenuine = true
        for entry in presented {
            let text = ReportText(entry.report, asked.policy)
            isGenuine = isGenuine && entry.report.result == .genuine
            event(
                session, result: entry.report.result.rawValue, format: entry.report.format.rawValue,
                code: text.decision?.code)
            reporter.say("answers", "\(TerminalText.sanitised(entry.query, limit: 64)), bound to this session")
            reporter.say("The credential is \(text.summary)")
        }
        return isGenuine
    }

    private func event(_ session: Int, result: String, format: String, code: String?) {
        reporter.event(
            .checked,
            [
                .init("session", .integer(session)), .init("result", .string(result)),
                .init("format", .string(format)), .init("code", .string(code)),
            ])
    }
}
