import Aries
import ByteCoding
import CryptoSuite
import DIDComm
import Determinism
import JSON
import Testing

@Suite struct PickupClientTests {
    private struct Line {
        var sides: TwoSides
        var client: PickupClient
        var now = MonotonicInstant.zero

        init(_ flavour: PickupClient.Flavour = .pickup2) throws {
            sides = try TwoSides(.didExchange11)
            client = PickupClient(try sides.connect().invitee, flavour: flavour, random: SeededRandom(seed: 5))
        }

        mutating func take(_ type: String, _ body: JSONObject, thread: String? = nil) throws -> [PickupClient.Output] {
            let message = Message(
                try MessageType(parsing: "https://didcomm.org/" + type), id: "a", thread: MessageThread(id: thread),
                body: body)
            let received = sides.received(message, from: sides.inviterKey.verkey, to: sides.inviteeKey.verkey)
            return client.handle(.received(received), at: now)
        }

        mutating func status(_ count: Int) throws -> [PickupClient.Output] {
            try take("messagepickup/2.0/status", ["message_count": .int(count)])
        }

        mutating func delivery(_ ids: [String]) throws -> [PickupClient.Output] {
            try take(
                "messagepickup/2.0/delivery",
                [
                    "~attach": .array(
                        ids.map { ["@id": .string($0), "data": ["base64": .string(Base64.encode(Array($0.utf8)))]] })
                ])
        }

        mutating func problem(
            _ asked: Message?, code: String = "message-parse-failure", text: String? = nil
        ) throws -> [PickupClient.Output] {
            let description = JSONObject(present: ["code": .string(code), "en": text.map { .string($0) }])
            return try take(
                "notification/1.0/problem-report", ["description": .object(description)], thread: asked?.id)
        }
    }

    private func sent(_ outputs: [PickupClient.Output]) -> [Message] {
        outputs.compactMap { if case .send(let outgoing) = $0 { outgoing.message } else { nil } }
    }

    private func names(_ outputs: [PickupClient.Output]) -> [String] { sent(outputs).map(\.type.name) }

    private func delivered(_ outputs: [PickupClient.Output]) -> [String] {
        outputs.compactMap {
            if case .deliver(let bytes, _) = $0 { String(decoding: bytes, as: UTF8.self) } else { nil }
        }
    }

    @Test func `messages are fetched until none is left, and acknowledged when they are stored`() throws {
        var line = try Line()
        let start = line.client.handle(.start(isLive: false), at: line.now)
        #expect(names(start) == ["status-request"] && sent(start).first?.returnRoute == "all")
        let ask = try line.status(3)
        #expect(names(ask) == ["delivery-request"] && sent(ask).first?.object["limit"] == 3)
        #expect(delivered(try line.delivery(["x", "y", "z"])) == ["x", "y", "z"])
        #expect(line.client.handle(.stored(ids: ["x", "other"]), at: line.now) == [])
        let ack = line.client.handle(.stored(ids: ["z", "y"]), at: line.now)
        #expect(names(ack) == ["messages-received"])
        #expect(sent(ack).first?.object["message_id_list"] == ["x", "z", "y"])
        #expect(try line.status(0) == [.caughtUp(remaining: 0)])
        #expect(line.client.nextDeadline == nil)
    }

    @Test func `an empty queue ends at once`() throws {
        var line = try Line()
        _ = line.client.handle(.start(isLive: false), at: line.now)
        #expect(try line.status(0) == [.caughtUp(remaining: 0)])
        _ = line.client.handle(.start(isLive: false), at: line.now)
        #expect(names(try line.status(25)) == ["delivery-request"])
        #expect(try line.status(0) == [.caughtUp(remaining: 0)])
    }

    @Test func `no more is asked for at once than is stored in one go`() throws {
        var line = try Line()
        _ = line.client.handle(.start(isLive: false), at: line.now)
        #expect(sent(try line.status(25)).first?.object["limit"] == 10)
    }

