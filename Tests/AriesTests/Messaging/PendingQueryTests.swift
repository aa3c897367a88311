import Aries
import DIDComm
import Determinism
import JSON
import Testing

@Suite struct PendingQueryTests {
    private func question(_ kind: PendingQuery.Kind) -> PendingQuery {
        PendingQuery(kind, id: "q", connection: "c", expires: Samples.now)
    }

    private static func answer(_ kind: PendingQuery.Kind) -> Message {
        let thread = MessageThread(id: "q")
        return switch kind {
        case .ping: Message(MessageType(.trustPing10, "ping_response"), id: "a", thread: thread)
        case .features:
            Message(MessageType(.discoverFeatures10, "disclose"), id: "a", thread: thread, body: ["protocols": []])
        case .rotation: Message(MessageType(.didRotate10, "ack"), id: "a", thread: thread)
        case .shortLink: Message(MessageType(.shortenURL10, "shortened-url"), id: "a", thread: thread)
        case .shortLinkRemoval: Message(MessageType(.notification10, "ack"), id: "a", thread: thread)
        }
    }

    @Test(arguments: PendingQuery.Kind.allCases)
    func `a pending question accepts one answer, of its thread and kind`(kind: PendingQuery.Kind) throws {
        var pending = question(kind)
        for other in PendingQuery.Kind.allCases where other != kind {
            let isTaken = pending.take(Self.answer(other), on: "c")
            #expect(!isTaken, "an answer to another kind of question")
        }
        let right = Self.answer(kind)
        let isOfAnother = pending.take(right, on: "another")
        let elsewhere = Message(right.type, id: "a", thread: MessageThread(id: "r"), body: right.object)
        let isOfThread = pending.take(elsewhere, on: "c")
        #expect(!isOfAnother && !isOfThread && pending.event == nil)
        let (isTaken, isTakenAgain) = (pending.take(right, on: "c"), pending.take(right, on: "c"))
        #expect(isTaken && !isTakenAgain && pending.answer == right)
        #expect(try PendingQuery(stored: JSONValueReader(JSONValue(parsing: pending.state.text))) == pending)
        let event = pending.event
        switch kind {
        case .ping: #expect(event == .pingAnswered(threadID: "q"))
        case .features: #expect(event == .features(FeatureList([])))
        case .rotation, .shortLinkRemoval: #expect(event == .acknowledged(threadID: "q", status: "OK"))
        case .shortLink: #expect(event == .other(right))
        }
    }

    @Test(arguments: PendingQuery.Kind.allCases)
    func `a problem report answers a pending question of any kind, and a warning none`(kind: PendingQuery.Kind) {
        var pending = question(kind)
        func report(_ code: String) -> Message {
            ProblemReport(code: code, explanation: nil, threadID: "q").message(
                MessageType(.notification10, "problem-report"), id: "p")
        }
        let isWarningTaken = pending.take(report("w.msg.late"), on: "c")
        let isTaken = pending.take(report("message-parse-failure"), on: "c")
        #expect(!isWarningTaken && isTaken)
        guard case .problem(let report) = pending.event else {
            Issue.record("no problem is told")
            return
        }
        #expect(report.code == "message-parse-failure")
    }

    @Test func `a pending question is not accepted as its own answer, whatever thread it names`() {
        var pending = question(.ping)
        let echo = Message(MessageType(.trustPing10, "ping_response"), id: "q", thread: MessageThread(id: "q"))
        let isTaken = pending.take(echo, on: "c")
        #expect(!isTaken)
    }

    @Test func `a stored pending question that no process removed is deleted an hour after its expiry`() {
        let pending = question(.ping)
        func after(_ milliseconds: Int64) -> WallTime {
            WallTime(millisecondsSinceEpoch: Samples.now.millisecondsSinceEpoch + milliseconds)
        }
        #expect(!pending.isForgotten(at: after(3_600_000)) && pending.isForgotten(at: after(3_600_001)))
    }

    @Test func `a protocol named with both prefixes is one feature with the roles of both`() throws {
        let message = Message(
            MessageType(.discoverFeatures10, "disclose"), id: "a",
            body: [
                "protocols": [
                    ["pid": "did:sov:BzCbsNYhMrjHiqZDTUASHg;spec/trust_ping/1.0", "roles": ["sender"]],
                    ["pid": "https://didcomm.org/trust_ping/1.0", "roles": ["sender", "receiver"]],
                ]
            ])
        let list = try #require(FeatureList(message))
        #expect(list.features == [FeatureList.Feature(.trustPing10, roles: ["sender", "receiver"])])
    }
}
