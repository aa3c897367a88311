import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing

/// Tests of an invitee that waits for an inviter that is away, or that answers late.
@Suite struct HandshakeWaitingTests {
    private static let lost = HandshakeDeliveryFailure(code: "a.b", reason: "No route.", isPermanent: false)
    private static let queue = "didcomm:transport/queue"

    private func refusal(_ sides: TwoSides) -> ReceivedMessage {
        let report = ProblemReport(
            code: "request_not_accepted", explanation: "Unknown.", threadID: sides.requester.threadID)
        let message = report.message(MessageType(.connections10, "problem_report"), id: "report")
        return sides.received(message, from: sides.invitationKey.verkey, to: sides.inviteeKey.verkey)
    }

    private func restarted(_ sides: TwoSides) throws -> HandshakeRequester {
        try HandshakeRequester(
            stored: JSONValueReader(JSONValue(parsing: sides.requester.state.text)), key: sides.inviteeKey)
    }

    @Test func `a delivered handshake request is not sent again before its waiting time is over`() throws {
        var sides = try TwoSides(.connections10)
        let request = try sides.request()
        #expect(sides.requester.handle(.sent(id: request.message.id), at: .zero) == [.persist])
        #expect(sides.requester.nextDeadline == .zero + .seconds(300))
        #expect(sides.requester.handle(.timeReached, at: .zero + .seconds(80)) == [])
        #expect(sides.abandoned(sides.requester.handle(.timeReached, at: .zero + .seconds(300))) == .timeout)
    }

    @Test
    func `a request that the inviter's mediator accepted is sent again twice after a long silence, over restarts`()
        throws
    {
        var sides = try TwoSides(.connections10)
        let policy = HandshakePolicy(giveUpAfter: HandshakePolicy.longestWait)
        sides.requester = try mediated(sides, policy)
        let request = try sides.request()
        var now = MonotonicInstant.zero
        for seconds in [900, 3600] {
            _ = sides.requester.handle(.sent(id: request.message.id), at: now)
            sides.requester = try HandshakeRequester(
                stored: JSONValueReader(JSONValue(parsing: sides.requester.state.text)), key: sides.inviteeKey,
                policy: policy)
            #expect(sides.requester.handle(.resume, at: now) == [])
            now = now + .seconds(seconds)
            #expect(sides.requester.nextDeadline == now)
            #expect(sides.requester.handle(.timeReached, at: now) == [.persist, .send(request)])
        }
        _ = sides.requester.handle(.sent(id: request.message.id), at: now)
        #expect(sides.requester.handle(.timeReached, at: now + .seconds(86_400)) == [])
    }

    private func mediated(_ sides: TwoSides, _ policy: HandshakePolicy) throws -> HandshakeRequester {
        let direct = sides.requester.configuration
        let inviter = PeerService(
            id: direct.inviter.id, priority: 0, recipientKeys: direct.inviter.recipientKeys,
            routingKeys: [sides.stranger.verkey], endpoint: direct.inviter.endpoint)
        var random = SeededRandom(seed: 8)
        return try HandshakeRequester(
            .init(
                connectionID: direct.connectionID, handshake: direct.handshake, invitation: direct.invitation,
                inviter: inviter, address: direct.address, label: direct.label, policy: policy),
            key: sides.inviteeKey, random: &random)
    }