    @Test func `what is not stored is not acknowledged, and does not keep the round going`() throws {
        var line = try Line()
        _ = line.client.handle(.start(isLive: false), at: line.now)
        _ = try line.status(2)
        _ = try line.delivery(["x", "y"])
        _ = line.client.handle(.stored(ids: ["x"]), at: line.now)
        #expect(line.client.nextDeadline == line.now + PickupClient.storingWait)
        line.now = line.now + PickupClient.storingWait
        let ack = line.client.handle(.timeReached, at: line.now)
        #expect(sent(ack).first?.object["message_id_list"] == ["x"])
        #expect(try line.status(1) == [.caughtUp(remaining: 1)])
        let late = line.client.handle(.stored(ids: ["y"]), at: line.now)
        #expect(sent(late).first?.object["message_id_list"] == ["y"])
    }

    @Test func `nothing stored in time ends the round`() throws {
        var line = try Line()
        _ = line.client.handle(.start(isLive: false), at: line.now)
        _ = try line.status(1)
        _ = try line.delivery(["x"])
        let outputs = line.client.handle(.timeReached, at: line.now + PickupClient.storingWait)
        #expect(outputs == [.caughtUp(remaining: 1)])
    }

    @Test func `what cannot be decoded is put aside and never acknowledged`() throws {
        var line = try Line()
        _ = line.client.handle(.start(isLive: false), at: line.now)
        _ = try line.status(2)
        let bad: JSONValue = ["@id": "bad", "data": ["base64": "?"]]
        let good: JSONValue = ["@id": "good", "data": ["base64": "aGk"]]
        let outputs = try line.take("messagepickup/2.0/delivery", ["~attach": [bad, good]])
        #expect(outputs == [.quarantine(bad), .deliver(Array("hi".utf8), id: "good")])
        let ack = line.client.handle(.stored(ids: ["bad", "good"]), at: line.now)
        #expect(sent(ack).first?.object["message_id_list"] == ["good"])
        #expect(try line.status(1) == [.caughtUp(remaining: 1)])
    }

