import ByteCoding

/// The sender's half of a transfer: returns the chunks of one sealed payload by number.
struct PayloadChunker: Sendable {
    /// The division of the payload into chunks.
    let layout: ChunkLayout

    private let sealed: [UInt8]

    /// Makes a chunker; `layout` must have been made for the length of `sealed`.
    init(sealed: [UInt8], layout: ChunkLayout) {
        precondition(sealed.count == layout.totalBytes, "a layout belongs to one payload")
        self.sealed = sealed
        self.layout = layout
    }

    /// Returns the bytes to write for chunk `sequence`: sequence number, CRC-16/KERMIT of the payload, payload.
    func chunk(_ sequence: Int) -> [UInt8] {
        let range = layout.range(of: sequence)
        var chunk: [UInt8] = []
        chunk.reserveCapacity(ChunkLayout.headerBytes + range.count)
        chunk.appendBigEndian(UInt16(sequence))
        chunk.appendBigEndian(CRC16Kermit.checksum(of: sealed[range]))
        chunk += sealed[range]
        return chunk
    }
}
