import Air
import Bluetooth
import Determinism
import Radio
import TestSupport
import Testing
import Tuvali
import TuvaliHandover
import VirtualRadio

/// Wallet and verifier on a virtual air in real time. Every wait is bounded by the deadlines of the sessions
/// themselves.
@Suite struct HandOverTests {
    /// The events of both sides.
    struct Outcome {
        var wallet: [WalletEvent] = []
        var verifier: [VerifierEvent] = []

        var payloads: [[UInt8]] {
            verifier.compactMap { if case .received(let payload, _) = $0 { payload } else { nil } }
        }

        var walletReport: LinkSpeedReport? {
            wallet.compactMap { if case .linkReport(let report) = $0 { report } else { nil } }.first
        }
    }

    /// Waits so long that a machine busy with other tests does not run into them.
    static var patient: WalletConfiguration {
        var configuration = WalletConfiguration()
        configuration.mtuWait = .seconds(60)
        configuration.scanWait = .seconds(120)
        configuration.connectWait = .seconds(60)
        configuration.setupWait = .seconds(120)
        configuration.stallWait = .seconds(120)
        configuration.reportWait = .seconds(60)
        configuration.closeWait = .seconds(60)
        return configuration
    }

    /// Verifier settings with waits long enough for a busy machine.
    static var patientVerifier: VerifierConfiguration {
        var configuration = VerifierConfiguration()
        configuration.identifyWait = .seconds(120)
        configuration.stallWait = .seconds(120)
        configuration.disconnectWait = .seconds(60)
        configuration.closeWait = .seconds(60)
        return configuration
    }

    /// Hands `payload` over and returns all events of both sides.
    static func handOver(
        _ payload: [UInt8], link: LinkParameters? = nil, dropShare: Double = 0, profile: WireProfile = .tuvali05,
        decision: VerificationStatus = .accepted, seed: UInt64 = 1
    ) async throws -> Outcome {
        let air = VirtualAir.private(seed: seed)
        defer { Task { await air.close() } }
        let conditions = DeviceRadioConditions(link: link, writeCommandDropShare: dropShare)
        var verifierConfiguration = Self.patientVerifier
        verifierConfiguration.profile = profile
        let verifier = Verifier(
            radio: try await air.makeRadio(VirtualRadio.Configuration(conditions: conditions)),
            configuration: verifierConfiguration, random: SeededRandom(seed: seed))
        let wallet = Wallet(
            radio: try await air.makeRadio(VirtualRadio.Configuration(conditions: conditions)),
            configuration: Self.patient,
            random: SeededRandom(seed: seed + 1000))
        let uri = try await verifier.start(name: "Desk")
        try await wallet.connect(to: uri)
        async let verifierEvents = Self.collect(verifier.events) { event in
            if case .received = event { try await verifier.decide(decision) }
        }
        let walletEvents = try await Self.collect(wallet.events) { event in
            if case .secureChannelEstablished = event { try await wallet.send(payload) }
        }
        if case .error? = walletEvents.last { await verifier.disconnect() }
        return try await Outcome(wallet: walletEvents, verifier: verifierEvents)
    }

    static func collect<Event: Sendable>(
        _ events: AsyncStream<Event>, react: (Event) async throws -> Void
    ) async rethrows -> [Event] {
        var collected: [Event] = []
        for await event in events {
            collected.append(event)
            try await react(event)
        }
        return collected
    }

    static func noise(_ count: Int) -> [UInt8] {
        var random = SeededRandom(seed: 99)
        return random.bytes(count: count)
    }

    @Test(arguments: WireProfile.allCases)
    func `a credential is transferred unchanged, and both sides report that once`(profile: WireProfile) async throws {
        let payload = Self.noise(10_000)
        let outcome = try await Self.handOver(payload, profile: profile)
        #expect(outcome.payloads == [payload])
        #expect(outcome.wallet.last == .disconnected(.completed(.accepted)))
        #expect(outcome.verifier.last == .disconnected(.completed(.accepted)))
        #expect(outcome.wallet.contains(.connected(mtu: 498, profile: profile)))
        #expect(outcome.wallet.contains(.status(.accepted)))
    }

    @Test(.shows("TUV-008"), arguments: LinkParameters.named.map(\.name))
    func `a credential is transferred over every named link, also when hosts drop write commands`(name: String)
        async throws
    {
        let link = try #require(LinkParameters.named.first { $0.name == name }?.parameters)
        let payload = Self.noise(20_000)
        let outcome = try await Self.handOver(payload, link: link, dropShare: 0.1)
        #expect(outcome.payloads == [payload])
        let report = try #require(outcome.walletReport)
        #expect(report.statistics.parameters == link)
        #expect(report.statistics.mtu == min(498, link.maximumMTU))
        #expect(report.summary.map { $0.failureFrameCount > 0 } == true)
        #expect(report.limitShare.map { $0 > 0 && $0 <= 1 } == true)
    }

    @Test func `a rejected credential completes both sides`() async throws {
        let outcome = try await Self.handOver([1, 2, 3], decision: .rejected)
        #expect(outcome.wallet.last == .disconnected(.completed(.rejected)))
        #expect(outcome.verifier.last == .disconnected(.completed(.rejected)))
    }

