import Bluetooth
import DataStructures
import Determinism

/// The connections that other devices opened to this one.
///
/// Nothing that comes over them is more than a claim.
struct IncomingLinks: Sendable {
    /// The decision about a new incoming connection.
    enum IncomingConnectionDecision {
        /// The connection is known already: the radio reported it before.
        case known
        /// The connection is refused, because all existing ones are needed.
        case refused
        case admitted
    }

    /// The result of receiving a write from a central.
    enum IncomingWriteContent {
        /// The write is ignored.
        case ignored
        /// The device writes more than the rate limit allows.
        case limited
        /// The central wrote this value into the legacy characteristic.
        case legacy([UInt8])
        /// The write completed these frames; an error means that the rest of it was not parsed.
        case frames([SignalFrame], HeraldError?)
    }

    private struct IncomingLink: Sendable {
        let link: LinkID
        /// The key of the peer's address.
        let address: UInt64
        let since: UInt64
        var lastActive: UInt64
        var reassembler = SignalReassembler()
        var budget: TokenBucket
        /// True when the central has subscribed to notifications that answer wakes.
        var isSubscribed = false
        /// True when the central has subscribed to notifications of a changed payload.
        var wantsPayload = false
        /// The time at which the pending wake is answered; `.max` when none is pending.
        var wakeDue: UInt64 = .max
        /// The time at which the connection is ended as idle.
        var idleDue: UInt64
    }

    /// The shortest time that a connection is kept when another needs its slot: 10 s.
    ///
    /// A slow phone needs half of it to read a payload.
    private static let minimumStay: UInt64 = 10 * .second

    private var connections: [IncomingLink] = []

    /// The next time at which the table of incoming connections acts without an input; `.max` for never.
    ///
    /// In nanoseconds.
    var nextDeadline: UInt64 {
        var next = UInt64.max
        // By index, because a copy of a connection counts references.
        for index in connections.indices {
            next = min(next, connections[index].wakeDue, connections[index].idleDue)
        }
        return next
    }

    /// The connections that are notified of a new payload.
    var payloadSubscribers: [LinkID] { connections.filter(\.wantsPayload).map(\.link) }

    /// Returns the latest time until which a connected device may be reading the payload; nil when none may.
    func readingUntil(_ settings: NodeSettings, at now: UInt64) -> UInt64? {
        connections.map { $0.since &+ HeraldParameters.payloadHold }.filter { $0 > now }.max()
    }

    private static func writeLimit(_ settings: NodeSettings) -> TokenBucket.Limit {
        TokenBucket.Limit(burst: HeraldParameters.writeBurst, perSecond: Double(HeraldParameters.writesPerSecond))
    }

    private func index(of link: LinkID) -> Int? { connections.firstIndex { $0.link == link } }

    /// Admits a new connection; at the limit, an idle one is ended for it, or it is refused.
    mutating func admit(
        _ link: LinkID, _ address: UInt64, _ settings: NodeSettings, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) -> IncomingConnectionDecision {
        guard index(of: link) == nil else { return .known }
        if connections.count >= settings.platform.centralLimit {
            guard let idlest = idlest(at: now) else {
                outputs.append(.disconnectCentral(link))
                return .refused
            }
            outputs.append(.disconnectCentral(connections.remove(at: idlest).link))
        }
        connections.append(
            IncomingLink(
                link: link, address: address, since: now, lastActive: now,
                budget: TokenBucket(Self.writeLimit(settings), at: MonotonicInstant(nanoseconds: now)),
                idleDue: now &+ HeraldParameters.centralIdleTime))
        return .admitted
    }

    /// Returns the connection to end for a new one: the longest idle one that has had its minimum time.
    ///
    /// Reads are not seen here. If a connection that reads could be ended, many that come at once would end each other
    /// again and again, and none would ever have read.
    private func idlest(at now: UInt64) -> Int? {
        connections.indices.filter { now &- min(connections[$0].since, now) >= Self.minimumStay }
            .min { connections[$0].lastActive < connections[$1].lastActive }
    }

    /// Removes a connection that is down; nil for an unknown one.
    ///
    /// - Returns: the key of the peer's address, and whether a frame was incomplete.
    mutating func remove(_ link: LinkID) -> (address: UInt64, wasIncomplete: Bool)? {
        guard let index = index(of: link) else { return nil }
        var connection = connections.remove(at: index)
        return (connection.address, connection.reassembler.reset())
    }

    /// Removes all connections, because the radio is gone.
    mutating func removeAll() { connections = [] }

    /// Closes all incoming connections.
    mutating func stop(into outputs: inout [HeraldNode.Output]) {
        for connection in connections { outputs.append(.disconnectCentral(connection.link)) }
        connections = []
    }

    mutating func subscribed(
        _ link: LinkID, _ uuid: BluetoothUUID, _ wants: Bool, _ settings: NodeSettings, at now: UInt64
    ) {
        guard settings.platform.signal == .nonCompliant, let index = index(of: link) else { return }
        if uuid == HeraldUUIDs.nonCompliantSignal {
            connections[index].isSubscribed = wants
        } else if uuid == HeraldUUIDs.payload {
            connections[index].wantsPayload = wants
        } else {
            return
        }
        noteActivity(index, settings, at: now)
    }

    private mutating func noteActivity(_ index: Int, _ settings: NodeSettings, at now: UInt64) {
        connections[index].lastActive = now
        connections[index].idleDue = now &+ HeraldParameters.centralIdleTime
    }

    /// Handles a write from a central; nil for one on an unknown connection.
    ///
    /// - Returns: the key of the peer's address, and what the write means.
    mutating func take(
        _ link: LinkID, _ uuid: BluetoothUUID, _ value: [UInt8], isCommand: Bool, _ settings: NodeSettings,
        at now: UInt64
    ) -> (address: UInt64, write: IncomingWriteContent)? {
        guard let index = index(of: link) else { return nil }
        let address = connections[index].address
        let instant = MonotonicInstant(nanoseconds: now)
        guard connections[index].budget.take(Self.writeLimit(settings), at: instant) else { return (address, .limited) }
        if let legacy = settings.configuration.legacy, uuid == legacy.characteristic {
            noteActivity(index, settings, at: now)
            return (address, .legacy(value))
        }
        // The signal characteristic takes writes with response alone (HP-20).
        guard !isCommand, uuid == settings.platform.signal.uuid else { return (address, .ignored) }
        let outcome = connections[index].reassembler.receive(value)
        if !outcome.frames.isEmpty { noteActivity(index, settings, at: now) }
        // Only devices that do not follow the specification are kept awake by notifications.
        if outcome.frames.contains(.wake), settings.platform.signal == .nonCompliant {
            let due = now &+ settings.timing.$notificationDelay
            connections[index].wakeDue = min(connections[index].wakeDue, due)
        }
        return (address, .frames(outcome.frames, outcome.error))
    }

    /// Answers wakes that are due, and ends idle connections.
    mutating func expire(at now: UInt64, into outputs: inout [HeraldNode.Output]) {
        for index in connections.indices.reversed() {
            let link = connections[index].link
            if connections[index].wakeDue <= now {
                connections[index].wakeDue = .max
                if connections[index].isSubscribed {
                    outputs.append(.notify(link, HeraldUUIDs.nonCompliantSignal, []))
                }
            }
            guard connections[index].idleDue <= now else { continue }
            outputs.append(.disconnectCentral(link))
            connections.remove(at: index)
        }
    }
}
