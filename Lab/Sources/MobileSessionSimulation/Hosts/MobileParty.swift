package import Determinism
package import MobileSession

/// An input of either side of a session.
package enum MobilePartyInput: Sendable {
    /// Begin.
    case start
    /// A fact about the links.
    case link(MobileLinkInput)
    /// Time has passed.
    case tick
    /// The user ends the session.
    case cancel
    /// The holder's person agreed: an encoded answer.
    case answer([UInt8])
    /// The holder's person declined.
    case decline
}

/// A side of a session as the host of a simulated device drives it.
package protocol MobileParty: Sendable {
    /// The time of the next `tick`.
    var nextDeadline: MonotonicInstant? { get }
    /// True when the session has ended and the radio has nothing to do for it.
    var isClosed: Bool { get }
    /// Handles one input, and appends the outputs that it causes.
    mutating func take(_ input: MobilePartyInput, at now: MonotonicInstant, into outputs: inout [MobileSessionOutput])
}

extension ReaderSession: MobileParty {
    /// Handles one input; a reader has nothing to answer.
    package mutating func take(
        _ input: MobilePartyInput, at now: MonotonicInstant, into outputs: inout [MobileSessionOutput]
    ) {
        switch input {
        case .start: handle(.start, at: now, into: &outputs)
        case .link(let fact): handle(.link(fact), at: now, into: &outputs)
        case .tick: handle(.tick, at: now, into: &outputs)
        case .cancel: handle(.cancel, at: now, into: &outputs)
        case .answer, .decline: break
        }
    }
}

extension HolderSession: MobileParty {
    /// Handles one input.
    package mutating func take(
        _ input: MobilePartyInput, at now: MonotonicInstant, into outputs: inout [MobileSessionOutput]
    ) {
        switch input {
        case .start: handle(.start, at: now, into: &outputs)
        case .link(let fact): handle(.link(fact), at: now, into: &outputs)
        case .tick: handle(.tick, at: now, into: &outputs)
        case .cancel: handle(.cancel, at: now, into: &outputs)
        case .answer(let response): handle(.answer(response), at: now, into: &outputs)
        case .decline: handle(.decline, at: now, into: &outputs)
        }
    }
}
