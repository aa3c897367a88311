import CryptoSuite
import Determinism
import Herald
import TestSupport
import Testing

@testable import HeraldProximity

@Suite struct SensorIdentityTests {
    private let start = SimplePayloadCalendar.defaultEpoch

    private func time(_ days: Int64) -> WallTime {
        WallTime(millisecondsSinceEpoch: start.millisecondsSinceEpoch + days * 86_400_000 + 12_345)
    }

    @Test func `a stored sensor identity is used again, and gives the same identifiers`() async throws {
        let store = MemoryStateStore()
        var random = SeededRandom(seed: 1)
        let first = try await SensorIdentity.restore(from: store, at: time(3), random: &random)
        let second = try await SensorIdentity.restore(from: store, at: time(300), random: &random)
        #expect(first.secret == second.secret && first.schedule == second.schedule)
        #expect(first.secret.count == 2048)
        var (one, two) = (
            try first.supplier(country: 826, state: 4), try second.supplier(country: 826, state: 4)
        )
        let payloads = try [one.payload(at: time(7)), two.payload(at: time(7))]
        #expect(payloads[0] == payloads[1])
    }

    @Test func `a sensor identity whose day keys are used up is replaced by a new one that starts today`() async throws
    {
        let store = MemoryStateStore()
        var random = SeededRandom(seed: 1)
        let first = try await SensorIdentity.restore(from: store, at: time(2000), random: &random)
        #expect(first.schedule.epoch == start)
        let second = try await SensorIdentity.restore(from: store, at: time(2001), random: &random)
        #expect(second.secret != first.secret)
        #expect(try second.schedule.slot(at: time(2001)).day == 0)
        #expect(try second.schedule.slot(at: time(4001)).day == 2000)
        let third = try await SensorIdentity.restore(from: store, at: time(4001), random: &random)
        #expect(third.secret == second.secret)
    }

    @Test func `while the clock is unset, a stored sensor identity is kept and a new one gets the first day`()
        async throws
    {
        var random = SeededRandom(seed: 3)
        for first in [time(-20_000), time(5)] {
            let store = MemoryStateStore()
            let made = try await SensorIdentity.restore(from: store, at: first, random: &random)
            #expect(made.schedule.epoch == start)
            for later in [time(-1), WallTime(millisecondsSinceEpoch: .min), time(0)] {
                let again = try await SensorIdentity.restore(from: store, at: later, random: &random)
                #expect(again.secret == made.secret && again.schedule == made.schedule)
            }
        }
    }

    @Test func `a sensor identity that starts in the future, because a clock ran ahead, is replaced`() async throws {
        let store = MemoryStateStore()
        var random = SeededRandom(seed: 4)
        let ahead = try await SensorIdentity.restore(from: store, at: time(2001), random: &random)
        let today = try await SensorIdentity.restore(from: store, at: time(2000), random: &random)
        #expect(today.secret != ahead.secret && today.schedule.epoch == start)
    }

    @Test func `a stored sensor identity is read whole, and replaced if it is malformed`() async throws {
        let store = MemoryStateStore([1, 2, 3])
        var random = SeededRandom(seed: 2)
        let identity = try await SensorIdentity.restore(from: store, at: time(0), random: &random)
        #expect(await store.load() == identity.bytes)
        #expect(SensorIdentity(parsing: identity.bytes)?.secret == identity.secret)
        let shortest = SensorIdentity(secret: Secret(copying: [UInt8](repeating: 1, count: 256)))
        #expect(DecoderVerifier.acceptedTruncations(of: shortest.bytes) { SensorIdentity(parsing: $0) } == [])
        #expect(DecoderVerifier.acceptedExtensions(of: identity.bytes) { SensorIdentity(parsing: $0) } == [])
    }
}
