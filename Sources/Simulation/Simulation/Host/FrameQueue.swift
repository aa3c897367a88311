import Bluetooth

/// ATT PDUs of one link on their way to the controller, which takes a few at a time.
///
/// What is added goes out in order. Each may carry a tag, which comes back when the controller has sent it.
public struct FrameQueue<Tag: Sendable>: Sendable {
    /// The link.
    public let link: AirLinkID
    private let capacity: Int
    private var unsent: [Tag?] = []
    private var waiting: [(pdu: [UInt8], tag: Tag?)] = []

    /// Makes an empty queue to a controller that takes `capacity` frames at a time, one at least.
    public init(link: AirLinkID, capacity: Int) {
        self.link = link
        self.capacity = max(1, capacity)
    }

    /// Whether a PDU added now would go to the controller at once.
    public var hasRoom: Bool { waiting.isEmpty && unsent.count < capacity }

    /// How many PDUs wait behind what the controller has.
    public var waitingCount: Int { waiting.count }

    /// Adds a PDU; `tag` comes back when it has been sent.
    public mutating func add(_ pdu: [UInt8], tag: Tag? = nil, into commands: inout [AirCommand]) {
        waiting.append((pdu, tag))
        flush(into: &commands)
    }

    /// Takes note that the controller has sent the oldest PDU, and returns its tag; nil without one.
    @discardableResult
    public mutating func sent(into commands: inout [AirCommand]) -> Tag? {
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
public func attributePDU(in frame: [UInt8]) -> [UInt8]? {
    guard let frame = try? L2CAPFrame(frame), frame.channel == L2CAPFrame.attributeChannel else { return nil }
    return frame.payload
}
