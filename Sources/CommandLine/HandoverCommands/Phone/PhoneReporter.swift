import CommandProgram
import Credentials
import Determinism
import MobileDocuments
import Terminal

/// Reports one side of a session of mobile documents, as text and as events.
struct PhoneReporter: Sendable {
    /// The side of a session that the command plays.
    enum MobileRole: String, Sendable {
        case reader
        case holder
    }

    let role: MobileRole
    let session: Int
    let reporter: EventReporter
    /// True when both sides report, so that each line names its side.
    let isOneOfTwo: Bool

    init(_ role: MobileRole, session: Int = 1, _ context: CommandContext, isOneOfTwo: Bool = false) {
        self.role = role
        self.session = session
        self.reporter = context.reporter
        self.isOneOfTwo = isOneOfTwo
    }

    private var console: Console { reporter.console }

    /// Writes a line, with the side before it when both sides report.
    func say(_ line: String) {
        let label = isOneOfTwo ? console.palette(TerminalText.padded(role.rawValue, to: 8), .dim) : ""
        console.say(label + line)
    }

    /// The facts that come with a state of a session.
    struct StateFacts: Sendable {
        var uri: String?
        var mode: MobileMode?
        var mtu: Int?
        var bytes: Int?
        var total: Int?
        var code: String?
        var sentence: String?
    }

    /// Writes the event `phone` of a state.
    func state(_ name: String, _ facts: StateFacts = StateFacts()) {
        reporter.event(
            .phone,
            [
                .init("session", .integer(session)), .init("role", .string(role.rawValue)),
                .init("state", .string(name)), .init("uri", .string(facts.uri)),
                .init("mode", .string(facts.mode?.rawValue)), .init("mtu", .integer(facts.mtu)),
                .init("bytes", .integer(facts.bytes)), .init("total", .integer(facts.total)),
                .init("code", .string(facts.code)), .init("sentence", .string(facts.sentence)),
            ])
    }

    func connecting(_ mode: MobileMode) {
        state("connecting", StateFacts(mode: mode))
        say("Found; connecting (\(PhoneOptions.words(mode))) …")
    }

    func attemptFailed(_ error: MobileSessionError) {
        state("attempt-failed", StateFacts(code: error.code.rawValue, sentence: error.reason))
        let reason = TerminalText.sanitised(error.reason, limit: 200)
        say(
            error.code == .requestMalformed
                ? "The reader's request cannot be read: \(reason)"
                : "An attempt failed, and the search goes on: \(reason)")
    }

    func ready(_ mode: MobileMode, mtu: Int) {
        state("ready", StateFacts(mode: mode, mtu: mtu))
        say("Connected (\(PhoneOptions.words(mode)), MTU \(mtu)).")
    }

    func deviation(_ deviation: MobileDeviation) {
        let sentence = "\(deviation.sentence) (ISO/IEC 18013-5, clause \(deviation.clause))"
        state("deviation", StateFacts(code: deviation.rawValue, sentence: sentence))
        say("Noted: \(sentence)")
    }

    func progress(_ bytes: Int, of total: Int?) {
        state("receiving", StateFacts(bytes: bytes, total: total))
        let whole = total.map { " of \(NumberText.bytes($0))" } ?? ""
        console.showTransient("Receiving: \(NumberText.bytes(bytes))\(whole) …")
    }

    /// The end of a session as an error; nil for one that was completed.
    static func failure(of ending: MobileSessionEnding) -> (any Error)? {
        switch ending {
        case .completed: nil
        case .cancelled: CancellationError()
        case .failed(let error): error
        }
    }
}
