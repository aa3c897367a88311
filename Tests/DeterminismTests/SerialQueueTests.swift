import Determinism
import Testing

@Suite struct SerialQueueTests {
    private final class Log: Sendable {
        private let lines = Lock<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    @Test func `a serial queue runs operations one after another in the order of their addition`() async {
        let line = SerialQueue()
        let log = Log()
        for number in 0..<100 {
            line.add {
                log.add("begin \(number)")
                await Task.yield()
                log.add("end \(number)")
            }
        }
        await line.drain()
        #expect(log.all == (0..<100).flatMap { ["begin \($0)", "end \($0)"] })
    }

    @Test func `an operation on a serial queue may add another, which runs after it`() async {
        let line = SerialQueue()
        let log = Log()
        await withCheckedContinuation { continuation in
            line.add {
                line.add {
                    log.add("second")
                    continuation.resume()
                }
                await Task.yield()
                log.add("first")
            }
        }
        #expect(log.all == ["first", "second"])
    }

    @Test func `cancelling a serial queue cancels only the operation that runs`() async {
        let line = SerialQueue()
        let log = Log()
        let (begun, told) = AsyncStream<Void>.makeStream()
        line.add {
            told.yield()
            do { try await Task.sleep(for: .seconds(3600)) } catch { log.add("cancelled") }
        }
        line.add { log.add(Task.isCancelled ? "cancelled too" : "goes on") }
        for await _ in begun { break }
        line.cancelCurrent()
        await line.drain()
        #expect(log.all == ["cancelled", "goes on"])
    }

    @Test func `an operation that cancels its own serial queue does not cancel later operations`() async {
        let line = SerialQueue()
        let log = Log()
        line.add {
            line.cancelCurrent()
            log.add("\(Task.isCancelled)")
        }
        line.add { log.add("\(Task.isCancelled)") }
        await line.drain()
        #expect(log.all == ["true", "false"])
    }

    @Test func `cancelling an idle serial queue does not affect later operations`() async {
        let line = SerialQueue()
        let log = Log()
        line.cancelCurrent()
        line.add { log.add("\(Task.isCancelled)") }
        await line.drain()
        #expect(log.all == ["false"])
    }
}
