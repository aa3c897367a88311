import Aries
import ByteCoding
import CryptoSuite
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing

/// Tests of attacks on a handshake by outsiders and dishonest peers, one for each check.
@Suite struct HandshakeSafetyTests {
    /// Sides of which the invitee waits, and the response that would complete it.
    private func waiting(
        _ handshake: MessageProtocol = .connections10, form: DIDForm? = nil
    ) throws -> (sides: TwoSides, response: ReceivedMessage) {
        var sides = try TwoSides(handshake, form: form)
        let response = try sides.respond(to: sides.carried(sides.request()))
        return (sides, sides.carried(response))
    }

    /// Gives the requester a message that it must pass over; the right response then still completes.
    private func expectIgnored(
        _ forged: ReceivedMessage, _ code: AriesError.Code, _ sides: TwoSides, _ response: ReceivedMessage,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var sides = sides
        let outputs = sides.requester.handle(.received(forged), at: sides.now)
        #expect(sides.ignored(outputs) == code && outputs.count == 1, sourceLocation: sourceLocation)
        let last = sides.requester.handle(.received(response), at: sides.now)
        #expect(sides.completed(last) != nil, sourceLocation: sourceLocation)
    }

    /// Gives the requester a message of the inviter that it must refuse: it ends, and the inviter is told.
    private func expectAbandoned(
        _ message: Message, _ sides: TwoSides, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var sides = sides
        let received = sides.received(message, from: sides.invitationKey.verkey, to: sides.inviteeKey.verkey)
        let outputs = sides.requester.handle(.received(received), at: sides.now)
        #expect(sides.abandoned(outputs) == .responseUnusable, sourceLocation: sourceLocation)
        let report = sides.sent(outputs).first.flatMap { ProblemReport($0.message) }
        #expect(report?.code == "response_processing_error", sourceLocation: sourceLocation)
        #expect(report?.threadID == sides.requester.threadID, sourceLocation: sourceLocation)
    }

    private func signed(
        _ party: JSONObject, by key: AgentKey, _ message: Message
    ) throws -> Message {
        try message.changed([
            "connection~sig": .object(try SignatureDecorator.sign(party.encoded, at: Samples.now, seed: key.seed))
        ])
    }

    // Keys that may answer an invitation.

    @Test(.shows("CHK-007"), arguments: [MessageProtocol.connections10, .didExchange10, .didExchange11])
    func `a response from a key that the invitation's key has not signed is ignored`(handshake: MessageProtocol)
        throws
    {
        let (sides, response) = try waiting(handshake)
        for key in [sides.stranger.verkey, sides.inviteeKey.verkey] {
            let forged = sides.received(response.message, from: key, to: sides.inviteeKey.verkey)
            var waiting = sides
            let outputs = waiting.requester.handle(.received(forged), at: .zero)
            #expect(waiting.ignored(outputs) == .wrongSender && waiting.requester.stage == .requested)
            var later = waiting
            #expect(later.sent(later.requester.handle(.timeReached, at: .zero + .seconds(20))).count == 1)
            #expect(waiting.completed(waiting.requester.handle(.received(response), at: .zero)) != nil)
        }
    }

    @Test(arguments: [MessageProtocol.connections10, .didExchange10, .didExchange11])
    func `a response from a new key completes the handshake when the invitation's key has signed it`(
        handshake: MessageProtocol
    ) throws {
        var (sides, response) = try waiting(handshake)
        let received = sides.received(
            response.message, from: sides.inviterKey.verkey, to: sides.inviteeKey.verkey)
        let outputs = sides.requester.handle(.received(received), at: .zero)
        #expect(sides.completed(outputs)?.theirs.owns(sides.inviterKey.verkey) == true)
        sides.arrival = WallTime(millisecondsSinceEpoch: Samples.now.millisecondsSinceEpoch + 20_000)
        let repeated = sides.received(
            response.message, from: sides.inviterKey.verkey, to: sides.inviteeKey.verkey)
        #expect(sides.sent(sides.requester.handle(.received(repeated), at: .zero)).count == 1)
    }

