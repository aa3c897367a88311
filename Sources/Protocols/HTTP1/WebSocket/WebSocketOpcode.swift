/// The type of a WebSocket frame (RFC 6455 section 5.2).
public enum WebSocketOpcode: UInt8, Hashable, Sendable, CaseIterable {
    /// A frame that continues a message.
    case continuation = 0
    /// A frame with a text message, or its first part.
    case text = 1
    /// A frame with a binary message, or its first part.
    case binary = 2
    /// A close frame, the last one that a side sends.
    case close = 8
    /// A ping frame, which asks for a pong with the same payload.
    case ping = 9
    /// A pong frame, which answers a ping.
    case pong = 10

    /// True when the frame is a control frame, which is whole and may come between the parts of a message.
    public var isControl: Bool { rawValue & 8 != 0 }

    /// The most payload bytes of a control frame (RFC 6455 section 5.5).
    public static let maximumControlBytes = 125
}

/// The codes of close frames (RFC 6455 section 7.4).
enum WebSocketCloseCodes {
    static let protocolError: UInt16 = 1002
    static let invalidText: UInt16 = 1007
    static let tooLarge: UInt16 = 1009

    /// Returns true when a close frame may carry a code: registered and not reserved, or of a library or application.
    static func mayBeSent(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
