import Aries
import DIDComm
import Determinism
import JSON
import Testing

@Suite struct MediatorPickupTests {
    private let status = QueueStatus(
        count: 3, bytes: 30, oldest: WallTime(millisecondsSinceEpoch: Samples.now.millisecondsSinceEpoch - 90_500),
        newest: Samples.now, newestPosition: 7)

    @Test func `a pickup status states how many messages wait, how many bytes, and for how long`() throws {
        var harness = try SessionHarness()
        #expect(try harness.hear("messagepickup/2.0/status-request", id: "q").commands == [.status(nil)])
        let answer = try #require(harness.answer(.status(status)).messages.first)
        #expect(answer.type.description == "https://didcomm.org/messagepickup/2.0/status" && answer.threadID == "q")
        #expect(answer.object["message_count"] == 3 && answer.object["total_bytes"] == 30)
        #expect(answer.object["longest_waited_seconds"] == 90 && answer.object["live_delivery"] == false)
        #expect(answer.object["newest_received_time"] == "2023-11-14T22:13:20Z")
        #expect(answer.object["recipient_key"] == nil)
    }

    @Test func `a pickup status for one key names that key`() throws {
        var harness = try SessionHarness()
        let body: JSONObject = ["recipient_key": .string(SessionHarness.key(1).base58)]
        #expect(try harness.hear("messagepickup/2.0/status-request", body).commands == [.status(SessionHarness.key(1))])
        let answer = harness.answer(.status(.empty)).messages.first
        #expect(answer?.object["recipient_key"] == .string(SessionHarness.key(1).didKey))
        #expect(answer?.object["oldest_received_time"] == nil && answer?.object["message_count"] == 0)
    }