    @Test(.shows("CHK-006", "CHK-011", "CHK-020", "CHK-021"))
    func `a message from a key without proof never ends the handshake`() throws {
        let (sides, response) = try waiting(.didExchange11)
        let did = try TwoSides.address(sides.stranger, "https://x.example").peer4()
        let bare = try response.message.changed(["did": .string(did.text), "did_rotate~attach": nil])
        let other = try response.message.changed(["did": .string(did.text)])
        for message in [bare, other] {
            let forged = sides.received(message, from: sides.stranger.verkey, to: sides.inviteeKey.verkey)
            expectIgnored(forged, .responseUnusable, sides, response)
        }
        let (old, right) = try waiting(.didExchange10, form: .peer4)
        let unsigned = try right.message.changed(["did": .string(did.text)])
        let forged = old.received(unsigned, from: old.stranger.verkey, to: old.inviteeKey.verkey)
        expectIgnored(forged, .wrongSender, old, right)
    }

    @Test(.shows("CHK-032")) func `a handshake response of an unknown sender is ignored`() throws {
        let (sides, response) = try waiting()
        let forged = ReceivedMessage(
            response.message, sender: .unknown, recipient: sides.inviteeKey.verkey, arrival: Samples.now)
        expectIgnored(forged, .notAuthentic, sides, response)
    }

    @Test func `a handshake response encrypted for several recipients is ignored`() throws {
        let (sides, response) = try waiting()
        let forged = ReceivedMessage(
            response.message, sender: .authenticated(sides.invitationKey.verkey, isExclusive: false),
            recipient: sides.inviteeKey.verkey, arrival: Samples.now)
        expectIgnored(forged, .senderNotExclusive, sides, response)
    }

    @Test(.shows("ARI-082", "CHK-028")) func `a response sent to the key of another connection is ignored`() throws {
        let (sides, response) = try waiting()
        for recipient in [sides.stranger.verkey, nil] {
            let forged = ReceivedMessage(
                response.message, sender: response.sender, recipient: recipient, arrival: Samples.now)
            expectIgnored(forged, .wrongRecipient, sides, response)
        }
    }

    @Test(.shows("ARI-082", "CHK-005")) func `a handshake response in another thread is ignored`() throws {
        let (sides, response) = try waiting()
        for thread in [["thid": "other"], [:], ["pthid": .string(sides.requester.threadID)]] as [JSONValue] {
            let forged = sides.received(
                try response.message.changed(["~thread": thread]), from: sides.invitationKey.verkey,
                to: sides.inviteeKey.verkey)
            expectIgnored(forged, .wrongThread, sides, response)
        }
    }

    @Test(.shows("CHK-009")) func `a message of another type than the handshake response is ignored`() throws {
        let (sides, response) = try waiting()
        for type in [
            "connections/1.0/request", "connections/2.0/response", "didexchange/1.0/response", "trust_ping/1.0/ping",
        ] {
            let forged = sides.received(
                try response.message.changed(["@type": .string("https://didcomm.org/" + type)]),
                from: sides.invitationKey.verkey, to: sides.inviteeKey.verkey)
            expectIgnored(forged, .unexpected, sides, response)
        }
    }

    @Test(.shows("ARI-022", "CHK-002", "CHK-058"))
    func `with several keys in an invitation, only the key that was asked may answer`() throws {
        let (sides, response) = try waiting()
        let several = PeerService(
            recipientKeys: [sides.invitationKey.verkey, sides.stranger.verkey],
            endpoint: try ServiceEndpoint(parsing: "https://inviter.example/in"))
        var random = SeededRandom(seed: 9)
        var requester = try HandshakeRequester(
            .init(
                connectionID: "c", handshake: .connections10, invitation: sides.requester.configuration.invitation,
                inviter: several, address: sides.requester.configuration.address, label: "l"),
            key: sides.inviteeKey, random: &random)
        _ = requester.handle(.start, at: .zero)
        let message = try response.message.changed(["~thread": ["thid": .string(requester.threadID)]])
        let forged = try sides.received(
            signed(["DID": "x"], by: sides.stranger, message), from: sides.stranger.verkey, to: sides.inviteeKey.verkey)
        #expect(sides.ignored(requester.handle(.received(forged), at: .zero)) == .signatureInvalid)
        let right = sides.received(message, from: sides.invitationKey.verkey, to: sides.inviteeKey.verkey)
        #expect(sides.completed(requester.handle(.received(right), at: .zero)) != nil)
    }

