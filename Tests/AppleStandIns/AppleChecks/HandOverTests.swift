import Air
import Bluetooth
import CoreBluetooth
import CoreBluetoothRadio
import Determinism
import Radio
import StockPeers
import TestSupport
import Testing
import Tuvali
import TuvaliHandover
import VirtualRadio

/// Hand-overs by a wallet on Core Bluetooth and CryptoKit.
@Suite(.serialized) struct HandOverTests {
    struct Link: CustomStringConvertible, Sendable {
        var mtu: Int
        var lossShare: Double

        static let all = [
            Link(mtu: 185, lossShare: 0), Link(mtu: 185, lossShare: 0.05), Link(mtu: 517, lossShare: 0),
            Link(mtu: 517, lossShare: 0.05),
        ]

        var conditions: DeviceRadioConditions {
            DeviceRadioConditions(link: Apple.link, writeCommandDropShare: lossShare, packetLossShare: lossShare)
        }

        var description: String { "MTU \(mtu), loss \(Int(lossShare * 100)) %" }
    }

    private static func collect<Event: Sendable>(
        _ events: AsyncStream<Event>, react: (Event) async throws -> Void
    ) async rethrows -> [Event] {
        var collected: [Event] = []
        for await event in events {
            collected.append(event)
            try await react(event)
        }
        return collected
    }

    /// Sends a payload to our verifier; cuts the link after so many frames of the verifier, if wanted.
    private static func handOver(
        _ payload: [UInt8], _ link: Link, cutAfter: Int? = nil, profile: WireProfile = .tuvali05
    ) async throws -> (wallet: [WalletEvent], verifier: [VerifierEvent], frames: Int) {
        let air = VirtualAir.private(seed: 5)
        let cutter = LinkCutter()
        let verifierRadio = try await air.makeRadio(
            VirtualRadio.Configuration(conditions: link.conditions, maximumMTU: link.mtu, tap: cutter))
        var configuration = VerifierConfiguration()
        configuration.profile = profile
        let verifier = Verifier(radio: verifierRadio, configuration: configuration, random: SeededRandom(seed: 1))
        let (_, radio) = try await Apple.wallet(on: air, systemMTU: link.mtu, conditions: link.conditions)
        var waits = WalletConfiguration()
        // A verifier that was cut off is looked for again, in vain.
        if cutAfter != nil {
            waits.scanWait = .seconds(1)
            waits.connectWait = .seconds(1)
        }
        let wallet = Wallet(radio: radio, configuration: waits, random: SeededRandom(seed: 2))
        if let cutAfter { cutter.cutAfter(cutAfter) { Task { await verifierRadio.close() } } }
        let uri = try await verifier.start(name: "Desk")
        try await wallet.connect(to: uri)
        async let served = collect(verifier.events) { event in
            if case .received = event { try? await verifier.decide(.accepted) }
        }
        let sent = await collect(wallet.events) { event in
            if case .secureChannelEstablished = event { try? await wallet.send(payload) }
        }
        if case .error? = sent.last { await verifier.disconnect() }
        let events = await served
        await radio.close()
        await air.close()
        return (sent, events, cutter.frameCount)
    }

    private static func payloads(_ events: [VerifierEvent]) -> [[UInt8]] {
        events.compactMap { if case .received(let payload, _) = $0 { payload } else { nil } }
    }

    @Test(.enabled(if: OutsideVectors.arePresent, Comment(rawValue: OutsideVectors.skipped)), arguments: Link.all)
    func `every sample credential reaches our verifier unchanged`(link: Link) async throws {
        try #require(Apple.credentials.count >= 6)
        for (name, payload) in Apple.credentials {
            let outcome = try await Self.handOver(payload, link)
            #expect(Self.payloads(outcome.verifier) == [payload], "\(name)")
            #expect(outcome.wallet.last == .disconnected(.completed(.accepted)), "\(name)")
            let isConnected = outcome.wallet.contains { event in
                if case .connected(let mtu, _) = event { mtu == min(link.mtu, 515) } else { false }
            }
            #expect(isConnected, "\(name)")
        }
        print("hand-over: \(Apple.credentials.count) credentials to our verifier with \(link)")
    }

    @Test(.enabled(if: OutsideVectors.arePresent, Comment(rawValue: OutsideVectors.skipped)), arguments: Link.all)
    func `every sample credential reaches the model of the stock Android verifier unchanged`(link: Link) async throws {
        for (name, payload) in Apple.credentials {
            let air = VirtualAir.private(seed: 6)
            var setup = StockVerifierSetup(seed: 3)
            setup.maximumMTU = link.mtu
            let device = HostedDevice(StockVerifier(setup), on: air)
            try await device.start()
            let (_, radio) = try await Apple.wallet(on: air, systemMTU: link.mtu, conditions: link.conditions)
            let wallet = Wallet(radio: radio, random: SeededRandom(seed: 2))
            try await wallet.connect(to: TuvaliURI(parsing: setup.uri))
            let sent = await Self.collect(wallet.events) { event in
                if case .secureChannelEstablished = event { try? await wallet.send(payload) }
            }
            #expect(sent.last == .disconnected(.completed(.accepted)), "\(name)")
            let journal = await device.read { $0.journal }
            #expect(journal.payloads == [payload], "\(name)")
            #expect(journal.errors == [], "\(name)")
            await device.stop()
            await radio.close()
            await air.close()
        }
        print(
            "hand-over: \(Apple.credentials.count) credentials to the model of the stock Android verifier with \(link)")
    }

    @Test func `a verifier of 0.4 gets the credential as well`() async throws {
        let payload = Array("{\"name\":\"Ada\"}".utf8)
        let outcome = try await Self.handOver(payload, Link.all[0], profile: .tuvali04)
        #expect(Self.payloads(outcome.verifier) == [payload])
        #expect(outcome.wallet.last == .disconnected(.completed(.accepted)))
    }

    @Test func `a link that is cut after any frame ends both sides once, and delivers the payload whole or not at all`()
        async throws
    {
        var random = SeededRandom(seed: 9)
        let payload = random.bytes(count: 400)
        let whole = try await Self.handOver(payload, Link.all[0])
        try #require(whole.frames > 20)
        var completed = 0
        for count in 1...whole.frames {
            let outcome = try await Self.handOver(payload, Link.all[0], cutAfter: count)
            let received = Self.payloads(outcome.verifier)
            #expect(received == [] || received == [payload], "after \(count) frames")
            let endings = outcome.wallet.filter { event in
                switch event {
                case .error, .disconnected: true
                default: false
                }
            }
            #expect(endings.count == 1, "after \(count) frames: \(endings)")
            #expect(outcome.wallet.last == endings.last)
            if case .disconnected(.completed)? = outcome.wallet.last { completed += 1 }
        }
        print("hand-over: links cut after each of \(whole.frames) frames, \(completed) of the hand-overs complete")
    }

    @Test func `an Apple device cannot be the verifier, and says why`() async throws {
        let air = VirtualAir.private(seed: 7)
        _ = try await SimulatedPhone.make(on: air)
        let radio = try await CoreBluetoothRadio.open()
        let verifier = Verifier(radio: radio, random: SeededRandom(seed: 1))
        try await verifier.start(name: "Desk")
        let events = await Self.collect(verifier.events) { _ in }
        guard case .error(let error)? = events.last else {
            Issue.record("the verifier ended with \(events)")
            return
        }
        #expect(error.reason.contains("Apple's systems let an app advertise services and a name"))
        await radio.close()
        await air.close()
    }
}
