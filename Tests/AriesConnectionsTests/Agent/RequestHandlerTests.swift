import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing

@testable import AriesConnections

/// Handlers of requests that the agent itself does not answer.
@Suite struct RequestHandlerTests {
    private static let spoken = MessageProtocol("action-menu", 1, 0)

    private struct Menu: RequestHandler {
        let features = [FeatureList.Feature(RequestHandlerTests.spoken, roles: ["responder"])]

        func answer(to request: AttachedRequest) throws -> RequestAnswer {
            guard request.message.object["refuses"] == nil else { throw AriesError(.rejected, "Not now.") }
            return RequestAnswer(MessageType(RequestHandlerTests.spoken, "menu"), body: ["title": "What?"])
        }
    }

    private static func request(_ id: String, minor: Int = 0, _ body: JSONObject = [:]) -> Message {
        Message(MessageType(MessageProtocol("action-menu", 1, minor), "menu-request"), id: id, body: body)
    }

    private let net = MemoryNet()
    private let clock = HandClock()

    @Test func `an attached request is answered by the handler of its protocol, on the thread of the invitation`()
        async throws
    {
        let inviter = try Party("inviter", net: net, clock: clock)
        let invitee = try Party("invitee", net: net, clock: clock, seed: 2) { $0.requestHandlers = [Menu()] }
        try await inviter.agent.start()
        try await invitee.agent.start()
        var draft = InvitationDraft(.outOfBand, label: "Inviter")
        draft.requests = [MessageAttachment(id: "r", content: .json(.object(Self.request("ask").object)))]
        let invitation = try await inviter.agent.invite(draft)
        let connection = try await invitee.agent.accept(invitation)
        let isThere = try await settled([inviter, invitee]) {
            try await invitee.agent.requests(on: connection.id).count == 1
        }
        #expect(isThere)
        let request = try #require(try await invitee.agent.requests(on: connection.id).first)
        #expect(connection.handler(of: request) != nil)
        let answer = try await connection.answer(request)
        #expect(answer.threadID == "ask" && answer.thread.parentID == invitation.id)
        #expect(try await invitee.agent.requests().isEmpty)
        let theirs = try #require(try await inviter.agent.connections().connections.first?.id)
        let hasCome = try await settled([inviter, invitee]) {
            try await inviter.agent.receivedMessage(answer.id, on: theirs)?.object["title"] == "What?"
        }
        #expect(hasCome)
        #expect(try await inviter.agent.requests().isEmpty, "an answer is no request")
    }

    @Test func `an attached request without a handler, or whose handler fails, stays stored`() async throws {
        let (inviter, invitee, inviterID, inviteeID) = try await connectedParties(net, clock) {
            $0.requestHandlers = [Menu()]
        }
        let other = Message(MessageType(MessageProtocol("present-proof", 2, 0), "request-presentation"), id: "proof")
        for message in [other, Self.request("no", ["refuses": true]), Self.request("minor", minor: 3)] {
            try await inviter.agent.send(message, on: inviterID)
        }
        let areThere = try await settled([inviter, invitee]) {
            try await invitee.agent.requests(on: inviteeID).count == 3
        }
        #expect(areThere)
        let connection = try #require(try await invitee.agent.connection(inviteeID))
        for request in try await invitee.agent.requests(on: inviteeID) {
            switch request.message.id {
            case "proof":
                #expect(connection.handler(of: request) == nil)
                await #expect(throws: AgentError(.requestUnhandled, "")) { try await connection.answer(request) }
            case "no":
                await #expect(throws: AriesError(.rejected, "")) { try await connection.answer(request) }
            default: try await connection.answer(request)
            }
        }
        #expect(Set(try await invitee.agent.requests(on: inviteeID).map(\.message.id)) == ["proof", "no"])
    }

    @Test func `the protocols of request handlers are disclosed to feature queries`() async throws {
        let (inviter, invitee, inviterID, _) = try await connectedParties(net, clock) { $0.requestHandlers = [Menu()] }
        let list = try await whileTimePasses([inviter, invitee]) {
            try await inviter.agent.features(of: inviterID, within: .seconds(30))
        }
        #expect(list.contains(Self.spoken))
        #expect(list.features.first { $0.protocol == Self.spoken }?.roles == ["responder"])
    }
}