    @Test func `a handshake request that cannot be delivered is tried three times, and then the cause is reported`()
        throws
    {
        var sides = try TwoSides(.connections10)
        let request = try sides.request()
        let id = request.message.id
        for seconds in [5, 10] {
            let now = MonotonicInstant.zero + .seconds(seconds - 5)
            #expect(sides.requester.handle(.sendFailed(id: id, because: Self.lost), at: now) == [.persist])
            #expect(!sides.requester.isUndeliverable)
            let again = sides.requester.handle(.timeReached, at: .zero + .seconds(seconds))
            #expect(again == [.persist, .send(request)])
        }
        let last = sides.requester.handle(.sendFailed(id: id, because: Self.lost), at: .zero + .seconds(10))
        #expect(last == [.persist, .undeliverable(Self.lost)])
        #expect(sides.requester.isUndeliverable && sides.requester.stage == .requested)
        #expect(sides.requester.deliveryFailure == Self.lost)
        let end = sides.requester.handle(.timeReached, at: .zero + .seconds(300))
        guard case .abandoned(let error)? = end.last else {
            Issue.record("it did not end")
            return
        }
        #expect(error.code == .timeout && error.wireCode == "a.b" && error.reason.hasSuffix("No route."))
    }

    @Test
    func `a request refused by our own address rules is reported at once and tried again only on the user's wish`()
        throws
    {
        var sides = try TwoSides(.connections10)
        let request = try sides.request()
        let refused = HandshakeDeliveryFailure(code: "web.fetch.address-refused", reason: "Private.", isPermanent: true)
        let outputs = sides.requester.handle(.sendFailed(id: request.message.id, because: refused), at: .zero)
        #expect(outputs == [.persist, .undeliverable(refused)])
        #expect(sides.requester.nextDeadline == .zero + .seconds(300))
        sides.requester = try restarted(sides)
        #expect(sides.requester.deliveryFailure == refused, "it is kept")
        #expect(sides.requester.handle(.resume, at: .zero) == [.persist, .send(request)])
        #expect(sides.requester.deliveryFailure == refused && !sides.requester.isUndeliverable)
        #expect(sides.requester.handle(.again, at: .zero) == [], "it is being sent")
        #expect(sides.requester.handle(.sent(id: request.message.id), at: .zero) == [.persist])
        #expect(sides.requester.deliveryFailure == nil)
    }

    @Test(.shows("ARI-126"))
    func `a refusal of the first request ends the handshake, and a refusal of a repeated one does not`() throws {
        var once = try TwoSides(.connections10)
        _ = try once.request()
        #expect(once.abandoned(once.requester.handle(.received(refusal(once)), at: .zero)) == .rejected)
        var sides = try TwoSides(.connections10)
        let request = try sides.request()
        _ = sides.requester.handle(.sent(id: request.message.id), at: .zero)
        let again = sides.requester.handle(.again, at: .zero + .seconds(60))
        #expect(again == [.persist, .send(request)])
        let outputs = sides.requester.handle(.received(refusal(sides)), at: .zero + .seconds(60))
        #expect(outputs.first == .persist && sides.ignored(outputs) == .rejected)
        let response = try sides.respond(to: sides.carried(request))
        sides.requester = try restarted(sides)
        _ = sides.requester.handle(.resume, at: .zero + .seconds(61))
        let last = sides.requester.handle(.received(sides.carried(response)), at: .zero + .seconds(200))
        #expect(sides.completed(last) != nil)
    }

    @Test func `a refusal of a repeated request is reported when the handshake times out`() throws {
        var sides = try TwoSides(.connections10)
        let request = try sides.request()
        _ = sides.requester.handle(.sent(id: request.message.id), at: .zero)
        _ = sides.requester.handle(.again, at: .zero + .seconds(60))
        _ = sides.requester.handle(.received(refusal(sides)), at: .zero + .seconds(60))
        let outputs = sides.requester.handle(.timeReached, at: .zero + .seconds(300))
        guard case .abandoned(let error)? = outputs.last else {
            Issue.record("it did not end")
            return
        }
        #expect(error.code == .timeout && error.reason.hasSuffix("Unknown."))
    }

