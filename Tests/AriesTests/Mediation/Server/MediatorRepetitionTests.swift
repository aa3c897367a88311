import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing

/// Messages of a client that come a second time, which the store tells.
@Suite struct MediatorRepetitionTests {
    @Test func `each mediator request that changes something passes its message identifier to the store`() throws {
        let key = JSONValue.string(SessionHarness.key(1).didKey)
        let requests: [(String, JSONObject)] = [
            ("coordinate-mediation/1.0/mediate-request", [:]),
            ("coordinate-mediation/1.0/mediate-request", ["recipient_key": key]),
            ("coordinate-mediation/1.0/keylist-update", ["updates": [["recipient_key": key, "action": "add"]]]),
            ("did-rotate/1.0/rotate", ["to_did": .string(try Self.newDID())]),
            ("messagepickup/2.0/live-delivery-change", ["live_delivery": true]),
            ("trust_ping/1.0/ping", ["response_requested": false]),
        ]
        for (type, body) in requests {
            var harness = try SessionHarness()
            let outputs = try harness.hear(type, body, id: "q")
            guard case .once(_, let request)? = outputs.commands.first, outputs.commands.count == 1 else {
                Issue.record("\(type) is done once")
                continue
            }
            #expect(request == ClientRequestIdentity(id: "q"))
            #expect(outputs.messages.isEmpty && !harness.session.isLive, "nothing is done before the store knows")
        }
    }

    private static func newDID() throws -> String {
        var random = SeededRandom(seed: 77)
        return try TwoSides.address(AgentKey.make(from: &random), "https://new.example/in").peer4().text
    }

    @Test(.shows("CHK-139"))
    func `a repeated DID rotation is acknowledged and changes nothing; an unstored one gets e.p.later`() throws {
        var harness = try SessionHarness()
        let body: JSONObject = ["to_did": .string(try Self.newDID())]
        _ = try harness.hear("did-rotate/1.0/rotate", body, id: "q")
        #expect(harness.answer(.replayed).names == ["ack"])
        #expect(harness.session.connection == harness.mediator && harness.session.isIdle)
        _ = try harness.hear("did-rotate/1.0/rotate", body, id: "r")
        #expect(harness.answer(.failed).messages.first?.object["description"]?["code"] == "e.p.later")
        #expect(harness.session.connection == harness.mediator, "what was not kept does not count")
    }

    @Test func `a repeated live-delivery request is answered with a status and does not make the session live`() throws
    {
        var harness = try SessionHarness()
        _ = try harness.hear("messagepickup/2.0/live-delivery-change", ["live_delivery": true])
        #expect(harness.answer(.replayed).commands == [.status(nil)])
        let outputs = harness.answer(.status(.empty))
        #expect(outputs.messages.first?.object["live_delivery"] == false)
        #expect(!outputs.contains(.watch(true)) && !harness.session.isLive && harness.session.isIdle)
    }

    @Test func `a repeated live-delivery request on the WebSocket that is already live reports it as live`() throws {
        var harness = try SessionHarness()
        _ = try harness.goLive()
        _ = harness.answer(.status(.empty))
        _ = harness.answer(.messages([]))
        _ = try harness.hear("messagepickup/2.0/live-delivery-change", ["live_delivery": true])
        _ = harness.answer(.replayed)
        #expect(harness.answer(.status(.empty)).messages.first?.object["live_delivery"] == true)
        #expect(harness.session.isLive)
    }

    @Test func `a repeated ping on a WebSocket brings back no queued messages`() throws {
        var harness = try SessionHarness()
        _ = try harness.hear("trust_ping/1.0/ping", ["response_requested": false])
        let outputs = harness.answer(.replayed)
        #expect(outputs.ignored == [.replayed] && outputs.commands.isEmpty && !harness.session.isLive)
    }

    @Test func `a repeated request that changes keys gets an answer with the same identifier, on any channel`() throws {
        func answer(_ body: JSONObject, _ told: MediatorStoreAnswer, _ channel: IncomingChannel, id: String) throws
            -> Message
        {
            var harness = try SessionHarness(channel)
            var outputs = try harness.hear("coordinate-mediation/1.0/keylist-update", body, id: id)
            if outputs.messages.isEmpty { outputs = harness.answer(told) }
            return try #require(outputs.messages.first)
        }
        let body: JSONObject = ["updates": [["recipient_key": .string(SessionHarness.key(1).didKey), "action": "add"]]]
        let first = try answer(body, .changed([.success]), .single, id: "q")
        #expect(try answer(body, .changed([.success]), .persistent, id: "q") == first)
        #expect(try answer(body, .changed([.success]), .single, id: "r").id != first.id)
        #expect(try answer(body, .failed, .single, id: "q").id != first.id, "a failure is not the answer that is kept")
        var (one, two) = (try SessionHarness(.single), try SessionHarness())
        let ping = try one.hear("trust_ping/1.0/ping", id: "p").messages
        #expect(try two.hear("trust_ping/1.0/ping", id: "p").messages == ping && ping.count == 1)
    }

    @Test func `a repeated mediator request that only reads gets an answer with a new identifier each time`() throws {
        var harness = try SessionHarness()
        var ids: Set<String> = []
        for _ in 0..<2 {
            _ = try harness.hear("messagepickup/2.0/status-request", id: "q")
            ids.formUnion(harness.answer(.status(.empty)).messages.map(\.id))
        }
        #expect(ids.count == 2)
    }

    @Test(.shows("CHK-141"))
    func `a mediator request too old to be checked for repetition is refused with a report, and nothing is done`()
        throws
    {
        for (type, body) in [
            ("coordinate-mediation/1.0/keylist-update", ["updates": []]),
            ("messagepickup/1.0/batch-pickup", ["batch_size": 1]),
            ("messagepickup/2.0/live-delivery-change", ["live_delivery": true]),
        ] as [(String, JSONObject)] {
            var harness = try SessionHarness()
            _ = try harness.hear(type, body)
            let outputs = harness.answer(.outdated)
            #expect(outputs.messages.first?.object["description"]?["code"] == "message-outdated")
            #expect(outputs.commands.isEmpty && !harness.session.isLive && harness.session.isIdle)
        }
    }

    @Test(
        .shows("CHK-141"),
        arguments: [
            (["out_time": "2023-11-14T22:13:19Z"], -1000), (["out_time": "2023-11-14T22:13:20Z"], 0),
            (["out_time": "2031-01-01T00:00:00Z"], 0), (["out_time": "yesterday"], nil), (["out_time": 5], nil),
            (["expires_time": "2023-11-14T22:13:19Z"], nil), ("x", nil),
        ] as [(JSONValue, Int64?)])
    func `the sending time that a client states counts at most up to the time of arrival`(
        timing: JSONValue, offset: Int64?
    ) throws {
        var harness = try SessionHarness()
        let message = Message(
            try MessageType(parsing: "https://didcomm.org/coordinate-mediation/1.0/keylist-update"), id: "q",
            body: ["updates": []]
        ).decorated("~timing", timing)
        guard case .once(_, let request)? = harness.take(message).commands.first else {
            Issue.record("it is done once")
            return
        }
        #expect(request.sent.map { $0.millisecondsSinceEpoch - Samples.now.millisecondsSinceEpoch } == offset)
    }
}
