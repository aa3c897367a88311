import Bluetooth
import Determinism

// From the start to the established channel.
extension WalletSession {
    /// How much later than the radio's own answer is due the wallet stops waiting for one.
    ///
    /// A radio that answers late lets the wallet try again, one that never does ends the session: a machine that is merely
    /// busy, or takes a while to take a request back, is not to end one.
    static let connectGrace = Duration.seconds(10)

    mutating func start(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard case .idle = phase else { return }
        scan(at: now, into: &outputs)
    }

    private mutating func scan(at now: MonotonicInstant, into outputs: inout [Output]) {
        enter(.scanning, until: now + configuration.scanWait)
        outputs.append(.startScanning(configuration.profiles.flatMap { [$0.service, $0.scanResponseService] }))
    }

    mutating func heard(
        _ report: AdvertisementReport, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard case .scanning = phase else { return }
        switch sightings.take(report) {
        case .nothing: break
        case .other(let address): outputs.append(.note(.heardOther(address)))
        case .match(let address, let profile):
            sightings.forget(address)
            self.profile = profile
            connectAttempt += 1
            enter(.connecting, until: now + configuration.connectWait + Self.connectGrace)
            outputs += [
                .stopScanning, .note(.found(address, profile)), .connect(address, timeout: configuration.connectWait),
            ]
        }
    }

    mutating func scanEnded(at now: MonotonicInstant, into outputs: inout [Output]) {
        if let setupError { return fail(setupError, at: now, into: &outputs) }
        let error =
            sightings.heardOther
            ? TuvaliError(
                .walletStaleURI, "Verifiers are near, but none with the key of this QR code: the code is stale.")
            : TuvaliError(.walletVerifierNotFound, "No verifier was heard.")
        fail(error, at: now, into: &outputs)
    }

    mutating func connected(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard case .connecting = phase else { return }
        mtu = 23
        exchangeMTU(index: 0, at: now, into: &outputs)
    }

    mutating func connectFailed(at now: MonotonicInstant, into outputs: inout [Output]) {
        if case .closing(let ending) = phase { return finish(ending, into: &outputs) }
        guard case .connecting = phase else { return }
        tryAgain(
            or: TuvaliError(.walletConnectFailed, "The verifier was heard but could not be connected to."), at: now,
            into: &outputs)
    }

    /// Scans anew while attempts are left; nothing has been said to the verifier yet.
    mutating func tryAgain(
        or error: TuvaliError, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard connectAttempt < configuration.connectAttempts else { return finish(.failed(error), into: &outputs) }
        setupError = error
        outputs.append(.note(.reconnecting(attempt: connectAttempt + 1)))
        scan(at: now, into: &outputs)
    }

    private var mtuWishes: [Int] { (configuration.preferredMTU.map { [$0] } ?? []) + configuration.mtuRequests }

    private mutating func exchangeMTU(
        index: Int, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard index < mtuWishes.count else { return mtuNotNegotiated(at: now, into: &outputs) }
        enter(.exchangingMTU(index: index), until: now + configuration.mtuWait)
        outputs.append(.exchangeMTU(mtuWishes[index]))
    }

    /// Waits for the answer as long as for all values together: ATT allows no second request before it (Bluetooth Core,
    /// Vol 3, Part F, 3.3.2), and one exchange in a connection (3.4.2.1).
    mutating func mtuOverdue(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard case .exchangingMTU(let index) = phase else { return }
        guard index + 1 < mtuWishes.count else { return mtuNotNegotiated(at: now, into: &outputs) }
        enter(.exchangingMTU(index: index + 1), until: now + configuration.mtuWait)
    }

    private mutating func mtuNotNegotiated(at now: MonotonicInstant, into outputs: inout [Output]) {
        fail(
            TuvaliError(.walletMTUNotNegotiated, "The verifier did not agree to any MTU request."), at: now,
            into: &outputs)
    }

    mutating func mtuChanged(_ value: Int, at now: MonotonicInstant, into outputs: inout [Output]) {
        guard transfer == nil else { return }
        mtu = value
        switch phase {
        case .exchangingMTU: exchanged(value, at: now, into: &outputs)
        case .discovering, .waitingToDiscover, .subscribing, .identifying, .ready:
            guard ChunkLayout.writeBytes(mtu: value) < ChunkLayout.smallestWriteBytes else { return }
            let error = TuvaliError(.walletMTUTooSmall, "The ATT MTU shrank to \(value); it takes 67.")
            fail(error, at: now, into: &outputs)
        case .idle, .scanning, .connecting, .announcing, .sending, .requestingReport, .waitingToRequestReport,
            .awaitingReport, .awaitingStatus, .closing, .closed:
            break
        }
    }

    private mutating func exchanged(_ value: Int, at now: MonotonicInstant, into outputs: inout [Output]) {
        guard ChunkLayout.writeBytes(mtu: value) >= ChunkLayout.smallestWriteBytes else {
            let error = TuvaliError(
                .walletMTUTooSmall,
                "The verifier offers an ATT MTU of \(value); a write must hold 64 bytes, which takes 67.")
            return fail(error, at: now, into: &outputs)
        }
        discover(BackOff(configuration.discoveryBackOff), at: now, into: &outputs)
    }

    mutating func mtuFailed(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard case .exchangingMTU(let index) = phase else { return }
        exchangeMTU(index: index + 1, at: now, into: &outputs)
    }

    mutating func discover(_ backOff: BackOff, at now: MonotonicInstant, into outputs: inout [Output]) {
        enter(.discovering(backOff), until: now + configuration.setupWait)
        outputs.append(.discover(service: profile.service))
    }

    mutating func discovered(
        _ uuids: [BluetoothUUID], at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard case .discovering = phase else { return }
        let needed = TuvaliCharacteristic.written + TuvaliCharacteristic.pushed
        guard needed.allSatisfy({ uuids.contains(profile.uuid(of: $0)) }) else {
            return discoveryFailed(at: now, into: &outputs)
        }
        enter(.subscribing, until: now + configuration.setupWait)
        outputs.append(.subscribe(TuvaliCharacteristic.pushed.map(profile.uuid(of:))))
    }

    mutating func discoveryFailed(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard case .discovering(var backOff) = phase else { return }
        guard let wait = backOff.next() else {
            return fail(
                TuvaliError(.walletServiceNotFound, "The device does not offer the whole Tuvali service."), at: now,
                into: &outputs)
        }
        enter(.waitingToDiscover(backOff), until: now + wait)
    }

    mutating func subscribed(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard case .subscribing = phase else { return }
        enter(.identifying, until: now + configuration.setupWait)
        outputs.append(.note(.connected(mtu: mtu, profile: profile)))
        write(.identify, identify.bytes, withResponse: true, into: &outputs)
    }

    mutating func identified(at now: MonotonicInstant, into outputs: inout [Output]) {
        enter(.ready, until: now + configuration.consentWait)
        outputs.append(.note(.secureChannelEstablished))
    }

    func write(
        _ characteristic: TuvaliCharacteristic, _ value: [UInt8], withResponse: Bool, into outputs: inout [Output]
    ) {
        outputs.append(.write(characteristic, profile.uuid(of: characteristic), value, withResponse: withResponse))
    }
}
