import ByteCoding
import Determinism

// From the user's consent to the verifier's decision.
extension WalletSession {
    mutating func announce(_ sealedBytes: Int, at now: MonotonicInstant, into outputs: inout [Output]) {
        enter(.announcing, until: now + configuration.stallWait)
        var size: [UInt8] = []
        size.appendBigEndian(UInt32(sealedBytes))
        write(.responseSize, size, withResponse: true, into: &outputs)
    }

    mutating func written(
        _ characteristic: TuvaliCharacteristic, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        switch (phase, characteristic) {
        case (.identifying, .identify): identified(at: now, into: &outputs)
        case (.announcing, .responseSize): sendNext(at: now, into: &outputs)
        case (.sending, .submitResponse):
            if let progress = transfer?.progress { outputs.append(.note(.progress(progress))) }
            sendNext(at: now, into: &outputs)
        case (.requestingReport(_, let attempt), .reportRequest):
            enter(.awaitingReport(attempt: attempt), until: now + configuration.reportWait)
        default: break
        }
    }

    mutating func writeFailed(
        _ characteristic: TuvaliCharacteristic, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        switch (phase, characteristic) {
        case (.identifying, .identify), (.announcing, .responseSize), (.sending, .submitResponse):
            let error = TuvaliError(.walletWriteFailed, "The verifier refused a write of \(characteristic.rawValue).")
            fail(error, at: now, into: &outputs)
        case (.requestingReport(var backOff, let attempt), .reportRequest):
            guard let wait = backOff.next() else {
                let error = TuvaliError(.walletReportRequestFailed, "The report request could not be written.")
                return fail(error, at: now, into: &outputs)
            }
            enter(.waitingToRequestReport(backOff, attempt: attempt), until: now + wait)
        default: break
        }
    }

    private mutating func sendNext(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard let chunk = transfer?.next() else {
            return requestReport(BackOff(configuration.reportRequestBackOff), attempt: 1, at: now, into: &outputs)
        }
        enter(.sending, until: now + configuration.stallWait)
        let isConfirmed = (transfer?.failureFrameCount ?? 0) >= configuration.confirmedFailureFrame
        write(
            .submitResponse, chunk, withResponse: isConfirmed || transfer?.isLastChunkVital == true, into: &outputs)
    }

    mutating func requestReport(
        _ backOff: BackOff, attempt: Int, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        enter(.requestingReport(backOff, attempt: attempt), until: now + configuration.stallWait)
        write(.reportRequest, [1], withResponse: true, into: &outputs)
    }

    mutating func received(
        _ characteristic: TuvaliCharacteristic, _ value: [UInt8], at now: MonotonicInstant,
        into outputs: inout [Output]
    ) {
        switch characteristic {
        case .reportResponse: receivedReport(value, at: now, into: &outputs)
        case .verificationStatus:
            guard let status = VerificationStatus(parsing: value) else { return }
            receivedStatus(status, at: now, into: &outputs)
        case .disconnect:
            guard value.first == 1 else { return }
            peerEnded(at: now, into: &outputs)
        case .identify, .requestSize, .request, .responseSize, .submitResponse, .reportRequest: break
        }
    }

    private mutating func receivedReport(
        _ value: [UInt8], at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        switch phase {
        case .requestingReport, .awaitingReport: break
        default: return
        }
        let report: TransferReport
        do {
            report = try TransferReport(parsing: value)
        } catch {
            let error = TuvaliError(.walletReportMalformed, "The verifier sent a report that cannot be read.")
            return fail(error, at: now, into: &outputs)
        }
        switch report {
        case .success: arrived(at: now, into: &outputs)
        case .missing(let numbers, _): sendAgain(numbers, at: now, into: &outputs)
        }
    }

    private mutating func arrived(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard let transfer else { return }
        enter(.awaitingStatus, until: now + configuration.statusWait)
        outputs.append(.note(.sent(transfer.summary)))
        if let earlyStatus { receivedStatus(earlyStatus, at: now, into: &outputs) }
    }

    private mutating func sendAgain(
        _ numbers: [UInt16], at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard var transfer else { return }
        guard numbers.allSatisfy({ (1...transfer.chunker.layout.chunkCount).contains(Int($0)) }) else {
            let error = TuvaliError(.walletReportOutOfRange, "The verifier asks for a chunk that does not exist.")
            return fail(error, at: now, into: &outputs)
        }
        guard transfer.failureFrameCount < configuration.failureFrameLimit else {
            let error = TuvaliError(
                .walletTooManyFailureFrames,
                "Chunks were still missing after they had been sent again \(configuration.failureFrameLimit) times.")
            return fail(error, at: now, into: &outputs)
        }
        transfer.beginFailureFrame(numbers)
        self.transfer = transfer
        outputs.append(.note(.failureFrame(number: transfer.failureFrameCount, missing: numbers.count)))
        sendNext(at: now, into: &outputs)
    }

    private mutating func receivedStatus(
        _ status: VerificationStatus, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        switch phase {
        case .awaitingStatus:
            outputs.append(.note(.status(status)))
            close(.completed(status), at: now, into: &outputs)
        case .requestingReport, .awaitingReport:
            // Report and status may swap on the way; alone, a status proves nothing.
            earlyStatus = status
        default: break
        }
    }
}