    @Test func `queued messages are delivered with stable identifiers and stay until they are acknowledged`() throws {
        var harness = try SessionHarness()
        let asked = try harness.hear("messagepickup/2.0/delivery-request", ["limit": 2], id: "q")
        #expect(
            asked.commands == [
                .fetch(.after(0, recipient: nil), limit: 2, maximumBytes: 512 << 10, claim: nil)
            ])
        let outputs = harness.answer(.messages([SessionHarness.mail(1), SessionHarness.mail(2)]))
        let delivery = try #require(outputs.messages.first)
        #expect(delivery.type.name == "delivery" && delivery.threadID == "q" && outputs.commands.isEmpty)
        #expect(outputs.deliveredIDs == ["m1", "m2"])
        let attachment = try #require(delivery.attachments("~attach").first)
        #expect(try attachment.payload() == Array("{}".utf8))
        #expect(harness.session.handle(.sent(id: delivery.id), at: .zero) == [])
        let received = try harness.hear("messagepickup/2.0/messages-received", ["message_id_list": ["m1", "m2", "m1"]])
        #expect(received.commands == [.remove(["m1", "m2"])])
        #expect(harness.answer(.status(.empty)).messages.first?.object["message_count"] == 0)
    }

    @Test func `a delivery request for an empty queue is answered with a status`() throws {
        var harness = try SessionHarness()
        _ = try harness.hear(
            "messagepickup/2.0/delivery-request", ["limit": 2, "recipient_key": .string(SessionHarness.key(1).didKey)])
        let answer = harness.answer(.messages([])).messages.first
        #expect(answer?.type.name == "status" && answer?.object["message_count"] == 0)
    }

    @Test(arguments: [(0, 1), (-3, 1), (50, 50), (51, 50), (1_000_000, 50)])
    func `the limit of a delivery request is clamped to its range`(asked: Int, limit: Int) throws {
        var harness = try SessionHarness()
        for (type, name) in [("2.0/delivery-request", "limit"), ("1.0/batch-pickup", "batch_size")] {
            let outputs = try harness.hear("messagepickup/\(type)", [name: .int(asked)])
            guard case .fetch(_, let count, _, _)? = outputs.commands.first else {
                Issue.record("\(type) fetches")
                continue
            }
            #expect(count == limit)
            _ = harness.answer(.messages([]))
        }
    }

    @Test(arguments: [MediatorSession.maximumIDs, MediatorSession.maximumIDs + 1])
    func `one message may acknowledge a thousand identifiers, and one more is refused`(count: Int) throws {
        var harness = try SessionHarness()
        let ids = (0..<count).map { "\($0)" }
        let outputs = try harness.hear("messagepickup/2.0/messages-received", ["message_id_list": .strings(ids)])
        #expect(outputs.commands == (count > MediatorSession.maximumIDs ? [] : [.remove(ids)]))
        #expect(outputs.ignored == (count > MediatorSession.maximumIDs ? [.messageMalformed] : []))
    }

    @Test(arguments: [256, 257])
    func `an acknowledged identifier may be as long as a message identifier`(count: Int) throws {
        var harness = try SessionHarness()
        let id = String(repeating: "x", count: count)
        let outputs = try harness.hear("messagepickup/2.0/messages-received", ["message_id_list": [.string(id)]])
        #expect(outputs.commands.count == (count == 256 ? 1 : 0))
    }

    @Test func `a batch of pickup 1 is removed from the queue once the channel has sent it`() throws {
        var harness = try SessionHarness(.single)
        let asked = try harness.hear("messagepickup/1.0/batch-pickup", ["batch_size": 10], id: "q")
        #expect(
            asked.commands == [
                .fetch(
                    .after(0, recipient: nil), limit: 10, maximumBytes: 512 << 10, claim: ClientRequestIdentity(id: "q")
                )
            ])
        let batch = try #require(
            harness.answer(.messages([SessionHarness.mail(1), SessionHarness.mail(2)])).messages.first)
        #expect(batch.type.description == "https://didcomm.org/messagepickup/1.0/batch" && batch.threadID == "q")
        #expect(batch.object["messages~attach"]?[1] == ["@id": "m2", "message": [:]])
        #expect(harness.session.handle(.sent(id: batch.id), at: .zero).commands == [.remove(["m1", "m2"])])
        #expect(harness.answer(.status(.empty)) == [] && harness.session.isIdle)
    }

    @Test func `a batch message that the channel did not send stays queued`() throws {
        var harness = try SessionHarness(.single)
        _ = try harness.hear("messagepickup/1.0/batch-pickup", ["batch_size": 10])
        let batch = try #require(harness.answer(.messages([SessionHarness.mail(1)])).messages.first)
        #expect(harness.session.handle(.sendFailed(id: batch.id), at: .zero) == [])
        #expect(harness.session.handle(.sent(id: batch.id), at: .zero) == [] && harness.session.isIdle)
    }

    @Test func `a repeated pickup batch request delivers no messages`() throws {
        var harness = try SessionHarness(.single)
        _ = try harness.hear("messagepickup/1.0/batch-pickup", ["batch_size": 10])
        let outputs = harness.answer(.replayed)
        #expect(outputs.messages.isEmpty && outputs.ignored == [.replayed] && harness.session.isIdle)
    }

    @Test func `pickup 1 lists chosen messages, reports a status, and returns an envelope on a noop`() throws {
        var harness = try SessionHarness(.single)
        #expect(try harness.hear("messagepickup/1.0/status-request").commands == [.status(nil)])
        let answer = harness.answer(.status(status)).messages.first
        #expect(answer?.object["message_count"] == 3 && answer?.object["total_size"] == 30)
        #expect(answer?.object["duration_waited"] == 90)
        harness = try SessionHarness(.single)
        let chosen = try harness.hear("messagepickup/1.0/list-pickup", ["message_ids": ["m2"]], id: "q")
        #expect(
            chosen.commands == [
                .fetch(.ids(["m2"]), limit: 50, maximumBytes: 512 << 10, claim: ClientRequestIdentity(id: "q"))
            ])
        #expect(harness.answer(.messages([SessionHarness.mail(2)])).names == ["list-response"])
        harness = try SessionHarness(.single)
        _ = try harness.hear("messagepickup/1.0/noop")
        #expect(harness.answer(.messages([SessionHarness.mail(1)])).handedOver == ["m1"])
    }

    @Test(arguments: ["3.0", "9.1"])
    func `a pickup request in an unsupported version is answered with a problem report`(
        version: String
    ) throws {
        for family in ["messagepickup", "coordinate-mediation"] {
            var harness = try SessionHarness()
            #expect(try harness.hear("\(family)/\(version)/status-request").names == ["problem-report"])
        }
    }

    @Test func `a mediator's store failure is reported to the client, which may ask again`() throws {
        var harness = try SessionHarness()
        for name in ["status-request", "delivery-request"] {
            _ = try harness.hear("messagepickup/2.0/\(name)", id: name)
            let report = harness.answer(.failed).messages.first
            #expect(report?.threadID == name && report?.object["description"]?["code"] == "e.p.later")
        }
    }

    @Test func `a mediator session accepts messages of its own client alone`() throws {
        var harness = try SessionHarness()
        let message = Message(try MessageType(parsing: "https://didcomm.org/messagepickup/2.0/status-request"), id: "x")
        let key = harness.sides.inviterKey.verkey
        let foreign = harness.sides.received(message, from: harness.sides.stranger.verkey, to: key)
        #expect(harness.session.handle(.received(foreign), at: .zero).ignored == [.wrongSender])
        let anonymous = ReceivedMessage(message, sender: .unknown, recipient: key, arrival: Samples.now)
        #expect(harness.session.handle(.received(anonymous), at: .zero).ignored == [.notAuthentic])
        let shared = ReceivedMessage(
            message, sender: .authenticated(harness.sides.inviteeKey.verkey, isExclusive: false), recipient: key,
            arrival: Samples.now)
        #expect(harness.session.handle(.received(shared), at: .zero).ignored == [.senderNotExclusive])
        let misled = harness.sides.received(
            message, from: harness.sides.inviteeKey.verkey, to: harness.sides.invitationKey.verkey)
        #expect(harness.session.handle(.received(misled), at: .zero).ignored == [.wrongRecipient])
        #expect(harness.session.isIdle)
    }

    @Test(arguments: [MediatorSession.maximumWaiting, MediatorSession.maximumWaiting + 1])
    func `pickup requests of a client are queued up to a limit and answered in order`(count: Int) throws {
        var harness = try SessionHarness()
        _ = try harness.hear("messagepickup/2.0/status-request", id: "first")
        var ignored: [AriesError.Code] = []
        for number in 0..<count {
            ignored += try harness.hear("messagepickup/2.0/status-request", id: "\(number)").ignored
        }
        #expect(ignored == (count > MediatorSession.maximumWaiting ? [.unexpected] : []))
        var threads: [String] = []
        while !harness.session.isIdle { threads += harness.answer(.status(.empty)).messages.map(\.threadID) }
        #expect(threads == ["first"] + (0..<MediatorSession.maximumWaiting).map { "\($0)" })
    }
}
