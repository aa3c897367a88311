public import Air
public import Determinism
public import Tuvali

/// One end of a simulated hand-over, as far as a judge looks at it.
///
/// `SimulatedWallet` and `SimulatedVerifier` are such ends; a test may put one of its own around them.
public protocol ObservedHost: SimulatedHost {
    /// The endings that the session said; one is right.
    var endings: [SessionEnding] { get }

    /// The number of events that the session reported after its ending; 0 is right.
    var eventsAfterEnd: Int { get }

    /// The payloads that were delivered to the user of this end, one at most.
    var deliveries: [[UInt8]] { get }

    /// The names of the stages that the session has been in.
    var stageNames: [String] { get }

    /// The codes of all errors that the session reported, of messages and of its end.
    var codes: [TuvaliError.Code] { get }

    /// True while keys of the session are held.
    var holdsSecrets: Bool { get }

    /// The radio was switched off.
    mutating func radioFailed(at now: MonotonicInstant, into commands: inout [AirCommand])
}

extension SimulatedWallet: ObservedHost {
    /// The endings that the session said.
    public var endings: [SessionEnding] { record.endings }
    /// The number of events that the session reported after its ending.
    public var eventsAfterEnd: Int { record.eventsAfterEnd }
    /// The payloads that were delivered: none, because a wallet gives.
    public var deliveries: [[UInt8]] { [] }
    /// The stages that the session has been in.
    public var stageNames: [String] { stages.map(\.rawValue) }
    /// The code of the ending, if it has one.
    public var codes: [TuvaliError.Code] { endings.compactMap { $0.error?.code } }
    /// True while keys of the session are held.
    public var holdsSecrets: Bool { session.holdsSecrets }
}

extension SimulatedVerifier: ObservedHost {
    /// The endings that the session said.
    public var endings: [SessionEnding] { record.endings }
    /// The number of events that the session reported after its ending.
    public var eventsAfterEnd: Int { record.eventsAfterEnd }
    /// The payloads that were delivered.
    public var deliveries: [[UInt8]] { payloads }
    /// The stages that the session has been in.
    public var stageNames: [String] { stages.map(\.rawValue) }
    /// The codes of refused messages, and of the ending if it has one.
    public var codes: [TuvaliError.Code] {
        record.events.compactMap { if case .refused(let error) = $0.event { error.code } else { nil } }
            + endings.compactMap { $0.error?.code }
    }
    /// True while keys of the session are held.
    public var holdsSecrets: Bool { session.holdsSecrets }
}
