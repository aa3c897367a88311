import Aries
import CloudAgent
import DIDComm
import TestSupport
import Testing
import WebTransport

@Suite struct AllowListTests {
    private func list(_ text: String) throws -> AllowList { try AllowList(parsing: Array(text.utf8)) }

    @Test func `an allow list has one name per line, and an asterisk makes its invitation multi-use`() throws {
        let entries = try list("# ours\n\n  anna@example.org \r\nthe office *\n*\nb*\n").entries
        #expect(entries.map(\.name) == ["anna@example.org", "the office", "*", "b*"])
        #expect(entries.map(\.isForMany) == [false, true, false, false])
        #expect(try list("").entries.isEmpty, "nobody is served")
    }

    @Test func `an allow list with an invalid name, a repeated name or too many names is refused`() throws {
        let refused = CloudAgentError(.allowListMalformed, "")
        let long = String(repeating: "x", count: AllowList.maximumNameBytes)
        #expect(try list(long).entries.count == 1)
        for text in ["a\u{7}b", "a\na", "a\na *", long + "x"] {
            #expect(throws: refused, "\(text)") { try list(text) }
        }
        #expect(throws: refused) { try AllowList(parsing: [0x61, 0xFF]) }
        let names = (0..<AllowList.maximumCount).map { "n\($0)\n" }.joined()
        #expect(try list(names).entries.count == AllowList.maximumCount)
        #expect(throws: refused) { try list(names + "one more") }
        let filler = "#" + String(repeating: "x", count: AllowList.maximumBytes - 1)
        #expect(try list(filler).entries.isEmpty)
        #expect(throws: refused) { try list(filler + "x") }
    }

    @Test func `an allow list cut short has fewer names, and one with bytes that are no text is refused`() {
        let read: ([UInt8]) throws -> AllowList? = { try AllowList(parsing: $0) }
        let bytes = Array("anna".utf8)
        #expect(DecoderVerifier.acceptedTruncations(of: bytes, by: read) == [0, 1, 2, 3])
    }

    @Test func `a name on the allow list opens accounts, and once removed opens no more while its accounts stay`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let (both, one) = (try list("anna\nmany *"), try list("many *"))
            let agent = try await RunningAgent(in: folder, change: { $0.allowList = both })
            let service = WebService()
            func connect(_ invitation: Invitation) async throws -> RawClient {
                try await RawClient.connect(invitation, at: agent.address.port, service: service)
            }
            func code(_ invitation: Invitation) async -> String? {
                do {
                    _ = try await connect(invitation)
                    return nil
                } catch {
                    return (error as? RawClient.Refused)?.code
                }
            }
            #expect(await code(agent.invitation) == "request_not_accepted", "not without a name")
            let anna = try #require(agent.server.invitations(for: "anna")).current
            let many = try #require(agent.server.invitations(for: "many")).current
            #expect(anna != many && agent.server.invitations(for: "bob") == nil)
            let client = try await connect(anna)
            #expect(await code(anna) == "request_not_accepted", "it was for one")
            let (first, _) = (try await connect(many), try await connect(many))
            let secret = try RunningAgent.secret()
            let accounts = try await agent.server.accounts(after: 0, limit: 9)
            #expect(accounts.map { secret.name(of: $0) } == ["anna", "many", "many"])
            let (routing, key) = (try await client.mediate(), freshKey())
            #expect(try await client.change(key) == "success")
            try agent.server.allow(one)
            let poster = Poster(service: service, port: agent.address.port)
            #expect(try await poster.forward("x", to: key, through: routing) == 202)
            #expect(try await client.change(freshKey()) == "client_error", "no more keys")
            #expect(try await client.deliver().count == 1, "what it has goes on")
            #expect(try await client.change(key, "remove") == "success")
            _ = try await first.mediate()
            #expect(try await first.change(freshKey()) == "success", "others are not touched")
            try agent.server.allow(both)
            #expect(try await client.change(freshKey()) == "success", "it is back")
            #expect(await code(anna) == "request_not_accepted")
            _ = try await client.ask("did-rotate/1.0/hangup")
            _ = try await connect(anna)
            await service.stop()
            await agent.stop()
        }
    }
}
