import ByteCoding

/// The receiver's half of a transfer: accepts chunks in any order and any number of times.
///
/// Memory: the announced length, which the caller has checked against its limit; pages that no chunk has reached stay
/// untouched.
struct ChunkAssembler: Sendable {
    /// The result of receiving one chunk.
    enum ChunkAssemblyResult: Hashable, Sendable {
        /// The chunk was new, and is stored.
        case stored
        /// The chunk repeats bytes that are stored already.
        case duplicate
        /// The chunk contradicts the stored bytes; both are dropped, and the chunk counts as missing again.
        case contradicted
        /// The chunk came after all chunks had been received.
        case surplus
        /// The chunk is shorter than its header, of the wrong length for its number, or its number is out of range.
        case malformed
        /// The chunk's check value does not match its payload.
        case corrupt
    }

    /// The division of the payload into chunks.
    let layout: ChunkLayout

    /// The number of chunks received.
    private(set) var receivedCount = 0

    /// The number of received chunks that were corrupt or contradicted stored bytes.
    private(set) var corruptCount = 0

    private var received: [Bool]
    private var buffer: [UInt8] = []

    /// Makes an assembler that has received nothing.
    init(layout: ChunkLayout) {
        self.layout = layout
        received = Array(repeating: false, count: layout.chunkCount)
        buffer.reserveCapacity(layout.totalBytes)
    }

    /// The number of missing chunks.
    var missingCount: Int { layout.chunkCount - receivedCount }

    /// True when no chunk is missing.
    var isComplete: Bool { missingCount == 0 }

    /// The number of payload bytes received, for progress.
    var receivedBytes: Int {
        let lastIsThere = received.last == true
        let lastBytes = layout.range(of: layout.chunkCount).count
        return (receivedCount - (lastIsThere ? 1 : 0)) * layout.payloadBytes + (lastIsThere ? lastBytes : 0)
    }

    /// True when more than seven tenths of the chunks are missing, at which a transfer fails.
    var isMostlyMissing: Bool { missingCount * 10 > layout.chunkCount * 7 }

    /// Returns the sequence numbers of missing chunks in ascending order, at most `limit`.
    func missing(limit: Int) -> [UInt16] {
        var numbers: [UInt16] = []
        for index in received.indices where !received[index] {
            if numbers.count == limit { break }
            numbers.append(UInt16(index + 1))
        }
        return numbers
    }

    /// Receives one chunk: a value written to the submit characteristic.
    mutating func take(_ chunk: [UInt8]) -> ChunkAssemblyResult {
        guard !isComplete else { return .surplus }
        guard chunk.count > ChunkLayout.headerBytes else { return .malformed }
        let sequence = Int(chunk[0]) << 8 | Int(chunk[1])
        guard (1...layout.chunkCount).contains(sequence) else { return .malformed }
        let range = layout.range(of: sequence)
        guard chunk.count == ChunkLayout.headerBytes + range.count else { return .malformed }
        let check = CRC16Kermit.checksum(of: chunk.span.extracting(ChunkLayout.headerBytes..<chunk.count))
        guard check == UInt16(chunk[2]) << 8 | UInt16(chunk[3]) else {
            corruptCount += 1
            return .corrupt
        }
        return store(chunk[ChunkLayout.headerBytes...], sequence: sequence, range: range)
    }

    /// Returns the whole sealed payload and releases its buffer; called once, when complete.
    mutating func takeSealed() -> [UInt8] {
        precondition(isComplete, "an incomplete payload is never taken")
        defer { buffer = [] }
        return buffer
    }

    private mutating func store(_ payload: ArraySlice<UInt8>, sequence: Int, range: Range<Int>) -> ChunkAssemblyResult {
        if received[sequence - 1] {
            if buffer[range] == payload { return .duplicate }
            received[sequence - 1] = false
            receivedCount -= 1
            corruptCount += 1
            return .contradicted
        }
        if range.lowerBound == buffer.count {
            buffer += payload
        } else {
            if range.upperBound > buffer.count {
                buffer += repeatElement(0, count: range.upperBound - buffer.count)
            }
            buffer.replaceSubrange(range, with: payload)
        }
        received[sequence - 1] = true
        receivedCount += 1
        return .stored
    }
}
