import Bluetooth
import ByteCoding
import Determinism

// What a wallet writes, from the length to the report.
extension VerifierSession {
    mutating func written(
        _ characteristic: TuvaliCharacteristic, _ value: [UInt8], isCommand: Bool, of profile: WireProfile,
        on link: LinkID, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard let boundLink else {
            guard case .advertising = phase, links.contains(where: { $0.link == link && !$0.isRefused }) else { return }
            guard characteristic == .identify else { return outOfTurn(characteristic, into: &outputs) }
            return identify(value, of: profile, on: link, at: now, into: &outputs)
        }
        guard link == boundLink else {
            let reason = "Another device wrote \(characteristic.rawValue) into the session."
            return refuse(TuvaliError(.verifierForeignLink, reason), into: &outputs)
        }
        switch characteristic {
        case .responseSize: announced(value, isCommand: isCommand, on: link, at: now, into: &outputs)
        case .submitResponse: submitted(value, at: now, into: &outputs)
        case .reportRequest: reportRequested(value, isCommand: isCommand, on: link, at: now, into: &outputs)
        case .identify: outOfTurn(characteristic, into: &outputs)
        case .requestSize, .request, .reportResponse, .verificationStatus, .disconnect: break
        }
    }

    private mutating func outOfTurn(_ characteristic: TuvaliCharacteristic, into outputs: inout [Output]) {
        refuse(TuvaliError(.verifierOutOfTurn, "\(characteristic.rawValue) came out of turn."), into: &outputs)
    }

    private mutating func announced(
        _ value: [UInt8], isCommand: Bool, on link: LinkID, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard case .awaitingSize = phase else { return outOfTurn(.responseSize, into: &outputs) }
        var reader = ByteReader(value)
        guard let announced = reader.bigEndian(UInt32.self) else {
            let reason = "A length has four bytes, this one \(value.count)."
            return fail(TuvaliError(.verifierSizeMalformed, reason), at: now, into: &outputs)
        }
        guard announced > 0 else {
            return fail(TuvaliError(.verifierSizeZero, "The wallet announced nothing."), at: now, into: &outputs)
        }
        let mtu = mtu(of: link)
        guard ChunkLayout.writeBytes(mtu: mtu) >= ChunkLayout.smallestWriteBytes else {
            return refuseMTU(mtu, at: now, into: &outputs)
        }
        guard announced <= UInt32(clamping: configuration.maximumSealedBytes),
            let layout = ChunkLayout(totalBytes: Int(announced), mtu: mtu)
        else {
            let reason = "The wallet announced \(announced) bytes; \(configuration.maximumSealedBytes) are allowed."
            return fail(TuvaliError(.verifierSizeTooLarge, reason), at: now, into: &outputs)
        }
        assembler = Assembler(layout: layout)
        unsolicitedReports = UnsolicitedReports(
            limit: isCommand ? configuration.unsolicitedReportLimit : 0, wait: configuration.unsolicitedReportWait)
        transferDeadline = now + configuration.transferWait
        enter(.receiving(link), until: now + configuration.stallWait)
        outputs.append(.note(.announced(sealedBytes: layout.totalBytes, chunkCount: layout.chunkCount)))
    }

    private mutating func submitted(_ value: [UInt8], at now: MonotonicInstant, into outputs: inout [Output]) {
        switch phase {
        case .receiving: unsolicitedReports.silenceBegins(at: now)
        case .awaitingSize:
            // A length that was lost never comes again; one that is late is still taken.
            if !isSizeLate, let phaseDeadline {
                isSizeLate = true
                self.phaseDeadline = min(phaseDeadline, now + configuration.lateSizeWait)
            }
            return outOfTurn(.submitResponse, into: &outputs)
        case .deciding, .concluding: return
        default: return outOfTurn(.submitResponse, into: &outputs)
        }
        guard let verdict = assembler?.take(value) else { return }
        switch verdict {
        case .stored:
            phaseDeadline = now + configuration.stallWait
            tellProgress(into: &outputs)
        case .surplus: break
        case .duplicate: repeatedChunkCount += 1
        case .corrupt: refuse(TuvaliError(.verifierBadChunk, "A chunk's check value is wrong."), into: &outputs)
        case .contradicted:
            refuse(TuvaliError(.verifierBadChunk, "Two chunks of one number differ."), into: &outputs)
        case .malformed:
            let reason = "A chunk has a number or a length that cannot be."
            refuse(TuvaliError(.verifierBadChunk, reason), into: &outputs)
        }
    }

    /// Tells how far the transfer is in steps of a sixty-fourth, and its end.
    private mutating func tellProgress(into outputs: inout [Output]) {
        guard let bytes = assembler?.receivedBytes, let total = assembler?.layout.totalBytes,
            bytes - toldBytes >= total / 64 || bytes == total
        else { return }
        toldBytes = bytes
        outputs.append(.note(.progress(TransferProgress(bytes: bytes, totalBytes: total))))
    }

