import DIDComm
import Determinism

/// The delivery of messages without requests: live mode of pickup 2.0, or implicit pickup on a channel.
///
/// A part of `MediatorSession`, which fetches and sends. In live mode a window limits what is under way, so that the
/// mediator waits for a slow reader, which loses nothing. What is under way is neither counted nor delivered again on
/// the same channel: a client that answers each status with a delivery request would get it twice.
struct LiveDelivery: Sendable {
    /// The way in which messages are delivered without requests.
    enum Mode: Hashable, Sendable {
        /// Live mode of pickup 2.0: messages stay in the queue until they are acknowledged.
        case acknowledged
        /// Implicit pickup: one envelope at a time on a persistent channel, deleted once the channel has accepted it.
        case implicit
    }

    /// The part of the queue to read next.
    struct QueueRange {
        let after: UInt64
        let limit: Int
    }

    /// A message that was sent on the channel by pickup 2.0 and is not acknowledged.
    private struct UnacknowledgedMessage {
        let position: UInt64
        let bytes: Int
        /// The `@id` of the sent message that contains it.
        let carrier: String
    }

    private let limits: MediatorSession.Limits
    private(set) var mode: Mode?
    /// The unacknowledged messages by their identifiers; at most as many as the window allows.
    private var outstanding: [String: UnacknowledgedMessage] = [:]
    private var outstandingBytes = 0
    private var hasMail = false
    private var lookAt: MonotonicInstant?
    /// The queue position up to which messages were delivered; nil before the first request of the client.
    private var known: UInt64?

    init(limits: MediatorSession.Limits) { self.limits = limits }

    /// The time at which the queue is checked without an event about new messages; nil outside live mode.
    var nextDeadline: MonotonicInstant? { lookAt }

    var outstandingCount: Int { outstanding.count }

    /// The queue positions of all unacknowledged messages of the channel, in ascending order.
    var outstandingPositions: [UInt64] { outstanding.values.map(\.position).sorted() }

    /// The queue positions that are neither counted nor delivered again; none outside live mode.
    var withheld: [UInt64] { mode == .acknowledged ? outstandingPositions : [] }

    /// Returns the queue positions that stay withheld after these messages are acknowledged.
    func withheld(without ids: [String]) -> [UInt64] {
        guard mode == .acknowledged else { return [] }
        let ids = Set(ids)
        return outstanding.filter { !ids.contains($0.key) }.values.map(\.position).sorted()
    }

    /// Returns the most messages that may be delivered now, up to `limit`; 0 while a live client's window is full.
    func room(upTo limit: Int) -> Int {
        guard mode == .acknowledged else { return limit }
        guard outstandingBytes < limits.windowBytes else { return 0 }
        return max(0, min(limit, limits.windowCount - outstanding.count))
    }

    mutating func mailArrived() { hasMail = true }

    /// Restarts delivery from the oldest message, because the queue was reset to an earlier state.
    ///
    /// No message counts as under way, because positions may belong to other messages now.
    mutating func queueWentBack() {
        outstanding = [:]
        outstandingBytes = 0
        hasMail = true
        if known != nil { known = 0 }
    }

    mutating func timeReached(at now: MonotonicInstant) { if let lookAt, now >= lookAt { hasMail = true } }

    /// Schedules the next check of the queue.
    mutating func plan(at now: MonotonicInstant) {
        if mode != nil, lookAt.map({ now >= $0 }) ?? true { lookAt = now + MediatorSession.Limits.lookInterval }
    }

    /// Changes the delivery mode; messages already sent stay unacknowledged.
    ///
    /// - Returns: true when `mailArrived` is wanted from now on, false when no longer; nil when that does not change.
    mutating func change(to new: Mode?) -> Bool? {
        let isBegun = (new == nil) != (mode == nil) ? new != nil : nil
        mode = new
        if new == nil { lookAt = nil }
        return isBegun
    }

    /// Ends the delivery together with the channel.
    mutating func end() { (mode, lookAt) = (nil, nil) }

    /// Begins live mode after the last delivered message.
    ///
    /// It begins after the newest message if the client has requested nothing yet.
    mutating func begin(behind newest: UInt64) {
        known = known ?? newest
        hasMail = true
    }

    /// Begins implicit delivery with the oldest envelope of the queue.
    mutating func beginFromOldest() { (known, hasMail) = (0, true) }

    /// Records that the client received a queue status.
    ///
    /// Live mode then delivers the counted messages that were not delivered, so that their order is kept.
    mutating func counted() { known = known ?? 0 }

    /// Records messages that are delivered because the client requested them.
    ///
    /// - Parameter areOldest: true when they are the oldest of the whole queue.
    mutating func handedOut(_ messages: [QueuedMessage], areOldest: Bool, in carrier: String) {
        note(messages, in: carrier)
        if areOldest, let last = messages.last { known = max(known ?? 0, last.position) }
    }

    /// Records messages as unacknowledged, up to the window, because a client may never acknowledge any.
    private mutating func note(_ messages: [QueuedMessage], in carrier: String) {
        for message in messages where outstanding.count < limits.windowCount || outstanding[message.id] != nil {
            let bytes = message.envelope.count
            let entry = UnacknowledgedMessage(position: message.position, bytes: bytes, carrier: carrier)
            outstandingBytes += bytes - (outstanding.updateValue(entry, forKey: message.id)?.bytes ?? 0)
        }
    }

    /// Returns the next read of the queue; nil when there is nothing to read, or the window is full.
    ///
    /// - Parameter isConfirmed: true when the transport has confirmed all messages that it was given.
    mutating func next(isConfirmed: Bool) -> QueueRange? {
        guard let mode, hasMail else { return nil }
        let room: Int
        switch mode {
        case .acknowledged:
            room = self.room(upTo: limits.deliveryCount)
            guard room > 0 else { return nil }
        case .implicit:
            guard isConfirmed else { return nil }
            room = 1
        }
        hasMail = false
        return QueueRange(after: known ?? 0, limit: room)
    }

    /// Records the messages that were read from the queue for the client.
    ///
    /// - Parameter carrier: the `@id` of the message that carries it in live mode.
    /// - Returns: the rule by which they go out; nil when nothing goes out.
    mutating func fetched(_ messages: [QueuedMessage], in carrier: String) -> Mode? {
        guard let mode, let last = messages.last else { return nil }
        // There may be more behind these.
        hasMail = true
        known = last.position
        if mode == .acknowledged { note(messages, in: carrier) }
        return mode
    }

    /// Drops messages that are acknowledged, or that the store failed to delete, from the unacknowledged ones.
    mutating func settled(_ ids: [String]) {
        for id in ids { outstandingBytes -= outstanding.removeValue(forKey: id)?.bytes ?? 0 }
    }

    /// Drops the queued messages in the message with this `@id`, because it was not sent.
    mutating func sendFailed(_ carrier: String) {
        settled(outstanding.filter { $0.value.carrier == carrier }.map(\.key))
    }
}
