import Aries
import DIDComm
import Determinism
import JSON
import Testing

@Suite struct MediatorLiveTests {
    /// A harness whose client has asked for nothing before and is live now, with an empty queue.
    private func live(_ limits: MediatorSession.Limits = .init()) throws -> SessionHarness {
        var limits = limits
        // Rest has tests of its own.
        limits.restInterval = .seconds(3600)
        var harness = try SessionHarness(limits: limits)
        let asked = try harness.goLive()
        #expect(asked.commands == [.status(nil)])
        let outputs = harness.answer(.status(QueueStatus(count: 0, bytes: 0)))
        #expect(outputs.contains(.watch(true)) && outputs.messages.first?.object["live_delivery"] == true)
        #expect(outputs.commands.count == 1)
        #expect(harness.answer(.messages([])) == [])
        return harness
    }

    @Test func `live messages are sent in order as they come, and stay queued until they are acknowledged`() throws {
        var harness = try live()
        #expect(harness.session.isLive)
        let look = harness.session.handle(.mailArrived, at: .zero)
        #expect(
            look.commands == [.fetch(.after(0, recipient: nil), limit: 50, maximumBytes: 512 << 10, claim: nil)])
        let outputs = harness.answer(.messages([SessionHarness.mail(1), SessionHarness.mail(2)]))
        #expect(outputs.deliveredIDs == ["m1", "m2"] && outputs.ways == [.back])
        #expect(outputs.messages.first?.thread.id == nil)
        #expect(harness.session.outstandingCount == 2)
        #expect(
            outputs.commands == [.fetch(.after(2, except: [1, 2]), limit: 50, maximumBytes: 512 << 10, claim: nil)])
        _ = harness.answer(.messages([]))
        let acknowledged = try harness.hear("messagepickup/2.0/messages-received", ["message_id_list": ["m1", "m2"]])
        #expect(acknowledged.commands == [.remove(["m1", "m2"])])
        _ = harness.answer(.status(.empty))
        #expect(harness.session.outstandingCount == 0)
    }

    @Test(arguments: ["messages-received", "status-request"])
    func `messages that came before the status of a live client are sent without a request, in order`(
        _ question: String
    ) throws {
        var harness = try live()
        _ = harness.session.handle(.mailArrived, at: .zero)
        _ = harness.answer(.messages([SessionHarness.mail(1)]))
        _ = harness.answer(.messages([]))
        _ = try harness.hear("messagepickup/2.0/" + question, ["message_id_list": ["m1"]])
        // The second message came meanwhile, and is counted.
        _ = harness.answer(.status(QueueStatus(count: 1, bytes: 2, newestPosition: 2)))
        let look = harness.session.handle(.mailArrived, at: .zero)
        let withheld: [UInt64] = question == "messages-received" ? [] : [1]
        #expect(
            look.commands == [.fetch(.after(1, except: withheld), limit: 50, maximumBytes: 512 << 10, claim: nil)])
        #expect(harness.answer(.messages([SessionHarness.mail(2)])).deliveredIDs == ["m2"])
    }

    @Test func `a live client that reads slowly is waited for and loses nothing`() throws {
        var limits = MediatorSession.Limits()
        limits.windowCount = 2
        var harness = try live(limits)
        _ = harness.session.handle(.mailArrived, at: .zero)
        let full = harness.answer(.messages([SessionHarness.mail(1), SessionHarness.mail(2)]))
        #expect(full.commands.isEmpty, "the window is full")
        #expect(harness.session.handle(.mailArrived, at: .zero) == [])
        _ = try harness.hear("messagepickup/2.0/messages-received", ["message_id_list": ["m1"]])
        let next = harness.answer(.status(QueueStatus(count: 2, bytes: 4)))
        #expect(
            next.commands == [.fetch(.after(2, except: [2]), limit: 1, maximumBytes: 512 << 10, claim: nil)])
        #expect(harness.answer(.messages([SessionHarness.mail(3)])).deliveredIDs == ["m3"])
    }

    @Test func `the window of unacknowledged live messages counts bytes too`() throws {
        var limits = MediatorSession.Limits()
        limits.windowBytes = 100
        var harness = try live(limits)
        _ = harness.session.handle(.mailArrived, at: .zero)
        #expect(harness.answer(.messages([SessionHarness.mail(1, bytes: 99)])).commands.count == 1)
        #expect(harness.answer(.messages([SessionHarness.mail(2, bytes: 2)])).commands.isEmpty)
    }

    @Test func `a message in flight on a live channel is neither counted nor delivered again on request`() throws {
        var harness = try live()
        _ = harness.session.handle(.mailArrived, at: .zero)
        _ = harness.answer(.messages([SessionHarness.mail(1), SessionHarness.mail(2)]))
        _ = harness.answer(.messages([]))
        let asked = try harness.hear("messagepickup/2.0/status-request")
        #expect(asked.commands == [.status(nil, except: [1, 2])])
        _ = harness.answer(.status(QueueStatus(count: 3, bytes: 6, newestPosition: 5)))
        let key = SessionHarness.key(1)
        let requested = try harness.hear(
            "messagepickup/2.0/delivery-request", ["limit": 10, "recipient_key": .string(key.didKey)])
        #expect(
            requested.commands == [
                .fetch(.after(0, recipient: key, except: [1, 2]), limit: 10, maximumBytes: 512 << 10, claim: nil)
            ])
        #expect(harness.answer(.messages([SessionHarness.mail(4)])).deliveredIDs == ["m4"])
        // Messages that were asked for are under way too, and do not go out once more when mail comes.
        #expect(
            harness.session.handle(.mailArrived, at: .zero).commands == [
                .fetch(.after(2, except: [1, 2, 4]), limit: 50, maximumBytes: 512 << 10, claim: nil)
            ])
        _ = harness.answer(.messages([]))
        let received = try harness.hear("messagepickup/2.0/messages-received", ["message_id_list": ["m1", "m4"]])
        #expect(received.commands == [.remove(["m1", "m4"], except: [2])])
    }

    @Test func `messages requested before live mode are in flight on the live channel`() throws {
        var harness = try SessionHarness()
        _ = try harness.hear("messagepickup/2.0/delivery-request", ["limit": 10])
        _ = harness.answer(.messages([SessionHarness.mail(1)]))
        // Without live mode, what is asked for again comes again.
        let again = try harness.hear("messagepickup/2.0/delivery-request", ["limit": 10])
        #expect(again.commands == [.fetch(.after(0), limit: 10, maximumBytes: 512 << 10, claim: nil)])
        _ = harness.answer(.messages([SessionHarness.mail(1)]))
        #expect(try harness.goLive().commands == [.status(nil, except: [1])])
        let live = harness.answer(.status(QueueStatus(count: 1, bytes: 2, newestPosition: 2)))
        #expect(live.commands == [.fetch(.after(1, except: [1]), limit: 50, maximumBytes: 512 << 10, claim: nil)])
        _ = harness.answer(.messages([]))
        _ = try harness.hear("messagepickup/2.0/live-delivery-change", ["live_delivery": false])
        _ = harness.answer(.status(.empty))
        #expect(try harness.hear("messagepickup/2.0/status-request").commands == [.status(nil)])
    }

    @Test func `a delivery request beyond the window is answered with a status of nothing`() throws {
        var limits = MediatorSession.Limits()
        limits.windowCount = 2
        var harness = try live(limits)
        _ = harness.session.handle(.mailArrived, at: .zero)
        _ = harness.answer(.messages([SessionHarness.mail(1)]))
        _ = harness.answer(.messages([]))
        let one = try harness.hear("messagepickup/2.0/delivery-request", ["limit": 10])
        #expect(one.commands == [.fetch(.after(0, except: [1]), limit: 1, maximumBytes: 512 << 10, claim: nil)])
        _ = harness.answer(.messages([SessionHarness.mail(2)]))
        let none = try harness.hear("messagepickup/2.0/delivery-request", ["limit": 10])
        #expect(none.commands.isEmpty && none.names == ["status"])
        #expect(none.messages.first?.object["message_count"] == 0)
    }

    @Test func `messages that could not be sent, or that the store failed to delete, are delivered again on request`()
        throws
    {
        var harness = try live()
        _ = harness.session.handle(.mailArrived, at: .zero)
        let sent = try #require(harness.answer(.messages([SessionHarness.mail(1)])).messages.first)
        _ = harness.answer(.messages([]))
        _ = harness.session.handle(.sendFailed(id: sent.id), at: .zero)
        let all = MediatorStoreCommand.fetch(.after(0), limit: 10, maximumBytes: 512 << 10, claim: nil)
        #expect(try harness.hear("messagepickup/2.0/delivery-request", ["limit": 10]).commands == [all])
        _ = harness.answer(.messages([SessionHarness.mail(1)]))
        _ = try harness.hear("messagepickup/2.0/messages-received", ["message_id_list": ["m1"]])
        #expect(harness.answer(.failed).names == ["problem-report"])
        #expect(try harness.hear("messagepickup/2.0/delivery-request", ["limit": 10]).commands == [all])
    }

    @Test func `turning on live mode does not send messages that waited before and were not requested`() throws {
        var harness = try SessionHarness()
        _ = try harness.goLive()
        let outputs = harness.answer(.status(QueueStatus(count: 2, bytes: 4, newestPosition: 12)))
        #expect(
            outputs.commands.first == .fetch(.after(12, recipient: nil), limit: 50, maximumBytes: 512 << 10, claim: nil)
        )
    }

    @Test func `turning on live mode sends messages that an earlier status counted and that were not delivered`() throws
    {
        var harness = try SessionHarness()
        _ = try harness.hear("messagepickup/2.0/status-request")
        _ = harness.answer(.status(QueueStatus(count: 1, bytes: 4, newestPosition: 10)))
        _ = try harness.goLive()
        let outputs = harness.answer(.status(QueueStatus(count: 2, bytes: 4, newestPosition: 12)))
        #expect(
            outputs.commands.first == .fetch(.after(0, recipient: nil), limit: 50, maximumBytes: 512 << 10, claim: nil))
    }

    @Test func `turning on live mode sends messages that came between two answers to one acknowledgement`() throws {
        var harness = try SessionHarness()
        _ = try harness.hear("messagepickup/2.0/delivery-request", ["limit": 10])
        _ = harness.answer(.messages([SessionHarness.mail(1)]))
        _ = try harness.hear("messagepickup/2.0/messages-received", ["message_id_list": ["m1"]])
        _ = harness.answer(.status(.empty))
        // A client that got no answer for a while acknowledges once more, and goes live after the first answer.
        _ = try harness.hear("messagepickup/2.0/messages-received", ["message_id_list": ["m1"]])
        _ = harness.answer(.status(QueueStatus(count: 1, bytes: 2, newestPosition: 2)))
        _ = try harness.goLive()
        let outputs = harness.answer(.status(QueueStatus(count: 1, bytes: 2, newestPosition: 2)))
        #expect(
            outputs.commands.first == .fetch(.after(1, recipient: nil), limit: 50, maximumBytes: 512 << 10, claim: nil))
        #expect(harness.answer(.messages([SessionHarness.mail(2)])).deliveredIDs == ["m2"])
    }

    @Test func `live mode can be turned off, and needs a WebSocket`() throws {
        var harness = try live()
        let ended = try harness.hear("messagepickup/2.0/live-delivery-change", ["live_delivery": false])
        #expect(ended.contains(.watch(false)) && ended.commands == [.status(nil)])
        #expect(harness.answer(.status(.empty)).messages.first?.object["live_delivery"] == false)
        #expect(harness.session.handle(.mailArrived, at: .zero) == [])
        harness.now = MonotonicInstant.zero + .seconds(3600)
        #expect(harness.session.handle(.timeReached, at: harness.now) == [] && harness.session.nextDeadline == nil)
        var request = try SessionHarness(.single)
        let refused = try request.hear("messagepickup/2.0/live-delivery-change", ["live_delivery": true])
        #expect(refused.messages.first?.object["description"]?["code"] == "e.m.live-mode-not-supported")
        #expect(refused.commands.isEmpty)
    }

    @Test func `a live session checks the queue now and then without any notification of new mail`() throws {
        var harness = try live()
        let deadline = try #require(harness.session.nextDeadline)
        #expect(deadline == MonotonicInstant.zero + MediatorSession.Limits.lookInterval)
        harness.now = deadline
        #expect(harness.session.handle(.timeReached, at: harness.now).commands.count == 1)
        #expect(harness.session.nextDeadline == deadline + MediatorSession.Limits.lookInterval)
    }

    @Test func `a live session whose store fails asks it again later`() throws {
        var harness = try live()
        _ = harness.session.handle(.mailArrived, at: .zero)
        #expect(harness.answer(.failed) == [] && harness.session.isIdle && harness.session.isLive)
        harness.now = harness.session.nextDeadline ?? .zero
        #expect(harness.session.handle(.timeReached, at: harness.now).commands.count == 1)
    }

    @Test func `a ping without an answer requested brings back one queued message in the HTTP response`() throws {
        var harness = try SessionHarness(.single)
        let asked = try harness.hear("trust_ping/1.0/ping", ["response_requested": false], id: "p")
        #expect(
            asked.commands == [
                .fetch(
                    .after(0, recipient: nil), limit: 1, maximumBytes: 512 << 10, claim: ClientRequestIdentity(id: "p"))
            ])
        #expect(harness.answer(.messages([SessionHarness.mail(1)])).handedOver == ["m1"])
        #expect(harness.session.handle(.sent(id: "m1"), at: .zero).commands == [.remove(["m1"])])
        #expect(harness.answer(.status(.empty)) == [])
    }

    @Test func `a ping with an answer requested brings back only the answer, and without a return route nothing`()
        throws
    {
        var harness = try SessionHarness(.single)
        let outputs = try harness.hear("trust_ping/1.0/ping", ["response_requested": true])
        #expect(outputs.names == ["ping_response"] && outputs.ways == [.back] && outputs.commands.isEmpty)
        harness = try SessionHarness(.single)
        #expect(try harness.hear("trust_ping/1.0/ping", ["response_requested": false], route: nil) == [])
    }

    @Test func `a ping on a WebSocket brings back all queued messages, one after the other`() throws {
        var harness = try SessionHarness()
        let begun = try harness.ping()
        #expect(begun.contains(.watch(true)) && begun.commands.count == 1)
        #expect(harness.answer(.messages([SessionHarness.mail(1)])).handedOver == ["m1"])
        #expect(harness.session.handle(.mailArrived, at: .zero) == [], "the socket has not taken the first one")
        let taken = harness.session.handle(.sent(id: "m1"), at: .zero)
        #expect(taken.commands == [.remove(["m1"])])
        let next = harness.answer(.status(.empty))
        #expect(next.commands == [.fetch(.after(1, recipient: nil), limit: 1, maximumBytes: 512 << 10, claim: nil)])
        #expect(harness.answer(.messages([])) == [] && harness.session.isLive)
    }

    @Test func `messages that the channel sent before it closed are removed, and no more are delivered`() throws {
        var harness = try SessionHarness()
        #expect(!harness.session.isDeliveringAtMostOnce)
        _ = try harness.ping()
        #expect(harness.session.isDeliveringAtMostOnce, "it fetches")
        _ = harness.answer(.messages([SessionHarness.mail(1)]))
        #expect(harness.session.isDeliveredAtMostOnce("m1") && harness.session.isDeliveringAtMostOnce)
        #expect(harness.session.handle(.channelEnded, at: .zero) == [] && harness.session.isDeliveringAtMostOnce)
        #expect(try harness.hear("messagepickup/2.0/status-request") == [])
        #expect(harness.session.handle(.sent(id: "m1"), at: .zero).commands == [.remove(["m1"])])
        #expect(harness.session.isDeliveringAtMostOnce, "the store has not forgotten it")
        #expect(harness.answer(.status(.empty)) == [] && harness.session.handle(.mailArrived, at: .zero) == [])
        #expect(!harness.session.isDeliveringAtMostOnce && harness.session.isIdle && !harness.session.isLive)
    }

    @Test func `a mediator's store result after the channel closed is ignored`() throws {
        var harness = try SessionHarness()
        _ = try harness.goLive()
        #expect(harness.session.handle(.channelEnded, at: .zero) == [])
        #expect(harness.answer(.status(.empty)) == [] && !harness.session.isLive && harness.session.isIdle)
    }

    @Test func `a batch being sent to an address does not block other sessions of the account`() throws {
        var harness = try SessionHarness(.single)
        _ = try harness.hear("messagepickup/1.0/batch-pickup", ["batch_size": 10], route: nil)
        #expect(harness.session.isDeliveringAtMostOnce)
        let batch = try #require(harness.answer(.messages([SessionHarness.mail(1)])).messages.first)
        #expect(harness.session.isDeliveredAtMostOnce(batch.id) && !harness.session.isDeliveringAtMostOnce)
        #expect(harness.session.handle(.sent(id: batch.id), at: .zero).commands == [.remove(["m1"])])
    }

    @Test func `a client that uses pickup 2 does not get bare envelopes`() throws {
        var harness = try SessionHarness()
        _ = try harness.ping()
        _ = harness.answer(.messages([]))
        #expect(try harness.hear("messagepickup/2.0/status-request").contains(.watch(false)))
        _ = harness.answer(.status(.empty))
        #expect(try harness.hear("trust_ping/1.0/ping", ["response_requested": false]) == [])
        #expect(!harness.session.isLive)
    }

    @Test func `a mediator's answers go to the return route, else to the client's address, else nowhere`() throws {
        let message = Message(.init(.trustPing10, "ping"), id: "x")
        func way(
            _ route: String?, _ channel: IncomingChannel, answered: Bool = false,
            _ endpoint: ServiceEndpoint.Transport = .https
        ) -> ReplyRoute {
            let asking = route.map { message.decorated("~transport", ["return_route": .string($0)]) } ?? message
            return .deciding(for: asking, on: channel, answered: answered, endpoint: endpoint)
        }
        #expect(way("all", .single) == .back && way("thread", .single) == .back && way("none", .single) == .endpoint)
        #expect(way("all", .single, answered: true) == .endpoint)
        #expect(way("all", .single, answered: true, .queue) == .nowhere && way(nil, .single, .queue) == .nowhere)
        #expect(way(nil, .persistent) == .endpoint && way(nil, .persistent, answered: true, .queue) == .back)
        #expect(way("all", .persistent, answered: true) == .back)
    }

    @Test func `a mediator's answer without a return route or an address is dropped`() throws {
        var harness = try SessionHarness(.single, endpoint: "didcomm:transport/queue")
        let outputs = try harness.hear("messagepickup/2.0/status-request", route: nil)
        #expect(outputs.commands == [.status(nil)])
        #expect(harness.answer(.status(.empty)).ignored == [.unreachable])
    }

    @Test func `a client that hangs up has its account removed`() throws {
        var harness = try live()
        #expect(try harness.hear("did-rotate/1.0/hangup").commands == [.end])
        let outputs = harness.answer(.done)
        #expect(outputs == [.watch(false), .ended])
    }

    @Test func `a client's new DID document is stored before the rotation is acknowledged`() throws {
        var harness = try SessionHarness()
        var random = harness.sides.random
        let key = AgentKey.make(from: &random)
        let did = try TwoSides.address(key, "https://new.example/in").peer4()
        let outputs = try harness.hear("did-rotate/1.0/rotate", ["to_did": .string(did.text)])
        guard case .document(let connection)? = outputs.changes.first else {
            Issue.record("the new document is kept")
            return
        }
        #expect(outputs.messages.isEmpty && connection.theirs.owns(key.verkey))
        #expect(harness.session.connection == harness.mediator, "the old one counts until then")
        #expect(harness.answer(.done).names == ["ack"])
        #expect(harness.session.connection == connection)
    }

    @Test func `a feature query is answered with the mediator's protocols and nothing else`() throws {
        var harness = try SessionHarness()
        let outputs = try harness.hear("discover-features/1.0/query", ["query": "*"])
        let protocols = outputs.messages.first?.object["protocols"]?.array ?? []
        let names = protocols.compactMap { $0["pid"]?.string }
        #expect(names.contains("https://didcomm.org/messagepickup/2.0"))
        #expect(protocols.count == MediatorSession.features.features.count)
    }
}
