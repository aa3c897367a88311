import Determinism
import Tuvali

/// A model of the outcome that two users should observe of a hand-over; it knows nothing of packets.
///
/// It is asked after each event for what must never happen, and at the end for what must have happened.
public struct ExpectedHandOver: Sendable {
    /// The longest time for which a session may go on after the last fault.
    ///
    /// The sum of the longest waits of a verifier that advertises for a minute, in seconds: advertising 60, a
    /// wallet that does not identify itself 10, consent 330, a transfer that stands still 30, the decision 300, the
    /// close 4; and half a minute for the air. A wallet's sum is less.
    public static let endsWithin: Duration = .seconds(760)

    /// The longest wait of a session: the wallet's for a decision, the verifier's for consent.
    public static let longestWait: Duration = .seconds(330)

    /// Returns the longest time for a new attempt without faults: to be found, and ten kilobytes a second.
    public static func freshWithin(payloadBytes: Int) -> Duration {
        .seconds(5) + .milliseconds(payloadBytes / 10)
    }

    /// The observations of one session's user.
    struct Observation {
        let endings: [SessionEnding]
        let deliveries: [[UInt8]]
        let eventsAfterEnd: Int
        let holdsSecrets: Bool
        let mayCancel: Bool
    }

    /// The broken rules, each once.
    private(set) var violations: [HandOverViolation] = []

    private let payload: [UInt8]
    private let decision: VerificationStatus

    init(payload: [UInt8], decision: VerificationStatus) {
        self.payload = payload
        self.decision = decision
    }

    mutating func report(_ rule: HandOverRule, _ sentence: String) {
        guard !violations.contains(where: { $0.rule == rule }) else { return }
        violations.append(HandOverViolation(rule: rule, sentence: sentence))
    }

    // MARK: - At any time

    /// Looks at all sessions of one attempt, the killed ones too.
    mutating func judge(wallets: [Observation], verifiers: [Observation]) {
        for wallet in wallets {
            judge(wallet, name: "wallet")
            guard case .completed(let status)? = wallet.endings.first else { continue }
            if !verifiers.contains(where: { $0.deliveries.contains(payload) }) || status != decision {
                report(.decisionKnown, "The wallet heard \(status), but no verifier that holds the payload decided so.")
            }
        }
        for verifier in verifiers { judgeVerifier(verifier) }
    }

    private mutating func judgeVerifier(_ verifier: Observation) {
        judge(verifier, name: "verifier")
        if verifier.deliveries.count > 1 {
            report(.deliveredOnce, "The verifier delivered \(verifier.deliveries.count) times.")
        }
        if verifier.deliveries.contains(where: { $0 != payload }) {
            report(.deliveredWhole, "The verifier delivered something else than was sent.")
        }
        guard case .completed(let status)? = verifier.endings.first else { return }
        if verifier.deliveries.isEmpty || status != decision {
            report(.completedMeansDelivered, "The verifier completed with \(status) without a payload that says so.")
        }
    }

    private mutating func judge(_ observation: Observation, name: String) {
        if observation.endings.count > 1 { report(.endsOnce, "The \(name) ended \(observation.endings.count) times.") }
        if observation.eventsAfterEnd > 0 { report(.silentAfterEnd, "The \(name) spoke after its end.") }
        guard let ending = observation.endings.first else { return }
        if observation.holdsSecrets { report(.keysGone, "The \(name) ended and holds its keys.") }
        if ending == .cancelled, !observation.mayCancel {
            report(.endingExplained, "The \(name) says that its user cancelled, who did not.")
        }
    }

    /// A session of `name` was seen without a deadline.
    mutating func judgeDeadline(_ waitsTooLong: Bool, name: String) {
        if waitsTooLong { report(.deadlineHeld, "The \(name) waited without a deadline that comes in time.") }
    }

    // MARK: - At the end

    /// A session that was not killed must have ended.
    mutating func judgeEnd(_ endings: [SessionEnding], endedAfterQuiet: Duration?, name: String) {
        guard !endings.isEmpty, let endedAfterQuiet, endedAfterQuiet <= Self.endsWithin else {
            return report(.endsInTime, "The \(name) did not end within \(Self.endsWithin) after the last fault.")
        }
    }

    /// The new attempt after the last fault.
    mutating func judgeFresh(wallet: Observation, verifier: Observation) {
        judge(wallets: [wallet], verifiers: [verifier])
        guard isComplete(wallet, verifier) else {
            return report(
                .freshCompletes,
                "A new attempt after the last fault ended with \(HandOverVerdict.text(wallet.endings)) at the wallet and "
                    + "\(HandOverVerdict.text(verifier.endings)) at the verifier.")
        }
    }

    /// Judges a first attempt that met only faults that it must bear.
    mutating func judgeTolerable(wallet: Observation, verifier: Observation) {
        guard isComplete(wallet, verifier) else {
            return report(
                .tolerableCompletes,
                "Faults that must be borne ended with \(HandOverVerdict.text(wallet.endings)) at the wallet and "
                    + "\(HandOverVerdict.text(verifier.endings)) at the verifier.")
        }
    }

    private func isComplete(_ wallet: Observation, _ verifier: Observation) -> Bool {
        wallet.endings == [.completed(decision)] && verifier.endings == [.completed(decision)]
            && verifier.deliveries == [payload]
    }
}

extension ExpectedHandOver.Observation {
    init(_ host: some ObservedHost, mayCancel: Bool) {
        self.init(
            endings: host.endings, deliveries: host.deliveries, eventsAfterEnd: host.eventsAfterEnd,
            holdsSecrets: host.holdsSecrets, mayCancel: mayCancel)
    }
}
