import DIDComm

/// The keys that are registered before they are used, and the queued changes of the mediator's key list.
///
/// A part of `MediatorUse`, which requests and stores the changes.
struct SpareKeys: Sendable {
    /// The most keys that are registered before they are used, whatever the configuration says.
    static let maximumCount = 32

    /// The most unknown keys that a mediator is asked to remove after one list.
    static let maximumForeignKeys = 256

    /// The unused keys, in the order in which they will be used.
    private(set) var keys: [Verkey] = []

    /// The number of envelopes that wait for an unused key.
    private(set) var waitingArrivals = 0

    /// The key changes for which the client has no room yet.
    private var changes: [KeylistUpdate] = []

    /// True while changes are being verified, so that the client's free room is unknown.
    private var isVerifying = false

    /// The keys whose removal the mediator has not confirmed; nil unless the user is leaving the mediator.
    private var leaving: Set<Verkey>?

    var isLeaving: Bool { leaving != nil }

    /// True when the removal of every key is confirmed; nil unless the user is leaving the mediator.
    var isLeft: Bool? { leaving?.isEmpty }

    var hasChanges: Bool { !changes.isEmpty }

    func contains(_ key: Verkey) -> Bool { keys.contains(key) }

    /// Returns the number of unused keys that are missing: `wanted` and one for each waiting envelope.
    func missing(of wanted: Int) -> Int { max(0, min(Self.maximumCount, wanted + waitingArrivals) - keys.count) }

    mutating func replace(with keys: [Verkey]) { self.keys = keys }

    mutating func add(_ fresh: [Verkey]) { keys += fresh }

    /// Removes a key that is used now, or that the mediator refused.
    ///
    /// - Returns: true when it was a free one.
    @discardableResult
    mutating func remove(_ key: Verkey) -> Bool {
        guard let index = keys.firstIndex(of: key) else { return false }
        keys.remove(at: index)
        return true
    }

    mutating func setWaitingArrivals(_ count: Int) { waitingArrivals = count }

    mutating func queue(_ more: [KeylistUpdate]) { changes += more }

    /// Removes and returns the oldest key changes of the queue, at most `room`, and none before `verified`.
    mutating func takeChanges(room: Int) -> [KeylistUpdate] {
        guard !isVerifying else { return [] }
        let next = Array(changes.prefix(max(0, room)))
        changes.removeFirst(next.count)
        isVerifying = !next.isEmpty
        return next
    }

    mutating func verified() { isVerifying = false }

    /// Starts leaving the mediator; `known` are the keys to be removed.
    mutating func leave(_ known: [Verkey]) {
        leaving = Set(known)
        queue(known.map { KeylistUpdate($0, isAddition: false) })
    }

    /// Stops leaving the mediator: registers the removed keys again.
    mutating func stay(_ known: [Verkey]) {
        leaving = nil
        changes = known.map { KeylistUpdate($0, isAddition: true) }
    }

    mutating func removed(_ key: Verkey) { leaving?.remove(key) }

    /// Returns the changes that turn the mediator's key list into `ours`.
    static func difference(ours: [Verkey], listed: [Verkey]) -> [KeylistUpdate] {
        let (theirs, known) = (Set(listed), Set(ours))
        let lost = ours.filter { !theirs.contains($0) }.map { KeylistUpdate($0, isAddition: true) }
        let foreign = listed.filter { !known.contains($0) }.prefix(maximumForeignKeys)
        return lost + foreign.map { KeylistUpdate($0, isAddition: false) }
    }
}
