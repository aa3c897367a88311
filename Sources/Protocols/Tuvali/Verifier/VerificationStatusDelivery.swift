import Determinism

/// The state of the decision about a delivered payload: awaited from the user, delayed after the report, or sent.
struct VerificationStatusDelivery: Sendable {
    /// The action of the session that is due.
    enum Action: Sendable {
        /// Send the decision to the wallet.
        case send(VerificationStatus)
        /// End the session, because the user did not decide in time.
        case giveUp
        /// End the session, because the wallet did not disconnect in time.
        case conclude(VerificationStatus)
    }

    private enum State: Sendable {
        /// The session waits for the user's decision.
        case owed(until: MonotonicInstant)
        /// The user decided, and the decision is delayed because it would follow the report too closely.
        case held(VerificationStatus)
        /// The decision was sent, and the wallet has to disconnect until a deadline.
        case sent(VerificationStatus, until: MonotonicInstant)
    }

    private var state: State
    /// The earliest time at which the decision is sent.
    private var earliest = MonotonicInstant.zero

    /// Makes the state that waits for the user's decision until a deadline.
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

    /// The time until which the user may decide; nil once the user has.
    var owedUntil: MonotonicInstant? { if case .owed(let deadline) = state { deadline } else { nil } }

    /// The decision that the user made and that is not sent yet; nil for none.
    var held: VerificationStatus? { if case .held(let status) = state { status } else { nil } }

    /// True once the decision was sent.
    var isSent: Bool { if case .sent = state { true } else { false } }

    /// Records that the success report leaves now; the decision follows after `wait` at the earliest.
    mutating func reported(at now: MonotonicInstant, wait: Duration) { earliest = now + wait }

    /// Stores the user's decision, which is sent when its time has come.
    mutating func decide(_ status: VerificationStatus) { state = .held(status) }

    /// Records that the decision was sent; the wallet has to disconnect until a deadline.
    mutating func sent(_ status: VerificationStatus, until deadline: MonotonicInstant) {
        state = .sent(status, until: deadline)
    }

    /// Handles the end of the wallet's link; returns the decision if the user made it, which ends the session.
    func left(into outputs: inout [VerifierSession.Output]) -> VerificationStatus? {
        if case .sent(let status, _) = state { return status }
        outputs.append(.event(.left(.beforeDecision)))
        if let held { outputs.append(.event(.status(held))) }
        return held
    }

    /// Returns the action that is due; nil for none.
    func action(at now: MonotonicInstant) -> Action? {
        guard now >= deadline else { return nil }
        return switch state {
        case .owed: .giveUp
        case .held(let status): .send(status)
        case .sent(let status, _): .conclude(status)
        }
    }
}
