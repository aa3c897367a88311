import Determinism
import Testing
import WebAddressing

@testable import WebTransport

@Suite struct ServerConnectionCountsTests {
    private func counts(loops: Int = 1, _ change: (inout HTTPServerLimits) -> Void) -> (
        ServerConnectionCounts, ByteBudget
    ) {
        var limits = HTTPServerLimits()
        change(&limits)
        let budget = ByteBudget(limits.maximumHeldBytes)
        return (ServerConnectionCounts(limits: limits, budget: budget, loops: loops), budget)
    }

    private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(parsing: text)) }

    @Test func `each new connection goes to the event loop with the fewest connections`() {
        let (counts, _) = counts(loops: 3) { $0.maximumConnections = 10 }
        #expect((0..<4).map { _ in counts.enter() } == [0, 1, 2, 0])
        counts.leave(loop: 1)
        #expect(counts.enter() == 1)
        #expect(counts.count == 4)
    }

    @Test func `the allowed number of connections is admitted, and one more when one has closed`() {
        let (counts, _) = counts { $0.maximumConnections = 2 }
        #expect(counts.enter() != nil && counts.enter() != nil && counts.enter() == nil)
        counts.leave(loop: 0)
        #expect(counts.enter() != nil)
    }

    @Test func `a source address has a connection limit, shared by all of an IPv6 network of 64 bits`() throws {
        let (counts, _) = counts { $0.maximumConnectionsPerHost = 1 }
        let first = try #require(counts.begin(for: try address("2001:db8::1")))
        #expect(counts.begin(for: try address("2001:db8::2")) == nil)
        #expect(counts.begin(for: try address("2001:db8:0:1::1")) != nil)
        counts.end(first)
        #expect(counts.begin(for: try address("2001:db8::2")) != nil)
    }

    @Test func `connections from this machine may have a larger share where configured, and leave a share to others`()
        throws
    {
        let (counts, _) = counts {
            ($0.maximumConnections, $0.maximumConnectionsPerHost) = (32, 1)
            ($0.maximumHeldBytes, $0.maximumHeldBytesPerHost) = (100, 10)
            $0.limitsOwnMachine = false
        }
        let own = try (0..<30).map { _ in try #require(counts.begin(for: try address("127.0.0.1"))) }
        #expect(counts.begin(for: try address("127.0.0.1")) == nil)
        #expect(own[0].share.take(50) && !own[1].share.take(1))
        let second = try #require(counts.begin(for: try address("127.0.0.2")))
        #expect(second.share.take(50) && !second.share.take(1))
        let far = try #require(counts.begin(for: try address("192.0.2.1")))
        counts.end(second)
        second.share.give(50)
        #expect(far.share.take(10) && !far.share.take(1))
    }

    @Test func `connections from this machine have at least the share of another source address`() throws {
        let (counts, _) = counts {
            ($0.maximumConnections, $0.maximumConnectionsPerHost) = (16, 16)
            ($0.maximumHeldBytes, $0.maximumHeldBytesPerHost) = (100, 60)
            $0.limitsOwnMachine = false
        }
        let own = try (0..<16).map { _ in try #require(counts.begin(for: try address("::1"))) }
        #expect(own[0].share.take(60) && !own[0].share.take(1))
    }

    @Test func `a source address holds at most its share of the bytes, and others keep the rest`() throws {
        let (counts, budget) = counts {
            $0.maximumHeldBytes = 100
            $0.maximumHeldBytesPerHost = 60
        }
        let first = try #require(counts.begin(for: try address("192.0.2.1")))
        let again = try #require(counts.begin(for: try address("192.0.2.1")))
        let other = try #require(counts.begin(for: try address("192.0.2.2")))
        #expect(first.share.take(50) && again.share.take(10) && !again.share.take(1))
        #expect(other.share.take(40) && !other.share.take(1))
        first.share.give(20)
        #expect(other.share.take(20) && !other.share.take(1) && budget.usedBytes == 100)
    }

    @Test func `connections leave a sixteenth of the open files, at least 64, to all else of the process`() {
        var limits = HTTPServerLimits()
        limits.maximumConnections = 10_000
        func connections(_ files: Int?) -> Int { limits.leaving(of: files).maximumConnections }
        #expect(connections(nil) == 10_000 && connections(.max) == 10_000)
        #expect(connections(20_000) == 10_000 && connections(10_666) == 10_000 && connections(10_665) == 9_999)
        #expect(
            connections(1024) == 960 && connections(4096) == 3840 && connections(200) == 136 && connections(10) == 1)
    }

    @Test func `a draining server admits no connection, and its drain ends when the last one has closed`() {
        let (counts, _) = counts { $0.maximumConnections = 10 }
        #expect(counts.enter() == 0)
        let isDone = Lock(false)
        counts.drain { isDone.withLock { $0 = true } }
        #expect(!isDone.withLock { $0 } && counts.enter() == nil)
        counts.leave(loop: 0)
        #expect(isDone.withLock { $0 })
    }

    @Test func `at most the allowed number of refused connections linger`() {
        let (counts, _) = counts { $0.maximumLingering = 1 }
        #expect(counts.beginLingering() && !counts.beginLingering())
        counts.endLingering()
        #expect(counts.beginLingering())
    }
}
