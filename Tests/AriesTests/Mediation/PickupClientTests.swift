import Aries
import ByteCoding
import CryptoSuite
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing

@Suite struct PickupClientTests {
    private struct Harness {
        var sides: TwoSides
        var client: PickupClient
        var now = MonotonicInstant.zero

        init(_ flavour: PickupClient.PickupProtocol = .pickup2) throws {
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

    @Test(.shows("ARI-083", "ARI-088", "CHK-119"))
    func `messages are fetched until none is left, and acknowledged once they are stored`() throws {
        var harness = try Harness()
        let start = harness.client.handle(.start(isLive: false), at: harness.now)
        #expect(names(start) == ["status-request"] && sent(start).first?.returnRoute == "all")
        let ask = try harness.status(3)
        #expect(names(ask) == ["delivery-request"] && sent(ask).first?.object["limit"] == 3)
        #expect(delivered(try harness.delivery(["x", "y", "z"])) == ["x", "y", "z"])
        #expect(harness.client.handle(.stored(ids: ["x", "other"]), at: harness.now) == [])
        let ack = harness.client.handle(.stored(ids: ["z", "y"]), at: harness.now)
        #expect(names(ack) == ["messages-received"])
        #expect(sent(ack).first?.object["message_id_list"] == ["x", "z", "y"])
        #expect(try harness.status(0) == [.caughtUp(remaining: 0)])
        #expect(harness.client.nextDeadline == nil)
    }

    @Test func `an empty queue ends the pickup round at once`() throws {
        var harness = try Harness()
        _ = harness.client.handle(.start(isLive: false), at: harness.now)
        #expect(try harness.status(0) == [.caughtUp(remaining: 0)])
        _ = harness.client.handle(.start(isLive: false), at: harness.now)
        #expect(names(try harness.status(25)) == ["delivery-request"])
        #expect(try harness.status(0) == [.caughtUp(remaining: 0)])
    }

    @Test func `one delivery request asks for at most as many messages as are stored in one step`() throws {
        var harness = try Harness()
        _ = harness.client.handle(.start(isLive: false), at: harness.now)
        #expect(sent(try harness.status(25)).first?.object["limit"] == 10)
    }

    @Test(.shows("CHK-119"))
    func `a message that is not stored is not acknowledged, and does not keep the round going`() throws {
        var harness = try Harness()
        _ = harness.client.handle(.start(isLive: false), at: harness.now)
        _ = try harness.status(2)
        _ = try harness.delivery(["x", "y"])
        _ = harness.client.handle(.stored(ids: ["x"]), at: harness.now)
        #expect(harness.client.nextDeadline == harness.now + PickupClient.storingWait)
        harness.now = harness.now + PickupClient.storingWait
        let ack = harness.client.handle(.timeReached, at: harness.now)
        #expect(sent(ack).first?.object["message_id_list"] == ["x"])
        #expect(try harness.status(1) == [.caughtUp(remaining: 1)])
        let late = harness.client.handle(.stored(ids: ["y"]), at: harness.now)
        #expect(sent(late).first?.object["message_id_list"] == ["y"])
    }

    @Test func `a pickup round ends when no message is stored in time`() throws {
        var harness = try Harness()
        _ = harness.client.handle(.start(isLive: false), at: harness.now)
        _ = try harness.status(1)
        _ = try harness.delivery(["x"])
        let outputs = harness.client.handle(.timeReached, at: harness.now + PickupClient.storingWait)
        #expect(outputs == [.caughtUp(remaining: 1)])
    }

    @Test(.shows("ARI-089", "CHK-120")) func `a message that cannot be decoded is quarantined and never acknowledged`()
        throws
    {
        var harness = try Harness()
        _ = harness.client.handle(.start(isLive: false), at: harness.now)
        _ = try harness.status(2)
        let bad: JSONValue = ["@id": "bad", "data": ["base64": "?"]]
        let good: JSONValue = ["@id": "good", "data": ["base64": "aGk"]]
        let outputs = try harness.take("messagepickup/2.0/delivery", ["~attach": [bad, good]])
        #expect(outputs == [.quarantine(bad), .deliver(Array("hi".utf8), id: "good")])
        let ack = harness.client.handle(.stored(ids: ["bad", "good"]), at: harness.now)
        #expect(sent(ack).first?.object["message_id_list"] == ["good"])
        #expect(try harness.status(1) == [.caughtUp(remaining: 1)])
    }

    @Test func `a pickup delivery without a new message ends the pickup round`() throws {
        var harness = try Harness()
        _ = harness.client.handle(.start(isLive: false), at: harness.now)
        _ = try harness.status(5)
        let bad: JSONValue = ["@id": "bad", "data": [:]]
        #expect(
            try harness.take("messagepickup/2.0/delivery", ["~attach": [bad]]) == [
                .quarantine(bad), .caughtUp(remaining: 1),
            ])
    }

