import Determinism
import TestSupport
import Testing

@testable import Desk

@Suite struct BrowserGateTests {
    private let announced = Lock<[String]>([])
    private let closed = Lock<[String]>([])
    private let gate: BrowserGate

    init() {
        let announced = announced
        gate = BrowserGate(random: SeededRandom(seed: 7), clock: HandClock()) { code in
            announced.withLock { $0.append("\(code)") }
        }
    }

    /// A connection that says when it is closed, and why.
    private func closing(_ name: String) -> @Sendable (BrowserGate.ClosingCause) -> Void {
        let closed = closed
        return { cause in closed.withLock { $0.append("\(name) \(cause.rawValue)") } }
    }

    @Test func `eight browser connections may wait without a code, and a ninth closes the oldest`() async {
        let closed = closed
        var numbers: [Int] = []
        for name in 1...8 {
            numbers.append(await gate.arrive { closed.withLock { $0.append("\(name)") } })
        }
        #expect(await gate.waitingCount == 8)
        #expect(closed.withLock { $0 } == [])
        _ = await gate.arrive { closed.withLock { $0.append("9") } }
        #expect(await gate.waitingCount == 8)
        #expect(closed.withLock { $0 } == ["1"])
        // One that has shown its code waits no longer.
        await gate.stopWaiting(numbers[1])
        _ = await gate.arrive { closed.withLock { $0.append("10") } }
        #expect(closed.withLock { $0 } == ["1"])
        _ = await gate.arrive { closed.withLock { $0.append("11") } }
        #expect(closed.withLock { $0 } == ["1", "3"])
    }

    @Test func `a changed one-time code is announced, and an unchanged one is not`() async {
        await gate.begin()
        let first = await gate.code
        #expect(announced.withLock { $0 } == ["\(first)"])
        _ = await gate.open(code: "WRONG", token: nil, close: closing("a"))
        _ = await gate.open(code: nil, token: "WRONG", close: closing("a"))
        #expect(announced.withLock { $0 } == ["\(first)"])
        _ = await gate.open(code: "\(first)", token: nil, close: closing("a"))
        let second = await gate.code
        #expect(second != first)
        #expect(announced.withLock { $0 } == ["\(first)", "\(second)"])
    }

    @Test func `the browser connection that opened the page controls it until another does, a refused one never`()
        async throws
    {
        let first = try #require(
            await gate.open(code: "\(gate.code)", token: nil, close: closing("first")).number)
        #expect(await gate.isCurrent(first))
        #expect(await gate.open(code: "WRONG", token: nil, close: closing("wrong")).number == nil)
        #expect(await gate.isCurrent(first))
        #expect(closed.withLock { $0 } == [])
        let second = try #require(
            await gate.open(code: "\(gate.code)", token: nil, close: closing("second")).number)
        #expect(await !gate.isCurrent(first))
        #expect(await gate.isCurrent(second))
        #expect(closed.withLock { $0 } == ["first taken-over"])
        // The end of a connection that has lost the page takes it from no other.
        await gate.leave(first)
        #expect(await gate.isCurrent(second))
        await gate.lock()
        #expect(await !gate.isCurrent(second))
        #expect(closed.withLock { $0 } == ["first taken-over", "second locked"])
    }
}
