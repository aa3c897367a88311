import Air
import Determinism
import Testing

struct EventHeapTests {
    @Test func `the event heap returns payloads in the order of time`() {
        var random = SeededRandom(seed: 4)
        var heap = EventHeap<UInt64>()
        for _ in 0..<1000 {
            let instant = random.below(100_000)
            heap.insert(instant, at: MonotonicInstant(nanoseconds: instant))
        }
        var drained: [UInt64] = []
        while let (instant, payload) = heap.popFirst() {
            #expect(instant.nanoseconds == payload)
            drained.append(payload)
        }
        #expect(drained == drained.sorted())
        #expect(drained.count == 1000)
    }

    @Test func `the event heap returns payloads of one instant in the order of insertion`() {
        var random = SeededRandom(seed: 5)
        var heap = EventHeap<Int>()
        var expected: [[Int]] = [[], [], []]
        for number in 0..<600 {
            let instant = Int(random.below(3))
            expected[instant].append(number)
            heap.insert(number, at: MonotonicInstant(nanoseconds: UInt64(instant)))
        }
        var drained: [Int] = []
        while let (_, payload) = heap.popFirst() { drained.append(payload) }
        #expect(drained == expected.flatMap { $0 })
    }

    @Test func `the event heap returns a payload at its instant and not a nanosecond before`() {
        var heap = EventHeap<String>()
        heap.insert("bell", at: MonotonicInstant(nanoseconds: 10))
        #expect(heap.popFirst(through: MonotonicInstant(nanoseconds: 9)) == nil)
        #expect(heap.first?.instant.nanoseconds == 10)
        #expect(heap.popFirst(through: MonotonicInstant(nanoseconds: 10))?.payload == "bell")
        #expect(heap.isEmpty)
        #expect(heap.popFirst() == nil)
    }
}
