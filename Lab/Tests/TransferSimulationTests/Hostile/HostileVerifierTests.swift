import Air
import Bluetooth
import CryptoSuite
import Determinism
import TestSupport
import Testing
import TransferSimulation

@testable import Tuvali

/// A wallet on the air under attack: it ends with the right code in bounded time, and sends nothing that others can
/// open.
@Suite struct HostileVerifierTests {
    let payload = HostileScenario.noise(3000)
    /// The number of chunks that `payload` makes over the MTU that our wallet prefers.
    let chunkCount = 7

    /// The result of a hand-over to a hostile verifier.
    struct Outcome {
        let endings: [SessionEnding]
        let events: [WalletEvent]
        let seconds: Double
        let verifier: HostileVerifier

        func count(of characteristic: TuvaliCharacteristic) -> Int {
            verifier.written.count { $0.0 == characteristic }
        }

        var hasSent: Bool { events.contains { if case .sent = $0 { true } else { false } } }
    }

    static func sample() throws -> (session: VerifierSession, random: SeededRandom) {
        var random = SeededRandom(seed: 21)
        return (try VerifierSession(name: "Simulated", random: &random), random)
    }

    func handOver(
        _ make: (TuvaliURI) throws -> HostileVerifier
    ) throws -> Outcome {
        var (session, random) = try Self.sample()
        var world = SimulatedWorld(seed: 4)
        let wallet = SimulatedWallet(session: try WalletSession(uri: session.uri, random: &random), payload: payload)
        let verifier = world.add(try make(session.uri))
        let device = world.add(wallet)
        let outcome = world.run(
            until: MonotonicInstant.zero + .seconds(3000),
            while: { world in
                device.flatMap { world.host($0, as: SimulatedWallet.self) }?.record.endings.isEmpty ?? false
            })
        guard let verifier, let device, let hostile = world.host(verifier, as: HostileVerifier.self),
            let host = world.host(device, as: SimulatedWallet.self), outcome == .stopped
        else { throw TuvaliError(.sessionInternal, "the run did not end") }
        return Outcome(
            endings: host.record.endings, events: host.record.events.map(\.event),
            seconds: (world.now - MonotonicInstant.zero).inSeconds,
            verifier: hostile)
    }

    // MARK: - Silence

    @Test(
        .shows("T14"),
        arguments: [
            (ATTOpcode.exchangeMTURequest, TuvaliError.Code.walletMTUNotNegotiated, 7.0),
            (.findByTypeValueRequest, .walletSetupTimeout, 15), (.readByTypeRequest, .walletSetupTimeout, 15),
            (.writeRequest, .walletSetupTimeout, 15),
        ])
    func `a verifier that ignores a kind of ATT request makes the wallet fail in time with its code`(
        opcode: ATTOpcode, code: TuvaliError.Code, seconds: Double
    ) throws {
        let outcome = try handOver { try HostileVerifier(uri: $0, ignoring: [opcode]) }
        #expect(outcome.endings == .failed(code))
        #expect(outcome.seconds < seconds)
        #expect(outcome.count(of: .submitResponse) == 0)
    }

    @Test(
        .shows("T14"),
        arguments: [
            (TuvaliCharacteristic.identify, TuvaliError.Code.walletSetupTimeout, 15.0),
            (.responseSize, .walletTransferTimeout, 25), (.reportRequest, .walletTransferTimeout, 25),
        ])
    func `a verifier that ignores a Tuvali message makes the wallet fail in time with its code`(
        characteristic: TuvaliCharacteristic, code: TuvaliError.Code, seconds: Double
    ) throws {
        let outcome = try handOver { try HostileVerifier(uri: $0, deafTo: [characteristic]) }
        #expect(outcome.endings == .failed(code))
        #expect(outcome.seconds < seconds)
        #expect(!outcome.hasSent)
    }

    @Test func `a verifier that never reports is asked five times before the wallet fails`() throws {
        let outcome = try handOver { try HostileVerifier(uri: $0) }
        #expect(outcome.endings == .failed(.walletReportTimeout))
        #expect(outcome.count(of: .reportRequest) == 5)
        #expect(outcome.seconds < 15)
    }

    @Test func `a wallet waits for the verifier's decision up to its limit, and no longer`() throws {
        let outcome = try handOver {
            try HostileVerifier(uri: $0) { characteristic, _ in
                characteristic == .reportRequest ? [.notify(.reportResponse, [1, 0, 0])] : []
            }
        }
        #expect(outcome.endings == .failed(.walletStatusTimeout))
        #expect(outcome.hasSent)
        #expect(outcome.seconds < 340)
    }

