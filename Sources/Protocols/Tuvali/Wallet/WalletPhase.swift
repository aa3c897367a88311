import Bluetooth
import Determinism

extension WalletSession {
    /// Where a session is; each case holds what exists only then.
    enum Phase: Sendable {
        /// Nothing has begun.
        case idle
        /// Advertisers are heard; none was the right one so far.
        case scanning
        /// A connection has been asked for.
        case connecting
        /// The link is up; an exchange is owed an answer, and its time for the value at `index` of the list runs.
        case exchangingMTU(index: Int)
        /// The MTU is known; the list of characteristics is owed.
        case discovering(BackOff)
        /// A discovery failed; the next is due at the deadline.
        case waitingToDiscover(BackOff)
        /// The characteristics are there; the radio is asked for their values.
        case subscribing
        /// Our key is on its way.
        case identifying
        /// The verifier has our key; the user is asked.
        case ready
        /// The length is on its way.
        case announcing
        /// Chunks are going out; one write is under way.
        case sending
        /// All chunks are out; a report is asked for.
        case requestingReport(BackOff, attempt: Int)
        /// Asking failed; the next attempt is due at the deadline.
        case waitingToRequestReport(BackOff, attempt: Int)
        /// The report is owed.
        case awaitingReport(attempt: Int)
        /// Everything arrived; the verifier's decision is owed.
        case awaitingStatus
        /// The link is going down; then the session ends so.
        case closing(SessionEnding)
        /// The session has ended.
        case closed
    }

    /// What is known of the payload on its way.
    struct OutgoingTransfer: Sendable {
        let chunker: Chunker
        let payloadBytes: Int
        /// The sequence numbers of the present failure frame; empty in the first pass, when all are sent in order.
        var resend: [UInt16] = []
        /// How many chunks of the present pass have been handed out.
        var position = 0
        /// Sealed bytes that arrived as far as reports told, before the present pass.
        var settledBytes = 0
        /// Sealed bytes handed out in the present pass.
        var passBytes = 0
        var repeatedChunkCount = 0
        var failureFrameCount = 0

        init(chunker: Chunker, payloadBytes: Int) {
            self.chunker = chunker
            self.payloadBytes = payloadBytes
        }

        /// The next chunk of the present pass, or nil at its end.
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

        /// Whether the chunk handed out last must not be lost: the last of a transfer of up to three.
        ///
        /// A verifier gives up when more than seven tenths are missing; of so few chunks a single lost command may be
        /// that. With one of three safe, at most two thirds can be.
        var isLastChunkVital: Bool {
            guard chunker.layout.chunkCount <= 3 else { return false }
            return position == (failureFrameCount == 0 ? chunker.layout.chunkCount : resend.count)
        }

        /// Begins a failure frame of `missing`, all of which are from 1 to the number of chunks.
        mutating func beginFailureFrame(_ missing: [UInt16]) {
            let missingBytes = missing.reduce(0) { $0 + chunker.layout.range(of: Int($1)).count }
            settledBytes = max(0, chunker.layout.totalBytes - missingBytes)
            resend = missing
            position = 0
            passBytes = 0
            failureFrameCount += 1
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
}