    @Test func `one pickup delivery may hold the allowed number of messages and no more`() throws {
        for (count, isTaken) in [(100, true), (101, false)] {
            var harness = try Harness()
            _ = harness.client.handle(.start(isLive: false), at: harness.now)
            _ = try harness.status(count)
            #expect(delivered(try harness.delivery((0..<count).map { "\($0)" })).isEmpty != isTaken)
        }
    }

    // Live mode.

    @Test func `live mode is turned on once all messages are fetched, and live messages are acknowledged too`() throws {
        var harness = try Harness()
        _ = harness.client.handle(.start(isLive: true), at: harness.now)
        let live = try harness.status(0)
        #expect(live.first == .caughtUp(remaining: 0) && names(live) == ["live-delivery-change"])
        #expect(sent(live).first?.object["live_delivery"] == true)
        #expect(try harness.status(0) == [])
        #expect(harness.client.nextDeadline == harness.now + PickupClient.heartbeat)
        #expect(delivered(try harness.delivery(["x"])) == ["x"])
        #expect(names(harness.client.handle(.stored(ids: ["x"]), at: harness.now)) == ["messages-received"])
        #expect(try harness.status(0) == [.caughtUp(remaining: 0)])
    }

    @Test func `a mediator that refuses or does not know live mode is used without it`() throws {
        for isRefused in [true, false] {
            var harness = try Harness()
            _ = harness.client.handle(.start(isLive: true), at: harness.now)
            let asked = sent(try harness.status(0)).first
            if isRefused {
                #expect(try harness.problem(asked) == [.ignored(AriesError(.rejected, ""))])
            } else {
                #expect(harness.client.handle(.timeReached, at: .zero + .seconds(10)) == [])
            }
            #expect(names(harness.client.handle(.poke, at: .zero + .seconds(11))) == ["status-request"])
            #expect(delivered(try harness.delivery(["x"])) == ["x"])
        }
    }

    @Test(.shows("CHK-128")) func `a pickup heartbeat without an answer shows that the connection is dead`() throws {
        var harness = try Harness()
        _ = harness.client.handle(.start(isLive: true), at: harness.now)
        _ = try harness.status(0)
        _ = try harness.status(0)
        harness.now = harness.now + PickupClient.heartbeat
        #expect(names(harness.client.handle(.timeReached, at: harness.now)) == ["status-request"])
        #expect(names(harness.client.handle(.timeReached, at: harness.now + .seconds(10))) == ["status-request"])
        let dead = harness.client.handle(.timeReached, at: harness.now + .seconds(30))
        #expect(dead == [.failed(AriesError(.timeout, ""))] && harness.client.nextDeadline == nil)
        #expect(names(harness.client.handle(.start(isLive: true), at: harness.now)) == ["status-request"])
    }

