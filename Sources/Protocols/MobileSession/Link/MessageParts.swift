/// Joins the parts of messages that come over a link (ISO/IEC 18013-5, clause 11.1.3.4).
///
/// A part is one byte, 01 when more follow and 00 for the last, and at least no byte of the message.
struct PartAssembler: Sendable {
    /// The most bytes of a message.
    let limit: Int
    /// The bytes of the message under way.
    private(set) var bytes: [UInt8] = []
    /// True when a message has begun and not ended.
    private(set) var isUnderWay = false

    init(limit: Int) { self.limit = limit }

    /// Drops what has come of a message.
    mutating func clear() {
        bytes = []
        isUnderWay = false
    }

    /// Takes a part; returns the message that it ends.
    ///
    /// Throws `mdoc.part-malformed` for an empty value and another first byte, and `mdoc.message-too-large`.
    mutating func take(_ part: [UInt8]) throws(MobileSessionError) -> [UInt8]? {
        guard let prefix = part.first else { throw MobileSessionError(.partMalformed, "A part is empty.") }
        guard prefix <= 1 else {
            throw MobileSessionError(.partMalformed, "A part begins with \(prefix), and not with 0 or 1.")
        }
        guard bytes.count + part.count - 1 <= limit else {
            throw MobileSessionError(.messageTooLarge, "A message has more than \(limit) bytes.")
        }
        bytes += part.dropFirst()
        isUnderWay = prefix == 1
        guard prefix == 0 else { return nil }
        defer { bytes = [] }
        return bytes
    }
}

/// Cuts a message into full parts, as they are asked for.
struct PartSplitter: Sendable {
    /// The most bytes of an attribute's value (Bluetooth Core, Vol 3, Part F, 3.2.9).
    static let maximumValueBytes = 512

    private let message: [UInt8]
    private var place = 0
    private var isDone = false

    init(_ message: [UInt8]) { self.message = message }

    /// Returns the next part for an ATT MTU, of at most 512 bytes; nil after the last one.
    mutating func next(mtu: Int) -> [UInt8]? {
        guard !isDone else { return nil }
        let room = min(mtu - 3, Self.maximumValueBytes) - 1
        let end = min(place + room, message.count)
        isDone = end == message.count
        defer { place = end }
        return [isDone ? 0 : 1] + message[place..<end]
    }
}
