import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing

@Suite struct AttachedRequestTests {
    private func requests(_ values: [JSONValue]) throws -> [AttachedRequest] {
        try AttachedRequest.all(
            of: Invitation(Samples.outOfBand(["requests~attach": .array(values)])), boundTo: .connection("c1"))
    }

    @Test func `attached requests are read in order and bound to their connection`() throws {
        let second: JSONValue = ["data": ["json": ["@type": "https://didcomm.org/x/1.0/y", "@id": "q2"]]]
        let found = try requests([Samples.request, second])
        #expect(found.map(\.message.id) == ["q1", "q2"])
        #expect(found.allSatisfy { $0.binding == .connection("c1") && $0.invitationID == "inv-1" })
    }

    @Test func `one attached request that cannot be read makes the whole invitation malformed`() {
        for bad in [["data": ["json": 1]], ["data": ["json": [:]]], ["data": ["base64": "!"]], ["data": ["links": []]]]
            as [JSONValue]
        {
            #expect(throws: AriesError(.invitationMalformed, "")) { try requests([Samples.request, bad]) }
        }
    }

    @Test func `declining a request informs its sender in the thread of the request`() throws {
        let refusal = try requests([Samples.request])[0].refusal(id: "p")
        #expect(ProblemReport(refusal)?.code == "request_declined")
        #expect(refusal.thread == MessageThread(id: "q1", parentID: "inv-1"))
        #expect(refusal.type.description == "https://didcomm.org/notification/1.0/problem-report")
    }

    @Test(
        .shows("ARI-128"),
        arguments: [
            ("present-proof/1.0/request-presentation", "present-proof/1.0/problem-report", "abandoned"),
            ("present-proof/2.0/request-presentation", "present-proof/2.0/problem-report", "abandoned"),
            ("issue-credential/2.0/offer-credential", "issue-credential/2.0/problem-report", "issuance-abandoned"),
            ("something-else/1.0/ask", "notification/1.0/problem-report", "request_declined"),
        ])
    func `a request is declined with the problem report of its own protocol where it has one`(
        type: String, report: String, code: String
    ) throws {
        let message = Message(try MessageType(parsing: "https://didcomm.org/" + type), id: "r")
        let request = try #require(AttachedRequest(arriving: message, on: "c"))
        #expect(request.binding == .connection("c") && request.invitationID == nil)
        let refusal = request.refusal(id: "x")
        #expect(refusal.type.description == "https://didcomm.org/" + report && refusal.threadID == "r")
        #expect(ProblemReport(refusal)?.code == code)
    }

    @Test func `a problem report, an acknowledgement or a reply in a thread is no attached request`() throws {
        for name in ["problem-report", "ack"] {
            let message = Message(try MessageType(parsing: "https://didcomm.org/present-proof/2.0/" + name), id: "r")
            #expect(AttachedRequest(arriving: message, on: "c") == nil)
        }
        let type = try MessageType(parsing: "https://didcomm.org/present-proof/2.0/presentation")
        let later = Message(type, id: "r", thread: MessageThread(id: "t"))
        #expect(AttachedRequest(arriving: later, on: "c") == nil)
    }

    @Test(.shows("ARI-096")) func `a request may name the service where it is answered`() throws {
        let service: JSONValue = ["recipientKeys": [.string(Samples.keyText)], "serviceEndpoint": "https://a.example"]
        func request(_ service: JSONValue?) throws -> AttachedRequest {
            var object: JSONObject = ["@type": "https://didcomm.org/x/1.0/y", "@id": "q"]
            object["~service"] = service
            return AttachedRequest(try Message(object), invitationID: "i", binding: .connectionless)
        }
        guard case .resolved(let document)? = try request(service).ownService()?.progress() else {
            Issue.record("no service")
            return
        }
        #expect(try document.service().recipientKeys == [Samples.key()])
        #expect(try request(nil).ownService().map { _ in true } == nil)
        #expect(throws: AriesError(.invitationMalformed, "")) { try request(["recipientKeys": []]).ownService() }
    }

    @Test func `a connectionless request is answered at its own service or at that of its invitation`() throws {
        let service: JSONValue = ["recipientKeys": [.string(Samples.keyText)], "serviceEndpoint": "https://a.example"]
        func request(_ service: JSONValue?) throws -> AttachedRequest {
            var object: JSONObject = ["@type": "https://didcomm.org/x/1.0/y", "@id": "q"]
            object["~service"] = service
            return AttachedRequest(try Message(object), invitationID: nil, binding: .connectionless)
        }
        var random = SeededRandom(seed: 4)
        let address = AgentAddress(key: AgentKey.make(from: &random).verkey, endpoint: .queue)
        let other = PeerService(
            recipientKeys: [address.key], endpoint: try ServiceEndpoint(parsing: "https://b.example"))
        let (own, answer) = (try request(service), try request(nil).refusal(id: "p"))
        #expect(try own.outgoing(answer, from: address, fallback: other).service.endpoint.text == "https://a.example")
        #expect(try request(nil).outgoing(answer, from: address, fallback: other).service == other)
        #expect(answer.thread == MessageThread(id: "q"))
        #expect(throws: AriesError(.unreachable, "")) {
            try request(nil).outgoing(answer, from: address, fallback: nil)
        }
        #expect(throws: AriesError(.invitationMalformed, "")) {
            try request(["recipientKeys": []]).outgoing(answer, from: address, fallback: other)
        }
    }
}
