import ByteCoding
import CommandTestSupport
import DIDComm
import Foundation
import TestSupport
import Testing
import WebTransport

/// Invitations whose inviter is a DID, with a resolver of this machine and with documents given by hand.
@Suite struct InviterDocumentTests {
    private let vaults: VaultFolder
    private let vault: String
    private static let sov = "did:sov:LjgpST2rjsoxYegQDRm7EL"

    init() async throws {
        vaults = try VaultFolder()
        vault = await vaults.make("vault")
    }

    /// The link in the form of the published one: a DID in `service`, and what the inviter offers.
    private static func link(_ did: String, id: String = "69212a3a") -> String {
        let text =
            #"{"@type":"https://didcomm.org/out-of-band/1.0/invitation","@id":"\#(id)","label":"Faber College","#
            + #""goal_code":"issue-vc","handshake_protocols":["https://didcomm.org/didexchange/1.0","#
            + #""https://didcomm.org/connections/1.0"],"service":["\#(did)"]}"#
        return "http://agency.example/msg?oob=" + Base64URL.encode(Array(text.utf8))
    }

    private static func document(_ did: String, key: String, endpoint: String) -> String {
        #"{"@context":["https://www.w3.org/ns/did/v1"],"id":"\#(did)","verificationMethod":[{"id":"\#(did)#key-1","#
            + #""type":"Ed25519VerificationKey2018","controller":"\#(did)","publicKeyBase58":"\#(key)"}],"#
            + #""authentication":["\#(did)#key-1"],"service":[{"id":"\#(did)#did-communication","#
            + #""type":"did-communication","priority":0,"recipientKeys":["\#(did)#key-1"],"routingKeys":[],"#
            + #""serviceEndpoint":"\#(endpoint)"}]}"#
    }

    /// A link that seed 002 prints, by the name of its parameter.
    private static func printed(_ parameter: String) throws -> String {
        let file = try JSONSerialization.jsonObject(with: Data(OutsideVectors.contents(of: "aries-vectors.json")))
        let links = (file as? [String: Any])?["invitation_urls"] as? [[String: Any]] ?? []
        let urls = links.compactMap { $0["url"] as? String }
        return try #require(urls.first { $0.hasPrefix("http://vas.evernym.com:80/agency/msg?\(parameter)=") })
    }

    /// Returns the error codes of `invite inspect` and `invite accept` for a link; nil for none.
    private func both(_ link: String, _ options: [String]) async -> (inspect: String?, accept: String?) {
        let inspected = await CommandRun.run(["invite", "inspect", link, "--json"] + options)
        let accepted = await vaults.run(
            ["invite", "accept"], vault, [link, "--timeout", "100ms", "--json"] + options)
        return (inspected.code, accepted.code)
    }

