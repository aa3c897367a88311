import Aries
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing

@Suite struct InvitationTests {
    private func code(_ object: JSONObject) -> AriesError.Code? {
        do throws(AriesError) {
            _ = try Invitation(object)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(.shows("ARI-010", "ARI-020", "ARI-023")) func `a connections invitation is read`() throws {
        let invitation = try Invitation(
            Samples.connections([
                "profileUrl": "https://pictures.example/a.png", "routingKeys": [.string(Samples.otherKeyText)],
            ]))
        #expect(invitation.kind == .connections && invitation.id == "inv-2" && invitation.label == "Acme")
        #expect(invitation.protocol == .connections10 && invitation.handshakeProtocols == [.connections10])
        #expect(try invitation.firstKey == Samples.key())
        #expect(invitation.imageURL == "https://pictures.example/a.png")
        #expect(invitation.offersHandshake && invitation.requests.isEmpty)
    }

    @Test(.shows("ARI-022")) func `the first of several recipient keys is the inviter's key`() throws {
        let keys: JSONValue = [.string(Samples.otherKeyText), .string(Samples.keyText)]
        let expected = [try Samples.key(Samples.otherKeyText), try Samples.key()]
        for invitation in [
            try Invitation(Samples.connections(["recipientKeys": keys])),
            try Invitation(
                Samples.outOfBand(["services": [["recipientKeys": keys, "serviceEndpoint": "https://b.example"]]])),
        ] {
            #expect(invitation.recipientKeys == expected && invitation.firstKey == expected[0])
            #expect(InviterIdentity(invitation).firstKey == expected[0])
        }
    }

    @Test(.shows("ARI-011", "ARI-026", "ARI-031", "ARI-032")) func `an out-of-band invitation is read`() throws {
        let invitation = try Invitation(
            Samples.outOfBand([
                "goal_code": "issue-vc", "goal": "To issue", "accept": ["didcomm/aip1"],
                "requests~attach": [Samples.request],
                "public_did": "did:sov:LjgpST2rjsoxYegQDRm7EL", "~timing": ["expires_time": "2026-01-31T09:30:00Z"],
            ]))
        #expect(invitation.kind == .outOfBand && invitation.protocol == .outOfBand11)
        #expect(invitation.handshakeProtocols == [.didExchange11, .connections10])
        #expect(
            invitation.goalCode == "issue-vc" && invitation.goal == "To issue" && invitation.accept == ["didcomm/aip1"])
        #expect(try invitation.firstKey == Samples.key())
        #expect(invitation.requests.map(\.id) == ["request-0"])
        #expect(invitation.publicDID?.identity == "did:sov:LjgpST2rjsoxYegQDRm7EL")
        #expect(invitation.expires?.messageText == "2026-01-31T09:30:00Z")
    }

    @Test(.shows("ARI-021", "ARI-029")) func `an invitation may mix the spellings of all versions`() throws {
        let services = Samples.outOfBand()["services"]
        let others: JSONValue = ["did:sov:LjgpST2rjsoxYegQDRm7EL"]
        let old = try Invitation(
            Samples.outOfBand([
                "@type": "https://didcomm.org/out-of-band/1.0/invitation", "services": nil, "service": services,
                "request~attach": [Samples.request],
            ]))
        #expect(old.firstKey != nil && old.requests.count == 1)
        let mixed = try Invitation(Samples.outOfBand(["request~attach": [Samples.request]]))
        #expect(mixed.firstKey != nil && mixed.requests.count == 1)
        let new = try Invitation(Samples.outOfBand(["service": others]))
        #expect(new.firstKey != nil && new.risks.contains(.spellingsDiffer))
        let both = try Invitation(
            Samples.outOfBand(["@type": "https://didcomm.org/out-of-band/1.0/invitation", "service": others]))
        #expect(both.firstKey == nil && both.dids.count == 1 && both.risks.contains(.spellingsDiffer))
        #expect(try Invitation(Samples.outOfBand(["imageUrl": "", "image_url": "u"])).imageURL == "u")
        for name in ["imageUrl", "image_url", "profileUrl"] {
            #expect(try Invitation(Samples.outOfBand([name: "u"])).imageURL == "u")
        }
    }

    @Test func `only an out-of-band invitation carries requests`() throws {
        for name in ["requests~attach", "request~attach"] {
            #expect(try Invitation(Samples.connections([name: [Samples.request]])).requests.isEmpty)
            #expect(try Invitation(Samples.connections([name: [1]])).requests.isEmpty)
        }
    }

    @Test func `an invitation that names no inviter is refused with what is missing`() {
        func reason(_ object: JSONObject) -> String {
            do throws(AriesError) {
                _ = try Invitation(object)
                return ""
            } catch { return error.reason }
        }
        for services in [["services": nil], ["services": nil, "service": .null], ["services": []]]
            as [KeyValuePairs<String, JSONValue?>]
        {
            #expect(reason(Samples.outOfBand(services)).contains("does not say how the inviter is reached"))
        }
        #expect(
            reason(Samples.connections(["recipientKeys": nil, "serviceEndpoint": nil]))
                .contains("neither a DID nor keys"))
        #expect(reason(Samples.connections(["recipientKeys": nil])).contains("without key or address"))
    }

