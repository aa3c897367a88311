/// Puts the pieces of a peer's messages together.
public struct MessageAssembler {
    /// The result of a piece.
    public enum Result: Hashable, Sendable {
        /// The message is not complete.
        case incomplete
        /// A message is whole.
        case message(WebSocketMessage)
        /// The connection must be closed for this reason.
        case violation(WebSocketCloseCode, WebError.Code)
    }

    /// The limits of messages and frames.
    public let limits: WebSocketLimits
    private var bytes: [UInt8] = []
    private var isBinary = false
    private var isOpen = false

    /// Makes an assembler that waits for the first piece of a message.
    public init(limits: WebSocketLimits) { self.limits = limits }

    /// How many bytes wait for the rest of their message; never more than the limit of a message.
    public var pendingBytes: Int { bytes.count }

    /// Takes the next piece; nothing is taken after a violation.
    public mutating func take(_ piece: [UInt8], _ position: FramePosition) -> Result {
        guard position.isFirst != isOpen else { return .violation(.protocolError, .socketViolation) }
        let (frameBytes, overflow) = piece.count.addingReportingOverflow(position.restOfFrameBytes)
        guard !overflow, position.restOfFrameBytes >= 0, frameBytes <= limits.maximumFrameBytes,
            frameBytes <= limits.maximumMessageBytes - bytes.count
        else { return .violation(.tooLarge, .messageTooLarge) }
        if position.isFirst { isBinary = position.isBinary }
        bytes += piece
        isOpen = !position.isLast
        guard position.isLast else { return .incomplete }
        defer { bytes = [] }
        if isBinary { return .message(.binary(bytes)) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return .violation(.invalidText, .socketViolation)
        }
        return .message(.text(text))
    }
}
