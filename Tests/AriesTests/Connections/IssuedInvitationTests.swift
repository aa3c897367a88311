import Aries
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing

@Suite struct IssuedInvitationTests {
    @Test(.shows("ARI-127"))
    func `a withdrawn invitation refuses new requests, over a restart too, and answers the earlier one again`() throws {
        var sides = try TwoSides(.didExchange11)
        let request = sides.carried(try sides.request())
        _ = try sides.issued.admit(request)
        #expect(sides.issued.standing(at: Samples.now) == .used)
        sides.issued.withdraw()
        let text = sides.issued.state.text
        var issued = try IssuedInvitation(stored: JSONValueReader(JSONValue(parsing: text)))
        #expect(issued.isWithdrawn && issued.standing(at: Samples.now) == .withdrawn)
        #expect(try issued.admit(request) == .repeated)
        var others = try TwoSides(.didExchange11, multi: true)
        let another = others.carried(try others.request())
        #expect(others.issued.standing(at: Samples.now) == .open)
        others.issued.withdraw()
        #expect(throws: AriesError(.invitationWithdrawn, "")) { try others.issued.admit(another) }
    }

    @Test func `a withdrawn invitation does not agree to reuse`() throws {
        var sides = try TwoSides(.didExchange11)
        let (invitee, inviter) = try sides.connect()
        var requester = ReuseRequester(invitee, invitation: sides.issued.invitation, id: "r1")
        guard case .send(let question)? = requester.handle(.start, at: .zero).first else {
            Issue.record("nothing was asked")
            return
        }
        sides.issued.withdraw()
        let answer = try ReuseResponder.answer(
            sides.carried(question), on: inviter, invitations: [sides.issued], random: &sides.random)
        #expect(ProblemReport(answer.message) != nil)
    }

    @Test func `an invitation past its expiry time has the state expired`() throws {
        var draft = InvitationDraft(.outOfBand, label: "Inviter")
        draft.expires = Samples.now
        let address = try Samples.address()
        let issued = IssuedInvitation(
            try draft.invitation(id: "i", address: address), address: address, isMultiUse: true)
        #expect(issued.standing(at: Samples.now) == .expired)
        #expect(issued.standing(at: WallTime(millisecondsSinceEpoch: 0)) == .open)
    }
}
