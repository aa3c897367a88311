import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing

@Suite struct ConnectionMessageHandlerTests {
    private struct Box {
        var sides: TwoSides
        var inbox: ConnectionMessageHandler
        var random = SeededRandom(seed: 3)

        init() throws {
            sides = try TwoSides(.didExchange11)
            inbox = ConnectionMessageHandler(try sides.connect().invitee)
        }

        mutating func take(_ message: Message) -> [ConnectionMessageHandler.Output] {
            let received = sides.received(message, from: sides.inviterKey.verkey, to: sides.inviteeKey.verkey)
            return inbox.handle(received, random: &random)
        }

        mutating func take(_ type: String, _ body: JSONObject = [:], thread: String? = nil) -> [ConnectionMessageHandler
            .Output]
        {
            guard let type = try? MessageType(parsing: "https://didcomm.org/" + type) else { return [] }
            return take(Message(type, id: "m\(random.nextWord())", thread: MessageThread(id: thread), body: body))
        }
    }

    private func events(_ outputs: [ConnectionMessageHandler.Output]) -> [ConnectionMessageHandler.Event] {
        outputs.compactMap { if case .event(let event) = $0 { event } else { nil } }
    }

    private func sent(_ outputs: [ConnectionMessageHandler.Output]) -> [Message] {
        outputs.compactMap { if case .send(let outgoing) = $0 { outgoing.message } else { nil } }
    }

    private func ignored(_ outputs: [ConnectionMessageHandler.Output]) -> AriesError.Code? {
        outputs.lazy.compactMap { if case .ignored(let error) = $0 { error.code } else { nil } }.first
    }

