/// Puts chunks together as a deployed verifier does, with its faults.
struct StockAssembler: Sendable {
    /// The assembler's treatment of a chunk.
    enum StockChunkResult: Hashable, Sendable {
        /// The chunk's bytes were written to their place, over any bytes there.
        case stored
        /// The chunk was ignored silently.
        case dropped
        /// Ignored, and counted as corrupt.
        case corrupt
        /// The chunk points outside the array: an exception on the thread of the transfer.
        case outOfRange
    }

    private let totalBytes: Int
    private let writeBytes: Int
    private var isReceived: [Bool]
    private var received = 0
    private(set) var bytes: [UInt8]
    private(set) var corruptCount = 0

    /// `totalBytes` is at least 1.
    init(totalBytes: Int, writeBytes: Int) {
        self.totalBytes = totalBytes
        self.writeBytes = writeBytes
        bytes = [UInt8](repeating: 0, count: totalBytes)
        isReceived = [Bool](
            repeating: false, count: StockChunker.count(total: totalBytes, writeBytes: writeBytes))
    }

    var chunkCount: Int { isReceived.count }
    var isComplete: Bool { received == isReceived.count }
    var missing: [Int] { isReceived.indices.filter { !isReceived[$0] }.map { $0 + 1 } }

    mutating func take(_ chunk: [UInt8]) -> StockChunkResult {
        guard !isComplete, chunk.count >= 4, chunk.count <= writeBytes else { return .dropped }
        let sequence = Int(Int16(bitPattern: UInt16(chunk[0]) << 8 | UInt16(chunk[1])))
        guard StockChunker.checkValue(of: chunk[4...]) == UInt16(chunk[2]) << 8 | UInt16(chunk[3]) else {
            corruptCount += 1
            return .corrupt
        }
        let start = (sequence - 1) * max(1, writeBytes - 4)
        guard isReceived.indices.contains(sequence - 1), start + chunk.count - 4 <= totalBytes else {
            return .outOfRange
        }
        bytes.replaceSubrange(start..<(start + chunk.count - 4), with: chunk[4...])
        if !isReceived[sequence - 1] { received += 1 }
        isReceived[sequence - 1] = true
        return .stored
    }
}
