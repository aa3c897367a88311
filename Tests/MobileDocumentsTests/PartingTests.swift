import Bluetooth
import Credentials
import Determinism
import MobileDocuments
import Radio
import Testing
import VirtualRadio

/// A reader whose radio takes long to end the links of strangers.
@Suite struct PartingTests {
    @Test func `a stranger whose link takes long to end does not hold up a phone`() async throws {
        let air = VirtualAir.private(seed: 5)
        let desk = GatedRadio(radio: try await air.makeRadio(VirtualRadio.Configuration()))
        let phone = GatedRadio(radio: try await air.makeRadio(VirtualRadio.Configuration()))
        var random = SeededRandom(seed: 5)
        let issuer = try TestMobileIssuer(at: ReadingTests.judgedAt, random: &random)
        let licence = try issuer.licence(portrait: TestMobileIssuer.portrait(), random: &random)
        let holder = MobileHolder(radio: phone)
        let code = try await holder.offer([licence], modes: [.centralClient], at: ReadingTests.judgedAt)
        let reader = MobileReader(radio: desk)
        try await reader.read(
            code.utf8, asking: MobileRequest(asking: "over-18"),
            verification: VerificationRequest(trust: TrustStore(), at: ReadingTests.judgedAt))
        let stranger = try await air.makeRadio(VirtualRadio.Configuration())
        let link = try await stranger.connect(to: desk.radio.address, timeout: .seconds(50))
        phone.isOpen.withLock { $0 = true }
        async let holding = ReadingTests.collect(holder.events) { event in
            if case .requested = event { try await holder.answer() }
        }
        let events = try await ReadingTests.collect(reader.events) { event in
            if case .answered = event { desk.isOpen.withLock { $0 = true } }
        }
        #expect(events.contains { if case .answered = $0 { true } else { false } })
        guard case .finished(.completed)? = events.last else { throw RadioError(.linkLost, "\(events)") }
        _ = try await holding
        for await event in link.events {
            if case .disconnected = event { break }
        }
        await air.close()
    }
}

/// A radio that scans and ends links of its clients from the time on at which it is open.
private struct GatedRadio: CentralRadio, PeripheralRadio {
    let radio: VirtualRadio
    let isOpen = Lock(false)

    var events: AsyncStream<PeripheralEvent> { radio.events }

    private func pass() async {
        while !isOpen.withLock({ $0 }), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
    }

    func scan(
        services: [BluetoothUUID]
    ) async throws(RadioError) -> AsyncThrowingStream<AdvertisementReport, any Error> {
        await pass()
        return try await radio.scan(services: services)
    }

    func connect(to address: DeviceAddress, timeout: Duration) async throws(RadioError) -> any CentralLink {
        try await radio.connect(to: address, timeout: timeout)
    }

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

    func disconnect(_ link: LinkID) async {
        await pass()
        await radio.disconnect(link)
    }

    func statistics(of link: LinkID) async -> LinkStatistics { await radio.statistics(of: link) }
}