    @Test func `a lost connection restarts the pickup, and live mode with it`() throws {
        var harness = try Harness()
        _ = harness.client.handle(.start(isLive: true), at: harness.now)
        _ = try harness.status(0)
        _ = try harness.status(0)
        #expect(harness.client.handle(.disconnected, at: harness.now) == [] && harness.client.nextDeadline == nil)
        _ = harness.client.handle(.start(isLive: true), at: harness.now)
        #expect(names(try harness.status(0)) == ["live-delivery-change"])
    }

    // Older mediators.

    @Test func `a mediator without pickup 2 is asked with pickup 1, and then with pings`() throws {
        var harness = try Harness()
        let first = harness.client.handle(.start(isLive: false), at: harness.now)
        let second = try harness.problem(sent(first).first)
        #expect(second.first == .fellBack(.pickup1) && names(second) == ["batch-pickup"])
        let third = try harness.problem(sent(second).first)
        #expect(third.first == .fellBack(.implicit) && names(third) == ["ping"])
        #expect(sent(third).first?.object["response_requested"] == false && sent(third).first?.returnRoute == "all")
        #expect(harness.client.flavour == .implicit)
    }

    @Test(arguments: [
        "message-parse-failure", "version-not-supported", "not-supported", "e.p.msg.unsupported",
        "e.m.msg.unsupported", "E.P.MSG.unsupported-message-type", "unsupported_message_type",
    ])
    func `only a report that the message type is not supported makes the client try an older protocol`(
        _ code: String
    ) throws {
        var harness = try Harness()
        let asked = sent(harness.client.handle(.start(isLive: false), at: harness.now)).first
        #expect(try harness.problem(asked, code: code).first == .fellBack(.pickup1))
    }

    @Test(arguments: [
        "e.p.later", "e.p.me.res", "e.p.req.time", "message-outdated", "not_granted", "c", "", "e.p.did.unsupported",
        "e.m.live-mode-not-supported",
    ])
    func `a problem report of any other kind ends the round with its code, and the protocol stays`(
        _ code: String
    ) throws {
        for flavour in PickupClient.PickupProtocol.allCases {
            var harness = try Harness(flavour)
            let asked = try #require(sent(harness.client.handle(.start(isLive: false), at: harness.now)).first)
            let outputs = try harness.problem(asked, code: code, text: "Not now.")
            guard case .refused(let error) = outputs.first else {
                Issue.record("\(code) for \(flavour): \(outputs)")
                continue
            }
            #expect(outputs.count == 1 && error.code == .rejected && error.wireCode == code)
            #expect(error.reason.contains("Not now.") && error.reason.contains(code))
            #expect(harness.client.flavour == flavour && harness.client.nextDeadline == nil)
            let again = sent(harness.client.handle(.start(isLive: false), at: harness.now))
            #expect(again.map(\.type) == [asked.type])
        }
    }

    @Test func `a problem report without a code counts as not supported only when it names the type that was sent`()
        throws
    {
        var harness = try Harness()
        let asked = try #require(sent(harness.client.handle(.start(isLive: false), at: harness.now)).first)
        let text = "Unrecognized message type \(asked.type)"
        #expect(try harness.problem(asked, code: "", text: text).first == .fellBack(.pickup1))
    }

    @Test func `a pickup protocol in which the mediator has answered counts as supported, whatever it reports later`()
        throws
    {
        var harness = try Harness()
        _ = harness.client.handle(.start(isLive: false), at: harness.now)
        let asked = sent(try harness.status(1)).first
        #expect(try harness.problem(asked) == [.refused(AriesError(.rejected, ""))])
        #expect(harness.client.flavour == .pickup2)
        var old = try Harness(.pickup1)
        let start = sent(old.client.handle(.start(isLive: false), at: old.now)).first
        let entry: JSONValue = ["@id": "1", "message": ["protected": "x"]]
        let next = sent(try old.take("messagepickup/1.0/batch", ["messages~attach": [entry]], thread: start?.id)).first
        #expect(try old.problem(next) == [.refused(AriesError(.rejected, ""))])
        #expect(old.client.flavour == .pickup1)
    }

