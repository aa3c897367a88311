/// One message of a WebSocket, whole.
public enum WebSocketMessage: Hashable, Sendable {
    /// A text message: the bytes of its UTF-8, which a sender does not check.
    case text([UInt8])
    /// A binary message.
    case binary([UInt8])

    /// Makes a text message.
    public static func text(_ text: String) -> WebSocketMessage { .text(Array(text.utf8)) }

    /// The bytes of a text or binary message.
    public var bytes: [UInt8] {
        switch self {
        case .text(let bytes), .binary(let bytes): bytes
        }
    }

    /// The length on the wire, without framing.
    public var sizeBytes: Int { bytes.count }
}

/// The reason for closing a WebSocket: the status in its close frame (RFC 6455, section 7.4).
public struct WebSocketCloseCode: RawRepresentable, Hashable, Sendable {
    /// 1000…1003, 1007…1014, or 3000…4999 for libraries and applications.
    public let rawValue: UInt16

    /// Takes any number; one that must not be sent is sent as 1000.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The purpose of the connection is fulfilled.
    public static let normal = WebSocketCloseCode(rawValue: 1000)
    /// The server ends, or the page is left.
    public static let goingAway = WebSocketCloseCode(rawValue: 1001)
    /// A rule of the protocol was broken.
    public static let protocolError = WebSocketCloseCode(rawValue: 1002)
    /// The message is of a kind that cannot be accepted.
    public static let unsupported = WebSocketCloseCode(rawValue: 1003)
    /// The text is not UTF-8.
    public static let invalidText = WebSocketCloseCode(rawValue: 1007)
    /// The message is not allowed.
    public static let policy = WebSocketCloseCode(rawValue: 1008)
    /// The message is too large.
    public static let tooLarge = WebSocketCloseCode(rawValue: 1009)
    /// The server is overloaded; the client may retry later.
    public static let tryAgainLater = WebSocketCloseCode(rawValue: 1013)

    /// True when a close frame may carry the code.
    var isSendable: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
