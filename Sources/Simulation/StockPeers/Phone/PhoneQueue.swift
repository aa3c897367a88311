import Bluetooth
import Simulation

/// The way out of a phone on one link: ATT PDUs in order, as many at a time as the controller takes.
struct PhoneQueue<Tag: Sendable>: Sendable {
    let link: AirLinkID
    private let capacity: Int
    private var unsent: [Tag?] = []
    private var waiting: [(pdu: [UInt8], tag: Tag?)] = []

    init(link: AirLinkID, capacity: Int) {
        self.link = link
        self.capacity = max(1, capacity)
    }

    /// How many PDUs wait behind what the controller has.
    var waitingCount: Int { waiting.count }

    /// Adds a PDU; `tag` comes back when it has been sent.
    mutating func add(_ pdu: [UInt8], tag: Tag? = nil, into commands: inout [AirCommand]) {
        waiting.append((pdu, tag))
        flush(into: &commands)
    }

    /// The controller has sent the oldest PDU; returns its tag.
    mutating func sent(into commands: inout [AirCommand]) -> Tag? {
        let tag = unsent.isEmpty ? nil : unsent.removeFirst()
        flush(into: &commands)
        return tag
    }

    private mutating func flush(into commands: inout [AirCommand]) {
        while unsent.count < capacity, !waiting.isEmpty {
            let next = waiting.removeFirst()
            unsent.append(next.tag)
            commands.append(.send(link, frame: L2CAPFrame(payload: next.pdu).bytes))
        }
    }
}

/// The ATT PDU in a frame of the attribute channel; nil for anything else.
func attributes(in frame: [UInt8]) -> [UInt8]? {
    guard let frame = try? L2CAPFrame(frame), frame.channel == L2CAPFrame.attributeChannel else { return nil }
    return frame.payload
}