    // Proofs that a response of connections 1.0 must carry.

    @Test(.shows("ARI-081", "CHK-010")) func `a response signed by another key is ignored`() throws {
        let (sides, response) = try waiting()
        let party: JSONObject = ["DID": .string(sides.stranger.verkey.unqualifiedDID)]
        let forged = sides.received(
            try signed(party, by: sides.stranger, response.message), from: sides.invitationKey.verkey,
            to: sides.inviteeKey.verkey)
        expectIgnored(forged, .signatureInvalid, sides, response)
    }

    @Test(.shows("ARI-081", "CHK-001", "CHK-003"), arguments: ["signature", "sig_data", "signer", "@type"])
    func `a response whose signature has a part changed or missing is ignored`(part: String) throws {
        let (sides, response) = try waiting()
        var decorator = try #require(response.message.object["connection~sig"]?.object)
        let text = try #require(decorator[part]?.string)
        let changes: [JSONValue?] = [
            nil, .string("A" + text.dropFirst()), .string(text.reversed().map(String.init).joined()),
        ]
        for change in changes where change != .string(text) {
            decorator[part] = change
            let forged = sides.received(
                try response.message.changed(["connection~sig": .object(decorator)]),
                from: sides.invitationKey.verkey, to: sides.inviteeKey.verkey)
            expectIgnored(forged, .signatureInvalid, sides, response)
        }
    }

    @Test(.shows("CHK-010")) func `a response that names another signer than the one that signed is ignored`() throws {
        let (sides, response) = try waiting()
        var decorator = try #require(response.message.object["connection~sig"]?.object)
        decorator["signer"] = .string(sides.stranger.verkey.base58)
        let forged = sides.received(
            try response.message.changed(["connection~sig": .object(decorator)]), from: sides.invitationKey.verkey,
            to: sides.inviteeKey.verkey)
        expectIgnored(forged, .signatureInvalid, sides, response)
    }

    @Test func `a response whose DID is not that of its document ends the handshake`() throws {
        let (sides, response) = try waiting()
        let document = try TwoSides.address(sides.inviterKey, "https://inviter.example/in").legacyDocument
        let other = sides.stranger.verkey.unqualifiedDID
        expectAbandoned(
            try signed(
                ["DID": .string(other), "DIDDoc": .object(document)], by: sides.invitationKey, response.message),
            sides)
        let same: JSONObject = [
            "DID": .string("did:sov:" + sides.inviterKey.verkey.unqualifiedDID), "DIDDoc": .object(document),
        ]
        var right = sides
        let received = sides.received(
            try signed(same, by: sides.invitationKey, response.message), from: sides.invitationKey.verkey,
            to: sides.inviteeKey.verkey)
        #expect(right.completed(right.requester.handle(.received(received), at: .zero)) != nil)
    }

    @Test func `a response whose document cannot be used ends the handshake`() throws {
        let (sides, response) = try waiting()
        let address = try TwoSides.address(sides.inviterKey, "https://inviter.example/in")
        let did = JSONValue.string(sides.inviterKey.verkey.unqualifiedDID)
        var empty = address.legacyDocument
        empty["service"] = []
        var strange = address.legacyDocument
        strange["service"] = [
            ["id": "x", "type": "IndyAgent", "recipientKeys": [did], "serviceEndpoint": "ftp://x.example"]
        ]
        for party in [
            ["DID": did, "DIDDoc": .object(empty)], ["DID": did, "DIDDoc": .object(strange)],
            ["DID": did, "DIDDoc": [1]],
            ["DIDDoc": .object(address.legacyDocument)], [:], ["DID": "?"],
        ] as [JSONObject] {
            expectAbandoned(try signed(party, by: sides.invitationKey, response.message), sides)
        }
    }

