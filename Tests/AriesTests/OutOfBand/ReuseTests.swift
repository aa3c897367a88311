import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing

@Suite struct ReuseTests {
    private struct Pair {
        var sides: TwoSides
        let invitee: Connection
        let inviter: Connection
        let issued: IssuedInvitation
        var requester: ReuseRequester
    }

    private func pair(endpoint: String = "https://invitee.example/in", minor: Int = 1) throws -> Pair {
        var sides = try TwoSides(.didExchange11, endpoint: endpoint)
        let (invitee, inviter) = try sides.connect()
        var draft = InvitationDraft(.outOfBand, label: "Inviter")
        draft.minorVersion = minor
        let invitation = try draft.invitation(id: "invitation-2", address: sides.issued.address)
        let issued = IssuedInvitation(invitation, address: sides.issued.address, isMultiUse: true)
        return Pair(
            sides: sides, invitee: invitee, inviter: inviter, issued: issued,
            requester: ReuseRequester(invitee, invitation: invitation, id: "r1"))
    }

    private func asked(_ pair: inout Pair) throws -> OutgoingMessage {
        let outputs = pair.requester.handle(.start, at: .zero)
        guard case .send(let question) = try #require(outputs.first) else {
            throw AriesError(.unexpected, "nothing was sent")
        }
        return question
    }

    private func code(_ outputs: [ReuseRequester.Output]) -> AriesError.Code? {
        if case .ignored(let error)? = outputs.first { error.code } else { nil }
    }

    @Test(.shows("ARI-066", "ARI-067"), arguments: [0, 1])
    func `a reuse request in the invitation's version is accepted`(minor: Int) throws {
        var pair = try pair(minor: minor)
        let question = try asked(&pair)
        #expect(question.message.type.description == "https://didcomm.org/out-of-band/1.\(minor)/handshake-reuse")
        #expect(question.message.thread == MessageThread(id: "r1", parentID: "invitation-2"))
        let answer = try ReuseResponder.answer(
            pair.sides.carried(question), on: pair.inviter, invitations: [pair.issued], random: &pair.sides.random)
        #expect(answer.message.thread == MessageThread(id: "r1", parentID: "invitation-2"))
        #expect(pair.requester.handle(.received(pair.sides.carried(answer)), at: .zero) == [.reused])
        #expect(pair.requester.nextDeadline == nil)
        #expect(pair.requester.handle(.received(pair.sides.carried(answer)), at: .zero) == [])
    }

    @Test(.shows("ARI-068", "CHK-127")) func `a reuse request without an answer in time leads to a new connection`()
        throws
    {
        var pair = try pair()
        _ = try asked(&pair)
        #expect(pair.requester.nextDeadline == .zero + .seconds(20))
        #expect(pair.requester.handle(.timeReached, at: .zero + .seconds(20) + .nanoseconds(-1)) == [])
        #expect(
            pair.requester.handle(.timeReached, at: .zero + .seconds(20)) == [.connectAnew(AriesError(.timeout, ""))])
        #expect(pair.requester.handle(.timeReached, at: .zero + .seconds(40)) == [])
    }

    @Test func `a reuse request that cannot be delivered is sent again twice, each time after a pause`() throws {
        var pair = try pair()
        let question = try asked(&pair)
        var now = MonotonicInstant.zero
        for pause in ReuseRequester.resendAfter {
            #expect(pair.requester.handle(.sendFailed(id: "r1"), at: now) == [])
            #expect(pair.requester.handle(.sendFailed(id: "r1"), at: now) == [], "told twice, waited for once")
            now = now + pause
            #expect(pair.requester.nextDeadline == now)
            #expect(pair.requester.handle(.timeReached, at: now + .nanoseconds(-1)) == [])
            #expect(pair.requester.handle(.timeReached, at: now) == [.send(question)])
        }
        #expect(pair.requester.nextDeadline == MonotonicInstant.zero + ReuseRequester.usualWait)
        #expect(pair.requester.handle(.sendFailed(id: "r1"), at: now) == [.connectAnew(AriesError(.unreachable, ""))])
    }

    @Test(.shows("ARI-067", "CHK-042", "CHK-043", "CHK-044"))
    func `a reuse answer counts only on the connection, in the thread, and about the invitation`() throws {
        var pair = try pair()
        let question = try asked(&pair)
        let answer = try ReuseResponder.answer(
            pair.sides.carried(question), on: pair.inviter, invitations: [pair.issued], random: &pair.sides.random
        ).message
        let (theirs, ours) = (pair.sides.inviterKey.verkey, pair.sides.inviteeKey.verkey)
        let stranger = pair.sides.received(answer, from: pair.sides.stranger.verkey, to: ours)
        #expect(code(pair.requester.handle(.received(stranger), at: .zero)) == .wrongSender)
        for thread in [["thid": "other", "pthid": "invitation-2"], ["thid": "r1", "pthid": "other"]] as [JSONValue] {
            let wrong = pair.sides.received(try answer.changed(["~thread": thread]), from: theirs, to: ours)
            #expect(code(pair.requester.handle(.received(wrong), at: .zero)) == .wrongThread)
        }
        let ping = pair.sides.received(TrustPing.ping(id: "p"), from: theirs, to: ours)
        #expect(code(pair.requester.handle(.received(ping), at: .zero)) == .unexpected)
        let right = pair.sides.received(answer, from: theirs, to: ours)
        #expect(pair.requester.handle(.received(right), at: .zero) == [.reused])
    }

    @Test(.shows("CHK-037")) func `a problem report in the thread of a reuse request leads to a new connection`() throws
    {
        var pair = try pair()
        _ = try asked(&pair)
        let report = ProblemReport(code: "expired-invitation", explanation: nil, threadID: "r1").message(
            MessageType(.outOfBand11, "problem_report"), id: "p")
        let (theirs, ours) = (pair.sides.inviterKey.verkey, pair.sides.inviteeKey.verkey)
        let other = pair.sides.received(try report.changed(["~thread": ["thid": "x"]]), from: theirs, to: ours)
        #expect(code(pair.requester.handle(.received(other), at: .zero)) == .wrongThread)
        let right = pair.sides.received(report, from: theirs, to: ours)
        #expect(pair.requester.handle(.received(right), at: .zero) == [.connectAnew(AriesError(.rejected, ""))])
    }

    @Test func `a connection without an address is not reused`() throws {
        var pair = try pair()
        let nowhere = try PeerDocument(
            stored: JSONValueReader([
                "did": .string(pair.invitee.theirs.did.text), "authentication": [], "services": [],
            ]))
        var object = pair.invitee.json
        object["theirs"] = .object(nowhere.json)
        pair.requester = ReuseRequester(
            try Connection(stored: JSONValueReader(object: object)), invitation: pair.issued.invitation, id: "r1")
        #expect(pair.requester.handle(.start, at: .zero) == [.connectAnew(AriesError(.unreachable, ""))])
    }

    @Test(.shows("CHK-045", "CHK-046"))
    func `an inviter answers reuse requests only of its own peers, for invitations that it knows`() throws {
        var pair = try pair()
        let question = try asked(&pair).message
        func code(_ received: ReceivedMessage, _ invitations: [IssuedInvitation]) -> AriesError.Code? {
            do throws(AriesError) {
                _ = try ReuseResponder.answer(
                    received, on: pair.inviter, invitations: invitations, random: &pair.sides.random)
                return nil
            } catch {
                return error.code
            }
        }
        let (invitee, inviter) = (pair.sides.inviteeKey.verkey, pair.sides.inviterKey.verkey)
        let right = pair.sides.received(question, from: invitee, to: inviter)
        let forged = pair.sides.received(question, from: pair.sides.stranger.verkey, to: inviter)
        let ping = pair.sides.received(TrustPing.ping(id: "p"), from: invitee, to: inviter)
        #expect(code(forged, [pair.issued]) == .wrongSender)
        #expect(code(right, []) == .invitationUnknown)
        let address = pair.sides.issued.address
        let another = try InvitationDraft(.outOfBand, label: "Inviter").invitation(id: "invitation-3", address: address)
        let issued = IssuedInvitation(another, address: address, isMultiUse: true)
        #expect(code(right, [issued]) == .invitationUnknown, "it is about another invitation of ours")
        #expect(code(ping, [pair.issued]) == .unexpected)
        #expect(code(right, [pair.issued]) == nil)
    }

    @Test func `an inviter refuses a reuse request for an invitation that has ended, with a report`() throws {
        var pair = try pair()
        let question = try asked(&pair)
        var draft = InvitationDraft(.outOfBand, label: "Inviter")
        draft.expires = Samples.now
        let ended = IssuedInvitation(
            try draft.invitation(id: "invitation-2", address: pair.sides.issued.address),
            address: pair.sides.issued.address, isMultiUse: true)
        let answer = try ReuseResponder.answer(
            pair.sides.carried(question), on: pair.inviter, invitations: [ended], random: &pair.sides.random)
        #expect(ProblemReport(answer.message)?.code == "expired-invitation")
        let outputs = pair.requester.handle(.received(pair.sides.carried(answer)), at: .zero)
        #expect(outputs == [.connectAnew(AriesError(.rejected, ""))])
    }
}
