import DataStructures
import Determinism
import TestSupport
import Testing

@Suite struct PriorityQueueTests {
    private struct Item: Prioritized, Hashable {
        let at: Int
        let serial: Int

        func precedes(_ other: Item) -> Bool { (at, serial) < (other.at, other.serial) }
    }

    private func drain(_ queue: inout PriorityQueue<Item>) -> [Item] {
        var items: [Item] = []
        while let item = queue.popFirst() { items.append(item) }
        return items
    }

    @Test func `an empty priority queue has no first element and returns none`() {
        var queue = PriorityQueue<Item>()
        #expect(queue.isEmpty && queue.first == nil && queue.popFirst() == nil)
    }

    @Test(arguments: 0..<20)
    func `a priority queue returns elements in order, whatever order they were inserted in`(count: Int) {
        var random = SeededRandom(seed: UInt64(count))
        var queue = PriorityQueue<Item>()
        let items = (0..<count * 7).map { Item(at: random.within(0...9), serial: $0) }
        for item in items { queue.insert(item) }
        #expect(queue.count == items.count)
        #expect(drain(&queue) == items.sorted { $0.precedes($1) })
    }

    @Test func `a priority queue keeps its order through mixed insertions and removals`() {
        var random = SeededRandom(seed: 5)
        var (queue, model) = (PriorityQueue<Item>(), [Item]())
        for serial in 0..<2000 {
            if random.within(0...2) > 0 {
                let item = Item(at: random.within(0...50), serial: serial)
                queue.insert(item)
                model.append(item)
            } else {
                model.sort { $0.precedes($1) }
                #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            }
        }
        #expect(queue.count == model.count)
    }

    @Test func `a priority queue keeps an element that is not due`() {
        var queue = PriorityQueue<Item>()
        queue.insert(Item(at: 5, serial: 0))
        #expect(queue.popFirst { $0.at <= 4 } == nil)
        #expect(queue.popFirst { $0.at <= 5 } == Item(at: 5, serial: 0))
        #expect(queue.popFirst { _ in true } == nil)
    }

    @Test func `a priority queue that was emptied can be used again`() {
        var queue = PriorityQueue<Item>()
        queue.reserveCapacity(4)
        queue.insert(Item(at: 1, serial: 0))
        queue.removeAll()
        queue.insert(Item(at: 2, serial: 1))
        #expect(drain(&queue) == [Item(at: 2, serial: 1)])
    }
}
