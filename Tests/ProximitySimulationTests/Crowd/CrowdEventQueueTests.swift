import Determinism
import Testing

@testable import ProximitySimulation

@Suite struct CrowdEventQueueTests {
    private func event(_ at: UInt64, _ sequence: UInt32, device: UInt32 = 0) -> CrowdEvent {
        CrowdEvent(at: at, device: device, source: 0, sequence: sequence, kind: .initiate(ticket: sequence))
    }

    @Test func `crowd events come in the order of time, however far ahead they were inserted`() {
        var random = SeededRandom(seed: 5)
        var queue = CrowdEventQueue()
        var expected: [UInt64: Int] = [:]
        var sequence: UInt32 = 0
        var (now, last) = (UInt64(0), UInt64(0))
        var taken = 0
        while now < 120_000_000_000 {
            // Some at once, some in later slices, some beyond all lists.
            for span in [1_000_000, 300_000_000, 9_000_000_000, 60_000_000_000] {
                sequence += 1
                let at = now + UInt64(random.within(0...span))
                expected[at, default: 0] += 1
                queue.insert(event(at, sequence))
            }
            let limit = (now / CrowdShard.slice + UInt64(random.within(1...100))) * CrowdShard.slice
            #expect(queue.first == expected.keys.min())
            while let found = queue.popFirst(before: limit) {
                #expect(found.at >= last && found.at < limit)
                guard case .initiate(let ticket) = found.kind, ticket == found.sequence else {
                    Issue.record("an event lost what it is about")
                    return
                }
                last = found.at
                taken += 1
                expected[found.at, default: 0] -= 1
                if expected[found.at] == 0 { expected[found.at] = nil }
            }
            #expect(expected.keys.min().map { $0 >= limit } ?? true)
            now = limit
        }
        #expect(taken > 300)
    }

    @Test func `the next events of a crowd's time slice can be listed before they are taken`() {
        var queue = CrowdEventQueue()
        for device in 1...5 as ClosedRange<UInt32> {
            queue.insert(event(6_000_000_000 - UInt64(device), 1, device: device))
        }
        #expect(queue.upcoming(3).isEmpty)
        queue.advance(to: 6_000_000_000)
        #expect(queue.upcoming(3).map { queue.device(at: $0) } == [5, 4, 3])
        #expect(queue.popFirst(before: 6_000_000_000)?.device == 5)
        #expect(queue.upcoming(9).map { queue.device(at: $0) } == [4, 3, 2, 1])
        queue.insert(event(5_999_999_995, 2, device: 9))
        #expect(queue.popFirst(before: 6_000_000_000)?.device == 9)
        #expect(queue.first == 5_999_999_996)
    }

    @Test
    func `crowd events at one instant are ordered by device and then by the order of their causes`() {
        var queue = CrowdEventQueue()
        let late: UInt64 = 5_000_000_000
        for (device, sequence) in [(2, 1), (1, 9), (1, 3)] as [(UInt32, UInt32)] {
            queue.insert(event(late, sequence, device: device))
        }
        var order: [UInt32] = []
        while let found = queue.popFirst(before: late + 1) { order.append(found.sequence) }
        #expect(order == [3, 9, 1])
        #expect(queue.first == nil)
    }
}
