import Determinism

// Deadlines, and every way to the end.
extension VerifierSession {
    mutating func tick(at now: MonotonicInstant, into outputs: inout [Output]) {
        if case .advertising = phase {
            endSilentLinks(at: now, into: &outputs)
            advertiseNextProfile(at: now, into: &outputs)
        }
        if let heldReportDeadline, now >= heldReportDeadline, let boundLink {
            return answerReportRequest(on: boundLink, at: now, into: &outputs)
        }
        if case .receiving(let link) = phase, let deadline = unsolicitedReports.deadline, now >= deadline {
            reportWithoutRequest(on: link, at: now, into: &outputs)
        }
        if let transferDeadline, now >= transferDeadline {
            self.transferDeadline = nil
            return stalled(at: now, into: &outputs)
        }
        guard let deadline = phaseDeadline, now >= deadline else { return }
        switch phase {
        case .idle, .closed: break
        case .advertising:
            let error = TuvaliError(.verifierNobodyCame, "No wallet identified itself in time.")
            fail(error, at: now, into: &outputs)
        case .awaitingSize where isSizeLate: sizeMissing("Chunks arrived, but no length.", at: now, into: &outputs)
        case .awaitingSize, .receiving: stalled(at: now, into: &outputs)
        case .deciding:
            let error = TuvaliError(.verifierDecisionTimeout, "Nobody decided about the credential in time.")
            fail(error, at: now, into: &outputs)
        case .concluding(_, let status): close(.completed(status), at: now, into: &outputs)
        case .parting(let ending):
            enter(.closing(ending), until: now + configuration.closeWait)
            outputs += links.map { .disconnect($0.link) }
        case .closing(let ending): finish(ending, into: &outputs)
        }
    }

    private mutating func stalled(at now: MonotonicInstant, into outputs: inout [Output]) {
        fail(TuvaliError(.verifierTransferTimeout, "The transfer stood still."), at: now, into: &outputs)
    }

    /// Ends links that were refused, or whose wallet has not identified itself; others may still connect.
    private mutating func endSilentLinks(at now: MonotonicInstant, into outputs: inout [Output]) {
        for connection in links where now >= connection.identifyDeadline {
            if !connection.isRefused {
                let reason = "A device connected and did not identify itself."
                refuse(TuvaliError(.verifierIdentifyTimeout, reason), into: &outputs)
            }
            outputs.append(.disconnect(connection.link))
        }
        let wasFull = links.count >= configuration.linkLimit
        links.removeAll { now >= $0.identifyDeadline }
        if wasFull, links.count < configuration.linkLimit { advertise(into: &outputs) }
    }

    mutating func fail(_ error: TuvaliError, at now: MonotonicInstant, into outputs: inout [Output]) {
        close(.failed(error), at: now, into: &outputs)
    }

    /// Asks whoever is connected to go; cuts them off later, and ends the session when nobody is left.
    mutating func close(_ ending: SessionEnding, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch phase {
        case .idle: return finish(ending, into: &outputs)
        case .advertising: outputs.append(.stopAdvertising)
        case .awaitingSize, .receiving, .deciding, .concluding: break
        case .parting, .closing, .closed: return
        }
        wipe()
        guard !links.isEmpty else { return finish(ending, into: &outputs) }
        for connection in links { notify(.disconnect, [1], on: connection.link, into: &outputs) }
        enter(.parting(ending), until: now + configuration.goodbyeWait)
    }

    mutating func finish(_ ending: SessionEnding, into outputs: inout [Output]) {
        enter(.closed, until: nil)
        wipe()
        links = []
        outputs.append(.finished(ending))
    }

    private mutating func wipe() {
        privateKey = nil
        keys = nil
        assembler = nil
        transferDeadline = nil
        heldReportDeadline = nil
    }
}