    @Test(arguments: [false, true])
    func `after a restart a request is sent again unless it was delivered and we have an address`(
        hasAddress: Bool
    ) throws {
        var sides = try TwoSides(.connections10, endpoint: hasAddress ? "https://invitee.example/in" : Self.queue)
        let request = try sides.request()
        _ = sides.requester.handle(.sent(id: request.message.id), at: .zero)
        sides.requester = try restarted(sides)
        let outputs = sides.requester.handle(.resume, at: .zero)
        #expect(outputs == (hasAddress ? [] : [.persist, .send(request)]))
        #expect(sides.requester.stage == .requested)
        let refused = sides.requester.handle(.received(refusal(sides)), at: .zero)
        #expect(sides.abandoned(refused) == (hasAddress ? .rejected : nil))
    }

    @Test func `accepting the same invitation again sends the request again, unless it was sent a moment ago`() throws {
        var sides = try TwoSides(.connections10)
        let request = try sides.request()
        #expect(sides.requester.handle(.again, at: .zero + .seconds(9)) == [], "it is being sent")
        _ = sides.requester.handle(.sent(id: request.message.id), at: .zero)
        #expect(sides.requester.handle(.again, at: .zero + .seconds(4)) == [])
        #expect(sides.requester.handle(.again, at: .zero + .seconds(5)) == [.persist, .send(request)])
    }

    @Test(.shows("ARI-125"))
    func `accepting again after a time-out sends the same request, and both sides still complete`() throws {
        var sides = try TwoSides(.connections10)
        let request = try sides.request()
        #expect(sides.abandoned(sides.requester.handle(.timeReached, at: .zero + .seconds(300))) == .timeout)
        sides.requester = try restarted(sides)
        #expect(sides.requester.handle(.resume, at: .zero) == [])
        #expect(sides.requester.handle(.again, at: .zero) == [.persist, .send(request)])
        let response = try sides.respond(to: sides.carried(request))
        let outputs = sides.requester.handle(.received(sides.carried(response)), at: .zero)
        #expect(sides.completed(outputs) != nil)
        var rejected = try TwoSides(.connections10)
        _ = try rejected.request()
        _ = rejected.requester.handle(.received(refusal(rejected)), at: .zero)
        #expect(rejected.requester.handle(.again, at: .zero) == [], "what was refused is not asked again")
    }

    @Test(arguments: [MessageProtocol.connections10, .didExchange11], [false, true])
    func `an inviter that timed out completes with a late confirmation, and answers the same request again`(
        handshake: MessageProtocol, asksAgain: Bool
    ) throws {
        var sides = try TwoSides(handshake)
        let request = try sides.request()
        let response = try sides.respond(to: sides.carried(request))
        let end = sides.responder?.handle(.timeReached, at: .zero + .seconds(3600)) ?? []
        #expect(sides.abandoned(end) == .timeout)
        let state = try #require(sides.responder?.state.text)
        sides.responder = try HandshakeResponder(stored: JSONValueReader(JSONValue(parsing: state)))
        if asksAgain {
            let received = sides.carried(request)
            let repeated = sides.responder?.handle(.received(received), at: .zero) ?? []
            #expect(sides.sent(repeated) == [response] && sides.responder?.stage == .responded)
        }
        let forged = sides.received(response.message, from: sides.stranger.verkey, to: sides.inviterKey.verkey)
        let before = sides.responder?.stage
        #expect(sides.ignored(sides.responder?.handle(.received(forged), at: .zero) ?? []) == .wrongSender)
        #expect(sides.responder?.stage == before)
        let outputs = sides.requester.handle(.received(sides.carried(response)), at: .zero)
        let confirmation = try #require(sides.sent(outputs).first)
        let received = sides.carried(confirmation)
        let last = sides.responder?.handle(.received(received), at: .zero) ?? []
        #expect(sides.completed(last) != nil)
    }

