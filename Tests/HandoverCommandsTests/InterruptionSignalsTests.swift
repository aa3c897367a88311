import Bluetooth
import CommandTestSupport
import CryptoSuite
import Radio
import Terminal
import Testing
import Tuvali
import VirtualRadio

/// `receive` that is interrupted while a wallet is connected.
@Suite struct InterruptionSignalsTests {
    /// Identifies itself as a wallet and returns what the verifier does on the link, until the link is down.
    private func listen(
        to verifier: any CentralLink, whenReady: @Sendable () async throws -> Void
    ) async throws -> [CentralLinkEvent] {
        _ = try await verifier.exchangeMTU(517)
        let service = try #require(try await verifier.discoverServices(WireProfile.tuvali05.service).first)
        let all = try await verifier.discoverCharacteristics(of: service)
        let profile = WireProfile.tuvali05
        for remote in all where remote.uuid == profile.uuid(of: .disconnect) {
            try await verifier.subscribe(to: remote)
        }
        let identify = try #require(all.first { $0.uuid == profile.uuid(of: .identify) })
        var random = SystemRandom()
        let key = try X25519.publicKey(for: X25519.makePrivateKey(from: &random))
        try await verifier.write(random.bytes(count: 12) + key, to: identify)
        try await whenReady()
        var events: [CentralLinkEvent] = []
        for await event in verifier.events {
            if case .mtu = event { continue }
            events.append(event)
            if case .value = event { await verifier.disconnect() }
        }
        return events
    }

    @Test(arguments: [false, true])
    func `a verifier that is interrupted asks its wallet to disconnect before it closes the link`(
        isAdapter: Bool
    ) async throws {
        let handOver = try HandOver()
        let air =
            isAdapter ? VirtualAir.private(seed: 5) : try await VirtualAir.shared(path: handOver.airPath)
        var setup = CommandRun.Setup()
        var line = ["receive", "--out", "\(handOver.folder.path)/inbox"]
        if isAdapter {
            setup.adapters = air
            setup.delay = { DelayedRadio($0, notification: .milliseconds(50)) }
            line += ["--radio", "bluez"]
        } else {
            line += ["--air", handOver.airPath]
        }
        let (arguments, prepared) = (line, setup)
        let receiving = Task { await CommandRun.run(arguments, prepared) }
        _ = try await setup.output.line(beginningWith: "OPENID4VP://")
        let radio = try await air.makeRadio(VirtualRadio.Configuration())
        var link: (any CentralLink)?
        for try await report in try await radio.scan(services: [WireProfile.tuvali05.service]) {
            link = try await radio.connect(to: report.address, timeout: .seconds(60))
            break
        }
        let events = try await listen(to: try #require(link)) {
            for _ in 0..<12_000 where !prepared.talk.text.contains("Secure channel") {
                try await Task.sleep(for: .milliseconds(10))
            }
            receiving.cancel()
        }
        guard case .value([1], let characteristic, _)? = events.first else {
            Issue.record("the first of \(events) is no request to disconnect")
            return
        }
        #expect(characteristic.uuid == WireProfile.tuvali05.uuid(of: .disconnect))
        #expect(await receiving.value.status == 130)
        await air.close()
    }
}
