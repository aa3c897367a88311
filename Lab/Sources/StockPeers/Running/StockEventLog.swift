public import Determinism

/// An event that a deployed library reports to its app.
public enum StockEvent: Hashable, Sendable {
    /// The link is up and its MTU settled (wallet), or a central connected (verifier).
    case connected
    /// The keys are agreed on, as far as this side can tell.
    case secureChannelEstablished
    /// A payload arrived whole.
    case dataReceived([UInt8], corruptChunkCount: Int, chunkCount: Int)
    /// The verifier reported success.
    case dataSent
    /// The verifier's decision: 0 accepted, 1 rejected.
    case verificationStatus(UInt8)
    /// The library reported an error.
    case error(StockErrorCode)
    /// The session is over.
    case disconnected
}

/// The events of one deployed peer with their virtual times.
public struct StockEventLog: Sendable {
    /// The most events that are kept.
    public static let eventLimit = 10_000

    /// All events in order, with the instants.
    public private(set) var entries: [(event: StockEvent, at: MonotonicInstant)] = []

    /// The reason for the end of the process; nil while it runs.
    ///
    /// A model that crashed does nothing any more.
    public internal(set) var crash: String?

    /// The point at which the library waits for ever after writing a log line; nil when it does not.
    public internal(set) var stuck: String?

    /// Values that came before the library listened to their characteristic, or that no subscriber was there for.
    public internal(set) var lostPushes = 0

    /// Chunks that the system dropped because the app wrote faster than the link took them.
    public internal(set) var droppedWrites = 0

    /// The time at which the first chunk was handed to the controller (wallet).
    public internal(set) var firstChunkAt: MonotonicInstant?

    /// The time at which the success report arrived (wallet).
    public internal(set) var succeededAt: MonotonicInstant?

    /// Makes an empty journal.
    public init() {}

    /// The events without their instants.
    public var events: [StockEvent] { entries.map(\.event) }

    /// The errors in order.
    public var errors: [StockErrorCode] {
        events.compactMap { event in
            if case .error(let code) = event { code } else { nil }
        }
    }

    /// The payloads that arrived, one entry for each time that the library delivered one.
    public var payloads: [[UInt8]] {
        events.compactMap { event in
            if case .dataReceived(let payload, _, _) = event { payload } else { nil }
        }
    }

    mutating func add(_ event: StockEvent, at now: MonotonicInstant) {
        if entries.count < Self.eventLimit { entries.append((event, now)) }
    }
}

/// The delays of a phone between its Bluetooth stack and the library.
///
/// Observed transfers of 0.5 on Bluetooth 5 (80 kB in three to four seconds) fit one chunk in each connection interval,
/// which is what a callback when the controller has sent a write and a millisecond on the app's threads give.
public struct StockTiming: Hashable, Sendable {
    /// The time from a callback of the stack to the library's reaction.
    public var appLatency: Duration

    /// The time from the library's request for a characteristic's values until the stack delivers them.
    public var listenLatency: Duration

    /// The time by which Android's library handles a report of success later, because it passes it to the thread of
    /// the transfer; measured: 5 to 102 ms, half of them under 30.
    public var transferLatency: Duration

    /// Makes timing; all are at least zero.
    public init(
        appLatency: Duration = .milliseconds(1), listenLatency: Duration = .milliseconds(1),
        transferLatency: Duration = .milliseconds(30)
    ) {
        self.appLatency = appLatency
        self.listenLatency = listenLatency
        self.transferLatency = transferLatency
    }

    /// A phone that reacts in no time at all, which no phone does: the fairest opponent in a comparison of speed.
    public static let immediate = StockTiming(appLatency: .zero, listenLatency: .zero, transferLatency: .zero)
}