    @Test func `a delivery without anything new ends the round`() throws {
        var line = try Line()
        _ = line.client.handle(.start(isLive: false), at: line.now)
        _ = try line.status(5)
        let bad: JSONValue = ["@id": "bad", "data": [:]]
        #expect(
            try line.take("messagepickup/2.0/delivery", ["~attach": [bad]]) == [
                .quarantine(bad), .caughtUp(remaining: 1),
            ])
    }

    @Test func `one delivery holds as many messages as allowed and not more`() throws {
        for (count, isTaken) in [(100, true), (101, false)] {
            var line = try Line()
            _ = line.client.handle(.start(isLive: false), at: line.now)
            _ = try line.status(count)
            #expect(delivered(try line.delivery((0..<count).map { "\($0)" })).isEmpty != isTaken)
        }
    }

    // Live mode.

    @Test func `live mode is turned on when all is fetched, and what comes then is acknowledged too`() throws {
        var line = try Line()
        _ = line.client.handle(.start(isLive: true), at: line.now)
        let live = try line.status(0)
        #expect(live.first == .caughtUp(remaining: 0) && names(live) == ["live-delivery-change"])
        #expect(sent(live).first?.object["live_delivery"] == true)
        #expect(try line.status(0) == [])
        #expect(line.client.nextDeadline == line.now + PickupClient.heartbeat)
        #expect(delivered(try line.delivery(["x"])) == ["x"])
        #expect(names(line.client.handle(.stored(ids: ["x"]), at: line.now)) == ["messages-received"])
        #expect(try line.status(0) == [.caughtUp(remaining: 0)])
    }

    @Test func `a mediator that does not speak of live mode, or refuses it, is used all the same`() throws {
        for isRefused in [true, false] {
            var line = try Line()
            _ = line.client.handle(.start(isLive: true), at: line.now)
            let asked = sent(try line.status(0)).first
            if isRefused {
                #expect(try line.problem(asked) == [.ignored(AriesError(.rejected, ""))])
            } else {
                #expect(line.client.handle(.timeReached, at: .zero + .seconds(10)) == [])
            }
            #expect(names(line.client.handle(.poke, at: .zero + .seconds(11))) == ["status-request"])
            #expect(delivered(try line.delivery(["x"])) == ["x"])
        }
    }

    @Test func `a heartbeat finds a dead line`() throws {
        var line = try Line()
        _ = line.client.handle(.start(isLive: true), at: line.now)
        _ = try line.status(0)
        _ = try line.status(0)
        line.now = line.now + PickupClient.heartbeat
        #expect(names(line.client.handle(.timeReached, at: line.now)) == ["status-request"])
        #expect(names(line.client.handle(.timeReached, at: line.now + .seconds(10))) == ["status-request"])
        let dead = line.client.handle(.timeReached, at: line.now + .seconds(30))
        #expect(dead == [.failed(AriesError(.timeout, ""))] && line.client.nextDeadline == nil)
        #expect(names(line.client.handle(.start(isLive: true), at: line.now)) == ["status-request"])
    }

    @Test func `a lost line begins anew, live mode too`() throws {
        var line = try Line()
        _ = line.client.handle(.start(isLive: true), at: line.now)
        _ = try line.status(0)
        _ = try line.status(0)
        #expect(line.client.handle(.disconnected, at: line.now) == [] && line.client.nextDeadline == nil)
        _ = line.client.handle(.start(isLive: true), at: line.now)
        #expect(names(try line.status(0)) == ["live-delivery-change"])
    }

    // Older mediators.

    @Test func `a mediator without pickup 2 is asked by pickup 1, and then by pings`() throws {
        var line = try Line()
        let first = line.client.handle(.start(isLive: false), at: line.now)
        let second = try line.problem(sent(first).first)
        #expect(second.first == .fellBack(.pickup1) && names(second) == ["batch-pickup"])
        let third = try line.problem(sent(second).first)
        #expect(third.first == .fellBack(.implicit) && names(third) == ["ping"])
        #expect(sent(third).first?.object["response_requested"] == false && sent(third).first?.returnRoute == "all")
        #expect(line.client.flavour == .implicit)
    }

    @Test(arguments: [
        "message-parse-failure", "version-not-supported", "not-supported", "e.p.msg.unsupported",
        "e.m.msg.unsupported", "E.P.MSG.unsupported-message-type", "unsupported_message_type",
    ])
    func `only a report that the message type is not supported makes the client try an older protocol`(
        _ code: String
    ) throws {
        var line = try Line()
        let asked = sent(line.client.handle(.start(isLive: false), at: line.now)).first
        #expect(try line.problem(asked, code: code).first == .fellBack(.pickup1))
    }

    @Test(arguments: [
        "e.p.later", "e.p.me.res", "e.p.req.time", "message-outdated", "not_granted", "c", "", "e.p.did.unsupported",
        "e.m.live-mode-not-supported",
    ])
    func `any other report ends the round with its code, and the same protocol is used the next time`(
        _ code: String
    ) throws {
        for flavour in PickupClient.Flavour.allCases {
            var line = try Line(flavour)
            let asked = try #require(sent(line.client.handle(.start(isLive: false), at: line.now)).first)
            let outputs = try line.problem(asked, code: code, text: "Not now.")
            guard case .refused(let error) = outputs.first else {
                Issue.record("\(code) for \(flavour): \(outputs)")
                continue
            }
            #expect(outputs.count == 1 && error.code == .rejected && error.wireCode == code)
            #expect(error.reason.contains("Not now.") && error.reason.contains(code))
            #expect(line.client.flavour == flavour && line.client.nextDeadline == nil)
            let again = sent(line.client.handle(.start(isLive: false), at: line.now))
            #expect(again.map(\.type) == [asked.type])
        }
    }

    @Test func `a report without a code counts as not supported only when it names the type that was sent`() throws {
        var line = try Line()
        let asked = try #require(sent(line.client.handle(.start(isLive: false), at: line.now)).first)
        let text = "Unrecognized message type \(asked.type)"
        #expect(try line.problem(asked, code: "", text: text).first == .fellBack(.pickup1))
    }

    @Test func `a mediator that answered in a protocol supports it, whatever it reports later`() throws {
        var line = try Line()
        _ = line.client.handle(.start(isLive: false), at: line.now)
        let asked = sent(try line.status(1)).first
        #expect(try line.problem(asked) == [.refused(AriesError(.rejected, ""))])
        #expect(line.client.flavour == .pickup2)
        var old = try Line(.pickup1)
        let start = sent(old.client.handle(.start(isLive: false), at: old.now)).first
        let entry: JSONValue = ["@id": "1", "message": ["protected": "x"]]
        let next = sent(try old.take("messagepickup/1.0/batch", ["messages~attach": [entry]], thread: start?.id)).first
        #expect(try old.problem(next) == [.refused(AriesError(.rejected, ""))])
        #expect(old.client.flavour == .pickup1)
    }

    @Test func `a ping that the mediator does not support ends the round, because no older protocol is left`() throws {
        var line = try Line(.implicit)
        let asked = sent(line.client.handle(.start(isLive: false), at: line.now)).first
        #expect(try line.problem(asked) == [.refused(AriesError(.rejected, ""))])
    }

    @Test func `what is delivered after a refused heartbeat is taken, and a poke asks again`() throws {
        var line = try Line()
        _ = line.client.handle(.start(isLive: true), at: line.now)
        _ = try line.status(0)
        _ = try line.status(0)
        let asked = sent(line.client.handle(.poke, at: line.now)).first
        #expect(try line.problem(asked, code: "e.p.later") == [.refused(AriesError(.rejected, ""))])
        #expect(delivered(try line.delivery(["x"])) == ["x"])
        #expect(names(line.client.handle(.stored(ids: ["x"]), at: line.now)) == ["messages-received"])
        #expect(try line.status(0).first == .caughtUp(remaining: 0))
        var other = try Line()
        _ = other.client.handle(.start(isLive: true), at: other.now)
        _ = try other.status(0)
        _ = try other.status(0)
        let beat = sent(other.client.handle(.poke, at: other.now)).first
        _ = try other.problem(beat, code: "e.p.later")
        #expect(names(other.client.handle(.start(isLive: true), at: other.now)) == ["status-request"])
    }

    @Test func `batches are fetched until one is empty`() throws {
        var line = try Line(.pickup1)
        let start = line.client.handle(.start(isLive: false), at: line.now)
        let entry: JSONValue = ["@id": "1", "message": ["protected": "x"]]
        let bad: JSONValue = ["@id": "2", "message": "x"]
        let outputs = try line.take(
            "messagepickup/1.0/batch", ["messages~attach": [entry, bad]], thread: sent(start).first?.id)
        #expect(delivered(outputs) == [#"{"protected":"x"}"#] && outputs.contains(.quarantine(bad)))
        #expect(names(outputs) == ["batch-pickup"])
        let late = try line.take("messagepickup/1.0/batch", ["messages~attach": [entry]], thread: "other")
        #expect(delivered(late) == [#"{"protected":"x"}"#] && late.count == 1, "it is forgotten, however late it comes")
        let other = try line.take("messagepickup/1.0/batch", ["messages~attach": []], thread: "other")
        #expect(other == [.ignored(AriesError(.wrongThread, ""))])
        let last = try line.take("messagepickup/1.0/batch", ["messages~attach": []], thread: sent(outputs).first?.id)
        #expect(last == [.caughtUp(remaining: 0)])
    }

    @Test func `a batch that comes when nothing is waited for any more is taken`() throws {
        var line = try Line(.pickup1)
        let start = line.client.handle(.start(isLive: false), at: line.now)
        #expect(line.client.handle(.timeReached, at: line.now + .seconds(30)) == [.failed(AriesError(.timeout, ""))])
        let entries = (0..<101).map { number -> JSONValue in
            ["@id": .string("\(number)"), "message": ["protected": "x"]]
        }
        for (count, taken) in [(1, 1), (100, 100), (101, 100)] {
            let outputs = try line.take(
                "messagepickup/1.0/batch", ["messages~attach": .array(Array(entries.prefix(count)))],
                thread: sent(start).first?.id)
            #expect(outputs.count == taken && delivered(outputs).count == taken)
        }
        #expect(line.client.nextDeadline == nil)
    }

    @Test func `pings go on while each brings a message, and end when one does not`() throws {
        var line = try Line(.implicit)
        #expect(names(line.client.handle(.start(isLive: false), at: line.now)) == ["ping"])
        for _ in 0..<3 { #expect(names(line.client.handle(.envelopeArrived, at: line.now)) == ["ping"]) }
        #expect(line.client.nextDeadline == line.now + PickupClient.nudgeWait)
        #expect(line.client.handle(.timeReached, at: line.now + PickupClient.nudgeWait) == [.caughtUp(remaining: 0)])
        #expect(line.client.handle(.envelopeArrived, at: line.now) == [])
    }

    @Test func `where messages come in answers, a ping that was answered is not waited for long`() throws {
        var line = try Line(.implicit)
        let ping = try #require(sent(line.client.handle(.start(isLive: false), at: line.now)).first)
        #expect(line.client.awaitedID == ping.id)
        #expect(line.client.handle(.sent(id: "another"), at: line.now) == [])
        #expect(line.client.nextDeadline == line.now + PickupClient.nudgeWait)
        #expect(line.client.handle(.sent(id: ping.id), at: line.now) == [])
        #expect(line.client.nextDeadline == line.now + PickupClient.answeredNudgeWait)
        var live = try Line(.implicit)
        let other = try #require(sent(live.client.handle(.start(isLive: true), at: live.now)).first)
        #expect(live.client.handle(.sent(id: other.id), at: live.now) == [])
        #expect(live.client.nextDeadline == live.now + PickupClient.nudgeWait)
    }

    @Test func `a poke asks at once, and only while nothing else goes on`() throws {
        var line = try Line(.implicit)
        _ = line.client.handle(.start(isLive: true), at: line.now)
        #expect(line.client.handle(.poke, at: line.now) == [])
        _ = line.client.handle(.timeReached, at: line.now + PickupClient.nudgeWait)
        #expect(names(line.client.handle(.poke, at: line.now + .seconds(3))) == ["ping"])
    }

    // The end.

    @Test func `a batch under way is taken before the end, and no other is asked for`() throws {
        var line = try Line(.pickup1)
        let start = line.client.handle(.start(isLive: true), at: line.now)
        #expect(line.client.handle(.finish, at: line.now) == [] && !line.client.isFinished)
        #expect(line.client.handle(.timeReached, at: .zero + .seconds(10)) == [], "it is not asked for again")
        let entry: JSONValue = ["@id": "1", "message": ["protected": "x"]]
        let outputs = try line.take(
            "messagepickup/1.0/batch", ["messages~attach": [entry]], thread: sent(start).first?.id)
        #expect(delivered(outputs) == [#"{"protected":"x"}"#] && outputs.count == 1 && line.client.isFinished)
        #expect(line.client.handle(.start(isLive: true), at: line.now) == [] && line.client.isFinished)
    }

    @Test func `a delivery under way is stored and acknowledged before the end`() throws {
        var line = try Line()
        _ = line.client.handle(.start(isLive: true), at: line.now)
        _ = try line.status(2)
        _ = line.client.handle(.finish, at: line.now)
        #expect(delivered(try line.delivery(["x"])) == ["x"] && !line.client.isFinished)
        #expect(names(line.client.handle(.stored(ids: ["x"]), at: line.now)) == ["messages-received"])
        #expect(line.client.isFinished && line.client.nextDeadline == nil)
        #expect(try line.status(1) == [], "nothing more is asked for")
        #expect(delivered(try line.delivery(["y"])) == ["y"], "what comes by itself meanwhile is taken too")
        #expect(names(line.client.handle(.stored(ids: ["y"]), at: line.now)) == ["messages-received"])
    }

    @Test func `the answer to a ping is waited for before the end, as long as it may take`() throws {
        for isLive in [true, false] {
            var line = try Line(.implicit)
            _ = line.client.handle(.start(isLive: isLive), at: line.now)
            _ = line.client.handle(.finish, at: line.now)
            #expect(line.client.handle(.envelopeArrived, at: line.now) == [])
            #expect(line.client.isFinished != isLive, "on a line it may have come by itself")
            _ = line.client.handle(.timeReached, at: line.now + PickupClient.nudgeWait)
            #expect(line.client.isFinished)
        }
    }

    @Test func `the end comes at once where nothing can be handed over, and after the usual wait where nothing comes`()
        throws
    {
        for flavour in PickupClient.Flavour.allCases {
            var unused = try Line(flavour)
            #expect(!unused.client.isFinished)
            #expect(unused.client.handle(.finish, at: unused.now) == [] && unused.client.isFinished)
        }
        var asking = try Line()
        _ = asking.client.handle(.start(isLive: false), at: asking.now)
        _ = asking.client.handle(.finish, at: asking.now)
        #expect(asking.client.isFinished, "a number of messages is no message")
        var failing = try Line(.pickup1)
        let id = try #require(sent(failing.client.handle(.start(isLive: false), at: failing.now)).first?.id)
        _ = failing.client.handle(.finish, at: failing.now)
        #expect(failing.client.handle(.sendFailed(id: id), at: failing.now) == [] && failing.client.isFinished)
        var silent = try Line(.pickup1)
        _ = silent.client.handle(.start(isLive: false), at: silent.now)
        _ = silent.client.handle(.finish, at: silent.now)
        let end = silent.client.handle(.timeReached, at: silent.now + .seconds(30))
        #expect(end == [.failed(AriesError(.timeout, ""))] && silent.client.isFinished)
    }

    // Outsiders and faults.

    @Test func `only the mediator is listened to`() throws {
        var line = try Line()
        let asked = sent(line.client.handle(.start(isLive: false), at: line.now)).first
        let status = Message(
            MessageType(.pickup20, "status"), id: "a", thread: MessageThread(id: asked?.id), body: ["message_count": 0])
        let forged = line.sides.received(status, from: line.sides.stranger.verkey, to: line.sides.inviteeKey.verkey)
        #expect(line.client.handle(.received(forged), at: line.now) == [.ignored(AriesError(.wrongSender, ""))])
        #expect(try line.problem(nil) == [.ignored(AriesError(.unexpected, ""))])
        #expect(try line.take("trust_ping/1.0/ping", [:]) == [.ignored(AriesError(.unexpected, ""))])
        #expect(try line.take("messagepickup/2.0/status", [:]) == [.ignored(AriesError(.messageMalformed, ""))])
        #expect(try line.status(0) == [.caughtUp(remaining: 0)])
    }

    @Test func `a mediator that does not answer is asked again and then given up`() throws {
        var line = try Line()
        let start = line.client.handle(.start(isLive: false), at: line.now)
        #expect(line.client.handle(.timeReached, at: .zero + .seconds(10)) == start)
        #expect(line.client.handle(.timeReached, at: .zero + .seconds(30)) == [.failed(AriesError(.timeout, ""))])
    }

    @Test func `a question that cannot be handed over is tried again soon, and a ping ends it`() throws {
        var line = try Line()
        let start = line.client.handle(.start(isLive: false), at: line.now)
        let id = try #require(sent(start).first?.id)
        #expect(line.client.handle(.sendFailed(id: id), at: line.now) == [])
        #expect(line.client.nextDeadline == .zero + .seconds(5))
        var pings = try Line(.implicit)
        let ping = try #require(sent(pings.client.handle(.start(isLive: false), at: .zero)).first)
        #expect(pings.client.handle(.sendFailed(id: ping.id), at: .zero) == [.failed(AriesError(.unreachable, ""))])
    }
}
