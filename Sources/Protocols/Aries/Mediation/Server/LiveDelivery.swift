import DIDComm
import Determinism

/// What goes out to a client without a request for each message: live mode of pickup 2.0, or envelopes alone.
///
/// A part of `MediatorSession`, which fetches and sends. In live mode as much is under way as a window allows, so that a slow
/// reader is waited for and loses nothing.
struct LiveDelivery: Sendable {
    /// By which rule messages go out.
    enum Mode: Hashable, Sendable {
        /// Live mode of pickup 2.0: messages stay in the queue until they are acknowledged.
        case acknowledged
        /// Envelopes on a channel that stays open, one at a time, forgotten when the channel has taken them.
        case implicit
    }

    /// The part of the queue to fetch next.
    struct Fetch {
        let after: UInt64
        let limit: Int
    }

    private let limits: MediatorSession.Limits
    private(set) var mode: Mode?
    /// The messages that were sent and not acknowledged, with their bytes.
    private var outstanding: [String: Int] = [:]
    private var outstandingBytes = 0
    private var hasMail = false
    private var lookAt: MonotonicInstant?
    /// Up to where the queue was handed out; nil before the client asked for anything.
    private var known: UInt64?

    init(limits: MediatorSession.Limits) { self.limits = limits }

    /// When the queue is looked into although nothing said that mail has come.
    var nextDeadline: MonotonicInstant? { mode == nil ? nil : lookAt }

    var outstandingCount: Int { outstanding.count }

    mutating func mailArrived() { hasMail = true }

    mutating func timeReached(at now: MonotonicInstant) { if let lookAt, now >= lookAt { hasMail = true } }

    /// Plans the next look, after each event.
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

    /// Ends with the channel.
    mutating func end() { (mode, lookAt) = (nil, nil) }

    /// Live mode begins behind what was handed out, or behind everything if the client has asked for nothing yet.
    mutating func begin(behind newest: UInt64) {
        known = known ?? newest
        hasMail = true
    }

    /// Envelopes go out from the oldest on.
    mutating func beginFromOldest() { (known, hasMail) = (0, true) }

    /// Notes that the client has learned how much waits: what was counted and not handed out goes out in live mode, so that
    /// it stays in its order.
    mutating func counted() { known = known ?? 0 }

    /// Notes that the queue was handed out up to a position.
    mutating func handedOut(upTo position: UInt64) { known = max(known ?? 0, position) }

    /// What is to be fetched; nil when there is nothing, or the window is full.
    ///
    /// - Parameter isConfirmed: whether the channel has taken all that was handed over.
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
