import Determinism
import Testing

@testable import Air

struct SimulationTraceTests {
    static func trace(capacity: Int, lines: Int) -> SimulationTrace {
        var trace = SimulationTrace(capacity: capacity)
        for number in 0..<lines {
            trace.record(at: MonotonicInstant(nanoseconds: UInt64(number)), "tick", "\(number)")
        }
        return trace
    }

    @Test func `the hash of a simulation trace is FNV-1a`() {
        var hash = FowlerNollVo()
        #expect(hash.hexadecimal == "cbf29ce484222325")
        hash.update("a".utf8)
        #expect(hash.hexadecimal == "af63dc4c8601ec8c")
        hash.update("".utf8)
        #expect(hash.hexadecimal == "af63dc4c8601ec8c")
        hash = FowlerNollVo()
        hash.update("foobar".utf8)
        #expect(hash.hexadecimal == "85944171f73967e8")
    }

    @Test func `simulation trace columns have fixed positions`() {
        var trace = SimulationTrace()
        trace.record(at: MonotonicInstant(nanoseconds: 1_000_000_023), device: 7, link: 12, "connect", "to=d1")
        trace.record(at: .zero, "end")
        #expect(trace.lines[0] == "       1.000000023 d7      l12     connect      to=d1")
        #expect(trace.lines[1] == "       0.000000000                 end")
    }

    @Test func `a trace keeps the lines of its capacity, and drops the oldest for one more`() {
        #expect(Self.trace(capacity: 3, lines: 3).lines.map { $0.last } == ["0", "1", "2"])
        #expect(Self.trace(capacity: 3, lines: 4).lines.map { $0.last } == ["1", "2", "3"])
        #expect(Self.trace(capacity: 3, lines: 11).lines.map { $0.last } == ["8", "9", "0"])
        #expect(Self.trace(capacity: 3, lines: 11).count == 11)
        #expect(Self.trace(capacity: 0, lines: 2).lines.isEmpty)
    }

    @Test func `dropped trace lines still count in the digest`() {
        let digests = [0, 1, 5, 100].map { Self.trace(capacity: $0, lines: 20).digest }
        #expect(Set(digests).count == 1)
        #expect(Self.trace(capacity: 5, lines: 21).digest != digests[0])
    }

    @Test func `the simulated clock never goes back`() {
        var clock = SimulatedClock(origin: WallTime(millisecondsSinceEpoch: 5))
        clock.advance(to: .seconds(2))
        clock.advance(to: .seconds(1))
        #expect(clock.now == .seconds(2))
        #expect(clock.wallTime == WallTime(millisecondsSinceEpoch: 2005))
    }
}
