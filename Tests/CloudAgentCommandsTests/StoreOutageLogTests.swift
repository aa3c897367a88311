import CloudAgent
import Determinism
import Testing

@testable import CloudAgentCommands

@Suite struct StoreOutageLogTests {
    private static let full = CloudAgentError(.full, "No room.")
    private static let away = CloudAgentError(.unavailable, "No connection.")

    private var log = StoreOutageLog()
    private var counts = MediatorCounts()
    private var second = 0

    /// Looks once a second; `failures` is how many there were in it.
    private mutating func look(
        _ failures: Int = 0, _ failure: CloudAgentError? = nil, answers: Bool = true
    ) -> StoreOutageLog.Entry? {
        second += 1
        counts.storeFailures += failures
        counts.deferred += failures
        return log.look(counts, failure: failure, answers: answers, at: .zero + .seconds(second))
    }

    @Test mutating func `a minute of store failures of one cause is logged in two lines, its beginning and its end`() {
        #expect(look() == nil)
        #expect(look(50, Self.full) == .failing(Self.full))
        for _ in 0..<59 { #expect(look(50, Self.full) == nil && log.isFailing) }
        #expect(look(0, Self.full) == nil, "one second without failures is not the end")
        #expect(look(0, Self.full) == .recovered(after: .seconds(59), failures: 3000, deferred: 3000))
        #expect(look(0, Self.full) == nil && !log.isFailing)
    }

    @Test mutating func `a logged store outage goes on while the store does not answer, even without failures`() {
        #expect(look(1, Self.away) == .failing(Self.away))
        for _ in 0..<30 { #expect(look(0, Self.away, answers: false) == nil) }
        #expect(look(0, Self.away) == nil, "one second is not the end")
        #expect(look(0, Self.away) == .recovered(after: .seconds(30), failures: 1, deferred: 1))
    }

    @Test mutating func `another cause within a store outage is logged once, and no more than four causes`() {
        #expect(look(1, Self.away) == .failing(Self.away))
        #expect(look(1, Self.full) == .failing(Self.full))
        #expect(look(1, Self.away) == nil && look(1, Self.full) == nil)
        #expect(look(1, CloudAgentError(.busy, "")) != nil && look(1, CloudAgentError(.damaged, "")) != nil)
        #expect(look(1, CloudAgentError(.schema, "")) == nil)
    }

    @Test mutating func `a store that fails every third second for ten minutes logs at most 30 lines`() {
        var lines = 0
        for _ in 0..<200 {
            for failures in [1, 0, 0] where look(failures, Self.full) != nil { lines += 1 }
        }
        #expect((2...30).contains(lines), "\(lines)")
    }

    @Test mutating func `a logged store outage a minute after the last one ends as soon as a first one`() {
        #expect(look(1, Self.full) != nil)
        for _ in 0..<2 { _ = look() }
        #expect(!log.isFailing)
        for _ in 0..<60 { #expect(look() == nil) }
        #expect(look(1, Self.full) != nil)
        for _ in 0..<2 { _ = look() }
        #expect(!log.isFailing)
    }
}
