import Bluetooth
import DataStructures
import Determinism
import Testing

@testable import Herald

@Suite struct DeviceTableTests {
    @Test func `the slot index finds what a dictionary finds, through growth and removal`() {
        var index = SlotIndex(secret: 0x1234)
        var model: [UInt64: Int] = [:]
        var random = SeededRandom(seed: 1)
        for step in 0..<20_000 {
            let key = random.below(600) + 1
            switch random.below(3) {
            case 0:
                if let slot = model[key] {
                    index.remove(key, of: slot)
                    model[key] = nil
                }
            case 1: index.remove(key, of: -5)
            default:
                index.set(key, step)
                model[key] = step
            }
            #expect(index.count == model.count)
            let probe = random.below(600) + 1
            #expect(index.find(probe) == model[probe])
        }
        for key in UInt64(1)...600 { #expect(index.find(key) == model[key]) }
    }

    @Test func `device deadlines come in order, and none before its time`() {
        var heap = PriorityQueue<DeviceDeadline>()
        var random = SeededRandom(seed: 2)
        let times = (0..<500).map { _ in random.below(1000) }
        for (slot, at) in times.enumerated() {
            heap.insert(DeviceDeadline(at: at, token: DeviceRecordToken(slot: UInt32(slot), generation: 0)))
        }
        var taken: [UInt64] = []
        while let entry = heap.popFirst(where: { $0.at <= 499 }) { taken.append(entry.at) }
        #expect(taken == times.filter { $0 <= 499 }.sorted())
        #expect(heap.count == 500 - taken.count)
        #expect(heap.first.map { $0.at >= 500 } ?? true)
    }

    @Test func `a slot queue is first in, first out, and a token put back comes next`() {
        var queue = DeviceRecordQueue()
        func token(_ number: UInt32) -> DeviceRecordToken { DeviceRecordToken(slot: number, generation: 1) }
        for number in UInt32(0)..<20 { queue.append(token(number)) }
        let first = queue.popFirst()
        #expect(first == token(0))
        queue.prepend(token(0))
        for number in UInt32(20)..<40 { queue.append(token(number)) }
        queue.prepend(token(99))
        var order: [UInt32] = []
        while let next = queue.popFirst() { order.append(next.slot) }
        #expect(order == [99] + Array(0..<40))
        #expect(queue.isEmpty)
    }

    @Test func `a reused slot of the device table is another record`() {
        var table = DeviceTable(limit: 10, addressLimit: 4, secret: 1)
        let slot = table.insert(at: 5)
        let token = table.token(slot)
        table.bind(77, to: slot)
        table.remove(slot)
        #expect(table.slot(of: token) == nil)
        #expect(table.find(77) == nil)
        let again = table.insert(at: 6)
        #expect(again == slot)
        #expect(table.slot(of: token) == nil)
        #expect(table.slot(of: table.token(again)) == again)
        #expect(table[again].target == 2)
    }

    @Test func `keys of addresses and pseudo addresses never collide, and convert back`() throws {
        let random = DeviceAddress(value: 5, kind: .random)
        let assigned = DeviceAddress(value: 5, kind: .public)
        let pseudo = PseudoDeviceAddress(value: 5)
        let keys = [
            AddressIndexKey.key(of: random), AddressIndexKey.key(of: assigned), AddressIndexKey.key(of: pseudo),
        ]
        #expect(Set(keys).count == 3 && !keys.contains(0))
        #expect(AddressIndexKey.address(of: keys[0]) == random)
        #expect(AddressIndexKey.address(of: keys[1]) == assigned)
        #expect(AddressIndexKey.address(of: keys[2]) == nil)
        #expect(AddressIndexKey.pseudoAddress(of: keys[2]) == pseudo)
        #expect(AddressIndexKey.pseudoAddress(of: 0) == nil)
    }

    @Test func `the node's token bucket admits its burst at once and its rate after that`() {
        let limit = TokenBucket.Limit(burst: 3, perSecond: 2)
        var bucket = TokenBucket(limit, at: .zero)
        let take = { (count: Int, now: UInt64) in
            (0..<count).map { _ in bucket.take(limit, at: MonotonicInstant(nanoseconds: now)) }
        }
        #expect(take(4, 0) == [true, true, true, false])
        #expect(take(2, 500_000_000) == [true, false])
        #expect(take(4, 60_000_000_000) == [true, true, true, false])
    }

    @Test func `a slot queue takes the best of its first few tokens, and the others keep their order`() {
        var queue = DeviceRecordQueue()
        // The ring is full and begins in its middle.
        for slot in UInt32(0)..<4 { queue.append(DeviceRecordToken(slot: slot, generation: 0)) }
        for _ in 0..<4 { _ = queue.popFirst() }
        for slot in [UInt32(3), 9, 5, 9, 1, 7, 2, 8] { queue.append(DeviceRecordToken(slot: slot, generation: 0)) }
        let worth = { (token: DeviceRecordToken) in Int(token.slot) }
        #expect((0..<3).map { _ in queue.popBest(of: 3, worth: worth)?.slot } == [9, 9, 5])
        #expect((0..<5).map { _ in queue.popFirst()?.slot } == [3, 1, 7, 2, 8])
        #expect(queue.popBest(of: 3, worth: worth) == nil)
    }

    @Test func `a token removed from the middle of a slot queue leaves the others in order`() {
        for taken in UInt32(0)..<9 {
            var queue = DeviceRecordQueue()
            for slot in UInt32(20)..<25 { queue.append(DeviceRecordToken(slot: slot, generation: 0)) }
            for _ in 0..<5 { _ = queue.popFirst() }
            for slot in UInt32(0)..<8 { queue.append(DeviceRecordToken(slot: slot, generation: 0)) }
            let token = DeviceRecordToken(slot: taken, generation: 0)
            let tries = [queue.remove(token), queue.remove(token)]
            #expect(tries == [taken < 8, false])
            #expect(queue.count == (taken < 8 ? 7 : 8))
            #expect((0..<queue.count).map { _ in queue.popFirst()?.slot } == (0..<8).filter { $0 != taken })
        }
    }

    @Test func `the node's token bucket refuses while it holds half a token`() {
        let limit = TokenBucket.Limit(burst: 1, perSecond: 2)
        var bucket = TokenBucket(limit, at: .zero)
        let taken = [0, 499_999_999, 500_000_000].map { bucket.take(limit, at: MonotonicInstant(nanoseconds: $0)) }
        #expect(taken == [true, false, true])
    }

    @Test func `a pseudo address finds no device once its record is removed`() {
        var table = DeviceTable(limit: 10, addressLimit: 4, secret: 1)
        let slot = table.insert(at: 5)
        table.setPseudo(78, of: slot)
        #expect(table.find(78) == slot)
        table.remove(slot)
        #expect(table.find(78) == nil)
    }
}
