import Aries
import DIDComm
import Determinism
import JSON
import Testing

/// A session of a silent client releases the connection's documents, and is given them when it needs them.
@Suite struct MediatorRestTests {
    private static let interval = MediatorSession.Limits().restInterval

    /// A harness with a live client and an empty queue, at the instant at which its session rests.
    private func resting() throws -> SessionHarness {
        var harness = try SessionHarness()
        _ = try harness.goLive()
        _ = harness.answer(.status(QueueStatus(count: 0, bytes: 0)))
        _ = harness.answer(.messages([]))
        harness.now = harness.now + Self.interval
        #expect(harness.session.handle(.timeReached, at: harness.now) == [])
        #expect(harness.session.isResting)
        return harness
    }

    @Test func `an idle mediator session unloads its connection record after the interval, not before`()
        throws
    {
        var harness = try SessionHarness()
        _ = try harness.goLive()
        _ = harness.answer(.status(QueueStatus(count: 0, bytes: 0)))
        _ = harness.answer(.messages([]))
        let deadline = MonotonicInstant.zero + Self.interval
        #expect(harness.session.nextDeadline == deadline)
        _ = harness.session.handle(.timeReached, at: MonotonicInstant.zero + (Self.interval - .nanoseconds(1)))
        #expect(harness.session.connection == harness.mediator && !harness.session.isResting)
        _ = harness.session.handle(.timeReached, at: deadline)
        #expect(harness.session.connection == nil && harness.session.isResting && harness.session.isLive)
        #expect(harness.session.nextDeadline == MonotonicInstant.zero + MediatorSession.Limits.lookInterval)
    }

    @Test func `an event postpones an idle session's unloading of its record by the interval`() throws {
        var harness = try SessionHarness()
        _ = try harness.goLive()
        _ = harness.answer(.status(QueueStatus(count: 0, bytes: 0)))
        _ = harness.answer(.messages([]))
        harness.now = MonotonicInstant.zero + (Self.interval - .nanoseconds(1))
        _ = try harness.hear("trust_ping/1.0/ping", ["response_requested": true])
        _ = harness.session.handle(.timeReached, at: MonotonicInstant.zero + Self.interval)
        #expect(!harness.session.isResting)
        #expect(harness.session.nextDeadline == harness.now + Self.interval)
    }

    @Test func `a mediator session does not unload its connection record while the store has not answered`() throws {
        var harness = try SessionHarness()
        _ = try harness.goLive()
        _ = harness.session.handle(.timeReached, at: MonotonicInstant.zero + Self.interval * 3)
        #expect(!harness.session.isIdle && !harness.session.isResting)
    }

    @Test func `a mediator session of an HTTP request does not unload its connection record`() throws {
        var harness = try SessionHarness(.single)
        _ = try harness.hear("trust_ping/1.0/ping", ["response_requested": true])
        #expect(harness.session.nextDeadline == nil)
        _ = harness.session.handle(.timeReached, at: MonotonicInstant.zero + Self.interval * 3)
        #expect(!harness.session.isResting)
    }

    @Test func `a mediator session that was resumed answers a message as before`() throws {
        var harness = try resting()
        #expect(harness.session.handle(.resumed(harness.mediator), at: harness.now) == [])
        let outputs = try harness.hear("trust_ping/1.0/ping", ["response_requested": true])
        #expect(outputs.names == ["ping_response"] && harness.session.connection == harness.mediator)
    }

    @Test func `a mediator session that was resumed refuses a message of another sender`() throws {
        var harness = try resting()
        _ = harness.session.handle(.resumed(harness.mediator), at: harness.now)
        let ping = Message(try MessageType(parsing: "https://didcomm.org/trust_ping/1.0/ping"), id: "p", body: [:])
        let foreign = ReceivedMessage(
            ping, sender: .authenticated(SessionHarness.key(3), isExclusive: true),
            recipient: harness.mediator.ours.key, arrival: Samples.now)
        #expect(harness.session.handle(.received(foreign), at: harness.now).ignored == [.wrongSender])
    }

    @Test func `an idle mediator session ignores a message unless it is resumed first`() throws {
        var harness = try resting()
        let outputs = try harness.hear("trust_ping/1.0/ping", ["response_requested": true])
        #expect(outputs.ignored == [.stateMalformed] && outputs.messages.isEmpty)
    }

    @Test func `an idle mediator session finds an empty queue without being resumed`() throws {
        var harness = try resting()
        #expect(harness.session.handle(.mailArrived, at: harness.now).commands.count == 1)
        #expect(harness.answer(.messages([])) == [] && harness.session.isResting)
    }

    @Test func `a resumed mediator session delivers what it fetched while idle`() throws {
        var harness = try resting()
        _ = harness.session.handle(.mailArrived, at: harness.now)
        _ = harness.session.handle(.resumed(harness.mediator), at: harness.now)
        #expect(harness.answer(.messages([SessionHarness.mail(1)])).deliveredIDs == ["m1"])
    }

    @Test func `messages undelivered because the connection record could not be read are fetched again`() throws {
        var harness = try resting()
        _ = harness.session.handle(.mailArrived, at: harness.now)
        #expect(harness.answer(.messages([SessionHarness.mail(1)])).ignored == [.stateMalformed])
        #expect(harness.session.outstandingCount == 0)
        harness.now = try #require(harness.session.nextDeadline)
        #expect(harness.session.handle(.timeReached, at: harness.now).commands.count == 1)
        _ = harness.session.handle(.resumed(harness.mediator), at: harness.now)
        #expect(harness.answer(.messages([SessionHarness.mail(1)])).deliveredIDs == ["m1"])
    }

    @Test func `an idle mediator session delivers new mail without being resumed`() throws {
        var harness = try SessionHarness()
        _ = try harness.ping()
        _ = harness.answer(.messages([]))
        harness.now = harness.now + Self.interval
        _ = harness.session.handle(.timeReached, at: harness.now)
        #expect(harness.session.isResting)
        _ = harness.session.handle(.mailArrived, at: harness.now)
        #expect(harness.answer(.messages([SessionHarness.mail(1)])).handedOver == ["m1"])
    }
}
