import Determinism
import Radio
import Testing
import Tuvali
import TuvaliHandover
import VirtualRadio

/// A verifier that cannot be talked to.
@Suite struct HangingUpTests {
    @Test func `a verifier that disconnects at every connection is tried three times, then named as the cause`()
        async throws
    {
        let air = VirtualAir.private(seed: 3)
        defer { Task { await air.close() } }
        var random = SeededRandom(seed: 8)
        let uri = try VerifierSession(name: "Desk", random: &random).uri
        let desk = try await air.makeRadio(VirtualRadio.Configuration())
        let data = TuvaliAdvertisement(uri: uri, profile: .tuvali05)
        let advertisement = Advertisement(data: data.data, scanResponse: data.scanResponse)
        try await desk.publish([WireProfile.tuvali05.serviceDefinition()])
        try await desk.startAdvertising(advertisement)
        let hangingUp = Task {
            var count = 0
            for await event in desk.events {
                switch event {
                case .connected(let link, _):
                    count += 1
                    await desk.disconnect(link)
                case .disconnected: try? await desk.startAdvertising(advertisement)
                default: break
                }
            }
            return count
        }
        let wallet = Wallet(
            radio: try await air.makeRadio(VirtualRadio.Configuration()), configuration: HandOverTests.patient,
            random: SeededRandom(seed: 9))
        try await wallet.connect(to: uri)
        let events = await HandOverTests.collect(wallet.events) { _ in }
        #expect(events.last == .error(TuvaliError(.peerDisconnected, "")))
        await air.close()
        #expect(await hangingUp.value == 3)
    }
}
