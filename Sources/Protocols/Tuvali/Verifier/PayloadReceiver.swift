import Compression
import Determinism

/// Receives one sealed payload: assembles the chunks, reports missing ones, and decrypts the whole.
struct PayloadReceiver: Sendable {
    /// The result of receiving one chunk.
    enum PayloadChunkResult: Sendable {
        /// The chunk is new; progress is set for every sixty-fourth of the payload and at its end.
        case stored(TransferProgress?)
        /// The chunk was received before.
        case known
        /// The chunk was ignored.
        case refused(reason: String)
    }

    /// The content of a transfer report.
    enum ReportContent: Sendable {
        /// A report of missing chunks, `count` in all; nil when it only requests the last chunk again.
        ///
        /// Then nothing is missing, and the wallet requests a report after that chunk.
        case missing(TransferReport, count: Int?)
        /// No chunk is missing: the payload can be opened.
        case complete
        /// More chunks are missing than the limit of a transfer allows.
        case tooMuchMissing(count: Int, of: Int)
    }

    /// The key and nonce that decrypt the payload.
    struct DecryptionKey: Sendable {
        let keys: SessionKeys
        let nonce: [UInt8]
    }

    private let key: DecryptionKey
    private let stallWait: Duration
    private let transferDeadline: MonotonicInstant
    private var assembler: ChunkAssembler
    private var stallDeadline: MonotonicInstant
    private var unsolicitedReports: UnsolicitedTransferReports
    /// The number of received bytes at the last progress report.
    private var notedBytes = 0
    private var repeatedChunkCount = 0
    private var failureFrameCount = 0

    /// Begins to receive a payload; `isCommand` when its length came in a write without response.
    init(
        layout: ChunkLayout, key: DecryptionKey, isCommand: Bool, configuration: VerifierConfiguration,
        at now: MonotonicInstant
    ) {
        self.key = key
        assembler = ChunkAssembler(layout: layout)
        stallWait = configuration.stallWait
        stallDeadline = now + configuration.stallWait
        transferDeadline = now + VerifierConfiguration.transferWait
        unsolicitedReports = UnsolicitedTransferReports(
            limit: isCommand ? configuration.unsolicitedReportLimit : 0,
            wait: VerifierConfiguration.unsolicitedReportWait)
    }

    /// The time at which a report is sent without a request, or the transfer has stalled for too long.
    var nextDeadline: MonotonicInstant {
        let deadline = min(stallDeadline, transferDeadline)
        return unsolicitedReports.deadline.map { min($0, deadline) } ?? deadline
    }

    /// Returns true when no new chunk came in time, or the whole transfer takes too long.
    func hasStalled(at now: MonotonicInstant) -> Bool { now >= stallDeadline || now >= transferDeadline }

    // MARK: - Chunks

    mutating func take(_ chunk: [UInt8], at now: MonotonicInstant) -> PayloadChunkResult {
        unsolicitedReports.heard(at: now)
        switch assembler.take(chunk) {
        case .stored:
            stallDeadline = now + stallWait
            return .stored(progress())
        case .surplus: return .known
        case .duplicate:
            repeatedChunkCount += 1
            return .known
        case .corrupt: return .refused(reason: "A chunk's check value is wrong.")
        case .contradicted: return .refused(reason: "Two chunks of one number differ.")
        case .malformed: return .refused(reason: "A chunk has a number or a length that cannot be.")
        }
    }

    /// Returns the progress at each sixty-fourth of the payload and at its end; else nil.
    private mutating func progress() -> TransferProgress? {
        let bytes = assembler.receivedBytes
        let total = assembler.layout.totalBytes
        guard bytes - notedBytes >= total / 64 || bytes == total else { return nil }
        notedBytes = bytes
        return TransferProgress(bytes: bytes, totalBytes: total)
    }

    // MARK: - Reports

    /// Stops unsolicited reports until the wallet falls silent again, because it has requested a report.
    mutating func reportRequested() { unsolicitedReports.stop() }

    /// Returns the answer to a report request of the wallet.
    mutating func answerRequest(at now: MonotonicInstant) -> ReportContent {
        unsolicitedReports.heard(at: now)
        return answer()
    }

    /// Returns an unsolicited report for a wallet whose request may be lost after long silence; nil when none is due.
    ///
    /// While too much is missing, the request would end the session; its absence does not. A success is never reported
    /// without a request, because a wallet whose request is merely late does not listen yet to the report, nor to the
    /// status that follows: the last chunk is asked for once more, and the wallet's request comes after it.
    mutating func unsolicitedReport(at now: MonotonicInstant) -> ReportContent? {
        guard let deadline = unsolicitedReports.deadline, now >= deadline else { return nil }
        unsolicitedReports.stop()
        guard !assembler.isMostlyMissing else { return nil }
        unsolicitedReports.sent(at: now)
        guard assembler.isComplete else { return answer() }
        failureFrameCount += 1
        return .missing(.missing([UInt16(assembler.layout.chunkCount)], pageCount: 1), count: nil)
    }

    private mutating func answer() -> ReportContent {
        let missingCount = assembler.missingCount
        guard missingCount > 0 else { return .complete }
        guard !assembler.isMostlyMissing else {
            return .tooMuchMissing(count: missingCount, of: assembler.layout.chunkCount)
        }
        failureFrameCount += 1
        let mtu = assembler.layout.writeBytes + 3
        let missing = assembler.missing(limit: TransferReport.pageSize(mtu: mtu))
        return .missing(.missing(missing, of: missingCount, mtu: mtu), count: missingCount)
    }

    // MARK: - The end

    /// Decrypts the payload; called once, after `complete`.
    mutating func open(
        limits: Gzip.Limits
    ) throws(SealedPayload.OpeningFailure) -> (payload: [UInt8], summary: TransferSummary) {
        let sealed = assembler.takeSealed()
        let payload = try SealedPayload.open(sealed, key: key.keys.verifier, nonce: key.nonce, limits: limits)
        let summary = TransferSummary(
            payloadBytes: payload.count, sealedBytes: sealed.count, chunkCount: assembler.layout.chunkCount,
            corruptChunkCount: assembler.corruptCount, repeatedChunkCount: repeatedChunkCount,
            failureFrameCount: failureFrameCount)
        return (payload, summary)
    }
}
