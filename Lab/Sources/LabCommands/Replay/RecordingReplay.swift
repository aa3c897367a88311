import ByteCoding
import CommandProgram
import CryptoSuite
import Determinism
import Terminal
import Tuvali

/// Runs a recording against our cores and compares the results.
struct RecordingReplay {
    /// The virtual time within which an expected answer must come.
    static let patience: Duration = .seconds(1)

    /// The result of a replay.
    struct Verdict: Sendable {
        /// The payload, if it crossed.
        let payload: [UInt8]?
        /// The reason why the run failed; nil when it passed, also with a failure that the recording expects.
        let failure: CommandFailure?
        /// The error of the session, expected or not.
        let sessionError: CommandFailure?

        /// True when the payload crossed from the wallet to the verifier.
        var isDelivered: Bool { payload != nil }
    }

    private let recording: SessionRecording
    private var session: any ReplayedSession
    private var now = MonotonicInstant.zero
    private var cursor = 0
    private var printedCount = 0
    private let print: (ReplayedAnswer) -> Void

    /// Prepares a run.
    ///
    /// - Parameters:
    ///   - payload: what a wallet sends; ignored for a verifier.
    ///   - print: called with each answer.
    init(
        _ recording: SessionRecording, payload: [UInt8], print: @escaping (ReplayedAnswer) -> Void
    ) throws(TuvaliError) {
        self.recording = recording
        self.print = print
        switch recording.role {
        case .verifier(let privateKey, let name, let accepts):
            session = try VerifierReplay(
                privateKey: privateKey, name: name, accepts: accepts, profile: recording.profile,
                attMTU: recording.attMTU)
        case .wallet(let privateKey, let nonce, let uri, _):
            session = try WalletReplay(
                privateKey: privateKey, nonce: nonce, uri: uri, payload: payload, profile: recording.profile,
                attMTU: recording.attMTU)
        }
    }

    /// Replays all lines of the recording.
    mutating func run() -> Verdict {
        printNew()
        var mismatch: CommandFailure?
        for line in recording.lines {
            now = now + .milliseconds(1)
            runDeadlines(until: now)
            switch line.step {
            case .peer(let characteristic, let value):
                session.receive(characteristic, value, at: now)
                printNew()
            case .expect(let characteristic, let value):
                mismatch = mismatch ?? compare(characteristic, value, line.number)
            case .expectResult: break
            }
        }
        session.conclude(at: now)
        printNew()
        return verdict(mismatch)
    }

    private mutating func compare(
        _ characteristic: TuvaliCharacteristic, _ value: [UInt8], _ line: Int
    ) -> CommandFailure? {
        let limit = now + Self.patience
        for _ in 0..<1000 {
            let found = session.answers[cursor...].firstIndex { $0.characteristic == characteristic }
            if let found {
                cursor = found + 1
                guard session.answers[found].value != value else { return nil }
                return Self.mismatch(
                    line,
                    "\(characteristic.rawValue) is \(Self.shown(session.answers[found].value)), not \(Self.shown(value))."
                )
            }
            guard let deadline = session.nextDeadline, deadline <= limit else { break }
            now = max(now, deadline)
            runDeadlines(until: now)
        }
        return Self.mismatch(line, "no answer on \(characteristic.rawValue) came.")
    }

    private mutating func runDeadlines(until end: MonotonicInstant) {
        // A core may set a new deadline each time, so the number of wake-ups is bounded.
        for _ in 0..<1000 {
            guard let deadline = session.nextDeadline, deadline <= end else { break }
            session.wake(at: deadline)
        }
        printNew()
    }

    private mutating func printNew() {
        for answer in session.answers[printedCount...] { print(answer) }
        printedCount = session.answers.count
    }

    private func verdict(_ mismatch: CommandFailure?) -> Verdict {
        let payload = session.outcome.payload
        let sessionError = error(isDelivered: payload != nil)
        var failure = sessionError
        switch recording.lines.last?.step {
        case .expectResult(let isDelivered, let code):
            let isAsExpected = isDelivered == (payload != nil) && (code == nil || code == sessionError?.code)
            let found = payload != nil ? "delivered" : "failed"
            failure =
                isAsExpected
                ? nil
                : Self.mismatch(
                    recording.lines.last?.number ?? 0,
                    "the session \(found)\(sessionError.map { " with \($0.code)" } ?? "").")
        case .expect(.disconnect, [1]) where payload == nil: failure = nil
        default: break
        }
        return Verdict(payload: payload, failure: mismatch ?? failure, sessionError: mismatch ?? sessionError)
    }

    private func error(isDelivered: Bool) -> CommandFailure? {
        guard !isDelivered else { return nil }
        if let error = session.outcome.ending?.error { return CommandFailure(error) }
        return CommandFailure(LabError(.recordingEnded, "After its last line the session still waited for the peer."))
    }

    private static func mismatch(_ line: Int, _ what: String) -> CommandFailure {
        CommandFailure(LabError(.expectationFailed, "Line \(line): \(what)"))
    }

    private static func shown(_ value: [UInt8]) -> String {
        guard value.count > 32 else { return value.isEmpty ? "empty" : Hex.encode(value) }
        return
            "\(Hex.encode(value.prefix(16)))… (\(value.count) bytes, SHA-256 \(Hex.encode(SHA256.hash(value).prefix(4)))…)"
    }
}
