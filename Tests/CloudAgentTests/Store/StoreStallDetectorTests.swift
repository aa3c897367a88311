import Determinism
import TestSupport
import Testing

@testable import CloudAgent

/// A store whose steps end when the test says.
@Suite struct StoreStallDetectorTests {
    private let clock = HandClock()
    private let counters = MediatorCounters()
    private let health: StoreHealth
    private let watch: StoreStallDetector

    init() {
        health = StoreHealth(clock, counters)
        watch = StoreStallDetector(clock: clock)
    }

    @Test func `a store step that does not end in time is one failure of a hanging store, until it ends`() async {
        let (steps, step) = AsyncStream.makeStream(of: Void.self)
        let begun = Lock(0)
        let perform = { @Sendable () async throws(CloudAgentError) in
            begun.withLock { $0 += 1 }
            for await _ in steps { return }
        }
        watch.look(perform, health)
        clock.advance(by: StoreStallDetector.patience - .milliseconds(1))
        watch.look(perform, health)
        #expect(watch.isAnswered && health.lastFailure == nil, "a millisecond before its time it is not late")
        clock.advance(by: .milliseconds(1))
        for _ in 0..<3 { watch.look(perform, health) }
        #expect(!watch.isAnswered && health.lastFailure?.code == .unavailable)
        #expect(counters.counts.storeFailures == 1)
        #expect(begun.withLock { $0 } <= 1, "no second step waits behind it")
        step.yield()
        while !watch.isAnswered { await Task.yield() }
        watch.look(perform, health)
        step.yield()
        while begun.withLock({ $0 }) < 2 { await Task.yield() }
        #expect(counters.counts.storeFailures == 1)
    }

    @Test func `a database that ends no step in time is silent, unless another cause was found`() async {
        let health = StoreHealth(clock, counters, isDatabase: true)
        let (steps, step) = AsyncStream.makeStream(of: Void.self)
        let perform = { @Sendable () async throws(CloudAgentError) in for await _ in steps { return } }
        watch.look(perform, health)
        clock.advance(by: StoreStallDetector.patience)
        watch.look(perform, health)
        step.finish()
        #expect(health.outage?.cause.code == .silent && counters.counts.storeFailures == 1)
        let busy = StoreHealth(clock, counters, isDatabase: true)
        busy.failed(CloudAgentError(.busy, "Another session holds a lock."))
        busy.stoodStill("A step has not ended.")
        #expect(busy.outage?.cause.code == .busy && busy.lastFailure?.code == .busy)
        #expect(counters.counts.storeFailures == 3)
    }

    @Test func `a store outage lasts from the first failure to the next successful step, and has the latest cause`() {
        #expect(health.outage == nil)
        health.failed(CloudAgentError(.accountUnknown, "No fault of the store."))
        #expect(health.outage == nil)
        let begin = clock.now()
        health.failed(CloudAgentError(.unavailable, "It stands still."))
        clock.advance(by: .seconds(2))
        health.failed(CloudAgentError(.standbyMissing, "It waits."))
        health.failed(CloudAgentError(.unavailable, "It stands still."))
        #expect(health.outage == .init(cause: CloudAgentError(.standbyMissing, ""), begin: begin))
        #expect(health.lastFailure?.code == .standbyMissing, "the log names what says more")
        health.answered(CloudAgentError(.silent, "It says nothing."))
        #expect(health.outage?.cause.code == .silent && health.outage?.begin == begin)
        health.answered(nil)
        #expect(health.outage == nil)
        clock.advance(by: .seconds(1))
        health.answered(CloudAgentError(.login, "It lets no one in."))
        #expect(health.outage?.begin == clock.now(), "an agent that has nothing to do has a cause, too")
    }

    @Test func `a store whose last step failed counts as not answering until a step succeeds`() async {
        let fails = Lock(true)
        let perform = { @Sendable () async throws(CloudAgentError) in
            if fails.withLock({ $0 }) { throw CloudAgentError(.full, "No room.") }
        }
        watch.look(perform, health)
        while watch.isAnswered { await Task.yield() }
        #expect(health.lastFailure == nil, "the step that failed elsewhere is the one that is told")
        fails.withLock { $0 = false }
        watch.look(perform, health)
        while !watch.isAnswered { await Task.yield() }
    }
}
