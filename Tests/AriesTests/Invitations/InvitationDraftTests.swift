import Aries
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing

@Suite struct InvitationDraftTests {
    @Test(arguments: InvitationDraft.ServiceForm.allCases)
    func `an address on this machine without TLS is reported as a risk in every form of service`(
        form: InvitationDraft.ServiceForm
    ) throws {
        var draft = InvitationDraft(.outOfBand, label: "Faber")
        draft.service = form
        let address = try Samples.address("http://127.0.0.1:8020")
        let risks = try draft.invitation(id: "i", address: address).risks
        #expect(risks == [.addressWithoutTLS, .addressIsPrivate])
    }

    @Test(.shows("ARI-003")) func `a connections invitation is written with the members that other agents expect`()
        throws
    {
        let routing = try Samples.key(Samples.otherKeyText)
        let invitation = try InvitationDraft(.connections, label: "Acme").invitation(
            id: "i", address: Samples.address(routing: [routing]))
        #expect(
            invitation.object == [
                "@type": "https://didcomm.org/connections/1.0/invitation", "@id": "i", "label": "Acme",
                "recipientKeys": [.string(Samples.keyText)], "serviceEndpoint": "https://agent.example/in",
                "routingKeys": [.string(Samples.otherKeyText)],
            ])
    }

    @Test func `an out-of-band invitation has every member that the draft asks for`() throws {
        var draft = InvitationDraft(.outOfBand, label: "Faber")
        draft.goal = "To issue"
        draft.goalCode = "issue-vc"
        draft.requests = [MessageAttachment(id: "r", content: .json(["a": 1]))]
        draft.expires = Samples.now
        let invitation = try draft.invitation(id: "i", address: Samples.address())
        #expect(invitation.handshakeProtocols == [.didExchange11, .didExchange10, .connections10])
        #expect(invitation.goal == "To issue" && invitation.goalCode == "issue-vc" && invitation.expires == Samples.now)
        #expect(invitation.requests == draft.requests && invitation.object["requests~attach"] != nil)
        #expect(try invitation.firstKey == Samples.key() && invitation.risks == [.asksAtOnce])
        #expect(invitation.object["services"]?[0]?["recipientKeys"]?[0] == .string(Samples.didKey))
    }

    @Test func `an out-of-band invitation of version 1.0 uses the spellings of 1.0`() throws {
        var draft = InvitationDraft(.outOfBand, label: "Faber")
        draft.minorVersion = 0
        draft.requests = [MessageAttachment(id: "r", content: .json(["a": 1]))]
        let invitation = try draft.invitation(id: "i", address: Samples.address())
        #expect(invitation.object["service"] != nil && invitation.object["request~attach"] != nil)
        #expect(invitation.object["services"] == nil && invitation.object["requests~attach"] == nil)
        #expect(invitation.requests.count == 1)
    }

    @Test(arguments: [InvitationDraft.ServiceForm.peer2, .peer4])
    func `an invitation may name the inviter by a DID that contains its document`(form: InvitationDraft.ServiceForm)
        throws
    {
        var draft = InvitationDraft(.outOfBand, label: "Faber")
        draft.service = form
        let invitation = try draft.invitation(id: "i", address: Samples.address())
        let did = try #require(invitation.dids.first)
        #expect(did.text.hasPrefix(form.rawValue))
        let document = try StaticDIDResolver().resolve(did)
        #expect(try document.service().recipientKeys == [Samples.key()])
        #expect(try document.service().endpoint.text == "https://agent.example/in")
        #expect(!invitation.risks.contains(.needsResolver))
    }

    @Test func `a draft member that an invitation's kind does not have is refused`() throws {
        var draft = InvitationDraft(.connections, label: "Acme")
        draft.goal = "g"
        #expect(throws: AriesError(.invitationContradictory, "")) {
            try draft.invitation(id: "i", address: Samples.address())
        }
        draft.goal = nil
        draft.service = .peer2
        #expect(throws: AriesError(.invitationContradictory, "")) {
            try draft.invitation(id: "i", address: Samples.address())
        }
        var empty = InvitationDraft(.outOfBand, label: "Faber")
        empty.handshakeProtocols = []
        #expect(throws: AriesError(.invitationPurposeless, "")) {
            try empty.invitation(id: "i", address: Samples.address())
        }
    }

    @Test(.shows("ARI-003", "ARI-040", "ARI-041"), arguments: Invitation.Kind.allCases)
    func `an invitation link is read as it was written`(kind: Invitation.Kind) throws {
        let invitation = try InvitationDraft(kind, label: "É").invitation(id: "i", address: Samples.address())
        for base in ["https://agent.example/ssi", "https://agent.example/?a=b"] {
            #expect(try InvitationText(parsing: invitation.link(base: base)) == .invitation(invitation))
        }
        #expect(invitation.link(base: "https://a.example").contains(kind == .connections ? "?c_i=" : "?oob="))
        #expect(!invitation.link(base: "https://a.example").hasSuffix("="))
    }
}
