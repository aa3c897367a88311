import Bluetooth
import Simulation

/// The sending side of one link: ATT PDUs in order, as many at a time as the controller takes.
struct FrameQueue {
    let link: AirLinkID
    private let capacity: Int
    private var unsentCount = 0
    private var waiting: [[UInt8]] = []

    init(link: AirLinkID, capacity: Int) {
        self.link = link
        self.capacity = capacity
    }

    /// Whether a PDU added now would go to the controller at once.
    var hasRoom: Bool { waiting.isEmpty && unsentCount < capacity }

    /// Adds a PDU.
    mutating func add(_ pdu: [UInt8], into commands: inout [AirCommand]) {
        waiting.append(pdu)
        flush(into: &commands)
    }

    /// The controller has sent one frame.
    mutating func sent(into commands: inout [AirCommand]) {
        unsentCount = max(0, unsentCount - 1)
        flush(into: &commands)
    }

    private mutating func flush(into commands: inout [AirCommand]) {
        while unsentCount < capacity, !waiting.isEmpty {
            unsentCount += 1
            commands.append(.send(link, frame: L2CAPFrame(payload: waiting.removeFirst()).bytes))
        }
    }
}

/// The ATT PDU in a frame of the attribute channel; nil for anything else.
func attributePDU(in frame: [UInt8]) -> [UInt8]? {
    guard let frame = try? L2CAPFrame(frame), frame.channel == L2CAPFrame.attributeChannel else { return nil }
    return frame.payload
}
