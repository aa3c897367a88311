public import Bluetooth

/// ATT PDUs of one link on their way to the controller, which takes a few at a time.
///
/// PDUs go out in the order in which they are added. Each may carry a tag, which comes back when the controller has
/// sent it.
public struct ATTPDUQueue<Tag: Sendable>: Sendable {
    /// The link that the frame is sent on.
    public let link: LinkID
    private let capacity: Int
    /// The number of PDUs that the controller was given, and of those that it has sent.
    private var given: UInt64 = 0
    private var sent: UInt64 = 0
    /// The tags of those that it has not sent, each with how many were given before it.
    private var tags: [(number: UInt64, tag: Tag)] = []
    private var waiting: [(pdu: [UInt8], tag: Tag?)] = []

    /// Makes an empty queue to a controller that takes `capacity` frames at a time, one at least.
    public init(link: LinkID, capacity: Int) {
        self.link = link
        self.capacity = max(1, capacity)
    }

    /// True when a PDU added now would go to the controller at once.
    public var hasRoom: Bool { waiting.isEmpty && hasFreeBuffer }

    private var hasFreeBuffer: Bool { given - sent < UInt64(capacity) }

    /// The number of PDUs that wait behind those of the controller.
    public var waitingCount: Int { waiting.count }

    /// Adds a PDU; `tag` comes back when it has been sent.
    public mutating func add(_ pdu: [UInt8], tag: Tag? = nil, into commands: inout [AirCommand]) {
        if hasRoom { give(pdu, tag, into: &commands) } else { waiting.append((pdu, tag)) }
    }

    /// Takes note that the controller has sent the oldest PDU, and returns its tag; nil without one.
    @discardableResult
    public mutating func sent(into commands: inout [AirCommand]) -> Tag? {
        guard sent < given else { return nil }
        let isTagged = tags.first?.number == sent
        sent += 1
        while hasFreeBuffer, !waiting.isEmpty {
            let next = waiting.removeFirst()
            give(next.pdu, next.tag, into: &commands)
        }
        return isTagged ? tags.removeFirst().tag : nil
    }

    private mutating func give(_ pdu: [UInt8], _ tag: Tag?, into commands: inout [AirCommand]) {
        if let tag { tags.append((given, tag)) }
        given += 1
        commands.append(.send(link, frame: L2CAPFrame(payload: pdu).bytes))
    }
}

/// The ATT PDU in a frame of the attribute channel; nil for another frame.
public func attributePDU(in frame: [UInt8]) -> [UInt8]? {
    guard let frame = try? L2CAPFrame(frame), frame.channel == L2CAPFrame.attributeChannel else { return nil }
    return frame.payload
}
