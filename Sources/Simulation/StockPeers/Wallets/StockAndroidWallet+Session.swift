import Bluetooth
import Determinism
import Simulation

// From the advertisement to the status.
extension StockAndroidWallet {
    mutating func heard(_ address: DeviceAddress, _ data: AdvertisingData, into commands: inout [AirCommand]) {
        guard !isConnecting, data.serviceUUIDs.contains(setup.generation.service),
            let content = data.serviceData(of: setup.generation.service),
            let rest = data.serviceData(of: setup.generation.scanResponse), content == identity
        else { return }
        // The key is taken from the air: five bytes of it are all that the code was compared with.
        verifierKey = content.suffix(5) + rest
        isConnecting = true
        commands.append(.connect(address))
    }

    // MARK: - Discovery and MTU

    mutating func explore(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        if !unexplored.isEmpty {
            let service = unexplored.removeFirst()
            return ask(.discoverCharacteristics(of: service), as: .characteristics, at: now, into: &commands)
        }
        guard phone.remote(.identify) != nil else { return discoverAgain(at: now, into: &commands) }
        requestMTU(0, at: now, into: &commands)
    }

    mutating func discoverAgain(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard let wait = discovery.next(at: now) else { return fail(.serviceNotFound, at: now, into: &commands) }
        agenda.add(.discover, at: now + wait)
    }

    mutating func requestMTU(_ index: Int, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard index < Self.mtuWishes.count else {
            mtuIndex = nil
            return fail(.mtuNegotiation, at: now, into: &commands)
        }
        mtuIndex = index
        agenda.add(.mtuOverdue(index), at: now + .milliseconds(500))
        if system == .from14, hasExchanged { return deliver([.mtu(phone.mtu)], at: now) }
        hasExchanged = true
        let wish = system == .from14 ? 517 : Self.mtuWishes[index]
        ask(.exchangeMTU(wish), as: .mtu, at: now, into: &commands)
    }

    /// Compared with what was asked for last, even if it answers an earlier request.
    mutating func mtuChanged(_ value: Int, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard let index = mtuIndex, min(value, 512) == Self.mtuWishes[index] else { return }
        mtuIndex = nil
        writeBytes = StockChunks.writeBytes(mtu: value)
        agenda.add(.listen([.disconnect]), at: now + setup.timing.listenLatency)
        journal.add(.connected, at: now)
        write(setup.identify, to: .identify, at: now, into: &commands)
    }

    // MARK: - Writes

    mutating func written(
        _ characteristic: StockCharacteristic, _ isDone: Bool, at now: MonotonicInstant,
        into commands: inout [AirCommand]
    ) {
        guard isDone else {
            if characteristic == .reportRequest { return fail(.transferFailed, at: now, into: &commands) }
            journal.stuck = "a write of \(characteristic) failed, which is only logged"
            return
        }
        switch characteristic {
        case .identify: identified(at: now, into: &commands)
        case .responseSize, .submitResponse: sendNext(at: now, into: &commands)
        case .reportRequest:
            agenda.add(.listen([.reportResponse, .verificationStatus]), at: now + setup.timing.listenLatency)
        case .requestSize, .request, .reportResponse, .verificationStatus, .disconnect: break
        }
    }

    private mutating func identified(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        cipher = StockCipher(privateKey: setup.privateKey, peerKey: verifierKey, nonce: setup.nonce)
        guard cipher != nil else { return fail(.walletCentral, at: now, into: &commands) }
        journal.add(.secureChannelEstablished, at: now)
        agenda.add(.send, at: now + setup.consentDelay)
    }

    mutating func announce(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        sealed = cipher?.seal(setup.payload) ?? []
        outgoing = Array(1...max(1, StockChunks.count(total: sealed.count, writeBytes: writeBytes)))[...]
        let announced = setup.announcedBytes ?? sealed.count
        let size = StockChunks.bigEndian(announced >> 16) + StockChunks.bigEndian(announced)
        write(size, to: .responseSize, at: now, into: &commands)
    }

    private mutating func sendNext(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard let sequence = outgoing.popFirst() else {
            return write([1], to: .reportRequest, at: now, into: &commands)
        }
        if journal.firstChunkAt == nil { journal.firstChunkAt = now }
        let chunk = StockChunks.chunk(sequence, of: sealed, writeBytes: writeBytes)
        write(chunk, to: .submitResponse, at: now, into: &commands)
    }

    // MARK: - What the verifier pushes

    mutating func pushed(
        _ characteristic: StockCharacteristic, _ value: [UInt8], at now: MonotonicInstant,
        into commands: inout [AirCommand]
    ) {
        switch characteristic {
        case .reportResponse: reported(StockReport(reading: value), at: now, into: &commands)
        case .verificationStatus:
            journal.add(.verificationStatus(value.first == 0 ? 0 : 1), at: now)
            tearDown(at: now, into: &commands)
        case .disconnect:
            if value.first == 1 { tearDown(at: now, into: &commands) }
        case .identify, .requestSize, .request, .responseSize, .submitResponse, .reportRequest: break
        }
    }

    private mutating func reported(
        _ report: StockReport, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        switch report {
        case .success: journal.add(.dataSent, at: now)
        case .unreadable: fail(.walletCentral, at: now, into: &commands)
        case .missing(let numbers):
            guard failureFrames < Self.failureFrameLimit else {
                return fail(.transferFailed, at: now, into: &commands)
            }
            failureFrames += 1
            let count = StockChunks.count(total: sealed.count, writeBytes: writeBytes)
            guard numbers.allSatisfy({ (1...max(1, count)).contains($0) }) else {
                return fail(.walletTransfer, at: now, into: &commands)
            }
            outgoing = numbers[...]
            sendNext(at: now, into: &commands)
        }
    }
}
