import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing

@testable import AriesConnections

/// Answers of servers that are no agent's.
@Suite struct NonEnvelopeResponseTests {
    /// A server that answers the same to everything.
    private final class Server: NetPeer {
        let answer: [UInt8]

        init(_ answer: String) { self.answer = Array(answer.utf8) }

        func take(_ envelope: [UInt8], on socket: MemorySocket?) -> [UInt8]? { answer }
        func ended(_ socket: MemorySocket) {}
    }

    @Test(arguments: [
        ("", "nothing"), (" \n", "nothing"), ("OK", "a text"), ("  <!doctype html>", "a page"),
        (#"{"error":"protected"}"#, nil), (#"{"error":"no such thing"}"#, "JSON that is no message"),
        (#"{"protected":"e30","iv":"","ciphertext":"","tag":""}"#, nil), ("[1]", "a text"),
        ("{", "JSON that is no message"),
    ])
    func `an HTTP answer without the members of a DIDComm envelope is foreign`(answer: String, kind: String?) {
        #expect(NonEnvelopeResponse(Array(answer.utf8))?.kind == kind)
    }

    @Test(arguments: ["OK", "<html></html>", #"{"error":"nothing here"}"#, ""])
    func `a server that is no Aries agent ends the wait for a connection that no late answer can reach`(
        answer: String
    ) async throws {
        let (net, clock) = (MemoryNet(), HandClock())
        let us = try Party("us", net: net, clock: clock, hasAddress: false)
        try await us.agent.start()
        let endpoint = try ServiceEndpoint(parsing: "http://shop.example")
        net.put(Server(answer), at: endpoint)
        var random = SeededRandom(seed: 3)
        let key = AgentKey.make(from: &random)
        let invitation = try InvitationDraft(.outOfBand, label: "Shop").invitation(
            id: "shop-1", address: AgentAddress(key: key.verkey, endpoint: endpoint))
        let connection = try await us.agent.accept(invitation)
        let isNoted = try await settled([us], within: .seconds(1), step: .milliseconds(100)) {
            try await connection.foreignAnswer(countsEmpty: true) != nil
        }
        #expect(isNoted == !answer.isEmpty, "an empty answer counts after ten seconds")
        let isNotedLate = try await settled([us], within: .seconds(20), step: .seconds(1)) {
            try await connection.foreignAnswer(countsEmpty: true)?.code == .deliveryForeign
        }
        #expect(isNotedLate)
        let counts = try await connection.foreignAnswer(countsEmpty: false) != nil
        #expect(counts == !answer.isEmpty)
        await us.agent.stop()
    }
}