    private func withServer(
        _ answer: @escaping @Sendable (HTTPRequest, String) async -> HTTPResponse?,
        _ body: (ScriptedServer) async throws -> Void
    ) async throws {
        let server = try await ScriptedServer(answer)
        do { try await body(server) } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    @Test(.shows("ARI-030", "ARI-036"), arguments: [false, true])
    func `the published form of link is accepted with a resolver that serves the inviter's document, in both forms`(
        isResult: Bool
    ) async throws {
        _ = try await vaults.whileListening { other, endpoint, _ in
            let invited = await vaults.run(["invite", "create"], other, ["--endpoint", endpoint, "--json"])
            let made = try #require(invited.events("invitation").first ?? invited.events("invitation-made").first)
            let text = try #require(made["link"] as? String)
            let inspected = await CommandRun.run(["invite", "inspect", text, "--json"])
            let event = try #require(inspected.events("connection-invitation").first)
            let key = try #require((event["recipientKeys"] as? [String])?.first)
            let link = Self.link(Self.sov, id: try #require(event["id"] as? String))
            let document = Self.document(Self.sov, key: key, endpoint: endpoint)
            let answer = isResult ? "{\"didDocument\":\(document),\"didResolutionMetadata\":{}}" : document
            try await withServer { request, _ in
                request.target.path == "/1.0/identifiers/" + Self.sov
                    ? HTTPResponse(200, "application/did+ld+json", Array(answer.utf8)) : nil
            } _: { server in
                let seen = await CommandRun.run(["invite", "inspect", link, "--resolver", server.base, "--json"])
                #expect(seen.status == 0, "\(seen.talk)")
                let outcome = seen.events("connection-invitation").first
                #expect(outcome?["outcome"] as? String == "connects")
                #expect(outcome?["endpoints"] as? [String] == [endpoint])
                let risks = ["address-without-tls", "address-is-private", "needs-resolver"]
                #expect(outcome?["risks"] as? [String] == risks)
                let accepted = await vaults.run(
                    ["invite", "accept"], vault, [link, "--resolver", server.base, "--allow-private", "--json"])
                #expect(accepted.status == 0, "\(accepted.talk)")
                #expect(accepted.events("acceptance").first?["outcome"] as? String == "begun")
            }
        }
    }

    @Test(.enabled(if: OutsideVectors.arePresent, Comment(rawValue: OutsideVectors.skipped)))
    func `the out-of-band link that seed 002 prints needs its document, and with it leads to a request to its address`()
        async throws
    {
        let link = try Self.printed("oob")
        #expect(await both(link, []) == ("didcomm.did.unresolved", "didcomm.did.unresolved"))
        let (requests, requested) = AsyncStream.makeStream(of: Void.self)
        try await withServer { request, base in
            guard request.method == .get else {
                requested.finish()
                return HTTPResponse(202, text: "")
            }
            let document = Self.document(Self.sov, key: SampleConnectionInvitation.key, endpoint: base)
            return HTTPResponse(200, "application/did+ld+json", Array(document.utf8))
        } _: { server in
            let seen = await CommandRun.run(["invite", "inspect", link, "--resolver", server.base, "--json"])
            let event = seen.events("connection-invitation").first
            #expect(event?["outcome"] as? String == "connects", "\(seen.talk)")
            #expect(event?["endpoints"] as? [String] == [server.base])
            let accepting = Task {
                let run = await vaults.run(
                    ["invite", "accept"], vault, [link, "--resolver", server.base, "--allow-private", "--json"])
                requested.finish()
                return run
            }
            for await _ in requests {}
            accepting.cancel()
            let accepted = await accepting.value
            #expect(accepted.events("connection-stage").first?["stage"] as? String == "requested", "\(accepted.talk)")
            #expect(server.requests.contains { $0.method == .post }, "\(accepted.talk)")
        }
    }

    @Test func `a document given by hand takes the place of a resolver`() async throws {
        _ = try await vaults.whileListening { other, endpoint, _ in
            let invited = await vaults.run(["invite", "create"], other, ["--endpoint", endpoint])
            let text = try #require(invited.lines.first)
            let inspected = await CommandRun.run(["invite", "inspect", text, "--json"])
            let event = try #require(inspected.events("connection-invitation").first)
            let key = try #require((event["recipientKeys"] as? [String])?.first)
            let file = "\(vaults.folder.path)/document.json"
            try Self.document(Self.sov, key: key, endpoint: endpoint)
                .write(toFile: file, atomically: true, encoding: .utf8)
            let link = Self.link(Self.sov, id: try #require(event["id"] as? String))
            let seen = await CommandRun.run(["invite", "inspect", link, "--did-document", file, "--json"])
            #expect(seen.events("connection-invitation").first?["outcome"] as? String == "connects", "\(seen.talk)")
            let accepted = await vaults.run(
                ["invite", "accept"], vault, [link, "--did-document", file, "--allow-private", "--json"])
            #expect(accepted.events("acceptance").first?["outcome"] as? String == "begun", "\(accepted.talk)")
        }
    }

    @Test func `inspect and accept refuse with the same code what a resolver does not resolve as it should`()
        async throws
    {
        let other = Self.document("did:sov:WgWxqztrNooG92RXvxSTWv", key: SampleConnectionInvitation.key, endpoint: "")
        try await withServer { request, base in
            switch request.target.path.split(separator: "/").first {
            case "lies": HTTPResponse(200, "application/json", Array(other.utf8))
            case "huge": HTTPResponse(200, text: String(repeating: " ", count: DIDLookup.maximumAnswerBytes + 1))
            case "leads": HTTPResponse(302, headers: ["Location": "http://10.0.0.1/"])
            case "page": HTTPResponse(200, "text/html", Array("<html>".utf8))
            case "gone": HTTPResponse(410, text: "Gone.")
            default: nil
            }
        } _: { server in
            for (path, code) in [
                ("/lies", "didcomm.document.wrong-id"), ("/huge", "web.fetch.body-too-large"),
                ("/leads", "web.fetch.redirect-limit"), ("/page", "didcomm.document.malformed"),
                ("/gone", "didcomm.did.deactivated"), ("/none", "didcomm.did.not-found"),
            ] {
                let codes = await both(Self.link(Self.sov), ["--resolver", server.base + path])
                #expect(codes == (code, code), "\(path)")
            }
        }
    }

    @Test func `inspect and accept agree about inviters without a way to their document`() async throws {
        #expect(await both(Self.link(Self.sov), []) == ("didcomm.did.unresolved", "didcomm.did.unresolved"))
        #expect(
            await both(Self.link("did:indy:sovrin:a"), [])
                == ("didcomm.did.method-unsupported", "didcomm.did.method-unsupported"))
        let refused = "web.fetch.address-refused"
        let inspected = await both(Self.link("did:web:127.0.0.1"), ["--fetch"]).inspect
        let accepted = await both(Self.link("did:web:127.0.0.1"), []).accept
        #expect(inspected == refused && accepted == refused)
        let far = ["--resolver", "http://resolver.example"]
        #expect(await both(Self.link(Self.sov), far) == ("web.fetch.insecure", "web.fetch.insecure"))
    }

    @Test func `without --fetch the inspection of a did:web says that accepting depends on its document`()
        async throws
    {
        let run = await CommandRun.run(["invite", "inspect", Self.link("did:web:example.com"), "--json"])
        #expect(run.status == 0, "\(run.talk)")
        #expect(run.events("connection-invitation").first?["outcome"] as? String == "needs-document")
    }
}
