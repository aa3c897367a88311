/// The messages that are delivered at most once: they are deleted as soon as the channel has sent them.
///
/// A part of `MediatorSession`.
struct UnacknowledgedDeliveries: Sendable {
    /// The messages to delete once the message or envelope with this identifier is sent.
    private var unconfirmed: [String: [String]] = [:]
    /// The identifiers in `unconfirmed` that go to the client's address, and not on the channel.
    private var elsewhere: Set<String> = []
    private var toForget: [String] = []

    /// True when no sent message or envelope awaits its result.
    var isConfirmed: Bool { unconfirmed.isEmpty }

    var hasToForget: Bool { !toForget.isEmpty }

    /// True while messages on the channel are being sent or not deleted yet.
    var isUnderWay: Bool { hasToForget || unconfirmed.count > elsewhere.count }

    func contains(_ id: String) -> Bool { unconfirmed[id] != nil }

    /// Records that `messages` are sent in the message or envelope with this identifier.
    mutating func begin(_ id: String, messages: [String]) { unconfirmed[id] = messages }

    /// Records that the message or envelope with this identifier goes to the client's endpoint.
    mutating func goesElsewhere(_ id: String) { if contains(id) { elsewhere.insert(id) } }

    /// Drops the delivery with this identifier, because it is not sent.
    mutating func cancel(_ id: String) { unconfirmed[id] = nil }

    mutating func sent(_ id: String) { toForget += end(id) }

    mutating func failed(_ id: String) { _ = end(id) }

    private mutating func end(_ id: String) -> [String] {
        elsewhere.remove(id)
        return unconfirmed.removeValue(forKey: id) ?? []
    }

    /// Removes and returns the messages that are to be deleted.
    mutating func takeToForget() -> [String] {
        defer { toForget = [] }
        return toForget
    }
}