    @Test func `a ping that the mediator does not support ends the round, because no older protocol is left`() throws {
        var harness = try Harness(.implicit)
        let asked = sent(harness.client.handle(.start(isLive: false), at: harness.now)).first
        #expect(try harness.problem(asked) == [.refused(AriesError(.rejected, ""))])
    }

    @Test func `a delivery after a refused heartbeat is accepted, and the next poll asks again`() throws {
        var harness = try Harness()
        _ = harness.client.handle(.start(isLive: true), at: harness.now)
        _ = try harness.status(0)
        _ = try harness.status(0)
        let asked = sent(harness.client.handle(.poke, at: harness.now)).first
        #expect(try harness.problem(asked, code: "e.p.later") == [.refused(AriesError(.rejected, ""))])
        #expect(delivered(try harness.delivery(["x"])) == ["x"])
        #expect(names(harness.client.handle(.stored(ids: ["x"]), at: harness.now)) == ["messages-received"])
        #expect(try harness.status(0).first == .caughtUp(remaining: 0))
        var other = try Harness()
        _ = other.client.handle(.start(isLive: true), at: other.now)
        _ = try other.status(0)
        _ = try other.status(0)
        let beat = sent(other.client.handle(.poke, at: other.now)).first
        _ = try other.problem(beat, code: "e.p.later")
        #expect(names(other.client.handle(.start(isLive: true), at: other.now)) == ["status-request"])
    }

    @Test func `pickup 1 batches are fetched until one is empty`() throws {
        var harness = try Harness(.pickup1)
        let start = harness.client.handle(.start(isLive: false), at: harness.now)
        let entry: JSONValue = ["@id": "1", "message": ["protected": "x"]]
        let bad: JSONValue = ["@id": "2", "message": "x"]
        let outputs = try harness.take(
            "messagepickup/1.0/batch", ["messages~attach": [entry, bad]], thread: sent(start).first?.id)
        #expect(delivered(outputs) == [#"{"protected":"x"}"#] && outputs.contains(.quarantine(bad)))
        #expect(names(outputs) == ["batch-pickup"])
        let late = try harness.take("messagepickup/1.0/batch", ["messages~attach": [entry]], thread: "other")
        #expect(delivered(late) == [#"{"protected":"x"}"#] && late.count == 1, "it is forgotten, however late it comes")
        let other = try harness.take("messagepickup/1.0/batch", ["messages~attach": []], thread: "other")
        #expect(other == [.ignored(AriesError(.wrongThread, ""))])
        let last = try harness.take("messagepickup/1.0/batch", ["messages~attach": []], thread: sent(outputs).first?.id)
        #expect(last == [.caughtUp(remaining: 0)])
    }

    @Test func `a batch that arrives after the time-out of its request is accepted`() throws {
        var harness = try Harness(.pickup1)
        let start = harness.client.handle(.start(isLive: false), at: harness.now)
        #expect(
            harness.client.handle(.timeReached, at: harness.now + .seconds(30)) == [.failed(AriesError(.timeout, ""))])
        let entries = (0..<101).map { number -> JSONValue in
            ["@id": .string("\(number)"), "message": ["protected": "x"]]
        }
        for (count, taken) in [(1, 1), (100, 100), (101, 100)] {
            let outputs = try harness.take(
                "messagepickup/1.0/batch", ["messages~attach": .array(Array(entries.prefix(count)))],
                thread: sent(start).first?.id)
            #expect(outputs.count == taken && delivered(outputs).count == taken)
        }
        #expect(harness.client.nextDeadline == nil)
    }

