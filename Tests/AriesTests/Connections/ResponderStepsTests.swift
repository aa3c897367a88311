import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing

@Suite struct ResponderStepsTests {
    /// A responder to a request whose document has to be looked for.
    private func resolving(_ sides: inout TwoSides) throws -> (responder: HandshakeResponder, did: DID) {
        let address = try TwoSides.address(sides.inviteeKey, "https://invitee.example/in")
        let message = try sides.request().message.changed(["did_doc~attach": nil])
        let received = sides.received(message, from: sides.inviteeKey.verkey, to: sides.invitationKey.verkey)
        var responder = try HandshakeResponder(
            .init(
                connectionID: "c", issued: sides.issued,
                address: TwoSides.address(sides.inviterKey, "https://inviter.example/in")),
            answering: received, key: sides.invitationKey, random: &sides.random)
        #expect(responder.stage == .ready)
        #expect(responder.handle(.start, at: .zero) == [.persist, .resolve(address.unqualifiedDID)])
        #expect(responder.stage == .resolving && responder.connection == nil)
        return (responder, address.unqualifiedDID)
    }

    @Test(.shows("CHK-132")) func `an invitee's DID that must be resolved is resolved before any response is sent`()
        throws
    {
        var sides = try TwoSides(.didExchange10)
        var (responder, did) = try resolving(&sides)
        let address = try TwoSides.address(sides.inviteeKey, "https://invitee.example/in")
        let document = try DIDDocument(reading: JSONValueReader(object: address.legacyDocument))
        let outputs = responder.handle(.resolved(document, for: did), at: .zero)
        #expect(outputs.first == .persist && sides.sent(outputs).map(\.message.type.name) == ["response"])
        #expect(responder.stage == .responded && responder.connection?.label == "Invitee")
        #expect(responder.handle(.resolved(document, for: did), at: .zero) == [])
    }

    @Test func `a request with an unknown DID, or with another's document, is not answered`() throws {
        var sides = try TwoSides(.didExchange10)
        var (lost, did) = try resolving(&sides)
        let outputs = lost.handle(.unresolved(did, StaticDIDResolver.unresolved(did)), at: .zero)
        #expect(sides.abandoned(outputs) == .requestUnusable && sides.sent(outputs).isEmpty)
        #expect(lost.handle(.unresolved(did, StaticDIDResolver.unresolved(did)), at: .zero) == [])
        var again = try TwoSides(.didExchange10)
        var (wrong, same) = try resolving(&again)
        let strange = try TwoSides.address(sides.stranger, "https://x.example").legacyDocument
        let other = try DIDDocument(reading: JSONValueReader(object: strange))
        #expect(again.abandoned(wrong.handle(.resolved(other, for: same), at: .zero)) == .requestUnusable)
    }

    @Test func `after a restart during a DID resolution the DID is resolved again`() throws {
        var sides = try TwoSides(.didExchange10)
        let (responder, did) = try resolving(&sides)
        var restored = try HandshakeResponder(stored: JSONValueReader(JSONValue(parsing: responder.state.text)))
        #expect(restored.handle(.resume, at: .zero) == [.persist, .resolve(did)])
    }

    @Test(.shows("CHK-126")) func `a DID resolution that brings no answer is given up at its deadline`() throws {
        var sides = try TwoSides(.didExchange10)
        var (responder, _) = try resolving(&sides)
        let deadline = try #require(responder.nextDeadline)
        #expect(deadline == .zero + .seconds(3600))
        #expect(sides.abandoned(responder.handle(.timeReached, at: deadline)) == .timeout)
    }

    @Test func `a handshake response that could not be delivered is sent again soon`() throws {
        var sides = try TwoSides(.connections10)
        let response = try sides.respond(to: sides.carried(sides.request()))
        #expect(sides.responder?.handle(.sendFailed(id: "other"), at: .zero) == [])
        #expect(sides.responder?.nextDeadline == .zero + .seconds(20))
        #expect(sides.responder?.handle(.sendFailed(id: response.message.id), at: .zero) == [])
        #expect(sides.responder?.nextDeadline == .zero + .seconds(5))
        #expect(sides.responder?.handle(.timeReached, at: .zero + .seconds(5)) == [.persist, .send(response)])
        #expect(sides.responder?.handle(.sent(id: response.message.id), at: .zero) == [])
    }

    @Test func `cancelling a handshake response ends the handshake once, and a restart leaves it ended`() throws {
        var sides = try TwoSides(.connections10)
        _ = try sides.respond(to: sides.carried(sides.request()))
        let outputs = sides.responder?.handle(.cancel, at: .zero) ?? []
        #expect(sides.abandoned(outputs) == .cancelled)
        #expect(sides.responder?.handle(.cancel, at: .zero) == [])
        let state = try #require(sides.responder?.state.text)
        var restored = try HandshakeResponder(stored: JSONValueReader(JSONValue(parsing: state)))
        #expect(restored.stage == .abandoned && restored.handle(.resume, at: .zero) == [])
    }

    @Test(.shows("CHK-040")) func `a warning from the invitee does not end the handshake`() throws {
        var sides = try TwoSides(.didExchange11)
        _ = try sides.respond(to: sides.carried(sides.request()))
        let report = ProblemReport(code: "w.slow", explanation: nil, threadID: sides.requester.threadID)
            .message(MessageType(.didExchange11, "problem_report"), id: "p")
        let warning = sides.received(report, from: sides.inviteeKey.verkey, to: sides.invitationKey.verkey)
        #expect(sides.ignored(sides.responder?.handle(.received(warning), at: .zero) ?? []) == .unexpected)
        #expect(sides.responder?.stage == .responded)
    }

    @Test func `a completed handshake survives a restart`() throws {
        var sides = try TwoSides(.didExchange11)
        let connection = try sides.connect().inviter
        let state = try #require(sides.responder?.state.text)
        var restored = try HandshakeResponder(stored: JSONValueReader(JSONValue(parsing: state)))
        #expect(restored.stage == .completed && restored.connection == connection)
        #expect(restored.handle(.resume, at: .zero) == [] && restored.nextDeadline == nil)
    }
}
