import Bluetooth
import Determinism
import Radio
import TestSupport
import Testing
import Tuvali
import TuvaliHandover
import VirtualRadio

/// A verifier among devices that are no wallets, and a wallet among advertisers that are no verifiers.
@Suite struct StrangersTests {
    /// An air with a verifier that waits.
    private struct VerifierFixture {
        let air: VirtualAir
        let radio: VirtualRadio
        let verifier: Verifier
        let uri: TuvaliURI

        init(_ change: (inout VerifierConfiguration) -> Void = { _ in }) async throws {
            air = VirtualAir.private(seed: 11)
            radio = try await air.makeRadio(VirtualRadio.Configuration())
            var configuration = HandOverTests.patientVerifier
            change(&configuration)
            verifier = Verifier(radio: radio, configuration: configuration, random: SeededRandom(seed: 12))
            uri = try await verifier.start(name: "Desk")
        }

        /// Sends a payload while another device interferes; returns the verifier's events.
        func handOver(
            _ payload: [UInt8], configuration: WalletConfiguration = HandOverTests.patient
        ) async throws -> [VerifierEvent] {
            let wallet = Wallet(
                radio: try await air.makeRadio(VirtualRadio.Configuration()), configuration: configuration,
                random: SeededRandom(seed: 13))
            try await wallet.connect(to: uri)
            async let verifierEvents = HandOverTests.collect(verifier.events) { event in
                if case .received = event { try await verifier.decide(.accepted) }
            }
            let events = try await HandOverTests.collect(wallet.events) { event in
                if case .secureChannelEstablished = event { try await wallet.send(payload) }
            }
            #expect(events.last == .disconnected(.completed(.accepted)))
            // A verifier without a wallet would wait on.
            if case .error? = events.last { await verifier.disconnect() }
            return try await verifierEvents
        }
    }

    /// A device that is connected to the verifier, and what it may write to.
    private func stranger(
        at fixture: VerifierFixture
    ) async throws -> (link: any CentralLink, writes: [RemoteCharacteristic]) {
        let radio = try await fixture.air.makeRadio(VirtualRadio.Configuration())
        let link = try await radio.connect(to: fixture.radio.address, timeout: .seconds(120))
        _ = try await link.exchangeMTU(517)
        let service = try #require(try await link.discoverServices(WireProfile.tuvali05.service).first)
        return (link, try await link.discoverCharacteristics(of: service))
    }

    private func find(
        _ characteristic: TuvaliCharacteristic, in all: [RemoteCharacteristic]
    ) throws -> RemoteCharacteristic {
        try #require(all.first { $0.uuid == WireProfile.tuvali05.uuid(of: characteristic) })
    }

    private func hasEnded(_ link: any CentralLink) async -> Bool {
        for await event in link.events {
            if case .disconnected = event { return true }
        }
        return false
    }

    private func payloads(_ events: [VerifierEvent]) -> [[UInt8]] {
        events.compactMap { if case .received(let payload, _) = $0 { payload } else { nil } }
    }

    @Test func `a device that connects and does nothing is disconnected, and a wallet is still served`() async throws {
        let fixture = try await VerifierFixture()
        let (link, _) = try await stranger(at: fixture)
        let payload = HandOverTests.noise(3000)
        #expect(payloads(try await fixture.handOver(payload)) == [payload])
        #expect(await hasEnded(link))
        await fixture.air.close()
    }

    @Test func `a stranger whose link takes long to end does not hold up a wallet`() async throws {
        let air = VirtualAir.private(seed: 11)
        let radio = SlowlyPartingRadio(radio: try await air.makeRadio(VirtualRadio.Configuration()))
        let verifier = Verifier(
            radio: radio, configuration: HandOverTests.patientVerifier, random: SeededRandom(seed: 12))
        let uri = try await verifier.start(name: "Desk")
        let other = try await air.makeRadio(VirtualRadio.Configuration())
        let link = try await other.connect(to: radio.radio.address, timeout: .seconds(120))
        let wallet = Wallet(
            radio: try await air.makeRadio(VirtualRadio.Configuration()), configuration: HandOverTests.patient,
            random: SeededRandom(seed: 13))
        try await wallet.connect(to: uri)
        async let served = HandOverTests.collect(verifier.events) { event in
            if case .received = event { try await verifier.decide(.accepted) }
        }
        let payload = HandOverTests.noise(3000)
        let events = try await HandOverTests.collect(wallet.events) { event in
            if case .secureChannelEstablished = event { try await wallet.send(payload) }
        }
        #expect(events.last == .disconnected(.completed(.accepted)))
        radio.mayPart.withLock { $0 = true }
        #expect(payloads(try await served) == [payload])
        #expect(await hasEnded(link))
        await air.close()
    }

    @Test(.shows("T14"), arguments: [24, 66])
    func `a device that exchanges a small ATT MTU and never identifies itself loses its link, and a wallet is served`(
        mtu: Int
    ) async throws {
        let fixture = try await VerifierFixture { $0.disconnectWait = .seconds(2) }
        let radio = try await fixture.air.makeRadio(VirtualRadio.Configuration())
        let link = try await radio.connect(to: fixture.radio.address, timeout: .seconds(120))
        #expect(try await link.exchangeMTU(mtu) == mtu)
        #expect(await hasEnded(link))
        let payload = HandOverTests.noise(3000)
        let events = try await fixture.handOver(payload)
        #expect(payloads(events) == [payload])
        #expect(events.contains(.refused(TuvaliError(.verifierMTUTooSmall, ""))))
        await fixture.air.close()
    }