    @Test func `a member of an invitation that is null counts as absent`() throws {
        let plain = try Invitation(Samples.outOfBand(["label": nil]))
        for name in [
            "requests~attach", "request~attach", "service", "label", "goal", "accept", "imageUrl", "public_did",
        ] {
            let invitation = try Invitation(Samples.outOfBand(["label": nil, name: .null]))
            #expect(invitation.requests.isEmpty && invitation.firstKey == plain.firstKey, "\(name)")
            #expect(invitation.label == plain.label && invitation.accept == plain.accept, "\(name)")
            #expect(invitation.risks == plain.risks, "\(name)")
        }
        #expect(try Invitation(Samples.outOfBand(["~timing": ["expires_time": .null]])).expires == nil)
        #expect(code(Samples.outOfBand(["services": .null])) == .invitationIncomplete)
        #expect(code(Samples.outOfBand(["handshake_protocols": .null])) == .invitationPurposeless)
    }

    @Test(.shows("ARI-063")) func `a key in an invitation is equal in every spelling, and its fragment is dropped`()
        throws
    {
        for text in [Samples.keyText, Samples.didKey, Samples.didKey + "#" + Samples.didKey.dropFirst(8)] {
            let service: JSONValue = ["recipientKeys": [.string(text)], "serviceEndpoint": "https://agent.example/in"]
            #expect(try Invitation(Samples.outOfBand(["services": [service]])).firstKey == Samples.key())
        }
    }

    @Test(.shows("ARI-020", "ARI-030")) func `a service may be a DID, with the fragment of one of its services`() throws
    {
        let invitation = try Invitation(
            Samples.outOfBand(["services": ["did:sov:LjgpST2rjsoxYegQDRm7EL#did-communication"]]))
        #expect(invitation.dids.map(\.text) == ["did:sov:LjgpST2rjsoxYegQDRm7EL"])
        #expect(invitation.firstKey == nil && invitation.risks.contains(.needsResolver))
        let connections = try Invitation(
            Samples.connections(["recipientKeys": nil, "serviceEndpoint": nil, "did": "did:sov:LjgpST2rjsoxYegQDRm7EL"])
        )
        #expect(connections.dids.count == 1)
    }

