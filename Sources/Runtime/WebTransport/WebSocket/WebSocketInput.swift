import HTTP1

/// The incoming side of a WebSocket: its frame reader, and the bytes that wait while reading is paused.
struct WebSocketInput {
    var reader: WebSocketFrameReader
    /// Bytes that came before reading was paused.
    var unread: [UInt8] = []
    var isPaused = false
    /// The bytes reserved for a message that is arriving, and for `unread`.
    var reservedBytes = 0
    /// The bytes behind a close frame.
    var dropped = DroppedBytes()

    init(role: WebSocketFrameReader.Role, limits: WebSocketLimits) {
        var readerLimits = WebSocketFrameReader.Limits()
        readerLimits.maximumFrameBytes = limits.maximumFrameBytes
        readerLimits.maximumMessageBytes = limits.maximumMessageBytes
        reader = WebSocketFrameReader(role: role, limits: readerLimits)
    }

    /// Ends the pause, and returns the bytes that came before it.
    mutating func resume() -> [UInt8] {
        isPaused = false
        defer { unread = [] }
        return unread
    }
}

/// A count of bytes that a connection reads and drops before it ends, with its limit.
struct DroppedBytes {
    /// The most bytes that are dropped.
    private static let limit = 4 << 20

    private var count = 0

    /// Counts dropped bytes; false when there are too many.
    mutating func add(_ bytes: Int) -> Bool {
        count += bytes
        return count <= Self.limit
    }
}