    @Test func `an unusable document sent by its own key, not the inviter's, does not end the handshake`() throws {
        var (sides, response) = try waiting()
        var document = try TwoSides.address(sides.inviterKey, "https://inviter.example/in").legacyDocument
        document["service"] = []
        let party: JSONObject = [
            "DID": .string(sides.inviterKey.verkey.unqualifiedDID), "DIDDoc": .object(document),
        ]
        let message = try signed(party, by: sides.invitationKey, response.message)
        let received = sides.received(message, from: sides.inviterKey.verkey, to: sides.inviteeKey.verkey)
        #expect(sides.ignored(sides.requester.handle(.received(received), at: .zero)) == .responseUnusable)
        #expect(sides.requester.stage == .requested)
        #expect(sides.completed(sides.requester.handle(.received(response), at: .zero)) != nil)
    }

    @Test func `a document with a key of small order ends the handshake`() throws {
        let (sides, response) = try waiting()
        let small = try #require(Verkey([1] + [UInt8](repeating: 0, count: 31)))
        let document = AgentAddress(key: small, endpoint: try ServiceEndpoint(parsing: "https://x.example"))
            .legacyDocument
        let party: JSONObject = ["DID": .string(small.unqualifiedDID), "DIDDoc": .object(document)]
        expectAbandoned(try signed(party, by: sides.invitationKey, response.message), sides)
    }

    // Proofs that a response of DID exchange must carry.

    @Test(.shows("CHK-012", "CHK-018")) func `an attached document signed by another key is ignored`() throws {
        let (sides, response) = try waiting(.didExchange10)
        let document = try TwoSides.address(sides.stranger, "https://x.example").legacyDocument
        let attachment = try MessageAttachment.signed(bytes: document.encoded, seed: sides.stranger.seed)
        let forged = sides.received(
            try response.message.changed(["did_doc~attach": attachment.value]), from: sides.invitationKey.verkey,
            to: sides.inviteeKey.verkey)
        expectIgnored(forged, .signatureInvalid, sides, response)
        let unsigned = MessageAttachment(bytes: document.encoded)
        let bare = sides.received(
            try response.message.changed(["did_doc~attach": unsigned.value]), from: sides.invitationKey.verkey,
            to: sides.inviteeKey.verkey)
        expectIgnored(bare, .signatureInvalid, sides, response)
    }

    @Test(.shows("CHK-022")) func `an attached document of another DID ends the handshake`() throws {
        let (sides, response) = try waiting(.didExchange10)
        expectAbandoned(
            try response.message.changed(["did": .string(sides.stranger.verkey.unqualifiedDID)]), sides)
    }

    @Test(.shows("CHK-012")) func `a DID rotation in a response signed by another key is ignored`() throws {
        let (sides, response) = try waiting(.didExchange11)
        let did = try TwoSides.address(sides.stranger, "https://x.example").peer4()
        let attachment = try MessageAttachment.signed(bytes: Array(did.text.utf8), seed: sides.stranger.seed)
        let forged = sides.received(
            try response.message.changed(["did": .string(did.text), "did_rotate~attach": attachment.value]),
            from: sides.invitationKey.verkey, to: sides.inviteeKey.verkey)
        expectIgnored(forged, .signatureInvalid, sides, response)
    }

    @Test(.shows("CHK-020")) func `a DID rotation to another DID than the response names ends the handshake`() throws {
        let (sides, response) = try waiting(.didExchange11)
        let did = try TwoSides.address(sides.stranger, "https://x.example").peer4()
        expectAbandoned(try response.message.changed(["did": .string(did.text)]), sides)
    }