    @Test func `a verifier that disconnects at every connection is tried three times`() throws {
        let outcome = try handOver { try HostileVerifier(uri: $0, onConnection: [.disconnect]) }
        #expect(outcome.endings == .failed(.peerDisconnected))
        #expect(outcome.verifier.connectionCount == 3)
        #expect(outcome.seconds < 10)
    }

    // MARK: - Forged control messages

    @Test(.shows("C1")) func `a forged status does not complete a wallet that still waits for the report`() throws {
        let outcome = try handOver {
            try HostileVerifier(uri: $0, onConnection: [.notify(.verificationStatus, [0])]) { _, _ in
                [.notify(.verificationStatus, [0])]
            }
        }
        #expect(outcome.endings == .failed(.walletReportTimeout))
        #expect(!outcome.hasSent)
    }

    @Test(.shows("C2")) func `a wallet ignores a success report that it did not request`() throws {
        let outcome = try handOver {
            try HostileVerifier(uri: $0, onConnection: [.notify(.reportResponse, [1, 0, 0])]) { characteristic, _ in
                characteristic == .identify ? [.notify(.reportResponse, [1, 0, 0])] : []
            }
        }
        #expect(outcome.endings == .failed(.walletReportTimeout))
        #expect(!outcome.hasSent)
    }

    @Test(.shows("C2"))
    func `a wallet believes a success report and a status, because the protocol authenticates neither`() throws {
        let outcome = try handOver {
            try HostileVerifier(uri: $0) { characteristic, _ in
                guard characteristic == .reportRequest else { return [] }
                return [.notify(.reportResponse, [1, 0, 0]), .notify(.verificationStatus, [0])]
            }
        }
        #expect(outcome.endings == [.completed(.accepted)])
    }

    @Test(.shows("C3"), arguments: TuvaliCharacteristic.written)
    func `a forged disconnect message ends the wallet as disconnected at any stage`(stage: TuvaliCharacteristic) throws
    {
        let outcome = try handOver {
            try HostileVerifier(uri: $0) { characteristic, _ in
                characteristic == stage ? [.notify(.disconnect, [1])] : []
            }
        }
        #expect(outcome.endings == .disconnected(.peerDisconnected))
        #expect(!outcome.hasSent)
        #expect(outcome.seconds < 5)
    }

    @Test(.shows("C4")) func `messages after the success report do not change what the wallet sent`() throws {
        let outcome = try handOver {
            try HostileVerifier(uri: $0) { characteristic, _ in
                guard characteristic == .reportRequest else { return [] }
                return [
                    .notify(.reportResponse, [1, 0, 0]), .notify(.reportResponse, [0, 0, 1, 0, 1]),
                    .notify(.reportResponse, [9]), .notify(.reportResponse, []), .notify(.verificationStatus, []),
                    .notify(.verificationStatus, [1]),
                ]
            }
        }
        #expect(outcome.endings == [.completed(.rejected)])
        #expect(outcome.count(of: .submitResponse) == chunkCount)
    }

    // MARK: - Reports

    @Test(
        .shows("T10"),
        arguments: [
            ([] as [UInt8], TuvaliError.Code.walletReportMalformed), ([0, 0], .walletReportMalformed),
            ([2, 0, 0], .walletReportMalformed), ([255, 255, 255, 255], .walletReportMalformed),
            ([0, 0, 1, 0, 0], .walletReportOutOfRange), ([0, 0, 1, 0, 8], .walletReportOutOfRange),
            ([0, 0, 1, 255, 255], .walletReportOutOfRange), ([0, 0, 1, 0, 1, 128, 0], .walletReportOutOfRange),
        ])
    func `an invalid report ends the wallet with its code`(report: [UInt8], code: TuvaliError.Code) throws {
        let outcome = try handOver {
            try HostileVerifier(uri: $0) { characteristic, _ in
                characteristic == .reportRequest ? [.notify(.reportResponse, report)] : []
            }
        }
        #expect(outcome.endings == .failed(code))
        #expect(outcome.seconds < 5)
    }

    @Test(.shows("T10"), arguments: [[], [0, 1], Array(repeating: [0, 6], count: 240).flatMap { $0 }] as [[UInt8]])
    func `a wallet answers endless reports with at most fifteen rounds of chunks`(numbers: [UInt8]) throws {
        let outcome = try handOver {
            try HostileVerifier(uri: $0) { characteristic, _ in
                characteristic == .reportRequest ? [.notify(.reportResponse, [0, 0, 1] + numbers)] : []
            }
        }
        #expect(outcome.endings == .failed(.walletTooManyFailureFrames))
        #expect(outcome.count(of: .reportRequest) == 16)
        #expect(outcome.count(of: .submitResponse) <= chunkCount + 15 * numbers.count / 2)
        // From the second frame on each chunk waits for its answer: two connection intervals.
        #expect(outcome.seconds < 120)
    }

