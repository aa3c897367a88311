import HTTP1

/// The outgoing side of a WebSocket: the frame that is being sent, and those that are due.
struct WebSocketOutput {
    /// The kind of frame that is being sent, which decides the next step.
    enum FrameKind {
        case control
        /// A frame of a message, not its last.
        case fragment
        /// The only or the last frame of a message.
        case message
        case close
    }

    /// The most bytes of a message in one frame; control frames go between the frames of a long message.
    private static let maximumFrameBytes = 1 << 16

    private let role: WebSocketFrameReader.Role
    private var kind = FrameKind.control
    /// The rest of a message of which some frames are sent; nil when no message is.
    private var remainder: ArraySlice<UInt8>?
    /// The contents of our close frame, if it is due.
    private var owedClose: (code: UInt16?, reason: String)?
    /// The rest of the frame that is being sent.
    private(set) var bytes: ArraySlice<UInt8> = []
    private(set) var hasSentClose = false
    var owesPing = false
    /// The payload of the peer's latest ping, if it is unanswered.
    var owedPong: [UInt8]?

    init(role: WebSocketFrameReader.Role) { self.role = role }

    /// True when no frame is being sent.
    var isEmpty: Bool { bytes.isEmpty }

    /// True while a message is sent in part.
    var isWithinMessage: Bool {
        switch kind {
        case .control, .close: remainder != nil
        case .fragment: true
        case .message: !bytes.isEmpty
        }
    }

    /// True when our close frame is due.
    var owesClose: Bool { owedClose != nil }

    /// Makes our close frame due, unless it is sent.
    mutating func oweClose(_ code: UInt16?) {
        if !hasSentClose { owedClose = (code, "") }
    }

    /// Records that the system took bytes of the frame.
    mutating func taken(_ count: Int) { bytes = bytes.dropFirst(count) }

    /// Records that the system has taken all of the frame, and returns its kind.
    mutating func frameSent() -> FrameKind {
        bytes = []
        if case .close = kind { hasSentClose = true }
        return kind
    }

    /// Encodes a frame that is due before any new message; false when there is none.
    mutating func putOwedFrame() -> Bool {
        if let owedClose, remainder == nil {
            self.owedClose = nil
            putClose(owedClose.code, reason: owedClose.reason)
            return true
        }
        if let payload = owedPong {
            owedPong = nil
            put(.control, .pong, payload)
            return true
        }
        if owesPing {
            owesPing = false
            put(.control, .ping, [])
            return true
        }
        guard let remainder else { return false }
        putFragment(.continuation, remainder)
        return true
    }

    /// Encodes a message, or the first frame of a long one.
    mutating func put(_ message: WebSocketMessage) {
        let opcode: WebSocketOpcode = if case .text = message { .text } else { .binary }
        let bytes = message.bytes
        if bytes.count > Self.maximumFrameBytes {
            putFragment(opcode, bytes[...])
        } else {
            put(.message, opcode, bytes)
        }
    }

    /// Encodes our close frame.
    mutating func putClose(_ code: UInt16?, reason: String) {
        put(.close, .close, WebSocketFrameWriter.closePayload(code, reason: reason))
    }

    /// Puts the first bytes of the rest of a message into a frame (RFC 6455 section 5.4).
    private mutating func putFragment(_ opcode: WebSocketOpcode, _ rest: ArraySlice<UInt8>) {
        let isFinal = rest.count <= Self.maximumFrameBytes
        remainder = isFinal ? nil : rest.dropFirst(Self.maximumFrameBytes)
        put(isFinal ? .message : .fragment, opcode, rest.prefix(Self.maximumFrameBytes))
    }

    /// Encodes a frame: a client masks it with four random bytes, a server not at all (RFC 6455 section 5.3).
    private mutating func put(_ kind: FrameKind, _ opcode: WebSocketOpcode, _ payload: some Collection<UInt8>) {
        self.kind = kind
        var isFinal = true
        if case .fragment = kind { isFinal = false }
        let mask = role == .client ? UInt32.random(in: .min ... .max) : nil
        bytes = WebSocketFrameWriter.frame(opcode, isFinal: isFinal, payload, mask: mask)[...]
    }
}
