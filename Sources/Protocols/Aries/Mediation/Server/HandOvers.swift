/// The messages that are forgotten as soon as the channel has taken what carries them, because nothing acknowledges them.
///
/// A part of `MediatorSession`.
struct HandOvers: Sendable {
    /// The messages to forget when the message or envelope of this identifier was taken.
    private var unconfirmed: [String: [String]] = [:]
    /// Those of `unconfirmed` that go to an address, and not on the channel.
    private var elsewhere: Set<String> = []
    private var toForget: [String] = []

    /// Whether all that was handed over was taken or has failed.
    var isConfirmed: Bool { unconfirmed.isEmpty }

    var hasToForget: Bool { !toForget.isEmpty }

    /// Whether something on the channel is to be forgotten, or is not forgotten yet.
    var isUnderWay: Bool { hasToForget || unconfirmed.count > elsewhere.count }

    func contains(_ id: String) -> Bool { unconfirmed[id] != nil }

    /// Notes that `messages` go out in the message or envelope of this identifier.
    mutating func begin(_ id: String, messages: [String]) { unconfirmed[id] = messages }

    /// Notes that it goes to an address of the client.
    mutating func goesElsewhere(_ id: String) { if contains(id) { elsewhere.insert(id) } }

    /// Notes that it does not go out.
    mutating func cancel(_ id: String) { unconfirmed[id] = nil }

    mutating func sent(_ id: String) { toForget += end(id) }

    mutating func failed(_ id: String) { _ = end(id) }

    private mutating func end(_ id: String) -> [String] {
        elsewhere.remove(id)
        return unconfirmed.removeValue(forKey: id) ?? []
    }

    /// The messages to forget now, once.
    mutating func takeToForget() -> [String] {
        defer { toForget = [] }
        return toForget
    }
}
