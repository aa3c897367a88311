import Determinism

// Deadlines, and every way to the end.
extension WalletSession {
    mutating func tick(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard let deadline = nextDeadline, now >= deadline else { return }
        switch phase {
        case .idle, .closed: break
        case .scanning: scanEnded(at: now, into: &outputs)
        case .connecting:
            fail(TuvaliError(.walletConnectFailed, "The connection did not come up."), at: now, into: &outputs)
        case .exchangingMTU: mtuOverdue(at: now, into: &outputs)
        case .waitingToDiscover(let backOff): discover(backOff, at: now, into: &outputs)
        case .discovering, .subscribing, .identifying:
            fail(TuvaliError(.walletSetupTimeout, "The verifier stopped answering."), at: now, into: &outputs)
        case .ready:
            let error = TuvaliError(.walletConsentTimeout, "Nothing was sent in time after the channel was ready.")
            fail(error, at: now, into: &outputs)
        case .announcing, .sending, .requestingReport:
            fail(TuvaliError(.walletTransferTimeout, "The transfer stood still."), at: now, into: &outputs)
        case .waitingToRequestReport(let backOff, let attempt):
            requestReport(backOff, attempt: attempt, at: now, into: &outputs)
        case .awaitingReport(let attempt): reportOverdue(attempt, at: now, into: &outputs)
        case .awaitingStatus:
            let error = TuvaliError(
                .walletStatusTimeout, "Everything arrived, but the verifier did not decide in time.")
            fail(error, at: now, into: &outputs)
        case .closing(let ending): finish(ending, into: &outputs)
        }
    }

    private mutating func reportOverdue(
        _ attempt: Int, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard attempt < configuration.reportAttempts else {
            let error = TuvaliError(.walletReportTimeout, "The verifier sent no report.")
            return fail(error, at: now, into: &outputs)
        }
        requestReport(BackOff(configuration.reportRequestBackOff), attempt: attempt + 1, at: now, into: &outputs)
    }

    mutating func peerEnded(at now: MonotonicInstant, into outputs: inout [Output]) {
        let error =
            if case .awaitingStatus = phase { Self.undecided } else {
                TuvaliError(.peerDisconnected, "The verifier ended the session.")
            }
        close(.disconnected(error), at: now, into: &outputs)
    }

    mutating func disconnected(_ end: LinkEnd, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch phase {
        case .idle, .scanning, .closed: break
        case .closing(let ending): finish(ending, into: &outputs)
        case .connecting, .exchangingMTU, .discovering, .waitingToDiscover, .subscribing:
            tryAgain(or: lost(end), at: now, into: &outputs)
        case .awaitingStatus: finish(.disconnected(Self.undecided), into: &outputs)
        case .identifying, .ready, .announcing, .sending, .requestingReport, .waitingToRequestReport,
            .awaitingReport:
            finish(.disconnected(lost(end)), into: &outputs)
        }
    }

    private static let undecided = TuvaliError(
        .walletDecisionUnknown, "Everything arrived, but the link ended before the verifier said its decision.")

    private func lost(_ end: LinkEnd) -> TuvaliError {
        switch end {
        case .peer: TuvaliError(.peerDisconnected, "The verifier disconnected.")
        case .lost, .local: TuvaliError(.linkLost, "The link to the verifier was lost.")
        }
    }

    mutating func fail(_ error: TuvaliError, at now: MonotonicInstant, into outputs: inout [Output]) {
        close(.failed(error), at: now, into: &outputs)
    }

    /// Takes the link down if there may be one, and ends the session when it is.
    mutating func close(_ ending: SessionEnding, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch phase {
        case .closing, .closed: break
        case .idle: finish(ending, into: &outputs)
        case .scanning:
            outputs.append(.stopScanning)
            finish(ending, into: &outputs)
        case .connecting, .exchangingMTU, .discovering, .waitingToDiscover, .subscribing, .identifying, .ready,
            .announcing, .sending, .requestingReport, .waitingToRequestReport, .awaitingReport, .awaitingStatus:
            enter(.closing(ending), until: now + configuration.closeWait)
            outputs.append(.disconnect)
        }
    }

    mutating func finish(_ ending: SessionEnding, into outputs: inout [Output]) {
        enter(.closed, until: nil)
        keys = nil
        transfer = nil
        outputs.append(.finished(ending))
    }
}
