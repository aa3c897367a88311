import Bluetooth
import Determinism

@testable import Tuvali

/// A sequence of inputs to a wallet from a hostile verifier and other devices.
private struct WalletInputs {
    private let honest = HonestPeer.shared
    private var session = HonestPeer.shared.wallet
    private var now = MonotonicInstant.zero
    private var profile = WireProfile.tuvali05
    private var unanswered: [TuvaliCharacteristic] = []
    private var heard: [DeviceAddress: [[UInt8]]] = [:]
    private var chunkCount = 0
    private var reportRequestCount = 0
    private var hasHeardSuccess = false
    private var endings: [SessionEnding] = []

    mutating func tell(_ operations: inout Operations) {
        put(.start)
        while !operations.isAtEnd { step(&operations) }
        runOut()
    }

    private mutating func step(_ operations: inout Operations) {
        switch operations.byte() & 15 {
        case 0: hearVerifier(operations.byte())
        case 1: hear(operations.run(), from: operations.byte())
        case 2: put(.connected)
        case 3: put(.mtu(operations.byte() & 1 == 1 ? Int(operations.word()) : 67 + operations.below(200)))
        case 4: put(.discovered(TuvaliCharacteristic.allCases.map(profile.uuid(of:))))
        case 5: put(.subscribed(failed: []))
        case 6: answerWrites(count: 1 + operations.below(40))
        case 7: send(HonestPeer.payload)
        case 8: put(.received(characteristic(operations.byte()), operations.run()))
        case 9: put(.received(.reportResponse, [1, 0, 0]))
        case 10: put(.received(.reportResponse, [0, 0, 1] + operations.run()))
        case 11: put(.received(.verificationStatus, [operations.byte()]))
        case 12: wait(.milliseconds(Int(operations.word())))
        case 13: wait(.seconds(Int(operations.byte())))
        case 14: fail(operations.byte())
        default: goToReady()
        }
    }

    private mutating func goToReady() {
        hearVerifier(0)
        put(.connected)
        put(.mtu(512))
        put(.discovered(TuvaliCharacteristic.allCases.map(profile.uuid(of:))))
        put(.subscribed(failed: []))
        answerWrites(count: 1)
    }

    private mutating func fail(_ choice: UInt8) {
        switch choice & 15 {
        case 0: put(.connectFailed)
        case 1: put(.mtuFailed(inForce: 23))
        case 2: put(.discoveryFailed)
        case 3: put(.disconnected([.peer, .lost, .local][Int(choice >> 4) % 3]))
        case 4: put(.cancel)
        case 5: put(.radioFailed("gone"))
        case 6: put(.received(.disconnect, [1]))
        case 7: put(.discovered([]))
        default: if let write = unanswered.popLast() { put(.writeFailed(write)) }
        }
    }

    private func characteristic(_ byte: UInt8) -> TuvaliCharacteristic {
        TuvaliCharacteristic.allCases[Int(byte) % TuvaliCharacteristic.allCases.count]
    }

    private mutating func hearVerifier(_ choice: UInt8) {
        let advertisement = TuvaliAdvertisement(uri: session.uri, profile: WireProfile.allCases[Int(choice) & 1])
        hear(advertisement.data, from: choice)
        hear(advertisement.scanResponse, from: choice)
    }

    private mutating func hear(_ data: [UInt8], from number: UInt8) {
        let address = DeviceAddress(staticRandom: UInt64(number))
        heard[address, default: []].append(data)
        put(.heard(AdvertisementReport(address: address, kind: .connectable, rssi: nil, data: data)))
    }

    private mutating func answerWrites(count: Int) {
        for _ in 0..<count {
            guard let write = unanswered.popLast() else { return }
            put(.written(write))
        }
    }

    private mutating func send(_ payload: [UInt8]) {
        var outputs: [WalletSession.Output] = []
        let isReady = session.isReady
        do {
            try session.send(payload, at: now, into: &outputs)
            require(isReady, "a payload is sent when the channel is ready")
        } catch {
            require(!isReady, "and can be, as long as it fits")
        }
        look(at: outputs)
    }

    private mutating func wait(_ duration: Duration) {
        now = now + duration
        put(.tick)
    }

    private mutating func runOut() {
        let began = now
        for _ in 0..<200 {
            guard let deadline = session.nextDeadline else { break }
            now = max(now, deadline)
            put(.tick)
        }
        require(session.isFinished && endings.count == 1, "a session that is left alone ends once")
        require(now - began <= .seconds(1500), "and within the sum of its waits")
    }