    @Test(.shows("ARI-085"))
    func `a handshake waits until the invitation expires, at most its own time-out, and at least a minute`() {
        let policy = HandshakePolicy(giveUpAfter: .seconds(1000))
        let begun = WallTime(millisecondsSinceEpoch: 1_000_000)
        func left(_ expires: Int64?, _ now: Int64) -> Duration {
            policy.limited(
                begun: begun, expires: expires.map { WallTime(millisecondsSinceEpoch: $0) },
                now: WallTime(millisecondsSinceEpoch: now)
            ).giveUpAfter
        }
        #expect(left(nil, 1_000_000) == .seconds(1000))
        #expect(left(nil, 1_400_000) == .seconds(600))
        #expect(left(1_500_000, 1_400_000) == .seconds(100))
        #expect(left(9_000_000, 1_400_000) == .seconds(600))
        #expect(left(nil, 1_940_000) == .seconds(60) && left(nil, 1_941_000) == .seconds(60))
        #expect(left(nil, .max) == .seconds(60) && left(.min, 0) == .seconds(60) && left(nil, .min) == .seconds(60))
    }

    @Test func `a handshake stored by an older version is read, and its DID method follows from the address`() throws {
        var sides = try TwoSides(.connections10)
        _ = try sides.request()
        var state = sides.requester.state
        state["did"] = nil
        state["phase"] = ["name": "requested", "resends": 1]
        let reader = JSONValueReader(object: state)
        let restored = try HandshakeRequester(stored: reader, key: sides.inviteeKey)
        #expect(restored.stage == .requested && restored.ourDID == sides.requester.ourDID)
        #expect(StoredHandshakeSummary(stored: reader, role: .invitee).ourDID == sides.requester.ourDID)
        sides.requester = restored
        #expect(sides.abandoned(sides.requester.handle(.received(refusal(sides)), at: .zero)) == nil)
    }

    @Test func `the outline of a pending handshake shows both DIDs and the label of the other side`() throws {
        var sides = try TwoSides(.didExchange11, endpoint: Self.queue)
        _ = try sides.respond(to: sides.carried(sides.request()))
        let theirs = StoredHandshakeSummary(stored: JSONValueReader(object: sides.requester.state), role: .invitee)
        #expect(theirs.ourDID == sides.requester.ourDID && theirs.theirDID == nil && !theirs.takesLateAnswers)
        let state = try #require(sides.responder?.state)
        let ours = StoredHandshakeSummary(stored: JSONValueReader(object: state), role: .inviter)
        #expect(ours.ourDID == sides.responder?.ourDID && ours.theirLabel == "Invitee")
        #expect(ours.theirDID?.isSame(as: sides.requester.ourDID) == true && ours.takesLateAnswers)
    }

    @Test func `a handshake that timed out is resumed by its own invitation alone`() throws {
        func plan(_ connections: [InvitationAcceptancePlan.ExistingConnection], _ id: String) throws
            -> InvitationAcceptancePlan
        {
            try InvitationAcceptancePlan(
                Invitation(Samples.outOfBand(["@id": .string(id)])), known: connections, now: Samples.now)
        }
        let identity = InviterIdentity(try Invitation(Samples.outOfBand()))
        func known(_ name: String, _ standing: InvitationAcceptancePlan.ExistingConnection.Stage)
            -> InvitationAcceptancePlan.ExistingConnection
        {
            InvitationAcceptancePlan.ExistingConnection(connection: name, identity: identity, standing: standing)
        }
        #expect(try plan([known("old", .timedOut)], "inv-1") == .acceptedBefore(connection: "old"))
        #expect(try plan([known("old", .timedOut)], "inv-9") == .handshake(.didExchange11, requests: []))
        let several = [known("old", .timedOut), known("new", .open), known("best", .complete)]
        #expect(try plan(several, "inv-1") == .acceptedBefore(connection: "best"))
        #expect(InvitationAcceptancePlan.ExistingConnection.Stage(.abandoned, AriesError(.rejected, "No.")) == nil)
        #expect(
            InvitationAcceptancePlan.ExistingConnection.Stage(.abandoned, AriesError(.timeout, "Late.")) == .timedOut)
        #expect(InvitationAcceptancePlan.ExistingConnection.Stage(.responded, nil) == .open)
    }
}
