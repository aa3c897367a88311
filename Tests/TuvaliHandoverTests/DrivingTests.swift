import Determinism
import TestSupport
import Testing
import Tuvali

@testable import TuvaliHandover

@Suite struct DrivingTests {
    @Test func `radio operations of a session run one after another, in their order`() async {
        let line = SerialQueue()
        let (numbers, continuation) = AsyncStream.makeStream(of: Int.self)
        for number in 0..<100 {
            line.add {
                await Task.yield()
                continuation.yield(number)
                if number == 99 { continuation.finish() }
            }
        }
        var seen: [Int] = []
        for await number in numbers { seen.append(number) }
        #expect(seen == Array(0..<100))
    }

    @Test func `a cancelled radio operation lets the next ones run`() async {
        let line = SerialQueue()
        let (steps, continuation) = AsyncStream.makeStream(of: String.self)
        line.add {
            continuation.yield("started")
            try? await Task.sleep(for: .seconds(600))
            continuation.yield("cancelled")
        }
        line.add { continuation.finish() }
        var seen: [String] = []
        for await step in steps {
            seen.append(step)
            line.cancelCurrent()
        }
        #expect(seen == ["started", "cancelled"])
    }

    @Test func `transfer progress gives at most twenty events a second, and always the last one`() {
        var gate = ProgressLimiter()
        let start = MonotonicInstant(nanoseconds: 1)
        func admits(_ bytes: Int, after milliseconds: Int) -> Bool {
            gate.admits(TransferProgress(bytes: bytes, totalBytes: 100), at: start + .milliseconds(milliseconds))
        }
        #expect(admits(1, after: 0))
        #expect(!admits(2, after: 49))
        #expect(admits(3, after: 50))
        #expect(admits(100, after: 51))
    }
}
