import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON
import Testing

/// Messages of a client that come a second time, which the store tells.
@Suite struct MediatorRepetitionTests {
    @Test func `everything that changes something is asked of the store with the message's identifier`() throws {
        let key = JSONValue.string(Desk.key(1).didKey)
        let requests: [(String, JSONObject)] = [
            ("coordinate-mediation/1.0/mediate-request", [:]),
            ("coordinate-mediation/1.0/mediate-request", ["recipient_key": key]),
            ("coordinate-mediation/1.0/keylist-update", ["updates": [["recipient_key": key, "action": "add"]]]),
            ("did-rotate/1.0/rotate", ["to_did": .string(try Self.newDID())]),
            ("messagepickup/2.0/live-delivery-change", ["live_delivery": true]),
            ("trust_ping/1.0/ping", ["response_requested": false]),
        ]
        for (type, body) in requests {
            var desk = try Desk()
            let outputs = try desk.hear(type, body, id: "q")
            guard case .once(_, let request)? = outputs.commands.first, outputs.commands.count == 1 else {
                Issue.record("\(type) is done once")
                continue
            }
            #expect(request == RequestIdentity(id: "q"))
            #expect(outputs.messages.isEmpty && !desk.session.isLive, "nothing is done before the store knows")
        }
    }

    private static func newDID() throws -> String {
        var random = SeededRandom(seed: 77)
        return try TwoSides.address(AgentKey.make(from: &random), "https://new.example/in").peer4().text
    }

    @Test func `a change of the client's DID that came before is acknowledged, and the newer document stays`() throws {
        var desk = try Desk()
        let body: JSONObject = ["to_did": .string(try Self.newDID())]
        _ = try desk.hear("did-rotate/1.0/rotate", body, id: "q")
        #expect(desk.answer(.replayed).names == ["ack"])
        #expect(desk.session.connection == desk.mediator && desk.session.isIdle)
        _ = try desk.hear("did-rotate/1.0/rotate", body, id: "r")
        #expect(desk.answer(.failed).messages.first?.object["description"]?["code"] == "e.p.later")
        #expect(desk.session.connection == desk.mediator, "what was not kept does not count")
    }

    @Test func `a request for live delivery that came before is answered by a status, and changes no line`() throws {
        var desk = try Desk()
        _ = try desk.hear("messagepickup/2.0/live-delivery-change", ["live_delivery": true])
        #expect(desk.answer(.replayed).commands == [.status(nil)])
        let outputs = desk.answer(.status(.empty))
        #expect(outputs.messages.first?.object["live_delivery"] == false)
        #expect(!outputs.contains(.watch(true)) && !desk.session.isLive && desk.session.isIdle)
    }

    @Test func `the same request for live delivery on the same line finds it live`() throws {
        var desk = try Desk()
        _ = try desk.goLive()
        _ = desk.answer(.status(.empty))
        _ = desk.answer(.messages([]))
        _ = try desk.hear("messagepickup/2.0/live-delivery-change", ["live_delivery": true])
        _ = desk.answer(.replayed)
        #expect(desk.answer(.status(.empty)).messages.first?.object["live_delivery"] == true)
        #expect(desk.session.isLive)
    }

    @Test func `a ping that came before has nothing ride back on a line`() throws {
        var desk = try Desk()
        _ = try desk.hear("trust_ping/1.0/ping", ["response_requested": false])
        let outputs = desk.answer(.replayed)
        #expect(outputs.ignored == [.replayed] && outputs.commands.isEmpty && !desk.session.isLive)
    }

    @Test func `answers that may be given again have the same identifier each time, on any channel`() throws {
        func answer(_ body: JSONObject, _ told: MediatorAnswer, _ channel: IncomingChannel, id: String) throws
            -> Message
        {
            var desk = try Desk(channel)
            var outputs = try desk.hear("coordinate-mediation/1.0/keylist-update", body, id: id)
            if outputs.messages.isEmpty { outputs = desk.answer(told) }
            return try #require(outputs.messages.first)
        }
        let body: JSONObject = ["updates": [["recipient_key": .string(Desk.key(1).didKey), "action": "add"]]]
        let first = try answer(body, .changed([.success]), .single, id: "q")
        #expect(try answer(body, .changed([.success]), .persistent, id: "q") == first)
        #expect(try answer(body, .changed([.success]), .single, id: "r").id != first.id)
        #expect(try answer(body, .failed, .single, id: "q").id != first.id, "a failure is not the answer that is kept")
        var (one, two) = (try Desk(.single), try Desk())
        let ping = try one.hear("trust_ping/1.0/ping", id: "p").messages
        #expect(try two.hear("trust_ping/1.0/ping", id: "p").messages == ping && ping.count == 1)
    }

    @Test func `answers to what only reads have an identifier of their own each time`() throws {
        var desk = try Desk()
        var ids: Set<String> = []
        for _ in 0..<2 {
            _ = try desk.hear("messagepickup/2.0/status-request", id: "q")
            ids.formUnion(desk.answer(.status(.empty)).messages.map(\.id))
        }
        #expect(ids.count == 2)
    }

    @Test func `a message that may have been forgotten is answered by a report of that, and nothing is done`() throws {
        for (type, body) in [
            ("coordinate-mediation/1.0/keylist-update", ["updates": []]),
            ("messagepickup/1.0/batch-pickup", ["batch_size": 1]),
            ("messagepickup/2.0/live-delivery-change", ["live_delivery": true]),
        ] as [(String, JSONObject)] {
            var desk = try Desk()
            _ = try desk.hear(type, body)
            let outputs = desk.answer(.outdated)
            #expect(outputs.messages.first?.object["description"]?["code"] == "message-outdated")
            #expect(outputs.commands.isEmpty && !desk.session.isLive && desk.session.isIdle)
        }
    }

    @Test(
        arguments: [
            (["out_time": "2023-11-14T22:13:19Z"], -1000), (["out_time": "2023-11-14T22:13:20Z"], 0),
            (["out_time": "2031-01-01T00:00:00Z"], 0), (["out_time": "yesterday"], nil), (["out_time": 5], nil),
            (["expires_time": "2023-11-14T22:13:19Z"], nil), ("x", nil),
        ] as [(JSONValue, Int64?)])
    func `the time at which a client says that it sent a message is at most the time at which it came`(
        timing: JSONValue, offset: Int64?
    ) throws {
        var desk = try Desk()
        let message = Message(
            try MessageType(parsing: "https://didcomm.org/coordinate-mediation/1.0/keylist-update"), id: "q",
            body: ["updates": []]
        ).decorated("~timing", timing)
        guard case .once(_, let request)? = desk.take(message).commands.first else {
            Issue.record("it is done once")
            return
        }
        #expect(request.sent.map { $0.millisecondsSinceEpoch - Samples.now.millisecondsSinceEpoch } == offset)
    }
}