    @Test(.shows("ARI-111")) func `a trust ping is answered unless it requests no answer`() throws {
        var box = try Box()
        for body in [[:], ["response_requested": true]] as [JSONObject] {
            let outputs = box.take("trust_ping/1.0/ping", body, thread: "t")
            #expect(outputs.first == .persist && events(outputs) == [.pinged])
            #expect(sent(outputs).map(\.type.name) == ["ping_response"] && sent(outputs).first?.threadID == "t")
        }
        let silent = box.take(TrustPing.ping(id: "p", wantsAnswer: false))
        #expect(events(silent) == [.pinged] && sent(silent) == [])
        #expect(
            events(box.take(TrustPing.answer(to: TrustPing.ping(id: "q"), id: "a"))) == [.pingAnswered(threadID: "q")])
    }

    @Test(.shows("ARI-112")) func `a text message is reported as it was written`() throws {
        var box = try Box()
        let text = BasicMessage("hello \u{202E}", sent: Samples.now)
        #expect(events(box.take(text.message(id: "b"))) == [.text(text)])
        #expect(
            events(box.take("basicmessage/1.0/message", ["content": "x", "sent_time": "late"]))
                == [.text(BasicMessage("x", sent: nil))])
        #expect(ignored(box.take("basicmessage/1.0/message", ["content": 1])) == .messageMalformed)
        let most = String(repeating: "a", count: 65_536)
        #expect(events(box.take("basicmessage/1.0/message", ["content": .string(most)])).count == 1)
        #expect(ignored(box.take("basicmessage/1.0/message", ["content": .string(most + "a")])) == .messageMalformed)
    }

    @Test(.shows("ARI-113")) func `a question is reported, and can be answered in time with one of its answers`() throws
    {
        var box = try Box()
        let question = Question("Is it you?", answers: ["Yes", "No"], expires: Samples.now, id: "q")
        #expect(events(box.take(question.message)) == [.question(question)])
        let before = WallTime(millisecondsSinceEpoch: Samples.now.millisecondsSinceEpoch - 1)
        let answer = try question.answer("Yes", id: "a", now: before)
        #expect(events(box.take(answer)) == [.answer("Yes", threadID: "q")])
        #expect(throws: AriesError(.messageMalformed, "")) { try question.answer("Maybe", id: "a", now: before) }
        #expect(throws: AriesError(.unexpected, "")) { try question.answer("Yes", id: "a", now: Samples.now) }
        func code(_ answers: JSONValue) -> AriesError.Code? {
            ignored(box.take("questionanswer/1.0/question", ["question_text": "?", "valid_responses": answers]))
        }
        #expect(code([]) == .messageMalformed && code([["text": 1]]) == .messageMalformed)
        #expect(code(.array(Array(repeating: ["text": "a"], count: 32))) == nil)
        #expect(code(.array(Array(repeating: ["text": "a"], count: 33))) == .messageMalformed)
    }

    @Test(.shows("ARI-115", "CHK-122", "CHK-123"))
    func `a feature query is answered from the fixed list alone, in both versions`() throws {
        var box = try Box()
        let old = sent(box.take(FeatureList.query(version: .discoverFeatures10, id: "q1")))
        let new = sent(box.take(FeatureList.query(version: .discoverFeatures20, id: "q2")))
        for answer in old + new { #expect(FeatureList(answer) == .usual) }
        #expect(old.first?.threadID == "q1" && new.first?.threadID == "q2")
        for (pattern, count) in [
            ("https://didcomm.org/trust_ping/1.0", 1), ("https://didcomm.org/trust_ping/*", 1),
            ("did:sov:BzCbsNYhMrjHiqZDTUASHg;spec/trust_ping/*", 1), ("https://didcomm.org/connections/1.0", 0),
            ("https://didcomm.org/issue-credential/*", 0), ("", 0), ("https://didcomm.org/discover-features/*", 2),
        ] {
            let answers = sent(box.take(FeatureList.query(pattern, version: .discoverFeatures20, id: "x\(pattern)")))
            #expect(answers.first.flatMap { FeatureList($0) }?.features.count == count, "\(pattern)")
        }
        let goals = box.take(
            "discover-features/2.0/queries", ["queries": [["feature-type": "goal-code", "match": "*"]]])
        #expect(sent(goals).first?.object["disclosures"] == [])
    }

    @Test(.shows("ARI-115")) func `the features of the peer are reported, without those that cannot be read`() throws {
        var box = try Box()
        let body: JSONObject = [
            "protocols": [
                ["pid": "https://didcomm.org/messagepickup/2.0", "roles": ["mediator", 1]], ["pid": "?"], 7,
            ]
        ]
        let event = events(box.take("discover-features/1.0/disclose", body)).first
        guard case .features(let list) = event else {
            Issue.record("no features")
            return
        }
        #expect(list.features == [.init(MessageProtocol("messagepickup", 2, 0), roles: ["mediator"])])
        #expect(list.contains(MessageProtocol("messagepickup", 2, 1)) && !list.contains(.trustPing10))
    }

    @Test func `acknowledgements and problem reports are reported and never answered`() throws {
        var box = try Box()
        let ack = box.take("notification/1.0/ack", ["status": "PENDING", "~please_ack": [:]], thread: "t")
        #expect(ack == [.persist, .event(.acknowledged(threadID: "t", status: "PENDING"))])
        for name in ["report-problem/1.0/problem-report", "notification/1.0/problem-report", "x/1.0/problem_report"] {
            let outputs = box.take(name, ["description": ["code": "c", "en": "e"], "~please_ack": [:]], thread: "t")
            #expect(
                outputs == [
                    .persist, .event(.problem(ProblemReport(code: "c", explanation: "e", threadID: "t"))),
                ])
        }
    }

    @Test func `a message that asks for an acknowledgement gets one`() throws {
        var box = try Box()
        let outputs = box.take(
            "basicmessage/1.0/message", ["content": "x", "~please_ack": ["on": ["RECEIPT"]]], thread: "t")
        #expect(sent(outputs).map(\.type.description) == ["https://didcomm.org/notification/1.0/ack"])
        #expect(sent(outputs).first?.threadID == "t")
        #expect(sent(box.take("trust_ping/1.0/ping", ["~please_ack": [:]])).map(\.type.name) == ["ping_response"])
    }

    @Test func `a request of an unknown message family is reported and not answered`() throws {
        var box = try Box()
        let outputs = box.take("issue-credential/1.0/offer-credential", ["comment": "c"])
        guard case .other(let message) = events(outputs).first else {
            Issue.record("no event")
            return
        }
        #expect(message.object["comment"] == "c" && sent(outputs) == [] && outputs.first == .persist)
    }

    @Test
    func `a known family in another major version is answered with a report, and in another minor version understood`()
        throws
    {
        var box = try Box()
        let outputs = box.take("trust_ping/2.0/ping", thread: "t")
        #expect(ignored(outputs) == .versionUnsupported)
        #expect(sent(outputs).compactMap { ProblemReport($0)?.code } == ["message-parse-failure"])
        #expect(events(box.take("trust_ping/1.9/ping")) == [.pinged])
    }

    @Test(.shows("CHK-027", "CHK-032", "CHK-050"))
    func `messages are accepted from the peer alone, and each one once`() throws {
        var box = try Box()
        let ping = TrustPing.ping(id: "p")
        let ours = box.sides.inviteeKey.verkey
        let forged = [
            box.sides.received(ping, from: box.sides.stranger.verkey, to: ours),
            ReceivedMessage(ping, sender: .unknown, recipient: ours, arrival: Samples.now),
            box.sides.received(ping, from: box.sides.inviterKey.verkey, to: box.sides.stranger.verkey),
        ]
        let codes = forged.map { ignored(box.inbox.handle($0, random: &box.random)) }
        #expect(codes == [.wrongSender, .notAuthentic, .wrongRecipient])
        #expect(events(box.take(ping)) == [.pinged])
        #expect(box.take(ping) == [.ignored(AriesError(.replayed, ""))])
        box.inbox = try ConnectionMessageHandler(stored: JSONValueReader(JSONValue(parsing: box.inbox.state.text)))
        #expect(box.take(ping) == [.ignored(AriesError(.replayed, ""))])
    }

    @Test(.shows("CHK-050")) func `the documented number of received message identifiers is remembered and no more`()
        throws
    {
        var box = try Box()
        _ = box.take(TrustPing.ping(id: "first"))
        for number in 0..<255 { _ = box.take(TrustPing.ping(id: "n\(number)")) }
        #expect(ignored(box.take(TrustPing.ping(id: "first"))) == .replayed)
        _ = box.take(TrustPing.ping(id: "one more"))
        #expect(events(box.take(TrustPing.ping(id: "first"))) == [.pinged])
    }

    // Our own rotation.

    private func rotating(_ box: inout Box) throws -> (key: AgentKey, message: Message) {
        let key = AgentKey.make(from: &box.random)
        let address = try TwoSides.address(key, "https://invitee.example/new")
        return (key, try box.inbox.rotate(to: address, form: .legacy, id: "rot", at: Samples.now))
    }

    @Test(.shows("CHK-027")) func `our new DID is used once it is acknowledged, and the rotation in between is stored`()
        throws
    {
        var box = try Box()
        let before = box.inbox.connection
        let (key, message) = try rotating(&box)
        #expect(message.type.description == "https://didcomm.org/did-rotate/1.0/rotate")
        #expect(message.object["to_did"]?.string?.hasPrefix("did:peer:4") == true)
        #expect(throws: AriesError(.unexpected, "")) { try rotating(&box) }
        box.inbox = try ConnectionMessageHandler(stored: JSONValueReader(object: box.inbox.state))
        #expect(box.inbox.connection == before && box.inbox.rotation?.address.key == key.verkey)
        #expect(events(box.take("did-rotate/1.0/ack", thread: "other")).count == 1, "another thread changes nothing")
        let outputs = box.take("did-rotate/1.0/ack", thread: "rot")
        #expect(events(outputs).first == .ownRotated(box.inbox.connection))
        #expect(box.inbox.connection.ours.key == key.verkey && box.inbox.rotation == nil)
        #expect(box.inbox.connection.ourDID.text == message.object["to_did"]?.string)
        #expect(events(box.take("trust_ping/1.0/ping")) == [.pinged], "what is under way to the old key still counts")
    }

    @Test func `a message to our new key counts as the acknowledgement of our new DID`() throws {
        var box = try Box()
        let (key, _) = try rotating(&box)
        let received = box.sides.received(
            TrustPing.ping(id: "p"), from: box.sides.inviterKey.verkey, to: key.verkey)
        let outputs = box.inbox.handle(received, random: &box.random)
        #expect(events(outputs) == [.ownRotated(box.inbox.connection), .pinged])
        #expect(box.inbox.connection.ours.key == key.verkey)
    }

    @Test func `a problem report about our new DID keeps the old one`() throws {
        var box = try Box()
        let before = box.inbox.connection
        _ = try rotating(&box)
        let report = ProblemReport(code: "e.did.unresolvable", explanation: nil, threadID: "rot")
        _ = box.take(report.message(MessageType(.didRotate10, "problem-report"), id: "x"))
        #expect(box.inbox.connection == before && box.inbox.rotation == nil)
    }

    // Rotation and hanging up.

    @Test func `a new DID of the peer changes the keys whose messages are accepted`() throws {
        var box = try Box()
        let did = try TwoSides.address(box.sides.stranger, "https://moved.example/in").peer4()
        let outputs = box.take(DIDRotate.rotation(to: did, id: "r"))
        #expect(sent(outputs).map(\.type.description) == ["https://didcomm.org/did-rotate/1.0/ack"])
        #expect(events(outputs) == [.rotated(box.inbox.connection)])
        #expect(box.inbox.connection.theirs.owns(box.sides.stranger.verkey))
        #expect(
            events(box.take(TrustPing.ping(id: "old"))) == [.pinged], "the old key counts until the new one is used")
        let new = box.sides.received(
            TrustPing.ping(id: "new"), from: box.sides.stranger.verkey, to: box.sides.inviteeKey.verkey)
        #expect(events(box.inbox.handle(new, random: &box.random)) == [.pinged])
    }

    @Test(arguments: [
        ("did:web:example.com", "e.did.method_unsupported"), ("did:sov:LjgpST2rjsoxYegQDRm7EL", "e.did.unresolvable"),
        ("nonsense", "e.did.unresolvable"), (Samples.didKey, "e.did.doc_unsupported"),
    ])
    func `a new DID of the peer that cannot be used is refused with the specification's code`(did: String, code: String)
        throws
    {
        var box = try Box()
        let before = box.inbox.connection
        let outputs = box.take("did-rotate/1.0/rotate", ["to_did": .string(did)])
        #expect(sent(outputs).compactMap { ProblemReport($0)?.code } == [code])
        #expect(ignored(outputs) == .rotationUnusable && box.inbox.connection == before)
    }

    @Test func `a hang-up by the peer is reported`() throws {
        var box = try Box()
        #expect(box.take(DIDRotate.hangup(id: "h")) == [.persist, .event(.hungUp)])
    }
}
