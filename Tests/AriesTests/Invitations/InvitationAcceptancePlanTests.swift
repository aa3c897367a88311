import Aries
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing

@Suite struct InvitationAcceptancePlanTests {
    private let request = [JSONValue](repeating: Samples.request, count: 1)

    private func known(_ object: JSONObject, complete: Bool = true) throws -> [InvitationAcceptancePlan
        .ExistingConnection]
    {
        [.init(connection: "c1", identity: InviterIdentity(try Invitation(object)), isComplete: complete)]
    }

    private func plan(
        _ changes: KeyValuePairs<String, JSONValue?>, known: [InvitationAcceptancePlan.ExistingConnection] = [],
        comparesKeys: Bool = true
    ) throws -> InvitationAcceptancePlan {
        try InvitationAcceptancePlan(
            Invitation(Samples.outOfBand(changes)), known: known, policy: .init(comparesKeys: comparesKeys),
            now: Samples.now)
    }

    private var requests: [MessageAttachment] {
        get throws { try Invitation(Samples.outOfBand(["requests~attach": [Samples.request]])).requests }
    }

    @Test(.shows("ARI-090", "ARI-092"))
    func `an invitation of an unknown inviter is planned as a handshake, followed by its requests`() throws {
        #expect(try plan([:]) == .handshake(.didExchange11, requests: []))
        #expect(
            try plan(["requests~attach": [Samples.request]]) == .handshake(.didExchange11, requests: requests))
    }

    @Test(.shows("ARI-091", "ARI-094", "ARI-096"))
    func `an invitation with a request alone is answered without a connection, or on an existing one`() throws {
        let changes: KeyValuePairs<String, JSONValue?> = [
            "handshake_protocols": nil, "requests~attach": [Samples.request], "@id": "inv-9",
        ]
        #expect(try plan(changes) == .answerAlone(requests: requests))
        #expect(
            try plan(changes, known: known(Samples.outOfBand())) == .useExisting(connection: "c1", requests: requests))
    }

    @Test(.shows("ARI-066", "ARI-069", "ARI-093", "ARI-095"))
    func `an invitation of a known inviter is planned as a reuse of the connection`() throws {
        let known = try known(Samples.outOfBand())
        #expect(
            try plan(["@id": "inv-9"], known: known) == .reuse(connection: "c1", fallback: .didExchange11, requests: [])
        )
        #expect(
            try plan(["@id": "inv-9", "requests~attach": [Samples.request]], known: known)
                == .reuse(connection: "c1", fallback: .didExchange11, requests: requests))
    }

    @Test(.shows("ARI-064")) func `a connections invitation of a known inviter uses the connection without asking`()
        throws
    {
        let plan = try InvitationAcceptancePlan(
            Invitation(Samples.connections()), known: known(Samples.outOfBand()), now: Samples.now)
        #expect(plan == .useExisting(connection: "c1", requests: []))
    }

    @Test(.shows("ARI-061", "ARI-065"))
    func `an invitation accepted before is not accepted again, even while the first handshake goes on`() throws {
        for complete in [true, false] {
            #expect(
                try plan([:], known: known(Samples.outOfBand(), complete: complete))
                    == .acceptedBefore(connection: "c1"))
        }
        #expect(
            try plan(["~timing": ["expires_time": "2020-01-01T00:00:00Z"]], known: known(Samples.outOfBand()))
                == .acceptedBefore(connection: "c1"))
    }

    @Test(.shows("ARI-061", "CHK-049")) func `an equal identifier alone does not make two invitations the same`() throws
    {
        let other = Samples.outOfBand([
            "services": [["recipientKeys": [.string(Samples.otherKeyText)], "serviceEndpoint": "https://b.example"]]
        ])
        #expect(try plan([:], known: known(other)) == .handshake(.didExchange11, requests: []))
    }

    @Test(.shows("CHK-047")) func `a connection that is not complete is not planned for reuse`() throws {
        #expect(
            try plan(["@id": "inv-9"], known: known(Samples.outOfBand(), complete: false))
                == .handshake(.didExchange11, requests: []))
    }

    @Test(.shows("ARI-062", "ARI-063", "CHK-048"))
    func `inviters are compared by key only where the policy says so, and by DID always`() throws {
        #expect(
            try plan(["@id": "inv-9"], known: known(Samples.outOfBand()), comparesKeys: false)
                == .handshake(.didExchange11, requests: []))
        let did = Samples.outOfBand(["services": ["did:sov:LjgpST2rjsoxYegQDRm7EL"]])
        #expect(
            try plan(["@id": "inv-9", "services": ["LjgpST2rjsoxYegQDRm7EL"]], known: known(did), comparesKeys: false)
                == .reuse(connection: "c1", fallback: .didExchange11, requests: []))
    }

    @Test(.shows("ARI-032", "ARI-062"))
    func `an inviter with a public DID is recognised under other keys and another address`() throws {
        let did: JSONValue = "did:sov:LjgpST2rjsoxYegQDRm7EL"
        let other: JSONValue = [
            ["recipientKeys": [.string(Samples.otherKeyText)], "serviceEndpoint": "https://b.example"]
        ]
        let known = try known(Samples.outOfBand(["public_did": did]))
        #expect(
            try plan(["@id": "inv-9", "public_did": did, "services": other], known: known, comparesKeys: false)
                == .reuse(connection: "c1", fallback: .didExchange11, requests: []))
        #expect(
            try plan(["@id": "inv-9", "services": other], known: known) == .handshake(.didExchange11, requests: []))
    }

    @Test func `an inviter is not recognised by its label or address`() throws {
        let other = Samples.outOfBand([
            "services": [
                ["recipientKeys": [.string(Samples.otherKeyText)], "serviceEndpoint": "https://agent.example/in"]
            ]
        ])
        #expect(try plan(["@id": "inv-9"], known: known(other)) == .handshake(.didExchange11, requests: []))
    }

    @Test func `the long and the short form of a DID stand for one inviter`() throws {
        let did = try Samples.address().peer4()
        let short = did.shortForm
        #expect(short.text != did.text)
        #expect(
            try plan(
                ["@id": "inv-9", "services": [.string(short.text)]],
                known: known(Samples.outOfBand(["services": [.string(did.text)]])), comparesKeys: false)
                == .reuse(connection: "c1", fallback: .didExchange11, requests: []))
    }

    @Test func `two invitations of one inviter share a vault search tag`() throws {
        let one = InviterIdentity(try Invitation(Samples.outOfBand()))
        let other = InviterIdentity(try Invitation(Samples.connections()))
        #expect(one.match(other) == .sameKey && other.match(one) == .sameKey)
        #expect(one.searchTags == ["invitation:inv-1", "key:" + Samples.keyText])
        #expect(other.searchTags.contains("key:" + Samples.keyText))
    }

    @Test(
        .shows("ARI-027"),
        arguments: [
            (["https://didcomm.org/didexchange/1.0"], .didExchange10),
            (["https://didcomm.org/didexchange/1.1"], .didExchange11),
            (["https://didcomm.org/didexchange/1.7"], .didExchange11),
            (["https://didcomm.org/connections/1.9"], .connections10),
            (["https://didcomm.org/didexchange/2.0", "https://didcomm.org/connections/1.0"], .connections10),
            (
                ["nonsense", "https://didcomm.org/connections/1.0", "https://didcomm.org/didexchange/1.1"],
                .connections10
            ),
            (["did:sov:BzCbsNYhMrjHiqZDTUASHg;spec/connections/1.0"], .connections10),
            (["https://didcomm.org/didexchange/2.0"], nil), (["https://example.com/didexchange/1.0"], nil),
            (["nonsense"], nil),
        ] as [([String], MessageProtocol?)])
    func `the first handshake protocol of an invitation that is supported here is chosen`(
        offered: [String], taken: MessageProtocol?
    ) throws {
        guard let taken else {
            #expect(throws: AriesError(.handshakeUnsupported, "")) {
                try plan(["handshake_protocols": .strings(offered)])
            }
            return
        }
        #expect(try plan(["handshake_protocols": .strings(offered)]) == .handshake(taken, requests: []))
    }

    @Test func `an invitation that accepts only other envelope formats is refused`() throws {
        #expect(throws: AriesError(.profileUnsupported, "")) { try plan(["accept": ["didcomm/v2"]]) }
        #expect(throws: Never.self) { try plan(["accept": ["didcomm/v2", "didcomm/aip2;env=rfc19"]]) }
    }

    @Test func `an expired invitation is refused`() throws {
        #expect(throws: AriesError(.invitationExpired, "")) {
            try plan(["~timing": ["expires_time": "2020-01-01T00:00:00Z"]])
        }
    }
}
