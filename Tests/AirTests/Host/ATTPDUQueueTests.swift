import Air
import Bluetooth
import Testing

@Suite struct ATTPDUQueueTests {
    private static let link = LinkID(7)

    private func pdus(_ commands: [AirCommand]) -> [[UInt8]] {
        commands.compactMap { command in
            guard case .send(Self.link, let frame) = command else { return nil }
            return attributePDU(in: frame)
        }
    }

    @Test func `a frame queue gives the controller as many frames as it accepts, and one more for each sent`() {
        var queue = ATTPDUQueue<Never>(link: Self.link, capacity: 2)
        var commands: [AirCommand] = []
        for number in 1...4 as ClosedRange<UInt8> {
            #expect(queue.hasRoom == (number <= 2))
            queue.add([number], into: &commands)
        }
        #expect(pdus(commands) == [[1], [2]])
        #expect(queue.waitingCount == 2)
        queue.sent(into: &commands)
        #expect(pdus(commands) == [[1], [2], [3]])
        #expect(!queue.hasRoom)
        for _ in 0..<3 { queue.sent(into: &commands) }
        #expect(pdus(commands) == [[1], [2], [3], [4]])
        #expect(queue.hasRoom && queue.waitingCount == 0)
    }

    @Test func `a frame queue returns a frame's tag when that frame was sent, and none for a frame without`() {
        var queue = ATTPDUQueue<String>(link: Self.link, capacity: 2)
        var commands: [AirCommand] = []
        for (number, tag) in [(1, "a"), (2, nil), (3, nil), (4, "d"), (5, "e")] as [(UInt8, String?)] {
            queue.add([number], tag: tag, into: &commands)
        }
        let tags = (0..<5).map { _ in queue.sent(into: &commands) }
        #expect(tags == ["a", nil, nil, "d", "e"])
        #expect(pdus(commands) == [[1], [2], [3], [4], [5]])
    }

    @Test func `a controller that reports more frames than it was given frees no room twice`() {
        var queue = ATTPDUQueue<String>(link: Self.link, capacity: 1)
        var commands: [AirCommand] = []
        #expect(queue.sent(into: &commands) == nil)
        queue.add([1], tag: "a", into: &commands)
        #expect(!queue.hasRoom)
        queue.add([2], tag: "b", into: &commands)
        #expect(pdus(commands) == [[1]])
        #expect(queue.sent(into: &commands) == "a")
        #expect(queue.sent(into: &commands) == "b")
        #expect(queue.sent(into: &commands) == nil)
    }
}
