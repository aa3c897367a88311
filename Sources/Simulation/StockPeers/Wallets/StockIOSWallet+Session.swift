import Bluetooth
import Determinism
import Simulation

// From the advertisement to the status.
extension StockIOSWallet {
    /// The first callback of an advertiser, without its scan response, is passed over.
    mutating func heard(_ address: DeviceAddress, _ data: AdvertisingData, into commands: inout [AirCommand]) {
        guard isScanning, candidate != address, data.serviceUUIDs.contains(setup.generation.service),
            let rest = data.serviceData(of: setup.generation.scanResponse)
        else { return }
        guard let content = data.serviceData(of: setup.generation.service) else {
            return crash("the advertisement lacks its service data", into: &commands)
        }
        guard content == identity else { return }
        verifierKey = content.suffix(5) + rest
        candidate = address
        commands.append(.connect(address))
    }

    // MARK: - Discovery

    mutating func discover(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        ask(.discoverServices(setup.generation.service), as: .services, at: now, into: &commands)
    }

    /// One counter for services and characteristics; its end is only logged.
    mutating func discoverAgain(at now: MonotonicInstant) {
        guard let wait = discovery.next(at: now) else {
            journal.stuck = "discovery was given up, which is only logged"
            return
        }
        agenda.add(.discover, at: now + wait)
    }

    mutating func explored(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard StockCharacteristic.allCases.allSatisfy({ phone.remote($0) != nil }) else {
            return discoverAgain(at: now)
        }
        let longest = phone.mtu - 3
        guard longest >= 64 else { return fail(.mtuNegotiation, at: now, into: &commands) }
        writeBytes = min(longest, 509)
        for characteristic in [StockCharacteristic.reportResponse, .verificationStatus, .disconnect] {
            guard let remote = phone.remote(characteristic) else { continue }
            ask(.subscribe(remote, isOn: true), as: .subscription, at: now, into: &commands)
        }
        journal.add(.connected, at: now)
        write(setup.identify, to: .identify, withResponse: true, at: now, into: &commands)
    }

    // MARK: - Writes

    mutating func written(
        _ characteristic: StockCharacteristic, _ isDone: Bool, at now: MonotonicInstant,
        into commands: inout [AirCommand]
    ) {
        switch (characteristic, isDone) {
        case (.identify, true): identified(at: now, into: &commands)
        case (.responseSize, true): beginFirstPass(at: now, into: &commands)
        case (.submitResponse, false):
            if failureFrames > 0 { fail(.transferFailed, at: now, into: &commands) }
        case (.reportRequest, false): requestReportAgain(at: now)
        case (.identify, false), (.responseSize, false):
            journal.stuck = "a write of \(characteristic) failed, which is only logged"
        default: break
        }
    }

    private mutating func identified(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        cipher = StockCipher(privateKey: setup.privateKey, peerKey: verifierKey, nonce: setup.nonce)
        guard cipher != nil else { return crash("the verifier's key is of low order", into: &commands) }
        journal.add(.secureChannelEstablished, at: now)
        agenda.add(.send, at: now + setup.consentDelay)
    }

    mutating func announce(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        sealed = cipher?.seal(setup.payload) ?? []
        let announced = setup.announcedBytes ?? sealed.count
        let size = StockChunks.bigEndian(announced >> 16) + StockChunks.bigEndian(announced)
        write(size, to: .responseSize, withResponse: true, at: now, into: &commands)
    }

    var chunkCount: Int { StockChunks.count(total: sealed.count, writeBytes: writeBytes) }

    private mutating func beginFirstPass(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        busyUntil = now + Self.chunkPause * chunkCount
        sendChunk(1, at: now, into: &commands)
    }

    mutating func sendChunk(_ sequence: Int, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard sequence <= chunkCount else {
            return write([1], to: .reportRequest, withResponse: true, at: now, into: &commands)
        }
        guard sequence <= 0xFFFF else { return crash("a sequence number exceeds 16 bits", into: &commands) }
        if journal.firstChunkAt == nil { journal.firstChunkAt = now }
        if phone.canWrite {
            let chunk = StockChunks.chunk(sequence, of: sealed, writeBytes: writeBytes)
            write(chunk, to: .submitResponse, withResponse: false, at: now, into: &commands)
        } else {
            journal.droppedWrites += 1
        }
        agenda.add(.chunk(sequence + 1), at: now + Self.chunkPause)
    }

    /// Its end is only logged.
    private mutating func requestReportAgain(at now: MonotonicInstant) {
        guard let wait = reportRequest.next(at: now) else {
            journal.stuck = "the report request was given up, which is only logged"
            return
        }
        agenda.add(.requestReport, at: now + wait)
    }

    // MARK: - What the verifier pushes

    mutating func pushed(
        _ characteristic: StockCharacteristic, _ value: [UInt8], at now: MonotonicInstant,
        into commands: inout [AirCommand]
    ) {
        switch characteristic {
        case .reportResponse: reported(value, at: now, into: &commands)
        case .verificationStatus:
            if let status = value.first, status <= 1 { journal.add(.verificationStatus(status), at: now) }
            tearDown(into: &commands)
        case .disconnect:
            if value.first == 1 { tearDown(into: &commands) }
        case .identify, .requestSize, .request, .responseSize, .submitResponse, .reportRequest: break
        }
    }

    private mutating func reported(_ value: [UInt8], at now: MonotonicInstant, into commands: inout [AirCommand]) {
        switch StockReport(reading: value) {
        case .success: journal.add(.dataSent, at: now)
        case .unreadable: crash("the report has an unknown type", into: &commands)
        case .missing(let signed):
            let numbers = signed.map { $0 & 0xFFFF }
            guard failureFrames < Self.failureFrameLimit else {
                return fail(.transferFailed, at: now, into: &commands)
            }
            failureFrames += 1
            guard !numbers.isEmpty, numbers.allSatisfy({ (1...max(1, chunkCount)).contains($0) }) else {
                return crash("the report asks for a chunk that does not exist", into: &commands)
            }
            for sequence in numbers {
                let chunk = StockChunks.chunk(sequence, of: sealed, writeBytes: writeBytes)
                write(chunk, to: .submitResponse, withResponse: true, at: now, into: &commands)
            }
            write([1], to: .reportRequest, withResponse: true, at: now, into: &commands)
        }
    }
}
