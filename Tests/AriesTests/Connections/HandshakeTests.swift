import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing

@Suite struct HandshakeTests {
    static let combinations: [(MessageProtocol, DIDForm?, Invitation.Kind)] = [
        (.connections10, nil, .connections), (.connections10, nil, .outOfBand), (.didExchange10, nil, .outOfBand),
        (.didExchange10, .peer2, .outOfBand), (.didExchange10, .peer4, .outOfBand), (.didExchange11, nil, .outOfBand),
        (.didExchange11, .legacy, .outOfBand), (.didExchange11, .peer2, .outOfBand),
        (.didExchange11, .peer4, .outOfBand),
    ]

    @Test(.shows("ARI-001", "ARI-004", "ARI-005", "ARI-080"), arguments: combinations)
    func `after a handshake each side holds the key and the DID of the other`(
        handshake: MessageProtocol, form: DIDForm?, kind: Invitation.Kind
    ) throws {
        var sides = try TwoSides(handshake, form: form, kind: kind)
        let (invitee, inviter) = try sides.connect()
        #expect(invitee.theirs.owns(sides.inviterKey.verkey) && inviter.theirs.owns(sides.inviteeKey.verkey))
        #expect(invitee.theirs.did.isSame(as: inviter.ourDID) && inviter.theirs.did.isSame(as: invitee.ourDID))
        #expect(invitee.threadID == inviter.threadID && invitee.handshake == handshake)
        #expect(invitee.label == "Inviter" && inviter.label == "Invitee")
        #expect(invitee.role == .invitee && inviter.role == .inviter && invitee.invitationID == "invitation-1")
        #expect(try invitee.theirs.service().endpoint.text == "https://inviter.example/in")
        #expect(sides.requester.stage == .completed && sides.responder?.stage == .completed)
        #expect(try Connection(stored: JSONValueReader(object: invitee.json)) == invitee)
        let note = try invitee.outgoing(Message(MessageType(.trustPing10, "ping"), id: "p"))
        #expect(throws: Never.self) { try inviter.check(sides.carried(note)) }
    }

    @Test(.shows("ARI-050", "CHK-004", "CHK-130", "CHK-131"), arguments: combinations)
    func `a handshake sends nothing before its state is stored`(
        handshake: MessageProtocol, form: DIDForm?, kind: Invitation.Kind
    ) throws {
        var sides = try TwoSides(handshake, form: form, kind: kind)
        let start = sides.requester.handle(.start, at: sides.now)
        #expect(start.first == .persist && start.count == 2)
        let request = try #require(sides.sent(start).first)
        let response = try sides.respond(to: sides.carried(request))
        let outputs = sides.requester.handle(.received(sides.carried(response)), at: sides.now)
        #expect(outputs.first == .persist && outputs.count == 3)
    }

    @Test(.shows("ARI-071", "ARI-076"))
    func `a request of the connections protocol has the members that other agents expect`() throws {
        var sides = try TwoSides(.connections10)
        let message = try sides.request().message
        #expect(message.type.description == "https://didcomm.org/connections/1.0/request")
        #expect(message.thread == MessageThread(parentID: "invitation-1"))
        let did = sides.inviteeKey.verkey.unqualifiedDID
        #expect(message.object["connection"]?["DID"] == .string(did))
        #expect(message.object["connection"]?["DIDDoc"]?["id"] == .string(did))
        var plain = try TwoSides(.connections10, kind: .connections)
        #expect(try plain.request().message.thread == MessageThread())
    }

    @Test(.shows("ARI-071")) func `a request of the DID exchange protocol has the members that other agents expect`()
        throws
    {
        var sides = try TwoSides(.didExchange11)
        let message = try sides.request().message
        #expect(message.thread == MessageThread(id: message.id, parentID: "invitation-1"))
        #expect(message.object["did"]?.string?.hasPrefix("did:peer:4") == true)
        #expect(message.object["did_doc~attach"] == nil)
        var old = try TwoSides(.didExchange10)
        let signed = try old.request().message
        let attachment = try #require(try signed.attachments("did_doc~attach").first)
        #expect(try attachment.verifySignatures() == [old.inviteeKey.verkey])
        let did = old.inviteeKey.verkey.unqualifiedDID
        #expect(signed.object["did"] == .string(did))
        let document = try JSONValue(parsing: attachment.payload())
        #expect(document["id"] == .string("did:sov:" + did), "readers compare it with the qualified DID")
    }