    @Test func `pickup pings continue while each brings a message, and end with the first that does not`() throws {
        var harness = try Harness(.implicit)
        #expect(names(harness.client.handle(.start(isLive: false), at: harness.now)) == ["ping"])
        for _ in 0..<3 { #expect(names(harness.client.handle(.envelopeArrived, at: harness.now)) == ["ping"]) }
        #expect(harness.client.nextDeadline == harness.now + PickupClient.nudgeWait)
        #expect(
            harness.client.handle(.timeReached, at: harness.now + PickupClient.nudgeWait) == [.caughtUp(remaining: 0)])
        #expect(harness.client.handle(.envelopeArrived, at: harness.now) == [])
    }

    @Test func `with messages in ping responses, the pickup does not wait long after an answered ping`() throws {
        var harness = try Harness(.implicit)
        let ping = try #require(sent(harness.client.handle(.start(isLive: false), at: harness.now)).first)
        #expect(harness.client.awaitedID == ping.id)
        #expect(harness.client.handle(.sent(id: "another"), at: harness.now) == [])
        #expect(harness.client.nextDeadline == harness.now + PickupClient.nudgeWait)
        #expect(harness.client.handle(.sent(id: ping.id), at: harness.now) == [])
        #expect(harness.client.nextDeadline == harness.now + PickupClient.answeredNudgeWait)
        var live = try Harness(.implicit)
        let other = try #require(sent(live.client.handle(.start(isLive: true), at: live.now)).first)
        #expect(live.client.handle(.sent(id: other.id), at: live.now) == [])
        #expect(live.client.nextDeadline == live.now + PickupClient.nudgeWait)
    }

    @Test func `a pickup poll outside a round asks at once, and during a round does nothing`() throws {
        var harness = try Harness(.implicit)
        _ = harness.client.handle(.start(isLive: true), at: harness.now)
        #expect(harness.client.handle(.poke, at: harness.now) == [])
        _ = harness.client.handle(.timeReached, at: harness.now + PickupClient.nudgeWait)
        #expect(names(harness.client.handle(.poke, at: harness.now + .seconds(3))) == ["ping"])
    }

    // The end.

    @Test func `a pickup that stops processes the batch in flight, and requests no other`() throws {
        var harness = try Harness(.pickup1)
        let start = harness.client.handle(.start(isLive: true), at: harness.now)
        #expect(harness.client.handle(.finish, at: harness.now) == [] && !harness.client.isFinished)
        #expect(harness.client.handle(.timeReached, at: .zero + .seconds(10)) == [], "it is not asked for again")
        let entry: JSONValue = ["@id": "1", "message": ["protected": "x"]]
        let outputs = try harness.take(
            "messagepickup/1.0/batch", ["messages~attach": [entry]], thread: sent(start).first?.id)
        #expect(delivered(outputs) == [#"{"protected":"x"}"#] && outputs.count == 1 && harness.client.isFinished)
        #expect(harness.client.handle(.start(isLive: true), at: harness.now) == [] && harness.client.isFinished)
    }

    @Test func `a pickup that stops stores and acknowledges the delivery under way`() throws {
        var harness = try Harness()
        _ = harness.client.handle(.start(isLive: true), at: harness.now)
        _ = try harness.status(2)
        _ = harness.client.handle(.finish, at: harness.now)
        #expect(delivered(try harness.delivery(["x"])) == ["x"] && !harness.client.isFinished)
        #expect(names(harness.client.handle(.stored(ids: ["x"]), at: harness.now)) == ["messages-received"])
        #expect(harness.client.isFinished && harness.client.nextDeadline == nil)
        #expect(try harness.status(1) == [], "nothing more is asked for")
        #expect(delivered(try harness.delivery(["y"])) == ["y"], "what comes by itself meanwhile is taken too")
        #expect(names(harness.client.handle(.stored(ids: ["y"]), at: harness.now)) == ["messages-received"])
    }

