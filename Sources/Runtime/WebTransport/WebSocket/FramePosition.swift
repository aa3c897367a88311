/// The position of received bytes in their WebSocket message.
public struct FramePosition: Hashable, Sendable {
    /// Whether the message begins with them.
    public let isFirst: Bool
    /// Whether the message ends with them.
    public let isLast: Bool
    /// Whether the message is of bytes rather than text.
    public let isBinary: Bool
    /// How many bytes of the frame are still to come.
    public let restOfFrameBytes: Int

    /// Makes a frame position from its parts.
    public init(isFirst: Bool, isLast: Bool, isBinary: Bool, restOfFrameBytes: Int) {
        self.isFirst = isFirst
        self.isLast = isLast
        self.isBinary = isBinary
        self.restOfFrameBytes = restOfFrameBytes
    }
}