    private mutating func put(_ input: WalletSession.Input) {
        let wasFinished = session.isFinished
        if case .received(.reportResponse, let value) = input, value.count >= 3, value[0] == 1 {
            hasHeardSuccess = true
        }
        let outputs = session.handle(input, at: now)
        require(!wasFinished || outputs.isEmpty, "nothing follows the end")
        require(session.isFinished || session.nextDeadline != nil, "every stage has a deadline")
        look(at: outputs)
    }

    private mutating func look(at outputs: [WalletSession.Output]) {
        require(outputs.count <= 6, "one input has few outputs")
        for output in outputs {
            switch output {
            case .connect(let address, _): require(isVerifier(address), "only who shows the whole key is connected to")
            case .event(.found(_, let profile)): self.profile = profile
            case .write(let characteristic, _, let value, _): written(characteristic, value)
            case .event(.sent): require(hasHeardSuccess, "nothing has arrived before the verifier says so")
            case .finished(let ending): endings.append(ending)
            default: break
            }
        }
        require(endings.count <= 1, "a session ends once")
        if case .completed? = endings.first { require(hasHeardSuccess, "a status alone completes nothing") }
    }

    private mutating func written(_ characteristic: TuvaliCharacteristic, _ value: [UInt8]) {
        unanswered.append(characteristic)
        require(!value.isEmpty && value.count <= 509, "a write fits a characteristic")
        if characteristic == .submitResponse { chunkCount += 1 }
        if characteristic == .reportRequest { reportRequestCount += 1 }
        require(chunkCount <= 14 + 15 * 256, "what is sent again has a limit")
        require(reportRequestCount <= 16 * 5 * 6, "and so has asking for reports")
    }

    /// Returns true when all 32 bytes of the verifier's key were heard from `address`.
    private func isVerifier(_ address: DeviceAddress) -> Bool {
        let all = heard[address, default: []]
        let key = session.uri.key
        return all.contains { contains($0, key[..<5]) } && all.contains { contains($0, key[5...]) }
    }

    private func contains(_ data: [UInt8], _ part: ArraySlice<UInt8>) -> Bool {
        guard data.count >= part.count else { return false }
        return (0...(data.count - part.count)).contains { data[$0..<($0 + part.count)].elementsEqual(part) }
    }
}

extension FuzzTarget {
    /// Events of the radio on a Tuvali wallet session: advertisements, answers and notifications, honest and not.
    static var wallet: FuzzTarget {
        FuzzTarget(name: "wallet", maximumBytes: 1024) {
            let handOver: [UInt8] = [15, 7, 6, 39, 9, 11, 0, 14, 3]
            let frames: [UInt8] = [15, 7, 6, 39, 10, 4, 0, 1, 0, 2, 6, 9, 10, 0, 6, 5, 9, 11, 1]
            let slow: [UInt8] = [0, 1, 2, 12, 255, 1, 3, 0, 50, 4, 5, 6, 1, 14, 8, 13, 20, 7, 6, 9, 14, 8, 12, 9, 0]
            let malformed: [UInt8] = [15, 7, 6, 39, 8, 6, 4, 9, 9, 9, 9]
            return [handOver, frames, slow, malformed]
        } run: { input in
            var operations = Operations(input)
            var story = WalletInputs()
            story.tell(&operations)
        }
    }

    /// Advertisers around a scanning wallet: which one it connects to.
    static var sightings: FuzzTarget {
        FuzzTarget(name: "sightings", maximumBytes: 1024) {
            WireProfile.allCases.map { profile in
                let advertisement = TuvaliAdvertisement(uri: HonestPeer.shared.verifier.uri, profile: profile)
                var forged = advertisement.scanResponse
                forged[forged.count - 1] ^= 1
                return [1] + advertisement.data.counted + [1, 1] + forged.counted + [1, 0, 1]
                    + advertisement.scanResponse.counted + [2]
            }
        } run: { input in
            var operations = Operations(input)
            var story = WalletInputs()
            story.tell(&operations)
        }
    }

    /// A report of a verifier.
    static var report: FuzzTarget {
        FuzzTarget(name: "report", maximumBytes: 600) {
            [TransferReport.success, .missing([1, 2, 300], pageCount: 2), .missing([], pageCount: 0)].map(\.bytes)
        } run: { input in
            _ = VerificationStatus(parsing: input)
            _ = IdentifyRequest(parsing: input)
            guard let report = try? TransferReport(parsing: input) else { return }
            require((try? TransferReport(parsing: report.bytes)) == report, "a report is read as it is written")
            if case .missing(let numbers, _) = report {
                require(numbers.count <= input.count / 2, "a report lists no more than it holds")
            }
        }
    }
}
