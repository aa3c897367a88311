import ByteCoding
import Determinism

/// Sends one sealed payload, and receives the verifier's decision.
///
/// Announces its length, writes the chunks, and repeats the chunks that a report lists as missing.
///
/// An input that does not fit the step has no effect. The configuration comes with each input because a copy of it
/// would be moved with each chunk.
struct PayloadSender: Sendable {
    /// The result of one input for the payload sender.
    enum Result: Sendable {
        /// The transfer continues; the verifier's decision is not known yet.
        case underWay
        /// The verifier sent its decision.
        case decided(VerificationStatus)
        /// The transfer cannot continue, for this error.
        case failed(TuvaliError)
    }

    private enum Step: Sendable {
        /// The wallet waits for the answer to the announced length.
        case announcing
        /// One chunk of the payload is being written.
        case sending
        /// All chunks are written; the wallet waits for the answer to the report request.
        case requestingReport(BackOff, attempt: Int)
        /// The report request failed; the wallet repeats it at the deadline.
        case waitingToRequestReport(BackOff, attempt: Int)
        /// The wallet waits for the verifier's report.
        case awaitingReport(attempt: Int)
        /// The whole payload arrived; the wallet waits for the verifier's decision.
        case awaitingStatus
    }

    private var channel: VerifierLinkState
    private var transfer: OutgoingTransfer
    private var step = Step.announcing
    /// A decision received before the report, since the two may swap; without the report it proves nothing.
    private var earlyStatus: VerificationStatus?

    /// The time at which the parent calls `deadlinePassed`.
    private(set) var deadline: MonotonicInstant

    /// Makes a sender, whose first output announces the length of the payload.
    init(
        _ transfer: OutgoingTransfer, over channel: VerifierLinkState, _ configuration: WalletConfiguration,
        at now: MonotonicInstant, into outputs: inout [WalletSession.Output]
    ) {
        self.transfer = transfer
        self.channel = channel
        deadline = now + configuration.stallWait
        var size: [UInt8] = []
        size.appendBigEndian(UInt32(transfer.chunker.layout.totalBytes))
        outputs.append(channel.write(.responseSize, size, withResponse: true))
    }

    /// The time until which an overdue read of REQUEST_SIZE may still be answered; nil when none is overdue.
    var unansweredUntil: MonotonicInstant? {
        get { channel.unansweredUntil }
        set { channel.unansweredUntil = newValue }
    }

    /// True when the verifier has the whole payload and only its decision is pending.
    var awaitsDecision: Bool {
        switch step {
        case .announcing, .sending, .requestingReport, .waitingToRequestReport, .awaitingReport: false
        case .awaitingStatus: true
        }
    }

    var stage: WalletSession.Stage {
        switch step {
        case .announcing: .announcing
        case .sending: .sending
        case .requestingReport: .requestingReport
        case .waitingToRequestReport: .waitingToRequestReport
        case .awaitingReport: .awaitingReport
        case .awaitingStatus: .awaitingStatus
        }
    }

    mutating func deadlinePassed(
        _ configuration: WalletConfiguration, at now: MonotonicInstant, into outputs: inout [WalletSession.Output]
    ) -> Result {
        switch step {
        case .announcing, .sending, .requestingReport:
            return .failed(TuvaliError(.walletTransferTimeout, "The transfer stood still."))
        case .waitingToRequestReport(let backOff, let attempt):
            requestReport(backOff, attempt: attempt, configuration, at: now, into: &outputs)
        case .awaitingReport(let attempt):
            guard attempt < WalletConfiguration.reportAttempts else {
                return .failed(TuvaliError(.walletReportTimeout, "The verifier sent no report."))
            }
            requestReport(
                BackOff(WalletConfiguration.reportRequestBackOff), attempt: attempt + 1, configuration, at: now,
                into: &outputs)
        case .awaitingStatus:
            let reason = "Everything arrived, but the verifier did not decide in time."
            return .failed(TuvaliError(.walletStatusTimeout, reason))
        }
        return .underWay
    }

    // MARK: - Writes

    mutating func written(
        _ characteristic: TuvaliCharacteristic, _ configuration: WalletConfiguration, at now: MonotonicInstant,
        into outputs: inout [WalletSession.Output]
    ) {
        switch step {
        case .announcing:
            if characteristic == .responseSize { sendNext(configuration, at: now, into: &outputs) }
        case .sending:
            guard characteristic == .submitResponse else { return }
            outputs.append(.event(.progress(transfer.progress)))
            sendNext(configuration, at: now, into: &outputs)
        case .requestingReport(_, let attempt):
            guard characteristic == .reportRequest else { return }
            enter(.awaitingReport(attempt: attempt), until: now + configuration.reportWait)
        case .waitingToRequestReport, .awaitingReport, .awaitingStatus: break
        }
    }

