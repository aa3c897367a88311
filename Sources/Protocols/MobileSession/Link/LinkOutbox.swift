/// The values that go out over a link, one after another as the host takes them.
struct LinkOutbox: Sendable {
    private enum Item: Sendable {
        case message(PartSplitter)
        case state(UInt8)
    }

    private var items: [Item] = []
    private var inFlight: (isState: Bool, value: [UInt8])?
    /// The value that the host did not take, and that goes out next.
    private var returned: (isState: Bool, value: [UInt8])?

    /// True while the host has the last part of a message and has not said that it took it.
    var hasLastPartInFlight: Bool { inFlight.map { !$0.isState && $0.value.first == 0 } ?? false }

    /// True when nothing waits and the host has taken the last value.
    var isEmpty: Bool { items.isEmpty && inFlight == nil && returned == nil }

    mutating func add(message: [UInt8]) { items.append(.message(PartSplitter(message))) }

    mutating func add(state: UInt8) { items.append(.state(state)) }

    /// Drops what waits; a value in flight is with the host.
    mutating func clear() {
        items = []
        returned = nil
    }

    /// Returns the next value, which is then in flight; nil when one is, or nothing waits.
    mutating func next(mtu: Int) -> (isState: Bool, value: [UInt8])? {
        guard inFlight == nil else { return nil }
        inFlight = returned ?? cut(mtu: mtu)
        returned = nil
        return inFlight
    }

    private mutating func cut(mtu: Int) -> (isState: Bool, value: [UInt8])? {
        while let first = items.first {
            switch first {
            case .state(let value):
                items.removeFirst()
                return (true, [value])
            case .message(var parts):
                guard let part = parts.next(mtu: mtu) else {
                    items.removeFirst()
                    continue
                }
                items[0] = .message(parts)
                return (false, part)
            }
        }
        return nil
    }

    /// Notes that the host did not take the value in flight, which goes out again.
    mutating func refused() {
        returned = inFlight
        inFlight = nil
    }

    /// Notes that the host took the value in flight; returns true when nothing is left.
    mutating func taken() -> Bool {
        inFlight = nil
        if case .message(var parts)? = items.first, parts.next(mtu: .max) == nil { items.removeFirst() }
        return items.isEmpty
    }
}
