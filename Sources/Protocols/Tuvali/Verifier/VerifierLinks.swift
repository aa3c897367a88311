import Bluetooth
import CryptoSuite
import Determinism

// Advertising, connections, and the binding of the session to one of them.
extension VerifierSession {
    mutating func start(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard case .idle = phase else { return }
        enter(.advertising, until: now + configuration.advertisingWait)
        advertise(into: &outputs)
        outputs.append(.note(.advertising(uri)))
        if configuration.profiles.count > 1 { profileDeadline = now + configuration.profilePeriod }
    }

    /// Advertises the next of several profiles.
    mutating func advertiseNextProfile(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard let deadline = profileDeadline, now >= deadline else { return }
        profileDeadline = now + configuration.profilePeriod
        let index = configuration.profiles.firstIndex(of: profile) ?? 0
        profile = configuration.profiles[(index + 1) % configuration.profiles.count]
        if links.count < configuration.linkLimit { advertise(into: &outputs) }
    }

    func advertise(into outputs: inout [Output]) {
        outputs.append(.startAdvertising(TuvaliAdvertisement(uri: uri, profile: profile), profile))
    }

    mutating func connected(_ link: LinkID, at now: MonotonicInstant, into outputs: inout [Output]) {
        guard case .advertising = phase, links.count < configuration.linkLimit else {
            outputs.append(.disconnect(link))
            return
        }
        links.append(
            Connection(link: link, identifyDeadline: now + configuration.identifyWait, profile: profile))
        outputs.append(.note(.connected(link)))
        // A controller stops advertising when it connects; until a wallet has identified itself others may come.
        if links.count < configuration.linkLimit { advertise(into: &outputs) }
    }

    mutating func mtuChanged(
        _ value: Int, of link: LinkID, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard let index = links.firstIndex(where: { $0.link == link }), assembler == nil else { return }
        links[index].mtu = value
        guard ChunkLayout.writeBytes(mtu: value) < ChunkLayout.smallestWriteBytes else { return }
        if link == boundLink { return refuseMTU(value, at: now, into: &outputs) }
        // Without an Identify this may be any device: the link ends, the session does not.
        guard case .advertising = phase, !links[index].isRefused else { return }
        links[index].isRefused = true
        links[index].identifyDeadline = min(links[index].identifyDeadline, now + configuration.goodbyeWait)
        refuse(Self.smallMTU(value), into: &outputs)
        notify(.disconnect, [1], on: link, into: &outputs)
    }

    mutating func refuseMTU(_ value: Int, at now: MonotonicInstant, into outputs: inout [Output]) {
        fail(Self.smallMTU(value), at: now, into: &outputs)
    }

    private static func smallMTU(_ value: Int) -> TuvaliError {
        TuvaliError(
            .verifierMTUTooSmall, "The wallet's ATT MTU is \(value); a write must hold 64 bytes, which takes 67.")
    }

    /// The first valid Identify gets the session; its link keeps it to the end.
    mutating func identify(
        _ value: [UInt8], of profile: WireProfile, on link: LinkID, at now: MonotonicInstant,
        into outputs: inout [Output]
    ) {
        guard let request = IdentifyRequest(parsing: value) else {
            let reason = "An identify request has 44 bytes, this one \(value.count)."
            return refuse(TuvaliError(.verifierIdentifyMalformed, reason), into: &outputs)
        }
        guard let privateKey else { return }
        do {
            keys = try SessionKeys(privateKey: privateKey, peerPublicKey: request.publicKey)
        } catch {
            let error = TuvaliError(.verifierLowOrderKey, "The wallet's key gives no secret.")
            return fail(error, at: now, into: &outputs)
        }
        nonce = request.nonce
        self.profile = profile
        profileDeadline = nil
        for index in links.indices where links[index].link == link { links[index].profile = profile }
        self.privateKey = nil
        enter(.awaitingSize(link), until: now + configuration.consentWait)
        outputs.append(.stopAdvertising)
        for other in links where other.link != link { outputs.append(.disconnect(other.link)) }
        outputs.append(.note(.secureChannelEstablished(link, mtu: mtu(of: link))))
    }

    mutating func disconnected(
        _ link: LinkID, _ end: LinkEnd, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard let index = links.firstIndex(where: { $0.link == link }) else { return }
        links.remove(at: index)
        switch phase {
        case .advertising:
            outputs.append(.note(.left(link, .beforeIdentify)))
            advertise(into: &outputs)
        case .awaitingSize(link), .receiving(link): finish(.disconnected(lost(end)), into: &outputs)
        case .deciding(link): leftUndecided(link, into: &outputs)
        case .concluding(link, let status): finish(.completed(status), into: &outputs)
        case .parting(let ending), .closing(let ending):
            if links.isEmpty { finish(ending, into: &outputs) }
        case .idle, .awaitingSize, .receiving, .deciding, .concluding, .closed: break
        }
    }

    /// The payload is whole and authentic: the decision about it needs no link.
    private mutating func leftUndecided(_ link: LinkID, into outputs: inout [Output]) {
        phase = .deciding(nil)
        heldReportDeadline = nil
        outputs.append(.note(.left(link, .beforeDecision)))
    }

    /// Ends the session, unless only the decision is owed: that is the operator's, with or without a radio.
    mutating func radioFailed(_ reason: String, at now: MonotonicInstant, into outputs: inout [Output]) {
        guard case .deciding(let link) = phase else {
            return fail(TuvaliError(.verifierRadioFailed, reason), at: now, into: &outputs)
        }
        links = []
        if let link { leftUndecided(link, into: &outputs) }
    }

    private func lost(_ end: LinkEnd) -> TuvaliError {
        switch end {
        case .peer: TuvaliError(.peerDisconnected, "The wallet disconnected before the hand-over was complete.")
        case .lost, .local: TuvaliError(.linkLost, "The link to the wallet was lost.")
        }
    }

    /// Tells of a message that is passed over; a flood of them is only counted.
    mutating func refuse(_ error: TuvaliError, into outputs: inout [Output]) {
        refusalCount = min(refusalCount + 1, .max - 1)
        if refusalCount <= configuration.refusalNoteLimit { outputs.append(.note(.refused(error))) }
    }
}