    @Test(.shows("CHK-021")) func `a response with a new DID and no proof of it ends the handshake`() throws {
        let (sides, response) = try waiting(.didExchange11)
        expectAbandoned(try response.message.changed(["did_rotate~attach": nil]), sides)
    }

    @Test func `a response with a did:peer:4 whose hash is wrong ends the handshake`() throws {
        let (sides, response) = try waiting(.didExchange11)
        let did = try #require(response.message.object["did"]?.string)
        let damaged = String(did.dropLast(2)) + (did.hasSuffix("11") ? "22" : "11")
        expectAbandoned(try response.message.changed(["did": .string(damaged)]), sides)
    }

    @Test func `an inviter's DID that must be resolved is looked up, and the handshake ends if not found`() throws {
        for isFound in [true, false] {
            var (sides, response) = try waiting(.didExchange10)
            let address = try TwoSides.address(sides.inviterKey, "https://inviter.example/in")
            let message = try response.message.changed(["did_doc~attach": nil])
            let received = sides.received(message, from: sides.invitationKey.verkey, to: sides.inviteeKey.verkey)
            let outputs = sides.requester.handle(.received(received), at: .zero)
            let did = address.unqualifiedDID
            #expect(outputs == [.persist, .resolve(did)] && sides.requester.stage == .resolving)
            if isFound {
                let document = try DIDDocument(reading: JSONValueReader(object: address.legacyDocument))
                let last = sides.requester.handle(.resolved(document, for: did), at: .zero)
                #expect(sides.completed(last)?.theirs.owns(sides.inviterKey.verkey) == true)
            } else {
                let last = sides.requester.handle(.unresolved(did, StaticDIDResolver.unresolved(did)), at: .zero)
                #expect(sides.abandoned(last) == .responseUnusable)
            }
        }
    }

    // Problems and repetitions.

    private func report(_ code: String, _ thread: String, family: String = "connections/1.0") throws -> Message {
        try Message([
            "@type": .string("https://didcomm.org/\(family)/problem_report"), "@id": "p",
            "~thread": ["thid": .string(thread)], "description": ["code": .string(code), "en": "no"],
        ])
    }

    @Test(.shows("CHK-005", "CHK-009", "CHK-034", "CHK-036"))
    func `a problem report ends the handshake only if it comes from the inviter and in the same thread`() throws {
        var (sides, response) = try waiting()
        let ours = try report("request_not_accepted", sides.requester.threadID)
        expectIgnored(
            sides.received(ours, from: sides.stranger.verkey, to: sides.inviteeKey.verkey), .wrongSender, sides,
            response)
        expectIgnored(
            sides.received(try report("x", "other"), from: sides.invitationKey.verkey, to: sides.inviteeKey.verkey),
            .wrongThread, sides, response)
        expectIgnored(
            sides.received(
                try report("w.slow", sides.requester.threadID), from: sides.invitationKey.verkey,
                to: sides.inviteeKey.verkey), .rejected, sides, response)
        let right = sides.received(ours, from: sides.invitationKey.verkey, to: sides.inviteeKey.verkey)
        let outputs = sides.requester.handle(.received(right), at: .zero)
        #expect(sides.abandoned(outputs) == .rejected)
        let errors = outputs.compactMap { if case .abandoned(let error) = $0 { error } else { nil } }
        #expect(errors.first?.wireCode == "request_not_accepted")
        #expect(sides.ignored(sides.requester.handle(.received(response), at: .zero)) == .unexpected)
    }

    @Test func `a request that the inviter reports as not processed is sent again before it is given up`() throws {
        var (sides, _) = try waiting()
        let message = try report("request_processing_error", sides.requester.threadID)
        let received = sides.received(message, from: sides.invitationKey.verkey, to: sides.inviteeKey.verkey)
        for _ in 0..<2 {
            #expect(sides.ignored(sides.requester.handle(.received(received), at: .zero)) == .rejected)
            let deadline = try #require(sides.requester.nextDeadline)
            #expect(deadline == .zero + .seconds(5))
            #expect(sides.sent(sides.requester.handle(.timeReached, at: deadline)).count == 1)
        }
        #expect(sides.abandoned(sides.requester.handle(.received(received), at: .zero)) == .rejected)
    }