    @Test(.shows("ARI-005"))
    func `a handshake response is confirmed by an acknowledgement if it asks for one, and else by a ping`() throws {
        for asks in [true, false] {
            var sides = try TwoSides(.connections10)
            let response = try sides.respond(to: sides.carried(sides.request()))
            let message = response.message.decorated("~please_ack", asks ? ["on": ["RECEIPT"]] : nil)
            let received = sides.received(message, from: response.sender, to: sides.inviteeKey.verkey)
            let confirmation = sides.sent(sides.requester.handle(.received(received), at: sides.now)).first?.message
            #expect(confirmation?.type.name == (asks ? "ack" : "ping"))
            if asks {
                #expect(confirmation?.object["status"] == "OK" && confirmation?.threadID == sides.requester.threadID)
            }
        }
    }

    @Test func `a requester without an address asks for answers on the same connection`() throws {
        var sides = try TwoSides(.connections10, endpoint: "didcomm:transport/queue")
        #expect(try sides.request().message.returnRoute == "all")
        var reachable = try TwoSides(.connections10)
        #expect(try reachable.request().message.returnRoute == nil)
    }

    // Waiting.

    @Test(.shows("ARI-085", "CHK-125", "CHK-129"))
    func `the same handshake request is sent again a few times, and then the handshake is given up`() throws {
        var sides = try TwoSides(.connections10)
        let request = try sides.request()
        for seconds in [20, 80] {
            #expect(sides.requester.nextDeadline == .zero + .seconds(seconds))
            #expect(sides.requester.handle(.timeReached, at: .zero + .seconds(seconds) + .nanoseconds(-1)) == [])
            let outputs = sides.requester.handle(.timeReached, at: .zero + .seconds(seconds))
            #expect(outputs == [.persist, .send(request)])
        }
        #expect(sides.requester.nextDeadline == .zero + .seconds(300))
        #expect(sides.requester.handle(.timeReached, at: .zero + .seconds(300) + .nanoseconds(-1)) == [])
        #expect(sides.abandoned(sides.requester.handle(.timeReached, at: .zero + .seconds(300))) == .timeout)
        #expect(sides.requester.nextDeadline == nil && sides.requester.stage == .abandoned)
        #expect(sides.requester.handle(.timeReached, at: .zero + .seconds(900)) == [])
    }

    @Test func `a handshake request that could not be delivered is tried again soon`() throws {
        var sides = try TwoSides(.connections10)
        let request = try sides.request()
        #expect(sides.requester.handle(.sendFailed(id: request.message.id), at: .zero + .seconds(1)) == [])
        #expect(sides.requester.nextDeadline == .zero + .seconds(6))
        #expect(sides.requester.handle(.timeReached, at: .zero + .seconds(6)) == [.persist, .send(request)])
    }

    @Test
    func `a handshake confirmation that could not be delivered is sent again after each wait until it is delivered`()
        throws
    {
        var sides = try TwoSides(.didExchange11)
        let response = try sides.respond(to: sides.carried(sides.request()))
        let outputs = sides.requester.handle(.received(sides.carried(response)), at: sides.now)
        let confirmation = try #require(sides.sent(outputs).first)
        #expect(sides.requester.handle(.sendFailed(id: confirmation.message.id), at: .zero) == [])
        #expect(sides.requester.nextDeadline == .zero + .seconds(5))
        #expect(sides.requester.handle(.timeReached, at: .zero + .seconds(5) + .nanoseconds(-1)) == [])
        #expect(sides.requester.handle(.timeReached, at: .zero + .seconds(5)) == [.send(confirmation)])
        #expect(sides.requester.nextDeadline == nil)
        #expect(sides.requester.handle(.timeReached, at: .zero + .seconds(900)) == [])
        #expect(sides.requester.handle(.sent(id: confirmation.message.id), at: .zero) == [.persist])
        #expect(sides.requester.nextDeadline == nil)
        #expect(sides.requester.handle(.resume, at: .zero) == [])
    }