    @Test(
        .shows("ARI-014", "ARI-033"),
        arguments: [
            (["@type": "https://didcomm.org/out-of-band/1.1/handshake-reuse"], .invitationUnrecognised),
            (["@type": "https://example.com/x/out-of-band/1.1/invitation"], .invitationUnrecognised),
            (["@type": 7], .invitationUnrecognised), (["@type": nil], .invitationUnrecognised),
            (["@type": "https://didcomm.org/out-of-band/2.0/invitation"], .invitationUnsupported),
            (["@id": nil], .invitationIncomplete), (["@id": .null], .invitationIncomplete),
            (["@id": 1], .invitationMalformed),
            (["@id": ""], .invitationMalformed), (["label": 1], .invitationMalformed),
            (["goal": []], .invitationMalformed),
            (["accept": "didcomm/aip1"], .invitationMalformed), (["accept": [1]], .invitationMalformed),
            (["handshake_protocols": nil], .invitationPurposeless),
            (["handshake_protocols": []], .invitationPurposeless),
            (["handshake_protocols": 1], .invitationMalformed), (["services": nil], .invitationIncomplete),
            (["services": []], .invitationIncomplete), (["services": [1]], .invitationMalformed),
            (["services": ["no did"]], .invitationMalformed), (["services": [[:]]], .invitationIncomplete),
            (["services": [["recipientKeys": [.string(Samples.keyText)]]]], .invitationIncomplete),
            (["services": [["recipientKeys": [], "serviceEndpoint": "https://a.example"]]], .invitationIncomplete),
            (["services": [["recipientKeys": ["0"], "serviceEndpoint": "https://a.example"]]], .invitationMalformed),
            (
                ["services": [["recipientKeys": [.string(Samples.keyText)], "serviceEndpoint": "ftp://a.example"]]],
                .invitationMalformed
            ),
            (["requests~attach": [1]], .invitationMalformed), (["public_did": "x"], .invitationMalformed),
            (["~timing": ["expires_time": "tomorrow"]], .invitationMalformed),
        ] as [(KeyValuePairs<String, JSONValue?>, AriesError.Code)])
    func `an invitation with missing or impossible parts is refused`(
        changes: KeyValuePairs<String, JSONValue?>, expected: AriesError.Code
    ) {
        #expect(code(Samples.outOfBand(changes)) == expected)
    }

    @Test(
        .shows("ARI-020", "CHK-059"),
        arguments: [
            (["recipientKeys": nil, "serviceEndpoint": nil], .invitationIncomplete),
            (["recipientKeys": nil], .invitationIncomplete), (["serviceEndpoint": nil], .invitationIncomplete),
            (["did": "did:sov:LjgpST2rjsoxYegQDRm7EL"], .invitationContradictory),
            (["did": "did:sov:LjgpST2rjsoxYegQDRm7EL", "recipientKeys": nil], .invitationContradictory),
            (["did": 1, "recipientKeys": nil, "serviceEndpoint": nil], .invitationMalformed),
            (["recipientKeys": "x"], .invitationMalformed),
        ] as [(KeyValuePairs<String, JSONValue?>, AriesError.Code)])
    func `a connections invitation must name its inviter in exactly one way`(
        changes: KeyValuePairs<String, JSONValue?>, expected: AriesError.Code
    ) {
        #expect(code(Samples.connections(changes)) == expected)
    }

