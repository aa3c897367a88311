public import Air
public import Determinism
public import Tuvali

/// The events of one side of a simulated hand-over, with their times.
public struct HandOverEventLog<Event: Hashable & Sendable>: Sendable {
    /// The most events that are kept.
    public static var eventLimit: Int { 100_000 }

    /// All events in order, with the instants.
    public private(set) var events: [(event: Event, at: MonotonicInstant)] = []

    /// The endings: one when the session is over.
    public private(set) var endings: [SessionEnding] = []

    /// The number of events after the ending; a core that is right reports none.
    public private(set) var eventsAfterEnd = 0

    /// The time at which the last link came up.
    public var connectedAt: MonotonicInstant?

    /// The time at which the first chunk was written.
    public var firstChunkAt: MonotonicInstant?

    /// The controller's counters of the last link, once it is down.
    public var statistics: AirLinkStatistics?

    /// Makes an empty record.
    public init() {}

    /// The time of the first such event.
    public func instant(of matches: (Event) -> Bool) -> MonotonicInstant? { events.first { matches($0.event) }?.at }

    mutating func add(_ event: Event, at now: MonotonicInstant) {
        if !endings.isEmpty { eventsAfterEnd += 1 }
        if events.count < Self.eventLimit { events.append((event, now)) }
    }

    mutating func finish(_ ending: SessionEnding, at now: MonotonicInstant) {
        endings.append(ending)
    }
}

extension LinkEndCause {
    /// Makes the cause from an HCI error code: 0x16 this side, 0x13 the other, anything else lost.
    init(hci reason: UInt8) {
        switch reason {
        case 0x16: self = .local
        case 0x13: self = .peer
        default: self = .lost
        }
    }
}
