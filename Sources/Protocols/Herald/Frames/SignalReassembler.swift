/// Puts the pieces of signal frames of one link together.
///
/// Holds at most one frame, so at most 515 bytes. A frame may come in any pieces; what follows it in the same write
/// begins the next frame. After an error the reassembler is empty, and the next write begins a frame.
public struct SignalReassembler: Hashable, Sendable {
    /// The frames and errors that one write completes.
    public struct ReassembledSignals: Hashable, Sendable {
        /// The frames that it completed, in the order of the wire.
        public var frames: [SignalFrame] = []
        /// The error that made the bytes after them be dropped; nil when none were.
        public var error: HeraldError?
    }

    private var buffer: [UInt8] = []

    /// Makes an empty reassembler.
    public init() {}

    /// The number of bytes of an unfinished frame that wait for the rest.
    public var waitingBytes: Int { buffer.count }

    /// Takes one write; an empty write between frames is a wake.
    public mutating func receive(_ write: [UInt8]) -> ReassembledSignals {
        guard !write.isEmpty else { return ReassembledSignals(frames: buffer.isEmpty ? [.wake] : []) }
        guard write.count <= SignalFrame.maximumBytes else {
            buffer = []
            return ReassembledSignals(error: HeraldError(.frameTooLong, "A write has \(write.count) bytes."))
        }
        buffer += write
        var outcome = ReassembledSignals()
        do throws(HeraldError) {
            try takeFrames(into: &outcome.frames)
        } catch {
            buffer = []
            outcome.error = error
        }
        return outcome
    }

    /// Forgets an unfinished frame.
    ///
    /// - Returns: true when there was one.
    @discardableResult
    public mutating func reset() -> Bool {
        defer { buffer = [] }
        return !buffer.isEmpty
    }

    private mutating func takeFrames(into frames: inout [SignalFrame]) throws(HeraldError) {
        while case .bytes(let count) = try SignalFrame.extent(of: buffer), count <= buffer.count {
            frames.append(try SignalFrame(parsing: Array(buffer[..<count])))
            buffer.removeFirst(count)
        }
    }
}
