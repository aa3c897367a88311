import Compression
import Determinism

/// Receives one sealed payload: puts the chunks together, says what is missing, and opens the whole.
struct PayloadReceiver: Sendable {
    /// The result of receiving one chunk.
    enum PayloadChunkResult: Sendable {
        /// The chunk is new; progress is reported for every sixty-fourth of the payload and at its end.
        case stored(TransferProgress?)
        /// The chunk was received before.
        case known
        /// The chunk was ignored.
        case refused(reason: String)
    }

    /// The content of a transfer report.
    enum ReportContent: Sendable {
        /// These chunks are missing; `count` in all, or nil where nothing is missing and the report requests the last
        /// chunk, so that the wallet requests a report after it.
        case missing(TransferReport, count: Int?)
        /// No chunk is missing: the payload can be opened.
        case complete
        /// More chunks are missing than a transfer goes on with.
        case tooMuchMissing(count: Int, of: Int)
    }

    /// The key that decrypts the payload.
    struct DecryptionKey: Sendable {
        let keys: SessionKeys
        let nonce: [UInt8]
    }

    private let key: DecryptionKey
    private let stallWait: Duration
    private let transferDeadline: MonotonicInstant
    private var assembler: Assembler
    private var stallDeadline: MonotonicInstant
    private var unsolicitedReports: UnsolicitedReports
    /// The number of received bytes at the last report of progress.
    private var notedBytes = 0
    private var repeatedChunkCount = 0
    private var failureFrameCount = 0

    /// Begins a transfer; `isCommand` when the length came without response.
    init(
        layout: ChunkLayout, key: DecryptionKey, isCommand: Bool, configuration: VerifierConfiguration,
        at now: MonotonicInstant
    ) {
        self.key = key
        assembler = Assembler(layout: layout)
        stallWait = configuration.stallWait
        stallDeadline = now + configuration.stallWait
        transferDeadline = now + VerifierConfiguration.transferWait
        unsolicitedReports = UnsolicitedReports(
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

    /// The progress in steps of a sixty-fourth, and at the end; else nil.
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

    /// The answer to the report that the wallet requested.
    mutating func answerRequest(at now: MonotonicInstant) -> ReportContent {
        unsolicitedReports.heard(at: now)
        return answer()
    }

    /// The report for a wallet that has been silent for so long that its request may be lost; nil when none is to be
    /// sent.
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

    /// Opens the payload; call it once, after `complete`.
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