    @Test(.shows("CHK-052")) func `a repeated response is confirmed again and changes nothing`() throws {
        var (sides, response) = try waiting()
        let first = sides.requester.handle(.received(response), at: .zero)
        let connection = try #require(sides.completed(first))
        let confirmation = try #require(sides.sent(first).first)
        func repeated(after seconds: Int64) -> [HandshakeOutput] {
            let arrival = WallTime(millisecondsSinceEpoch: Samples.now.millisecondsSinceEpoch + seconds * 1000)
            let again = ReceivedMessage(
                response.message, sender: response.sender, recipient: response.recipient, arrival: arrival)
            return sides.requester.handle(.received(again), at: .zero)
        }
        #expect(sides.ignored(repeated(after: 0)) == .replayed, "it was sent while we were away")
        sides.requester = try HandshakeRequester(
            stored: JSONValueReader(object: sides.requester.state), key: sides.inviteeKey)
        #expect(sides.ignored(repeated(after: 14)) == .replayed, "and so after a restart")
        #expect(repeated(after: 15) == [.send(confirmation)], "our confirmation was lost")
        sides.arrival = WallTime(millisecondsSinceEpoch: Samples.now.millisecondsSinceEpoch + 20_000)
        let document = try TwoSides.address(sides.stranger, "https://x.example").legacyDocument
        let other = try signed(
            ["DID": .string(sides.stranger.verkey.unqualifiedDID), "DIDDoc": .object(document)],
            by: sides.invitationKey, response.message)
        let replayed = sides.received(other, from: sides.invitationKey.verkey, to: sides.inviteeKey.verkey)
        #expect(sides.requester.handle(.received(replayed), at: .zero) == [.send(confirmation)])
        #expect(connection.theirs.owns(sides.inviterKey.verkey))
        let ping = try response.message.changed(["@type": "https://didcomm.org/trust_ping/1.0/ping"])
        let another = sides.received(ping, from: sides.invitationKey.verkey, to: sides.inviteeKey.verkey)
        #expect(sides.ignored(sides.requester.handle(.received(another), at: .zero)) == .unexpected)
        let forged = sides.received(response.message, from: sides.stranger.verkey, to: sides.inviteeKey.verkey)
        #expect(sides.ignored(sides.requester.handle(.received(forged), at: .zero)) == .wrongSender)
    }

    // Messages on a complete connection.

    @Test(.shows("CHK-026", "CHK-137"))
    func `a message is accepted on a connection only from the peer's keys, and addressed to our key alone`() throws {
        var sides = try TwoSides(.didExchange11)
        let connection = try sides.connect().invitee
        let message = Message(MessageType(.trustPing10, "ping"), id: "p")
        func code(_ sender: ReceivedMessage.Sender, _ recipient: Verkey?) -> AriesError.Code? {
            do throws(AriesError) {
                try connection.check(
                    ReceivedMessage(message, sender: sender, recipient: recipient, arrival: Samples.now))
                return nil
            } catch {
                return error.code
            }
        }
        let (theirs, ours) = (sides.inviterKey.verkey, sides.inviteeKey.verkey)
        #expect(code(.authenticated(theirs, isExclusive: true), ours) == nil)
        #expect(code(.authenticated(sides.stranger.verkey, isExclusive: true), ours) == .wrongSender)
        #expect(code(.authenticated(sides.invitationKey.verkey, isExclusive: true), ours) == .wrongSender)
        #expect(code(.authenticated(theirs, isExclusive: true), sides.stranger.verkey) == .wrongRecipient)
        #expect(code(.authenticated(theirs, isExclusive: true), nil) == .wrongRecipient)
        #expect(code(.authenticated(theirs, isExclusive: false), ours) == .senderNotExclusive)
        #expect(code(.unknown, ours) == .notAuthentic)
    }
}
