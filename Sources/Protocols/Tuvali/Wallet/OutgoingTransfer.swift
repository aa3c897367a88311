/// The state of one sealed payload's transfer in passes.
///
/// All chunks once, then what reports say is missing.
struct OutgoingTransfer: Sendable {
    let chunker: PayloadChunker

    /// The number of failure frames, which are passes that send only missing chunks.
    private(set) var failureFrameCount = 0

    private let payloadBytes: Int
    /// The sequence numbers to send in the present failure frame; empty in the first pass, which sends all in order.
    private var resend: [UInt16] = []
    /// The number of chunks of `resend` that a report lists as missing; the chunks behind them may be missing too.
    private var listedCount = 0
    /// The number of chunks of the present pass that were sent.
    private var position = 0
    /// The number of sealed bytes that arrived according to the reports, before the present pass.
    private var settledBytes = 0
    /// The number of sealed bytes sent in the present pass.
    private var passBytes = 0
    private var repeatedChunkCount = 0

    init(chunker: PayloadChunker, payloadBytes: Int) {
        self.chunker = chunker
        self.payloadBytes = payloadBytes
    }

    /// Returns the next chunk of the present pass; nil at its end.
    mutating func next() -> [UInt8]? {
        let isFirstPass = failureFrameCount == 0
        guard position < (isFirstPass ? chunker.layout.chunkCount : resend.count) else { return nil }
        let sequence = isFirstPass ? position + 1 : Int(resend[position])
        position += 1
        let chunk = chunker.chunk(sequence)
        passBytes += chunk.count - ChunkLayout.headerBytes
        if !isFirstPass { repeatedChunkCount += 1 }
        return chunk
    }

    /// True when the chunk sent last must not be lost: the last of a transfer of up to three.
    ///
    /// A verifier gives up when more than seven tenths are missing; of so few chunks a single lost command may be
    /// that. With one of three safe, at most two thirds can be.
    var isLastChunkVital: Bool {
        guard chunker.layout.chunkCount <= 3 else { return false }
        return position == (failureFrameCount == 0 ? chunker.layout.chunkCount : resend.count)
    }

    /// True when no report lists the chunk sent last as missing.
    var isLastChunkUnlisted: Bool { failureFrameCount > 0 && position > listedCount }

    /// Begins a failure frame that sends the chunks of `missing`, all of them from 1 to the number of chunks.
    ///
    /// - Parameter sendsRest: sends what follows the last of them too.
    mutating func beginFailureFrame(_ missing: [UInt16], sendsRest: Bool) {
        listedCount = missing.count
        let missing = missing + (sendsRest ? rest(behind: missing) : [])
        let missingBytes = missing.reduce(0) { $0 + chunker.layout.range(of: Int($1)).count }
        settledBytes = max(0, chunker.layout.totalBytes - missingBytes)
        resend = missing
        position = 0
        passBytes = 0
        failureFrameCount += 1
    }

    private func rest(behind missing: [UInt16]) -> [UInt16] {
        guard let last = missing.max(), Int(last) < chunker.layout.chunkCount else { return [] }
        return Array(last + 1...UInt16(chunker.layout.chunkCount))
    }

    var progress: TransferProgress {
        TransferProgress(
            bytes: min(chunker.layout.totalBytes, settledBytes + passBytes), totalBytes: chunker.layout.totalBytes)
    }

    var summary: TransferSummary {
        TransferSummary(
            payloadBytes: payloadBytes, sealedBytes: chunker.layout.totalBytes,
            chunkCount: chunker.layout.chunkCount, repeatedChunkCount: repeatedChunkCount,
            failureFrameCount: failureFrameCount)
    }
}
