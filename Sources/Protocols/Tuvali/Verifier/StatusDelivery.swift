import Determinism

/// The decision about a delivered payload: owed by the user, held back behind the report, then on its way.
struct StatusDelivery: Sendable {
    /// The action that is due.
    enum Action: Sendable {
        /// Send the decision.
        case send(VerificationStatus)
        /// End the session, because nothing was decided in time.
        case giveUp
        /// End the session, because the wallet did not disconnect in time.
        case conclude(VerificationStatus)
    }

    private enum State: Sendable {
        /// The user owes the decision.
        case owed(until: MonotonicInstant)
        /// The decision was given, and would follow the report too closely.
        case held(VerificationStatus)
        /// The decision is on its way; the wallet owes the disconnection.
        case sent(VerificationStatus, until: MonotonicInstant)
    }

    private var state: State
    /// The earliest time at which the decision is sent.
    private var earliest = MonotonicInstant.zero

    /// Waits for the decision until a deadline.
    init(until deadline: MonotonicInstant) { state = .owed(until: deadline) }

    /// The time at which an action is due.
    var deadline: MonotonicInstant {
        switch state {
        case .owed(let deadline), .sent(_, let deadline): deadline
        case .held: earliest
        }
    }

    var stage: VerifierSession.Stage {
        switch state {
        case .owed: .deciding
        case .held, .sent: .concluding
        }
    }

    /// The time until which the user may decide; nil when the decision was given.
    var owedUntil: MonotonicInstant? { if case .owed(let deadline) = state { deadline } else { nil } }

    /// The decision that was given and not sent.
    var held: VerificationStatus? { if case .held(let status) = state { status } else { nil } }

    /// True once the decision was sent.
    var isSent: Bool { if case .sent = state { true } else { false } }

    /// The report that everything arrived leaves now; the decision follows after `wait` at the earliest.
    mutating func reported(at now: MonotonicInstant, wait: Duration) { earliest = now + wait }

    /// Takes the decision, which is sent when its time has come.
    mutating func decide(_ status: VerificationStatus) { state = .held(status) }

    /// The decision is sent; the wallet disconnects until a deadline.
    mutating func sent(_ status: VerificationStatus, until deadline: MonotonicInstant) {
        state = .sent(status, until: deadline)
    }

    /// The wallet has left; returns the decision if it was given, which ends the session.
    func left(into outputs: inout [VerifierSession.Output]) -> VerificationStatus? {
        if case .sent(let status, _) = state { return status }
        outputs.append(.event(.left(.beforeDecision)))
        if let held { outputs.append(.event(.status(held))) }
        return held
    }

    /// The action that is due; nil for none.
    func action(at now: MonotonicInstant) -> Action? {
        guard now >= deadline else { return nil }
        return switch state {
        case .owed: .giveUp
        case .held(let status): .send(status)
        case .sent(let status, _): .conclude(status)
        }
    }
}
