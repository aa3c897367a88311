/// The values that go out over a link, one after another as the host takes them.
struct LinkOutbox: Sendable {
    private enum Item: Sendable {
        case message(PartSplitter)
        case state(UInt8)
    }

    private var items: [Item] = []
    private var isInFlight = false

    /// True when nothing waits and the host has taken the last value.
    var isEmpty: Bool { items.isEmpty && !isInFlight }

    mutating func add(message: [UInt8]) { items.append(.message(PartSplitter(message))) }

    mutating func add(state: UInt8) { items.append(.state(state)) }

    /// Returns the next value, which is then in flight; nil when one is, or nothing waits.
    mutating func next(mtu: Int) -> (isState: Bool, value: [UInt8])? {
        guard !isInFlight else { return nil }
        while let first = items.first {
            switch first {
            case .state(let value):
                items.removeFirst()
                isInFlight = true
                return (true, [value])
            case .message(var parts):
                guard let part = parts.next(mtu: mtu) else {
                    items.removeFirst()
                    continue
                }
                items[0] = .message(parts)
                isInFlight = true
                return (false, part)
            }
        }
        return nil
    }

    /// Notes that the host took the value in flight; returns true when nothing is left.
    mutating func taken() -> Bool {
        isInFlight = false
        if case .message(var parts)? = items.first, parts.next(mtu: .max) == nil { items.removeFirst() }
        return items.isEmpty
    }
}
