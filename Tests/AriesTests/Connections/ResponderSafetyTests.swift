import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing

/// Tests of the connection requests that the inviter must refuse.
@Suite struct ResponderSafetyTests {
    private func admission(_ received: ReceivedMessage, _ issued: inout IssuedInvitation) -> AriesError.Code? {
        do throws(AriesError) {
            _ = try issued.admit(received)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(.shows("CHK-054")) func `a single-use invitation serves one invitee, which may ask again`() throws {
        var sides = try TwoSides(.connections10)
        let request = sides.carried(try sides.request())
        #expect(try sides.issued.admit(request) == .new)
        #expect(try sides.issued.admit(request) == .repeated)
        sides.issued = try IssuedInvitation(stored: JSONValueReader(JSONValue(parsing: sides.issued.state.text)))
        #expect(try sides.issued.admit(request) == .repeated)
        let other = sides.received(request.message, from: sides.stranger.verkey, to: sides.invitationKey.verkey)
        #expect(admission(other, &sides.issued) == .invitationUsed)
        let second = sides.received(
            try request.message.changed(["@id": "second"]), from: sides.inviteeKey.verkey,
            to: sides.invitationKey.verkey)
        #expect(admission(second, &sides.issued) == .invitationUsed)
    }

    @Test func `a multi-use invitation serves several invitees`() throws {
        var sides = try TwoSides(.connections10, multi: true)
        let request = sides.carried(try sides.request())
        #expect(try sides.issued.admit(request) == .new)
        let other = sides.received(
            try request.message.changed(["@id": "second"]), from: sides.stranger.verkey, to: sides.invitationKey.verkey)
        #expect(try sides.issued.admit(other) == .new)
    }

    @Test(.shows("CHK-030", "CHK-055", "CHK-057", "CHK-137"))
    func `a connection request without a proven sender, or to another key than the invitation's, is refused`() throws {
        var sides = try TwoSides(.connections10)
        let message = try sides.request().message
        let sender = sides.inviteeKey.verkey
        let key = sides.invitationKey.verkey
        for (received, code) in [
            (ReceivedMessage(message, sender: .unknown, recipient: key, arrival: Samples.now), .notAuthentic),
            (
                ReceivedMessage(
                    message, sender: .authenticated(sender, isExclusive: false), recipient: key, arrival: Samples.now),
                .senderNotExclusive
            ), (sides.received(message, from: sender, to: sides.stranger.verkey), .wrongRecipient),
            (
                sides.received(try message.changed(["~thread": ["pthid": "other"]]), from: sender, to: key),
                .invitationUnknown
            ),
            (
                sides.received(
                    try message.changed(["@type": "https://didcomm.org/didexchange/1.1/request"]), from: sender, to: key
                ),
                .unexpected
            ),
        ] as [(ReceivedMessage, AriesError.Code)] {
            #expect(admission(received, &sides.issued) == code)
        }
        let silent = sides.received(try message.changed(["~thread": nil]), from: sender, to: key)
        #expect(admission(silent, &sides.issued) == nil)
    }

    @Test(.shows("CHK-055")) func `a request of DID exchange must name its invitation`() throws {
        var sides = try TwoSides(.didExchange11)
        let message = try sides.request().message
        let received = sides.received(
            try message.changed(["~thread": ["thid": .string(message.id)]]), from: sides.inviteeKey.verkey,
            to: sides.invitationKey.verkey)
        #expect(admission(received, &sides.issued) == .invitationUnknown)
    }

    @Test(.shows("CHK-056")) func `an expired invitation admits no new request`() throws {
        var sides = try TwoSides(.connections10)
        let request = try sides.request()
        var draft = InvitationDraft(.outOfBand, label: "Inviter")
        draft.handshakeProtocols = [.connections10]
        draft.expires = Samples.now
        let invitation = try draft.invitation(id: "invitation-1", address: sides.issued.address)
        sides.issued = IssuedInvitation(invitation, address: sides.issued.address, isMultiUse: false)
        #expect(admission(sides.carried(request), &sides.issued) == .invitationExpired)
    }

    /// Makes a responder of a request and starts it; the code it ends with.
    private func ending(_ sides: inout TwoSides, _ message: Message) -> AriesError.Code? {
        do throws(AriesError) {
            let address = AgentAddress(key: sides.inviterKey.verkey, endpoint: .queue)
            var responder = try HandshakeResponder(
                .init(connectionID: "c", issued: sides.issued, address: address),
                answering: sides.received(message, from: sides.inviteeKey.verkey, to: sides.invitationKey.verkey),
                key: sides.invitationKey, random: &sides.random)
            return sides.abandoned(responder.handle(.start, at: .zero))
        } catch {
            return error.code
        }
    }

    @Test(.shows("CHK-024")) func `a connection request with the document of another DID is not answered`() throws {
        var sides = try TwoSides(.connections10)
        let message = try sides.request().message
        let theirs = try TwoSides.address(sides.stranger, "https://x.example")
        let party: JSONValue = [
            "DID": .string(theirs.unqualifiedDID.text), "DIDDoc": .object(theirs.legacyDocument),
        ]
        #expect(ending(&sides, try message.changed(["connection": party])) == .wrongSender)
        #expect(ending(&sides, message) == nil)
    }

    @Test(.shows("CHK-018", "CHK-025"))
    func `a request of DID exchange must sign its document with a key in that document`() throws {
        var sides = try TwoSides(.didExchange10)
        let message = try sides.request().message
        let document = try TwoSides.address(sides.inviteeKey, "https://x.example").legacyDocument
        let foreign = try MessageAttachment.signed(bytes: document.encoded, seed: sides.stranger.seed)
        #expect(ending(&sides, try message.changed(["did_doc~attach": foreign.value])) == .wrongSender)
        let unsigned = MessageAttachment(bytes: document.encoded)
        #expect(ending(&sides, try message.changed(["did_doc~attach": unsigned.value])) == .requestUnusable)
        #expect(ending(&sides, message) == nil)
    }

    @Test func `a connection request whose document cannot be used is not answered`() throws {
        var sides = try TwoSides(.connections10)
        let message = try sides.request().message
        let address = try TwoSides.address(sides.inviteeKey, "https://x.example")
        let did = JSONValue.string(address.unqualifiedDID.text)
        for connection in [
            nil, [:], ["DID": did, "DIDDoc": []], ["DID": "?", "DIDDoc": .object(address.legacyDocument)],
        ]
            as [JSONValue?]
        {
            #expect(ending(&sides, try message.changed(["connection": connection])) == .requestUnusable)
        }
        var silent = address.legacyDocument
        silent["service"] = []
        #expect(
            ending(&sides, try message.changed(["connection": ["DID": did, "DIDDoc": .object(silent)]])) == .unreachable
        )
    }

    @Test(.shows("CHK-039", "CHK-040")) func `only the other side of a handshake can confirm the response`() throws {
        var sides = try TwoSides(.connections10)
        _ = try sides.respond(to: sides.carried(sides.request()))
        let thread = MessageThread(id: sides.requester.threadID)
        let ack = Message(MessageType(.notification10, "ack"), id: "a", thread: thread, body: ["status": "OK"])
        let ours = sides.inviterKey.verkey
        let forged = [
            sides.received(ack, from: sides.stranger.verkey, to: ours),
            ReceivedMessage(ack, sender: .unknown, recipient: ours, arrival: Samples.now),
            sides.received(ack, from: sides.inviteeKey.verkey, to: sides.stranger.verkey),
            sides.received(ack, from: sides.inviteeKey.verkey, to: sides.invitationKey.verkey),
        ]
        for received in forged {
            let outputs = sides.responder?.handle(.received(received), at: .zero) ?? []
            #expect(sides.ignored(outputs) != nil && outputs.count == 1)
        }
        let right = sides.received(ack, from: sides.inviteeKey.verkey, to: ours)
        #expect(sides.completed(sides.responder?.handle(.received(right), at: .zero) ?? []) != nil)
    }

    @Test(.shows("CHK-029", "CHK-041"))
    func `the complete message of DID exchange is accepted from the old and the new key, and only in its thread`()
        throws
    {
        for isNewKey in [true, false] {
            var sides = try TwoSides(.didExchange11)
            let response = try sides.respond(to: sides.carried(sides.request()))
            let outputs = sides.requester.handle(.received(sides.carried(response)), at: .zero)
            let complete = try #require(sides.sent(outputs).first).message
            #expect(complete.thread == MessageThread(id: sides.requester.threadID, parentID: "invitation-1"))
            let key = isNewKey ? sides.inviterKey.verkey : sides.invitationKey.verkey
            let other = sides.received(
                try complete.changed(["~thread": ["thid": "x"]]), from: sides.inviteeKey.verkey, to: key)
            #expect(sides.ignored(sides.responder?.handle(.received(other), at: .zero) ?? []) == .wrongThread)
            let astray = sides.received(complete, from: sides.inviteeKey.verkey, to: sides.stranger.verkey)
            #expect(sides.ignored(sides.responder?.handle(.received(astray), at: .zero) ?? []) == .wrongRecipient)
            let right = sides.received(complete, from: sides.inviteeKey.verkey, to: key)
            #expect(sides.completed(sides.responder?.handle(.received(right), at: .zero) ?? []) != nil)
        }
    }

    @Test(.shows("CHK-004", "CHK-053"))
    func `a repeated connection request gets the same response, before and after completion`() throws {
        var sides = try TwoSides(.connections10)
        let request = sides.carried(try sides.request())
        let response = try sides.respond(to: request)
        #expect(sides.responder?.handle(.received(request), at: .zero) == [.send(response)])
        let outputs = sides.requester.handle(.received(sides.carried(response)), at: .zero)
        let confirmation = sides.carried(try #require(sides.sent(outputs).first))
        _ = sides.responder?.handle(.received(confirmation), at: .zero)
        #expect(sides.responder?.handle(.received(request), at: .zero) == [.send(response)])
        let forged = sides.received(request.message, from: sides.stranger.verkey, to: sides.invitationKey.verkey)
        #expect(sides.ignored(sides.responder?.handle(.received(forged), at: .zero) ?? []) == .wrongSender)
    }

    @Test(.shows("CHK-039")) func `a problem report from the invitee ends the handshake`() throws {
        var sides = try TwoSides(.connections10)
        _ = try sides.respond(to: sides.carried(sides.request()))
        let report = ProblemReport(code: "response_not_accepted", explanation: nil, threadID: sides.requester.threadID)
            .message(MessageType(.connections10, "problem_report"), id: "p")
        let forged = sides.received(report, from: sides.stranger.verkey, to: sides.inviterKey.verkey)
        #expect(sides.ignored(sides.responder?.handle(.received(forged), at: .zero) ?? []) == .wrongSender)
        let right = sides.received(report, from: sides.inviteeKey.verkey, to: sides.inviterKey.verkey)
        #expect(sides.abandoned(sides.responder?.handle(.received(right), at: .zero) ?? []) == .rejected)
    }

    @Test(.shows("CHK-035")) func `a problem report about another exchange does not end the handshake`() throws {
        var sides = try TwoSides(.connections10)
        _ = try sides.respond(to: sides.carried(sides.request()))
        let report = ProblemReport(code: "x", explanation: nil, threadID: "other")
            .message(MessageType(.notification10, "problem-report"), id: "p")
        let received = sides.received(report, from: sides.inviteeKey.verkey, to: sides.inviterKey.verkey)
        let outputs = sides.responder?.handle(.received(received), at: .zero) ?? []
        #expect(sides.abandoned(outputs) == nil && sides.completed(outputs) != nil)
    }

    @Test(.shows("CHK-038")) func `a refused invitee is told the reason if it owns the document that it sent`() throws {
        var sides = try TwoSides(.connections10)
        let request = sides.carried(try sides.request())
        let error = AriesError(.invitationUsed, "used")
        let refusal = HandshakeResponder.refusal(
            of: request, because: error, address: sides.issued.address, random: &sides.random)
        #expect(refusal.flatMap { ProblemReport($0.message) }?.code == "request_not_accepted")
        #expect(refusal?.sender == sides.invitationKey.verkey && refusal?.message.threadID == request.message.id)
        let forged = sides.received(request.message, from: sides.stranger.verkey, to: sides.invitationKey.verkey)
        #expect(
            HandshakeResponder.refusal(of: forged, because: error, address: sides.issued.address, random: &sides.random)
                == nil)
        let received = sides.carried(try #require(refusal))
        #expect(sides.abandoned(sides.requester.handle(.received(received), at: .zero)) == .rejected)
    }
}
