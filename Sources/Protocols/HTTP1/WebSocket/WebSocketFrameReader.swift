/// Reads the frames of one side of a WebSocket, in pieces of any size, and assembles messages (RFC 6455).
///
/// A frame that is too large, out of order or wrongly masked is refused as soon as its header says so, before its first
/// payload byte. Texts are checked while they come. No extension is negotiated, so reserved bits are refused.
///
/// Between messages it holds no memory of its own.
public struct WebSocketFrameReader: Sendable {
    /// The side of the WebSocket on which frames are read.
    public enum Role: Hashable, Sendable {
        /// The reader is the server, whose peer masks every frame (RFC 6455 section 5.1).
        case server
        /// The reader is the client, whose peer masks no frame.
        case client
    }

    /// The limits on the size of frames and messages.
    public struct Limits: Hashable, Sendable {
        /// The longest payload of a frame; a longer one is refused with 1009.
        package var maximumFrameBytes = 1 << 20
        /// The longest message; a frame that would exceed it is refused with 1009.
        package var maximumMessageBytes = 1 << 20

        /// Makes limits with the default values.
        public init() {}
    }

    /// The result of reading bytes of a WebSocket.
    public enum Event: Hashable, Sendable {
        /// All input was consumed, without an event.
        case needsMore
        /// A complete text message, in UTF-8.
        case text([UInt8])
        /// A complete binary message.
        case binary([UInt8])
        /// A ping, which must be answered by a pong with the same payload.
        case ping([UInt8])
        /// A pong, as the answer to a ping or unrequested.
        case pong([UInt8])
        /// The peer's close frame: its code, nil without one, and its reason; later bytes are dropped.
        case close(UInt16?, reason: String)
        /// The peer violated the protocol: the code for the close frame, 1002, 1007 or 1009, and a sentence for a log.
        ///
        /// Every further call returns the same.
        case violation(UInt16, reason: String)
    }

    private enum Phase: Hashable {
        /// The reader expects the first byte of a frame, with the opcode.
        case first
        /// The reader expects the second byte of a frame, with the length or the size of the length.
        case second
        /// The reader expects this number of bytes of the extended length.
        case length(Int)
        /// The reader expects this number of bytes of the mask.
        case mask(Int)
        /// The reader is in the payload of a frame.
        case payload
        /// The peer has sent its close frame; the reader reads nothing more.
        case closed
        /// The peer violated the protocol; the reader reads nothing more.
        case violated(UInt16, String)
    }

    /// The header of the present frame.
    private struct Header: Hashable {
        var opcode = WebSocketOpcode.continuation
        var isFinal = false
        /// The payload bytes that are still to come; while the header is read, those announced so far.
        var left: UInt64 = 0
        /// The size of the frame's extended length in bytes: 2 or 8; 0 without one.
        var lengthBytes = 0
        /// The mask of the frame, with the byte for the next payload byte in the highest eight bits.
        var mask: UInt32 = 0
    }

    /// The most frames without payload before a message's last frame; one more is refused with 1009.
    ///
    /// The limit on bytes bounds the number of all others.
    public static let maximumEmptyFrames = 64

    private let role: Role
    private let limits: Limits
    private var phase = Phase.first
    private var header = Header()
    private var messageOpcode: WebSocketOpcode?
    private var message: [UInt8] = []
    private var emptyFrames = 0
    private var control: [UInt8] = []
    private var progress = UTF8StreamCheck()

    /// Makes a reader at the first byte behind the handshake.
    public init(role: Role, limits: Limits = Limits()) {
        self.role = role
        self.limits = limits
    }

    /// The number of buffered payload bytes of unfinished messages and control frames.
    public var heldBytes: Int { message.count + control.count }

    /// True when no part of a frame or message is buffered.
    public var isIdle: Bool { phase == .first && messageOpcode == nil }

    /// Reads `input` from `position` up to the next event, and moves `position` behind the bytes read.
    ///
    /// Called again with the same input until it says `needsMore` or `violation`.
    public mutating func next(in input: Span<UInt8>, from position: inout Int) -> Event {
        while position < input.count {
            switch phase {
            case .closed: position = input.count
            case .violated(let code, let reason): return .violation(code, reason: reason)
            case .payload: takePayload(in: input, from: &position)
            case .first, .second, .length, .mask:
                takeHeader(input[position])
                position += 1
            }
            if case .violated(let code, let reason) = phase { return .violation(code, reason: reason) }
            if phase == .payload, header.left == 0, let event = endFrame() { return event }
        }
        if case .violated(let code, let reason) = phase { return .violation(code, reason: reason) }
        return .needsMore
    }

    private mutating func violate(_ code: UInt16, _ reason: String) {
        phase = .violated(code, reason)
        message = []
        control = []
        messageOpcode = nil
    }
}

// The header of a frame (RFC 6455 section 5.2).
extension WebSocketFrameReader {
    private mutating func takeHeader(_ byte: UInt8) {
        switch phase {
        case .first: takeFirst(byte)
        case .second: takeSecond(byte)
        case .length(let missing):
            header.left = header.left << 8 | UInt64(byte)
            phase = .length(missing - 1)
            if missing == 1 { checkLength() }
        case .mask(let missing):
            header.mask = header.mask << 8 | UInt32(byte)
            phase = missing == 1 ? .payload : .mask(missing - 1)
        case .payload, .closed, .violated: break
        }
    }