    /// Deployed Android wallets ask with a command, and listen for the report only once that was sent: their answer waits.
    private mutating func reportRequested(
        _ value: [UInt8], isCommand: Bool, on link: LinkID, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard value.first == 1 else { return }
        unsolicitedReports.stop()
        guard isCommand, configuration.commandReportDelay > .zero else {
            return answerReportRequest(on: link, at: now, into: &outputs)
        }
        if heldReportDeadline == nil { heldReportDeadline = now + configuration.commandReportDelay }
    }

    mutating func answerReportRequest(on link: LinkID, at now: MonotonicInstant, into outputs: inout [Output]) {
        heldReportDeadline = nil
        reportCount += 1
        guard reportCount <= configuration.reportLimit else {
            let error = TuvaliError(.verifierTooManyReports, "The wallet asked for more reports than any wallet needs.")
            return fail(error, at: now, into: &outputs)
        }
        switch phase {
        case .awaitingSize:
            sizeMissing("A report was asked for, but no length ever arrived.", at: now, into: &outputs)
        case .receiving:
            unsolicitedReports.silenceBegins(at: now)
            report(on: link, at: now, into: &outputs)
        case .deciding, .concluding: notify(.reportResponse, TransferReport.success.bytes, on: link, into: &outputs)
        case .idle, .advertising, .parting, .closing, .closed: break
        }
    }

    mutating func sizeMissing(_ reason: String, at now: MonotonicInstant, into outputs: inout [Output]) {
        fail(TuvaliError(.verifierSizeMissing, reason), at: now, into: &outputs)
    }

    /// Reports to a silent wallet, whose request may be lost.
    ///
    /// While too much is missing, the request would end the session; its absence does not. A success is never told without
    /// a request, because a wallet whose request is merely late does not listen yet to the report, nor to the status that
    /// follows: the last chunk is asked for once more, and the wallet's request comes after it.
    mutating func reportWithoutRequest(on link: LinkID, at now: MonotonicInstant, into outputs: inout [Output]) {
        unsolicitedReports.stop()
        guard let assembler, !assembler.isMostlyMissing else { return }
        unsolicitedReports.sent(at: now)
        guard assembler.isComplete else { return report(on: link, at: now, into: &outputs) }
        let last = TransferReport.missing([UInt16(assembler.layout.chunkCount)], pageCount: 1)
        notify(.reportResponse, last.bytes, on: link, into: &outputs)
        failureFrameCount += 1
    }

    private mutating func report(on link: LinkID, at now: MonotonicInstant, into outputs: inout [Output]) {
        guard let assembler else { return }
        if assembler.isComplete { return deliver(on: link, at: now, into: &outputs) }
        guard !assembler.isMostlyMissing else {
            let reason = "\(assembler.missingCount) of \(assembler.layout.chunkCount) chunks are missing."
            return fail(TuvaliError(.verifierTooManyMissingChunks, reason), at: now, into: &outputs)
        }
        let mtu = assembler.layout.writeBytes + 3
        let report = TransferReport.missing(
            assembler.missing(limit: TransferReport.pageSize(mtu: mtu)), of: assembler.missingCount, mtu: mtu)
        notify(.reportResponse, report.bytes, on: link, into: &outputs)
        outputs.append(.note(.reported(missing: assembler.missingCount)))
        failureFrameCount += 1
    }

    /// Opens the payload, and only then reports success.
    private mutating func deliver(on link: LinkID, at now: MonotonicInstant, into outputs: inout [Output]) {
        guard var assembler, let keys else { return }
        self.assembler = nil
        let sealed = assembler.takeSealed()
        do {
            let payload = try SealedPayload.open(
                sealed, key: keys.verifier, nonce: nonce, limits: configuration.unzipLimits)
            self.keys = nil
            transferDeadline = nil
            enter(.deciding(link), until: now + configuration.decisionWait)
            notify(.reportResponse, TransferReport.success.bytes, on: link, into: &outputs)
            let summary = TransferSummary(
                payloadBytes: payload.count, sealedBytes: sealed.count, chunkCount: assembler.layout.chunkCount,
                corruptChunkCount: assembler.corruptCount, repeatedChunkCount: repeatedChunkCount,
                failureFrameCount: failureFrameCount)
            outputs.append(.note(.received(payload, summary)))
        } catch {
            fail(Self.error(for: error), at: now, into: &outputs)
        }
    }

    private static func error(for failure: SealedPayload.OpeningFailure) -> TuvaliError {
        switch failure {
        case .notAuthentic: TuvaliError(.verifierNotAuthentic, "The payload is not what the wallet sealed.")
        case .notGzip: TuvaliError(.verifierNotGzip, "The payload is no gzip stream.")
        case .tooLarge: TuvaliError(.verifierPayloadTooLarge, "The payload unzips to more than is allowed.")
        }
    }
}