    @Test(.shows("CHK-087", "CHK-088"))
    func `lists in an invitation may have the allowed length and not one entry more`() {
        let service = Samples.outOfBand()["services"]?[0] ?? nil
        #expect(code(Samples.outOfBand(["services": .array(Array(repeating: service, count: 16))])) == nil)
        #expect(
            code(Samples.outOfBand(["services": .array(Array(repeating: service, count: 17))])) == .invitationMalformed)
        #expect(
            code(Samples.outOfBand(["requests~attach": .array(Array(repeating: Samples.request, count: 16))])) == nil)
        #expect(
            code(Samples.outOfBand(["requests~attach": .array(Array(repeating: Samples.request, count: 17))]))
                == .invitationMalformed)
        #expect(code(Samples.outOfBand(["accept": .strings(Array(repeating: "a", count: 16))])) == nil)
        #expect(code(Samples.outOfBand(["accept": .strings(Array(repeating: "a", count: 17))])) == .invitationMalformed)
    }

    @Test(.shows("CHK-085")) func `an invitation of the allowed length is read and a longer one is refused`() throws {
        let short = Samples.outOfBand(["x": ""]).encoded.count
        let most = Samples.outOfBand(["x": .string(String(repeating: "a", count: 65_536 - short))]).encoded
        #expect(most.count == 65_536)
        #expect(try Invitation(parsing: most).id == "inv-1")
        #expect(throws: AriesError(.invitationTooLarge, "")) { try Invitation(parsing: most + [0x20]) }
    }

    @Test func `an invitation expires at the time that it states`() throws {
        let invitation = try Invitation(Samples.outOfBand(["~timing": ["expires_time": "2023-11-14T22:13:20Z"]]))
        #expect(throws: Never.self) {
            try invitation.checkExpiry(at: WallTime(millisecondsSinceEpoch: 1_699_999_999_999))
        }
        #expect(throws: AriesError(.invitationExpired, "")) { try invitation.checkExpiry(at: Samples.now) }
    }

    @Test func `an invitation cut short or followed by more bytes is refused`() {
        let bytes = Samples.outOfBand().encoded
        #expect(DecoderVerifier.acceptedTruncations(of: bytes) { try Invitation(parsing: $0) } == [])
        #expect(DecoderVerifier.acceptedExtensions(of: bytes) { try Invitation(parsing: $0) } == [])
        #expect(
            DecoderVerifier.acceptedTruncations(of: bytes) {
                try InvitationText(parsing: String(decoding: $0, as: UTF8.self))
            } == [])
    }

    // Risks.

    @Test(
        .shows("ARI-034", "CHK-109", "CHK-111"),
        arguments: [
            ([:], []), (["label": nil], [.labelIsMissing]), (["label": "A\u{202E}B"], [.textSteersDisplay]),
            (["goal": "\u{1B}[31m"], [.textSteersDisplay]), (["label": "Al\u{FE00}ice"], [.textSteersDisplay]),
            (["label": "Al\u{FE0F}ice"], [.textSteersDisplay]), (["label": "Al\u{E0100}ice"], [.textSteersDisplay]),
            (["label": "We \u{2764}\u{FE0F} you"], []), (["label": "Al\u{34F}ice"], [.textSteersDisplay]),
            (["label": .string(String(repeating: "a", count: 64))], []),
            (["label": .string(String(repeating: "a", count: 65))], [.labelIsLong]),
            (["imageUrl": "https://p.example"], [.pictureIsRemote]),
            (["requests~attach": [Samples.request]], [.asksAtOnce]),
            (
                ["services": ["did:sov:LjgpST2rjsoxYegQDRm7EL", "did:sov:WgWxqztrNooG92RXvxSTWv"]],
                [.severalKeys, .needsResolver]
            ),
            (
                [
                    "services": .array(
                        ["https://agent.example/in", "wss://agent.example/in"].map { endpoint in
                            [
                                "id": "#\(endpoint.prefix(3))", "type": "did-communication",
                                "recipientKeys": [.string(Samples.didKey)], "serviceEndpoint": .string(endpoint),
                            ]
                        })
                ], []
            ),
        ] as [(KeyValuePairs<String, JSONValue?>, [InvitationRisk])])
    func `unusual members of an invitation are reported as risks`(
        changes: KeyValuePairs<String, JSONValue?>, risks: [InvitationRisk]
    )
        throws
    {
        #expect(try Invitation(Samples.outOfBand(changes)).risks == risks)
    }

    @Test(
        arguments: [
            ("https://agent.example", []), ("http://agent.example", [.addressWithoutTLS]), ("wss://agent.example", []),
            ("ws://agent.example", [.addressWithoutTLS]), ("https://127.0.0.1/", [.addressIsPrivate]),
            ("https://10.1.2.3/", [.addressIsPrivate]), ("https://11.1.2.3/", []),
            ("https://172.16.0.1", [.addressIsPrivate]),
            ("https://172.32.0.1", []), ("https://192.168.1.1", [.addressIsPrivate]), ("https://192.169.1.1", []),
            ("https://169.254.169.254", [.addressIsPrivate]), ("https://100.64.0.1", [.addressIsPrivate]),
            ("https://localhost:80", [.addressIsPrivate]), ("https://printer.local", [.addressIsPrivate]),
            ("https://[::1]:80", [.addressIsPrivate]), ("https://[fd00::1]", [.addressIsPrivate]),
            ("https://[2001:db8::1]", []),
            ("https://10.example", []),
        ] as [(String, [InvitationRisk])])
    func `an address without TLS, or on this machine or a private network, is reported as a risk`(
        address: String, risks: [InvitationRisk]
    ) throws {
        #expect(try Invitation(Samples.connections(["serviceEndpoint": .string(address)])).risks == risks)
    }
}