    private mutating func takeFirst(_ byte: UInt8) {
        guard byte & 0x70 == 0 else {
            return violate(WebSocketCloseCodes.protocolError, "A reserved bit of a frame is set.")
        }
        guard let opcode = WebSocketOpcode(rawValue: byte & 15) else {
            return violate(WebSocketCloseCodes.protocolError, "The opcode of a frame is reserved.")
        }
        header = Header()
        header.opcode = opcode
        header.isFinal = byte & 0x80 != 0
        if opcode.isControl {
            guard header.isFinal else {
                return violate(WebSocketCloseCodes.protocolError, "A control frame is fragmented.")
            }
        } else if opcode == .continuation {
            guard messageOpcode != nil else {
                return violate(WebSocketCloseCodes.protocolError, "A frame continues a message that was not begun.")
            }
        } else {
            guard messageOpcode == nil else {
                return violate(WebSocketCloseCodes.protocolError, "A message begins within another one.")
            }
        }
        phase = .second
    }

    private mutating func takeSecond(_ byte: UInt8) {
        let isMasked = byte & 0x80 != 0
        guard isMasked == (role == .server) else {
            return violate(
                WebSocketCloseCodes.protocolError, isMasked ? "A frame is masked." : "A frame is not masked.")
        }
        let short = byte & 0x7F
        if header.opcode.isControl, Int(short) > WebSocketOpcode.maximumControlBytes {
            return violate(WebSocketCloseCodes.protocolError, "A control frame is too long.")
        }
        switch short {
        case 126: header.lengthBytes = 2
        case 127: header.lengthBytes = 8
        default:
            header.left = UInt64(short)
            return checkLength()
        }
        phase = .length(header.lengthBytes)
    }

    /// Checks the announced length of a frame before its first payload byte.
    private mutating func checkLength() {
        let length = header.left
        let isMinimal =
            switch header.lengthBytes {
            case 2: length >= 126
            case 8: length >= 65536 && length >> 63 == 0
            default: true
            }
        guard isMinimal else {
            return violate(WebSocketCloseCodes.protocolError, "The length of a frame is malformed.")
        }
        if !header.opcode.isControl {
            let room = limits.maximumMessageBytes - message.count
            guard length <= UInt64(min(room, limits.maximumFrameBytes)) else {
                return violate(WebSocketCloseCodes.tooLarge, "A message is larger than allowed.")
            }
            if header.opcode != .continuation {
                messageOpcode = header.opcode
                progress = UTF8StreamCheck()
                emptyFrames = 0
            }
            if length == 0, !header.isFinal { emptyFrames += 1 }
            guard emptyFrames <= Self.maximumEmptyFrames else {
                return violate(WebSocketCloseCodes.tooLarge, "A message has too many frames without payload.")
            }
        }
        phase = role == .server ? .mask(4) : .payload
    }
}

// The payload of a frame.
extension WebSocketFrameReader {
    private mutating func takePayload(in input: Span<UInt8>, from position: inout Int) {
        let count = Int(min(header.left, UInt64(input.count - position)))
        guard count > 0 else { return }
        let range = position..<position + count
        position += count
        header.left -= UInt64(count)
        if header.opcode.isControl {
            let start = control.count
            control.append(input, range)
            if role == .server { control.applyMask(header.mask, from: start) }
        } else {
            let start = message.count
            message.append(input, range)
            if role == .server { message.applyMask(header.mask, from: start) }
            if messageOpcode == .text, !progress.take(message, from: start) {
                return violate(WebSocketCloseCodes.invalidText, "A text is not UTF-8.")
            }
        }
        // Turned so that the byte for the next payload byte is uppermost; a shift by 32 gives 0.
        let bits = UInt32(count & 3) * 8
        header.mask = header.mask << bits | header.mask >> (32 - bits)
    }

    /// Handles the end of a frame's payload; nil when the message continues.
    private mutating func endFrame() -> Event? {
        phase = .first
        switch header.opcode {
        case .continuation, .text, .binary:
            guard header.isFinal else { return nil }
            return endMessage()
        case .ping: return .ping(takeControl())
        case .pong: return .pong(takeControl())
        case .close: return endClose(takeControl())
        }
    }

    private mutating func endMessage() -> Event {
        let (bytes, isText, isWhole) = (message, messageOpcode == .text, progress.isWhole)
        message = []
        messageOpcode = nil
        guard isText else { return .binary(bytes) }
        return isWhole
            ? .text(bytes)
            : violation(WebSocketCloseCodes.invalidText, "A text ends within a character.")
    }

    private mutating func takeControl() -> [UInt8] {
        let payload = control
        control = []
        return payload
    }

    private mutating func endClose(_ payload: [UInt8]) -> Event {
        guard payload.count != 1 else {
            return violation(WebSocketCloseCodes.protocolError, "A close frame has one byte for a code.")
        }
        var code: UInt16?
        if payload.count >= 2 {
            let number = UInt16(payload[0]) << 8 | UInt16(payload[1])
            guard WebSocketCloseCodes.mayBeSent(number) else {
                return violation(WebSocketCloseCodes.protocolError, "The code of a close frame must not be sent.")
            }
            code = number
        }
        guard let reason = String(validating: payload.dropFirst(2), as: UTF8.self) else {
            return violation(WebSocketCloseCodes.invalidText, "The reason of a close frame is not UTF-8.")
        }
        phase = .closed
        message = []
        messageOpcode = nil
        return .close(code, reason: reason)
    }

    private mutating func violation(_ code: UInt16, _ reason: String) -> Event {
        violate(code, reason)
        return .violation(code, reason: reason)
    }
}