    @Test func `a pickup that stops waits for the answer to a ping up to that answer's time-out`() throws {
        for isLive in [true, false] {
            var harness = try Harness(.implicit)
            _ = harness.client.handle(.start(isLive: isLive), at: harness.now)
            _ = harness.client.handle(.finish, at: harness.now)
            #expect(harness.client.handle(.envelopeArrived, at: harness.now) == [])
            #expect(harness.client.isFinished != isLive, "on a harness it may have come by itself")
            _ = harness.client.handle(.timeReached, at: harness.now + PickupClient.nudgeWait)
            #expect(harness.client.isFinished)
        }
    }

    @Test func `a pickup stops at once when no message can be on its way, and after its usual wait when none comes`()
        throws
    {
        for flavour in PickupClient.PickupProtocol.allCases {
            var unused = try Harness(flavour)
            #expect(!unused.client.isFinished)
            #expect(unused.client.handle(.finish, at: unused.now) == [] && unused.client.isFinished)
        }
        var asking = try Harness()
        _ = asking.client.handle(.start(isLive: false), at: asking.now)
        _ = asking.client.handle(.finish, at: asking.now)
        #expect(asking.client.isFinished, "a number of messages is no message")
        var failing = try Harness(.pickup1)
        let id = try #require(sent(failing.client.handle(.start(isLive: false), at: failing.now)).first?.id)
        _ = failing.client.handle(.finish, at: failing.now)
        #expect(failing.client.handle(.sendFailed(id: id), at: failing.now) == [] && failing.client.isFinished)
        var silent = try Harness(.pickup1)
        _ = silent.client.handle(.start(isLive: false), at: silent.now)
        _ = silent.client.handle(.finish, at: silent.now)
        let end = silent.client.handle(.timeReached, at: silent.now + .seconds(30))
        #expect(end == [.failed(AriesError(.timeout, ""))] && silent.client.isFinished)
    }

    // Outsiders and faults.

    @Test(.shows("CHK-026", "CHK-118")) func `the pickup client accepts messages only from its mediator`() throws {
        var harness = try Harness()
        let asked = sent(harness.client.handle(.start(isLive: false), at: harness.now)).first
        let status = Message(
            MessageType(.pickup20, "status"), id: "a", thread: MessageThread(id: asked?.id), body: ["message_count": 0])
        let forged = harness.sides.received(
            status, from: harness.sides.stranger.verkey, to: harness.sides.inviteeKey.verkey)
        #expect(harness.client.handle(.received(forged), at: harness.now) == [.ignored(AriesError(.wrongSender, ""))])
        #expect(try harness.problem(nil) == [.ignored(AriesError(.unexpected, ""))])
        #expect(try harness.take("trust_ping/1.0/ping", [:]) == [.ignored(AriesError(.unexpected, ""))])
        #expect(try harness.take("messagepickup/2.0/status", [:]) == [.ignored(AriesError(.messageMalformed, ""))])
        #expect(try harness.status(0) == [.caughtUp(remaining: 0)])
    }

    @Test(.shows("CHK-128")) func `a mediator that does not answer a pickup request is asked again and then given up`()
        throws
    {
        var harness = try Harness()
        let start = harness.client.handle(.start(isLive: false), at: harness.now)
        #expect(harness.client.handle(.timeReached, at: .zero + .seconds(10)) == start)
        #expect(harness.client.handle(.timeReached, at: .zero + .seconds(30)) == [.failed(AriesError(.timeout, ""))])
    }

    @Test
    func `a pickup request that cannot be delivered is tried again soon, unless it is a ping, which ends the round`()
        throws
    {
        var harness = try Harness()
        let start = harness.client.handle(.start(isLive: false), at: harness.now)
        let id = try #require(sent(start).first?.id)
        #expect(harness.client.handle(.sendFailed(id: id), at: harness.now) == [])
        #expect(harness.client.nextDeadline == .zero + .seconds(5))
        var pings = try Harness(.implicit)
        let ping = try #require(sent(pings.client.handle(.start(isLive: false), at: .zero)).first)
        #expect(pings.client.handle(.sendFailed(id: ping.id), at: .zero) == [.failed(AriesError(.unreachable, ""))])
    }
}