    @Test(.shows("ARI-085", "CHK-126"))
    func `a handshake response is sent again a few times, and then the handshake is given up`() throws {
        var sides = try TwoSides(.connections10)
        let response = try sides.respond(to: sides.carried(sides.request()))
        for seconds in [20, 80] {
            #expect(sides.responder?.nextDeadline == .zero + .seconds(seconds))
            #expect(sides.responder?.handle(.timeReached, at: .zero + .seconds(seconds) + .nanoseconds(-1)) == [])
            #expect(
                sides.responder?.handle(.timeReached, at: .zero + .seconds(seconds)) == [.persist, .send(response)])
        }
        let last = sides.responder?.handle(.timeReached, at: .zero + .seconds(3600)) ?? []
        #expect(sides.abandoned(last) == .timeout && sides.responder?.nextDeadline == nil)
    }

    @Test func `cancelling a handshake ends it once`() throws {
        var sides = try TwoSides(.connections10)
        _ = try sides.request()
        #expect(sides.abandoned(sides.requester.handle(.cancel, at: .zero)) == .cancelled)
        #expect(sides.requester.handle(.cancel, at: .zero) == [])
    }

    // Restarts.

    @Test(.shows("ARI-057"), arguments: combinations)
    func `a handshake restarted at any step completes with the same messages`(
        handshake: MessageProtocol, form: DIDForm?, kind: Invitation.Kind
    ) throws {
        for point in 0..<4 {
            var sides = try TwoSides(handshake, form: form, kind: kind)
            if point == 0 { try restartRequester(&sides) }
            var request = try sides.request()
            if point == 1 {
                try restartRequester(&sides)
                let resumed = sides.requester.handle(.resume, at: .zero)
                let again = try #require(sides.sent(resumed).first)
                #expect(again == request)
                request = again
            }
            var response = try sides.respond(to: sides.carried(request))
            if point == 2 {
                let state = try #require(sides.responder?.state.text)
                sides.responder = try HandshakeResponder(stored: JSONValueReader(JSONValue(parsing: state)))
                let resumed = sides.responder?.handle(.resume, at: .zero) ?? []
                let again = try #require(sides.sent(resumed).first)
                #expect(again == response)
                response = again
            }
            let outputs = sides.requester.handle(.received(sides.carried(response)), at: .zero)
            var confirmation = try #require(sides.sent(outputs).first)
            if point == 3 {
                try restartRequester(&sides)
                let resumed = sides.requester.handle(.resume, at: .zero)
                #expect(resumed == [.send(confirmation)])
                confirmation = try #require(sides.sent(resumed).first)
            }
            let received = sides.carried(confirmation)
            let last = sides.responder?.handle(.received(received), at: .zero) ?? []
            #expect(sides.completed(last) != nil)
        }
    }

    private func restartRequester(_ sides: inout TwoSides) throws {
        let text = sides.requester.state.text
        for secret in [sides.inviteeKey.seed, sides.invitationKey.seed] {
            #expect(!text.contains(secret.copyBytes().map { String($0, radix: 16) }.joined()))
        }
        sides.requester = try HandshakeRequester(
            stored: JSONValueReader(JSONValue(parsing: text)), key: sides.inviteeKey)
        #expect(sides.requester.state.text == text)
    }

    @Test func `a stored handshake that is damaged, or belongs to another key, is refused`() throws {
        var sides = try TwoSides(.connections10)
        _ = try sides.request()
        var state = sides.requester.state
        #expect(throws: AriesError(.stateMalformed, "")) {
            try HandshakeRequester(stored: JSONValueReader(object: state), key: sides.stranger)
        }
        #expect(throws: AriesError(.stateMalformed, "")) {
            try HandshakeResponder(stored: JSONValueReader(object: state))
        }
        let ids = state["ids"]
        for some in [["a", "b"], ["a", "b", "c", "d"]] as [JSONValue] {
            state["ids"] = some
            #expect(throws: AriesError(.stateMalformed, "")) {
                try HandshakeRequester(stored: JSONValueReader(object: state), key: sides.inviteeKey)
            }
        }
        state["ids"] = ids
        state["phase"] = ["name": "requested", "resends": -1]
        #expect(throws: AriesError(.stateMalformed, "")) {
            try HandshakeRequester(stored: JSONValueReader(object: state), key: sides.inviteeKey)
        }
        state["version"] = 2
        #expect(throws: AriesError(.stateMalformed, "")) {
            try HandshakeRequester(stored: JSONValueReader(object: state), key: sides.inviteeKey)
        }
        #expect(throws: AriesError(.stateMalformed, "")) { try Connection(stored: JSONValueReader([:])) }
    }

    @Test func `an abandoned handshake stays so after a restart`() throws {
        var sides = try TwoSides(.connections10)
        _ = try sides.request()
        _ = sides.requester.handle(.cancel, at: .zero)
        try restartRequester(&sides)
        #expect(sides.requester.stage == .abandoned && sides.requester.handle(.resume, at: .zero) == [])
    }
}
