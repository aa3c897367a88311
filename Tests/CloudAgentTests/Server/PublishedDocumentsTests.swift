import AriesConnections
import CryptoSuite
import DIDComm
import Determinism
import Foundation
import JSON
import TestSupport
import Testing
import WebAddressing
import WebTransport

@testable import CloudAgent

/// Documents of did:web that a cloud agent publishes from a folder.
@Suite struct PublishedDocumentsTests {
    private let folder: Folder

    init() { folder = Folder() }

    private static func document(_ did: String) throws -> [UInt8] {
        var random = SeededRandom(seed: 1)
        let address = AgentAddress(
            key: AgentKey.make(from: &random).verkey, endpoint: try ServiceEndpoint(parsing: "https://a.example"))
        return address.document(of: try DID(parsing: did)).encoded
    }

    private func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(filePath: "\(folder.path)/\(name)"))
    }

    private func answer(
        _ path: String, public address: String? = "https://agent.example", _ headers: HTTPHeaders = [:]
    ) async throws -> HTTPResponse {
        var configuration = CloudAgentConfiguration()
        configuration.documentFolder = folder.path
        configuration.publicAddress = address
        var request = HTTPRequest(.get, try RequestTarget(parsing: path))
        request.headers = headers
        return await CloudAgentRoutes.router(configuration) { nil }.respond(to: request)
    }

    @Test func `a DID document is served at the path of its did:web, to anyone, with a time and a tag for caches`()
        async throws
    {
        let (root, alice) = (
            try Self.document("did:web:agent.example"), try Self.document("did:web:agent.example:alice")
        )
        try write("well-known.json", root)
        try write("alice.json", alice)
        for (path, bytes) in [("/.well-known/did.json", root), ("/alice/did.json", alice)] {
            let answer = try await answer(path)
            #expect(answer.status == 200 && answer.body == bytes)
            #expect(answer.headers["Content-Type"] == "application/did+json")
            #expect(answer.headers["Cache-Control"] == "public, max-age=300")
            #expect(answer.headers["Access-Control-Allow-Origin"] == "*")
            let tag = try #require(answer.headers["ETag"])
            let known = try await self.answer(path, ["If-None-Match": tag])
            #expect(known.status == 304 && known.body == [])
            #expect(try await self.answer(path, ["If-None-Match": "\"other\""]).status == 200)
        }
    }

    @Test func `only published DID documents of the agent's own host are served`() async throws {
        try write("alice.json", Self.document("did:web:agent.example:bob"))
        try write("carol.json", Self.document("did:web:other.example:carol"))
        try write("dave.json", Array("{}".utf8))
        try write("secret", Array("secret".utf8))
        try write("well-known.json", Self.document("did:web:agent.example:well-known"))
        try write("huge.json", [UInt8](repeating: 0x20, count: DIDDocument.limits.maximumBytes + 1))
        let outside = Folder()
        try Data(Self.document("did:web:agent.example:link"))
            .write(to: URL(filePath: "\(outside.path)/link.json"))
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/link.json", withDestinationPath: "\(outside.path)/link.json")
        try FileManager.default.createDirectory(atPath: "\(folder.path)/folder.json", withIntermediateDirectories: true)
        let long = String(repeating: "a", count: 65)
        for path in [
            "/alice/did.json", "/carol/did.json", "/dave/did.json", "/secret/did.json", "/huge/did.json",
            "/link/did.json", "/folder/did.json", "/none/did.json", "/.well-known/did.json", "/well-known/did.json",
            "/.hidden/did.json", "/\(long)/did.json", "/a%00b/did.json", "/%C3%A4/did.json",
        ] {
            guard let answer = try? await answer(path) else { continue }
            #expect(answer.status == 404, "\(path)")
            #expect(answer.headers["Cache-Control"] == "no-store" && answer.headers["ETag"] == nil, "\(path)")
        }
    }

    @Test func `without a folder no DID document is served, and without a public address its path decides`()
        async throws
    {
        try write("carol.json", Self.document("did:web:other.example:carol"))
        #expect(try await answer("/carol/did.json", public: nil).status == 200)
        let router = CloudAgentRoutes.router(CloudAgentConfiguration()) { nil }
        let answer = await router.respond(to: HTTPRequest(.get, try RequestTarget(parsing: "/carol/did.json")))
        #expect(answer.headers["Content-Type"] != "application/did+json")
    }

    @Test func `an agent with TLS serves its owner's DID document to a fetch that trusts its root certificate`()
        async throws
    {
        let authority = try Authority()
        let files = try authority.issue("localhost")
        let stores = Folder()
        let running = try await RunningAgent(
            in: stores.path,
            change: { configuration in
                configuration.documentFolder = folder.path
                configuration.server.certificate = .init(chainPath: files.chain, keyPath: files.key)
            })
        let did = try DID(parsing: "did:web:localhost%3A\(running.address.port):alice")
        try write("alice.json", Self.document(did.text))
        let service = WebService()
        for (roots, policy, isFound) in [
            (TLSRoots.file(authority.rootPath), IPAddressPolicy.allowPrivate, true), (.system, .allowPrivate, false),
            (.file(authority.rootPath), .publicOnly, false),
        ] {
            var settings = WebDIDResolver.Settings()
            settings.rules.roots = roots
            settings.rules.policy = policy
            let fetch = GuardedFetch(exchanger: HTTPClient(service), clock: SystemMonotonicClock())
            let found = try? await WebDIDResolver(fetch, settings).document(of: did)
            #expect((found?.did == did) == isFound, "\(roots), \(policy)")
        }
        await service.stop()
        await running.stop()
    }
}
