import DIDComm
import Determinism

/// Delivery without a request for each message: live mode of pickup 2.0, or envelopes alone.
///
/// A part of `MediatorSession`, which fetches and sends. In live mode a window limits what is under way, so that the
/// mediator waits for a slow reader, which loses nothing.
struct LiveDelivery: Sendable {
    /// The rule of delivery.
    enum Mode: Hashable, Sendable {
        /// Live mode of pickup 2.0: messages stay in the queue until they are acknowledged.
        case acknowledged
        /// Envelopes on a persistent channel, one at a time, each deleted when the channel has taken it.
        case implicit
    }

    /// The part of the queue to fetch next.
    struct Fetch {
        let after: UInt64
        let limit: Int
    }

    private let limits: MediatorSession.Limits
    private(set) var mode: Mode?
    /// The unacknowledged messages, with their bytes.
    private var outstanding: [String: Int] = [:]
    private var outstandingBytes = 0
    private var hasMail = false
    private var lookAt: MonotonicInstant?
    /// The queue position up to which messages were delivered; nil before the first request of the client.
    private var known: UInt64?

    init(limits: MediatorSession.Limits) { self.limits = limits }

    /// The time at which the queue is checked even if no event announced new messages; nil outside live mode.
    var nextDeadline: MonotonicInstant? { mode == nil ? nil : lookAt }

    var outstandingCount: Int { outstanding.count }

    mutating func mailArrived() { hasMail = true }

    mutating func timeReached(at now: MonotonicInstant) { if let lookAt, now >= lookAt { hasMail = true } }

    /// Plans the next check, after each event.
    mutating func plan(at now: MonotonicInstant) {
        if mode != nil, lookAt.map({ now >= $0 }) ?? true { lookAt = now + limits.lookInterval }
    }

    /// Changes the mode, with an empty window.
    ///
    /// - Returns: whether word of mail is wanted from now on; nil when that stays as it is.
    mutating func change(to new: Mode?) -> Bool? {
        guard new != mode else { return nil }
        let isBegun = (new == nil) != (mode == nil) ? new != nil : nil
        mode = new
        (outstanding, outstandingBytes) = ([:], 0)
        if new == nil { lookAt = nil }
        return isBegun
    }

    /// Ends together with the channel.
    mutating func end() { (mode, lookAt) = (nil, nil) }

    /// Begins live mode behind the last delivered message, or behind the newest one if the client has requested nothing
    /// yet.
    mutating func begin(behind newest: UInt64) {
        known = known ?? newest
        hasMail = true
    }

    /// Envelopes are sent from the oldest on.
    mutating func beginFromOldest() { (known, hasMail) = (0, true) }

    /// Records that the client got a status: live mode delivers the counted messages that were not delivered, so that
    /// their order is kept.
    mutating func counted() { known = known ?? 0 }

    /// Notes that the queue was delivered up to a position.
    mutating func handedOut(upTo position: UInt64) { known = max(known ?? 0, position) }

    /// The next read of the queue; nil when there is nothing to read, or the window is full.
    ///
    /// - Parameter isConfirmed: whether the transport has confirmed all messages that it was given.
    mutating func next(isConfirmed: Bool) -> Fetch? {
        guard let mode, hasMail else { return nil }
        let room: Int
        switch mode {
        case .acknowledged:
            guard outstanding.count < limits.windowCount, outstandingBytes < limits.windowBytes else { return nil }
            room = min(limits.deliveryCount, limits.windowCount - outstanding.count)
        case .implicit:
            guard isConfirmed else { return nil }
            room = 1
        }
        hasMail = false
        return Fetch(after: known ?? 0, limit: max(1, room))
    }

    /// Notes what was fetched for the client.
    ///
    /// - Returns: by which rule it goes out; nil when nothing goes out.
    mutating func fetched(_ messages: [QueuedMessage]) -> Mode? {
        guard let mode, let last = messages.last else { return nil }
        // There may be more behind these.
        hasMail = true
        known = last.position
        if mode == .acknowledged {
            for message in messages where outstanding.updateValue(message.envelope.count, forKey: message.id) == nil {
                outstandingBytes += message.envelope.count
            }
        }
        return mode
    }

    mutating func acknowledged(_ ids: [String]) {
        for id in ids { if let bytes = outstanding.removeValue(forKey: id) { outstandingBytes -= bytes } }
    }
}