    @Test func `a wallet with an old QR code reports that and sends nothing`() async throws {
        let air = VirtualAir.private(seed: 4)
        let verifier = Verifier(radio: try await air.makeRadio(), configuration: Self.patientVerifier)
        let clock = HandClock()
        let wallet = Wallet(radio: try await air.makeRadio(), clock: clock)
        let uri = try await verifier.start(name: "Desk")
        try await wallet.connect(to: TuvaliURI(name: uri.name, key: Self.noise(32)))
        async let verifierEvents = Self.collect(verifier.events) { _ in }
        let walletEvents = await Self.collect(wallet.events) { event in
            if case .heardOther = event { clock.advance(by: .seconds(10)) }
        }
        await verifier.disconnect()
        #expect(walletEvents.last == .error(TuvaliError(.walletStaleURI, "")))
        #expect(!(await verifierEvents).contains(.connected))
        await air.close()
    }

    @Test func `a wallet cancelled during the transfer ends both sides once`() async throws {
        let air = VirtualAir.private(seed: 5)
        let slow = VirtualRadio.Configuration(
            conditions: DeviceRadioConditions(link: LinkParameters.named[2].parameters))
        let verifier = Verifier(radio: try await air.makeRadio(slow), configuration: Self.patientVerifier)
        let wallet = Wallet(radio: try await air.makeRadio(slow), configuration: Self.patient)
        try await wallet.connect(to: verifier.start(name: "Desk"))
        async let verifierEvents = Self.collect(verifier.events) { _ in }
        var walletEvents: [WalletEvent] = []
        for await event in wallet.events {
            walletEvents.append(event)
            if case .secureChannelEstablished = event { try await wallet.send(Self.noise(200_000)) }
            if case .progress = event { await wallet.disconnect() }
        }
        #expect(walletEvents.last == .disconnected(.cancelled))
        #expect(await verifierEvents.last == .disconnected(.disconnected(TuvaliError(.peerDisconnected, ""))))
        await air.close()
    }

    @Test func `a verifier cancelled during the transfer ends both sides once`() async throws {
        let air = VirtualAir.private(seed: 6)
        let slow = VirtualRadio.Configuration(
            conditions: DeviceRadioConditions(link: LinkParameters.named[2].parameters))
        let verifier = Verifier(radio: try await air.makeRadio(slow), configuration: Self.patientVerifier)
        let wallet = Wallet(radio: try await air.makeRadio(slow), configuration: Self.patient)
        try await wallet.connect(to: verifier.start(name: "Desk"))
        async let walletEvents = Self.collect(wallet.events) { event in
            if case .secureChannelEstablished = event { try await wallet.send(Self.noise(200_000)) }
        }
        let verifierEvents = await Self.collect(verifier.events) { event in
            if case .progress = event { await verifier.disconnect() }
        }
        #expect(verifierEvents.last == .disconnected(.cancelled))
        #expect(try await walletEvents.last == .disconnected(.disconnected(TuvaliError(.peerDisconnected, ""))))
        await air.close()
    }

    @Test func `closing the virtual air during the transfer ends both sides`() async throws {
        let air = VirtualAir.private(seed: 7)
        let verifier = Verifier(radio: try await air.makeRadio(), configuration: Self.patientVerifier)
        let wallet = Wallet(radio: try await air.makeRadio(), configuration: Self.patient)
        try await wallet.connect(to: verifier.start(name: "Desk"))
        async let walletEvents = Self.collect(wallet.events) { event in
            if case .secureChannelEstablished = event { await air.close() }
        }
        let verifierEvents = await Self.collect(verifier.events) { _ in }
        #expect(await walletEvents.filter(\.isTerminal).count == 1)
        #expect(verifierEvents.filter(\.isTerminal).count == 1)
    }

    @Test func `a task that stops reading the events cancels its session`() async throws {
        let air = VirtualAir.private(seed: 8)
        let verifier = Verifier(radio: try await air.makeRadio(), configuration: Self.patientVerifier)
        let wallet = Wallet(radio: try await air.makeRadio(), configuration: Self.patient)
        let uri = try await verifier.start(name: "Desk")
        try await wallet.connect(to: uri)
        let listening = Task { await Self.collect(wallet.events) { _ in } }
        let verifierEvents = await Self.collect(verifier.events) { event in
            if case .secureChannelEstablished = event { listening.cancel() }
        }
        #expect(verifierEvents.last == .disconnected(.disconnected(TuvaliError(.peerDisconnected, ""))))
        await air.close()
    }

    @Test func `a second transfer on one wallet or verifier is refused`() async throws {
        let air = VirtualAir.private(seed: 9)
        let verifier = Verifier(radio: try await air.makeRadio(), configuration: Self.patientVerifier)
        let uri = try await verifier.start(name: "Desk")
        await #expect(throws: TuvaliError(.sessionMisused, "")) { try await verifier.start(name: "Desk") }
        await #expect(throws: TuvaliError(.sessionMisused, "")) { try await verifier.decide(.accepted) }
        let wallet = Wallet(radio: try await air.makeRadio())
        await #expect(throws: TuvaliError(.sessionMisused, "")) { try await wallet.send([1]) }
        try await wallet.connect(to: uri)
        await #expect(throws: TuvaliError(.sessionMisused, "")) { try await wallet.connect(to: uri) }
        await wallet.disconnect()
        await verifier.disconnect()
        await air.close()
    }
}

extension WalletEvent {
    /// True when no event may follow this one.
    var isTerminal: Bool {
        switch self {
        case .error, .disconnected: true
        default: false
        }
    }
}

extension VerifierEvent {
    /// True when no event may follow this one.
    var isTerminal: Bool {
        switch self {
        case .error, .disconnected: true
        default: false
        }
    }
}
