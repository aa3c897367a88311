import Bluetooth
import ByteCoding

/// The raw packets that a controller was given and has not sent, so that it gets no more than it has room for.
///
/// The kernel gives raw packets to a controller without counting them; a controller that gets too many drops some.
struct RawPacketFlowControl {
    /// The event with which a controller says how many packets it has sent on which connections.
    static let completedPackets: UInt8 = 0x13
    /// The number of packets that a controller is expected to take when it does not say.
    private static let defaultCount = 4

    /// The most bytes of a frame in one packet.
    let bytes: Int
    /// The most packets on their way; half of what the controller takes, because the kernel uses its room too.
    let limit: Int
    private var waiting: [UInt16: (link: LinkID, count: Int)] = [:]

    /// Makes the state for a controller that takes `count` packets of `bytes`; 0 when it does not say how many.
    init(bytes: Int, count: Int) {
        self.bytes = bytes
        limit = max(1, (count == 0 ? Self.defaultCount : count) / 2)
    }

    /// True when the controller may be given one more packet.
    var hasRoom: Bool { waiting.values.reduce(0) { $0 + $1.count } < limit }

    /// Records that the controller was given a packet.
    mutating func sent(on connection: UInt16, of link: LinkID) {
        // A number of a connection is used again when its link is over.
        let before = waiting[connection].flatMap { $0.link == link ? $0.count : nil } ?? 0
        waiting[connection] = (link, before + 1)
    }

    /// Forgets the packets of links that are over: the controller has dropped them.
    mutating func forget(_ isOver: (LinkID) -> Bool) { waiting = waiting.filter { !isOver($0.value.link) } }

    /// Takes an event of the controller; another one than that of sent packets changes nothing.
    ///
    /// H4 type and event code, length, the number of connections, then a connection and its packets (16 bits each).
    mutating func take(_ packet: [UInt8]) {
        var reader = ByteReader(packet)
        guard reader.byte() == 0x04, reader.byte() == Self.completedPackets, reader.byte() != nil,
            let count = reader.byte()
        else { return }
        for _ in 0..<count {
            guard let connection = reader.littleEndian(UInt16.self), let sent = reader.littleEndian(UInt16.self) else {
                return
            }
            guard let entry = waiting[connection & 0x0FFF] else { continue }
            let left = entry.count - Int(sent)
            waiting[connection & 0x0FFF] = left > 0 ? (entry.link, left) : nil
        }
    }
}
