import Determinism

// Ends of a session that several places come to.
extension VerifierSession {
    mutating func sizeMissing(_ reason: String, at now: MonotonicInstant, into outputs: inout [Output]) {
        close(.failed(TuvaliError(.verifierSizeMissing, reason)), at: now, into: &outputs)
    }

    mutating func stalled(at now: MonotonicInstant, into outputs: inout [Output]) {
        let error = TuvaliError(.verifierTransferTimeout, "The transfer stood still.")
        close(.failed(error), at: now, into: &outputs)
    }

    mutating func undecided(at now: MonotonicInstant, into outputs: inout [Output]) {
        let error = TuvaliError(.verifierDecisionTimeout, "The credential was not decided about in time.")
        close(.failed(error), at: now, into: &outputs)
    }
}