    @Test func `hostile notifications of any length on any handle change nothing at the wallet`() throws {
        let strange: [HostileVerifier.Action] = (0..<40).flatMap { number -> [HostileVerifier.Action] in
            let value = HostileScenario.noise(number * 12, seed: UInt64(number))
            let handle = UInt16(number * 3)
            return [
                .pdu(ATTPDU.handleValueNotification(handle: handle | 0x100, value: value).bytes),
                .pdu([UInt8(number * 6 + 1)] + value.prefix(20)),
            ]
        }.filter { if case .pdu(let bytes) = $0 { bytes[0] != 0x01 } else { true } }
        let outcome = try handOver {
            try HostileVerifier(uri: $0) { characteristic, _ in
                switch characteristic {
                case .identify: strange
                case .reportRequest: [.notify(.reportResponse, [1, 0, 0]), .notify(.verificationStatus, [0])]
                default: []
                }
            }
        }
        #expect(outcome.endings == [.completed(.accepted)] || outcome.endings.first?.error != nil)
        #expect(outcome.endings.count == 1)
        #expect(outcome.seconds < 60)
    }
}

/// Adverts that are not what they seem.
@Suite struct ForgedAdvertTests {
    let payload = HostileScenario.noise(3000)

    @Test(.shows("T1")) func `a wallet does not connect to an advertiser with the right five bytes and another key`()
        throws
    {
        var (session, random) = try HostileVerifierTests.sample()
        var scanResponse = TuvaliAdvertisement(uri: session.uri, profile: .tuvali05).scanResponse
        scanResponse[30] ^= 1
        var world = SimulatedWorld(seed: 4)
        let impostor = world.add(try HostileVerifier(uri: session.uri, scanResponse: scanResponse))
        let wallet = world.add(
            SimulatedWallet(session: try WalletSession(uri: session.uri, random: &random), payload: payload))
        world.run(until: MonotonicInstant.zero + .seconds(60))
        let host = wallet.flatMap { world.host($0, as: SimulatedWallet.self) }
        #expect(host?.record.endings == .failed(.walletStaleURI))
        #expect(impostor.flatMap { world.host($0, as: HostileVerifier.self) }?.connectionCount == 0)
    }

    @Test(.shows("T1")) func `a wallet finds its verifier among impostors with the right five bytes`() throws {
        var field = try HostileScenario()
        var impostors: [AirDeviceID] = []
        for change in 1...8 {
            var scanResponse = TuvaliAdvertisement(uri: field.uri, profile: .tuvali05).scanResponse
            scanResponse[4 + change * 3] ^= UInt8(change)
            impostors += [field.world.add(try HostileVerifier(uri: field.uri, scanResponse: scanResponse))].compactMap {
                $0
            }
        }
        let honest = try field.addHonestWallet(payload: payload)
        field.world.run(until: MonotonicInstant.zero + .seconds(30))
        #expect(field.payload == payload)
        #expect(field.wallet(honest)?.record.endings == [.completed(.accepted)])
        for impostor in impostors {
            #expect(field.world.host(impostor, as: HostileVerifier.self)?.connectionCount == 0)
        }
    }

    @Test(.shows("T1"))
    func `a device that copies the whole advertisement receives a payload that it cannot decrypt`() throws {
        var (session, random) = try HostileVerifierTests.sample()
        var world = SimulatedWorld(seed: 4)
        let copier = world.add(try HostileVerifier(uri: session.uri))
        let wallet = world.add(
            SimulatedWallet(session: try WalletSession(uri: session.uri, random: &random), payload: payload))
        world.run(until: MonotonicInstant.zero + .seconds(60))
        #expect(
            wallet.flatMap { world.host($0, as: SimulatedWallet.self) }?.record.endings == .failed(.walletReportTimeout)
        )
        let written = copier.flatMap { world.host($0, as: HostileVerifier.self) }?.written ?? []
        let identify = IdentifyRequest(parsing: written.first { $0.0 == .identify }?.1 ?? [])
        let sealed = written.filter { $0.0 == .submitResponse }.flatMap { $0.1.dropFirst(4) }
        #expect(sealed.count > payload.count)
        guard let identify else { return }
        let ownKey = X25519.makePrivateKey(from: &random)
        let guessed = try SessionKeys(privateKey: ownKey, peerPublicKey: identify.publicKey)
        let limits = VerifierConfiguration.unzipLimits
        #expect(throws: SealedPayload.OpeningFailure.notAuthentic) {
            try SealedPayload.open(sealed, key: guessed.verifier, nonce: identify.nonce, limits: limits)
        }
    }
}
