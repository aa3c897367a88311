import Air
import CoreBluetooth
import Determinism
import ProximityExample
import Radio
import Testing
import Tuvali
import TuvaliHandover
import VirtualRadio
import WalletExample

/// The parts of the example apps below their screens.
@Suite(.serialized) struct ExampleTests {
    @Test func `the example iOS wallet hands its credential over and shows each state`() async throws {
        let air = VirtualAir.private(seed: 1)
        let verifier = Verifier(radio: try await air.makeRadio(), random: SeededRandom(seed: 1))
        _ = try await SimulatedPhone.make(on: air)
        let uri = try await verifier.start(name: "Desk")
        let received = Task {
            var payloads: [[UInt8]] = []
            for await event in verifier.events {
                if case .received(let payload, _) = event {
                    payloads.append(payload)
                    try? await verifier.decide(.accepted)
                }
            }
            return payloads
        }
        let model = await WalletModel()
        let states = Task {
            var states: [WalletState] = []
            for await state in model.states { states.append(state) }
            return states
        }
        await model.handOver([1, 2, 3], to: "\(uri)")
        #expect(await received.value == [[1, 2, 3]])
        await model.handOver([1], to: "no code")
        await model.close()
        let seen = await states.value
        #expect(seen.first == .searching)
        #expect(seen.contains(.sent))
        #expect(seen.contains(.decided(isAccepted: true)))
        #expect(seen.contains { if case .connected(let words) = $0 { !words.isEmpty } else { false } })
        #expect(seen.last.map { if case .failed = $0 { true } else { false } } == true)
        await air.close()
    }

    @Test func `two iPhones with the proximity example list each other`() async throws {
        let air = VirtualAir.private(seed: 2)
        var models: [ProximityModel] = []
        for number in 1...2 as ClosedRange<UInt8> {
            _ = try await SimulatedPhone.make(on: air)
            let model = await ProximityModel()
            try await model.start(payload: [number, number])
            models.append(model)
        }
        for (index, model) in models.enumerated() {
            let other = UInt8(2 - index)
            var isListed = false
            for await list in model.lists where list.contains(where: { $0.payload == [other, other] }) {
                isListed = true
                break
            }
            #expect(isListed)
        }
        for model in models { await model.stop() }
        await air.close()
    }
}