    @Test func `a device that sends no Identify message is disconnected when its time is over`() async throws {
        let fixture = try await VerifierFixture { $0.identifyWait = .milliseconds(50) }
        let radio = try await fixture.air.makeRadio(VirtualRadio.Configuration())
        let link = try await radio.connect(to: fixture.radio.address, timeout: .seconds(120))
        #expect(await hasEnded(link))
        await fixture.verifier.disconnect()
        let events = await HandOverTests.collect(fixture.verifier.events) { _ in }
        #expect(events.contains(.refused(TuvaliError(.verifierIdentifyTimeout, ""))))
        await fixture.air.close()
    }

    @Test func `writes before an Identify request are refused, and change nothing for the wallet`() async throws {
        let fixture = try await VerifierFixture()
        let (link, all) = try await stranger(at: fixture)
        try await link.write([0, 0, 0, 100], to: try find(.responseSize, in: all))
        for _ in 0..<100 {
            try await link.writeWithoutResponse(
                [UInt8](repeating: 7, count: 100), to: try find(.submitResponse, in: all))
        }
        try await link.write([1], to: try find(.reportRequest, in: all))
        try await link.write([1, 2, 3], to: try find(.identify, in: all))
        let payload = HandOverTests.noise(3000)
        let events = try await fixture.handOver(payload)
        #expect(payloads(events) == [payload])
        #expect(events.contains(.refused(TuvaliError(.verifierOutOfTurn, ""))))
        // Of a flood, sixteen are reported at most.
        #expect(events.count { if case .refused = $0 { true } else { false } } <= 16)
        await fixture.air.close()
    }

    @Test(arguments: [44, 45, 200, 512])
    func `an Identify request longer than 44 bytes counts as its first 44, as with deployed verifiers`(
        length: Int
    ) async throws {
        let fixture = try await VerifierFixture()
        let (link, all) = try await stranger(at: fixture)
        try await link.write(HandOverTests.noise(length), to: try find(.identify, in: all))
        let events = await HandOverTests.collect(fixture.verifier.events) { event in
            if case .secureChannelEstablished = event { await link.disconnect() }
        }
        #expect(events.contains { if case .secureChannelEstablished = $0 { true } else { false } })
        #expect(events.last == .disconnected(.disconnected(TuvaliError(.peerDisconnected, ""))))
        await fixture.air.close()
    }

    /// Advertising data that no verifier sends: empty, cut off, without end, of no length, with parts that are too
    /// short.
    private static func oddities(like uri: TuvaliURI) -> [(data: [UInt8], scanResponse: [UInt8])] {
        let right = TuvaliAdvertisement(uri: uri, profile: .tuvali05)
        let (data, rest) = (right.data, right.scanResponse)
        let zeros = [UInt8](repeating: 0, count: 31)
        let ones = [UInt8](repeating: 255, count: 31)
        let otherKey = Array(rest.dropLast()) + [(rest.last ?? 0) ^ 1]
        let short: [(data: [UInt8], scanResponse: [UInt8])] = [
            ([], []), ([0], [0]), ([255], [255]), ([5, 0x16, 1, 0], [2, 0x16]), ([1, 0x16], [3, 0x16, 2, 0]),
        ]
        let long: [(data: [UInt8], scanResponse: [UInt8])] = [
            (zeros, ones), (Array(data.dropLast()), rest), (data, Array(rest.dropLast())), (data, []), ([], rest),
            (data, otherKey),
        ]
        return short + long
    }

    @Test(arguments: WireProfile.allCases)
    func `a verifier of both Tuvali profiles serves a wallet of either to its decision`(profile: WireProfile)
        async throws
    {
        let fixture = try await VerifierFixture { $0.profiles = WireProfile.allCases }
        var configuration = HandOverTests.patient
        configuration.profiles = [profile]
        let payload = HandOverTests.noise(3000)
        let events = try await fixture.handOver(payload, configuration: configuration)
        #expect(payloads(events) == [payload])
        #expect(events.last == .disconnected(.completed(.accepted)))
        await fixture.air.close()
    }

    @Test func `a wallet finds its verifier among advertisements of odd lengths and of others' keys`() async throws {
        let fixture = try await VerifierFixture()
        for (data, scanResponse) in Self.oddities(like: fixture.uri) {
            let radio = try await fixture.air.makeRadio(VirtualRadio.Configuration())
            try await radio.startAdvertising(Advertisement(data: data, scanResponse: scanResponse))
        }
        let payload = HandOverTests.noise(3000)
        #expect(payloads(try await fixture.handOver(payload)) == [payload])
        await fixture.air.close()
    }
}

/// A radio that ends no link before it may.
private struct SlowlyPartingRadio: PeripheralRadio {
    let radio: VirtualRadio
    let mayPart = Lock(false)

    var events: AsyncStream<PeripheralEvent> { radio.events }

    func publish(_ services: [ServiceDefinition]) async throws(RadioError) { try await radio.publish(services) }

    func startAdvertising(_ advertisement: Advertisement) async throws(RadioError) {
        try await radio.startAdvertising(advertisement)
    }

    func stopAdvertising() async { await radio.stopAdvertising() }

    func notify(
        _ value: [UInt8], of characteristic: BluetoothUUID, on link: LinkID, confirmed: Bool
    ) async throws(RadioError) {
        try await radio.notify(value, of: characteristic, on: link, confirmed: confirmed)
    }

    func setValue(_ value: [UInt8], of characteristic: BluetoothUUID) async throws(RadioError) {
        try await radio.setValue(value, of: characteristic)
    }

    func answerRead(_ value: [UInt8], on link: LinkID) async throws(RadioError) {
        try await radio.answerRead(value, on: link)
    }

    func disconnect(_ link: LinkID) async {
        while !mayPart.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(5)) }
        await radio.disconnect(link)
    }

    func statistics(of link: LinkID) async -> LinkStatistics { await radio.statistics(of: link) }
}