    mutating func writeFailed(
        _ characteristic: TuvaliCharacteristic, at now: MonotonicInstant
    ) -> Result {
        switch step {
        case .announcing:
            return characteristic == .responseSize ? .failed(.refusedWrite(of: characteristic)) : .underWay
        case .sending:
            return characteristic == .submitResponse ? .failed(.refusedWrite(of: characteristic)) : .underWay
        case .requestingReport(var backOff, let attempt):
            guard characteristic == .reportRequest else { return .underWay }
            guard let wait = backOff.next() else {
                let reason = "The report request could not be written."
                return .failed(TuvaliError(.walletReportRequestFailed, reason))
            }
            enter(.waitingToRequestReport(backOff, attempt: attempt), until: now + wait)
            return .underWay
        case .waitingToRequestReport, .awaitingReport, .awaitingStatus: return .underWay
        }
    }

    private mutating func sendNext(
        _ configuration: WalletConfiguration, at now: MonotonicInstant, into outputs: inout [WalletSession.Output]
    ) {
        guard let chunk = transfer.next() else {
            return requestReport(
                BackOff(WalletConfiguration.reportRequestBackOff), attempt: 1, configuration, at: now, into: &outputs)
        }
        enter(.sending, until: now + configuration.stallWait)
        let isConfirmed =
            transfer.failureFrameCount >= WalletConfiguration.confirmedFailureFrame && !transfer.isLastChunkUnlisted
        outputs.append(
            channel.write(.submitResponse, chunk, withResponse: isConfirmed || transfer.isLastChunkVital))
    }

    private mutating func requestReport(
        _ backOff: BackOff, attempt: Int, _ configuration: WalletConfiguration, at now: MonotonicInstant,
        into outputs: inout [WalletSession.Output]
    ) {
        enter(.requestingReport(backOff, attempt: attempt), until: now + configuration.stallWait)
        outputs.append(channel.write(.reportRequest, [1], withResponse: true))
    }

    // MARK: - Values that the verifier pushes

    mutating func receivedReport(
        _ value: [UInt8], _ configuration: WalletConfiguration, at now: MonotonicInstant,
        into outputs: inout [WalletSession.Output]
    ) -> Result {
        switch step {
        case .requestingReport, .awaitingReport: break
        case .announcing, .sending, .waitingToRequestReport, .awaitingStatus: return .underWay
        }
        guard let report = try? TransferReport(parsing: value) else {
            let reason = "The verifier sent a report that cannot be read."
            return .failed(TuvaliError(.walletReportMalformed, reason))
        }
        switch report {
        case .success: return arrived(configuration, at: now, into: &outputs)
        case .missing(let numbers, let pageCount):
            return sendAgain(numbers, of: Int(pageCount), configuration, at: now, into: &outputs)
        }
    }

    mutating func receivedStatus(
        _ status: VerificationStatus, into outputs: inout [WalletSession.Output]
    ) -> Result {
        switch step {
        case .announcing, .sending, .waitingToRequestReport: return .underWay
        case .requestingReport, .awaitingReport:
            earlyStatus = status
            return .underWay
        case .awaitingStatus:
            outputs.append(.event(.status(status)))
            return .decided(status)
        }
    }

    private mutating func arrived(
        _ configuration: WalletConfiguration, at now: MonotonicInstant, into outputs: inout [WalletSession.Output]
    ) -> Result {
        enter(.awaitingStatus, until: now + WalletConfiguration.statusWait)
        outputs.append(.event(.sent(transfer.summary)))
        return earlyStatus.map { receivedStatus($0, into: &outputs) } ?? .underWay
    }

    /// Sends the chunks that a report lists as missing.
    ///
    /// No further page can be asked for. Where the retries that are left might not suffice for a page each, what stands
    /// behind the first page is sent too, by write commands, because most of it has arrived.
    private mutating func sendAgain(
        _ numbers: [UInt16], of pageCount: Int, _ configuration: WalletConfiguration, at now: MonotonicInstant,
        into outputs: inout [WalletSession.Output]
    ) -> Result {
        guard numbers.allSatisfy({ (1...transfer.chunker.layout.chunkCount).contains(Int($0)) }) else {
            let reason = "The verifier asks for a chunk that does not exist."
            return .failed(TuvaliError(.walletReportOutOfRange, reason))
        }
        guard transfer.failureFrameCount < configuration.failureFrameLimit else {
            let reason =
                "Chunks were still missing after they had been sent again \(configuration.failureFrameLimit) times."
            return .failed(TuvaliError(.walletTooManyFailureFrames, reason))
        }
        let retriesLeft = configuration.failureFrameLimit - transfer.failureFrameCount
        transfer.beginFailureFrame(numbers, sendsRest: pageCount > 1 && pageCount > retriesLeft / 2)
        outputs.append(.event(.failureFrame(number: transfer.failureFrameCount, missing: numbers.count)))
        sendNext(configuration, at: now, into: &outputs)
        return .underWay
    }

    private mutating func enter(_ step: Step, until deadline: MonotonicInstant) {
        self.step = step
        self.deadline = deadline
    }
}
