import DIDComm
import Determinism
import TestSupport
import Testing
import WebAddressing
import WebTransport

@testable import AriesConnections

/// Documents of DIDs from scripted hosts and resolvers, honest and hostile.
@Suite struct WebDIDResolverTests {
    private let clock = HandClock()

    /// Gives one answer to every request, and remembers what was asked.
    private final class Host: FetchExchanger {
        let answer: @Sendable (FetchTarget, FetchRules) throws(FetchError) -> FetchResponse
        let asked = Lock([String]())

        init(_ answer: @escaping @Sendable (FetchTarget, FetchRules) throws(FetchError) -> FetchResponse) {
            self.answer = answer
        }

        func exchange(
            _ target: FetchTarget, rules: FetchRules, within deadline: Duration
        ) async throws(FetchError) -> FetchResponse {
            asked.withLock { $0.append("\(target.address)") }
            return try answer(target, rules)
        }
    }

    private struct Names: HostNameResolver {
        func addresses(of name: String, within deadline: Duration) async throws(FetchError) -> [IPAddress] {
            [.v4(name.hasPrefix("private") ? IPv4Address(10, 0, 0, 1) : IPv4Address(93, 184, 216, 34))]
        }
    }

    private static func text(_ did: String) -> String {
        #"{"id":"\#(did)","service":[{"id":"\#(did)#s","type":"did-communication","#
            + #""recipientKeys":["did:key:z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH"],"#
            + #""serviceEndpoint":"https://example.org"}]}"#
    }

    private func resolver(_ host: Host, resolver: String? = nil) throws -> WebDIDResolver {
        var settings = WebDIDResolver.Settings()
        settings.resolver = try resolver.map { try WebAddress(parsing: $0) }
        return WebDIDResolver(
            GuardedFetch(exchanger: host, resolver: Names(), clock: clock), settings, clock: clock)
    }

    private func code(_ did: String, _ host: Host, resolver: String? = nil) async throws -> String {
        do {
            _ = try await self.resolver(host, resolver: resolver).document(of: DID(parsing: did))
            return "found"
        } catch let error as DIDCommError {
            return error.code.rawValue
        } catch let error as FetchError {
            return error.code.rawValue
        }
    }

    private let web = "did:web:example.com:desk"
    private let sov = "did:sov:LjgpST2rjsoxYegQDRm7EL"

    @Test func `a did:web is fetched from its host, once within the lifetime of its document`() async throws {
        let host = Host { [web] (_, _) throws(FetchError) in FetchResponse(200, body: Array(Self.text(web).utf8)) }
        let resolver = try resolver(host)
        for _ in 0..<3 { #expect(try await resolver.document(of: DID(parsing: web)).did.text == web) }
        #expect(host.asked.withLock { $0 } == ["https://example.com/desk/did.json"])
        clock.advance(by: DIDLookup.usualLifetime)
        _ = try await resolver.document(of: DID(parsing: web))
        #expect(host.asked.withLock { $0.count } == 2)
    }

    @Test func `a DID of another method is requested from the resolver, which may be on this machine`() async throws {
        let host = Host { [sov] (_, _) throws(FetchError) in
            FetchResponse(200, body: Array("{\"didDocument\":\(Self.text(sov))}".utf8))
        }
        let resolver = try resolver(host, resolver: "http://127.0.0.1:8080")
        #expect(try await resolver.document(of: DID(parsing: sov)).did.text == sov)
        #expect(host.asked.withLock { $0 } == ["http://127.0.0.1:8080/1.0/identifiers/\(sov)"])
    }

    @Test func `DID documents that are false, huge or redirected elsewhere are refused with the code of the cause`()
        async throws
    {
        let other = Host { (_, _) throws(FetchError) in
            FetchResponse(200, body: Array(Self.text("did:web:other.example").utf8))
        }
        let huge = Host { (_, rules) throws(FetchError) in
            FetchResponse(200, body: [UInt8](repeating: 0x20, count: rules.maximumBodyBytes + 1))
        }
        let slow = Host { [clock] (_, rules) throws(FetchError) in
            clock.advance(by: rules.deadline)
            return FetchResponse(200)
        }
        func leads(_ target: String) -> Host {
            Host { (_, _) throws(FetchError) in FetchResponse(302, location: target) }
        }
        func says(_ status: Int) -> Host { Host { (_, _) throws(FetchError) in FetchResponse(status) } }
        let expected: [(Host, web: String, resolver: String)] = [
            (other, "didcomm.document.wrong-id", "didcomm.document.wrong-id"),
            (huge, "web.fetch.body-too-large", "web.fetch.body-too-large"),
            (slow, "web.fetch.deadline", "web.fetch.deadline"),
            (leads("https://127.0.0.1/did.json"), "web.fetch.address-refused", "web.fetch.redirect-limit"),
            (leads("https://private.example/did.json"), "web.fetch.address-refused", "web.fetch.redirect-limit"),
            (leads("https://169.254.169.254/"), "web.fetch.address-refused", "web.fetch.redirect-limit"),
            (leads("http://example.com/did.json"), "web.fetch.redirect-downgrade", "web.fetch.redirect-downgrade"),
            (says(404), "didcomm.did.not-found", "didcomm.did.not-found"),
            (says(410), "didcomm.did.deactivated", "didcomm.did.deactivated"),
            (says(501), "didcomm.did.method-unsupported", "didcomm.did.method-unsupported"),
            (says(500), "web.fetch.status", "web.fetch.status"),
        ]
        for (host, ofWeb, ofResolver) in expected {
            #expect(try await code(web, host) == ofWeb)
            #expect(try await code(sov, host, resolver: "https://resolver.example") == ofResolver)
        }
        #expect(try await code("did:web:private.example", other) == "web.fetch.address-refused")
        #expect(try await code("did:web:127.0.0.1", other) == "web.fetch.address-refused")
    }

    @Test func `a DID resolver's answer with the document of another DID is refused`()
        async throws
    {
        struct Liar: DIDResolver {
            func document(of did: DID) async throws -> DIDDocument {
                try DIDDocument(parsing: Array(WebDIDResolverTests.text("did:web:other.example").utf8))
            }
        }
        var configuration = AgentConfiguration(label: "")
        configuration.didResolver = Liar()
        let (asked, lying) = (try DID(parsing: web), InviterLookup(configuration))
        await #expect(throws: DIDCommError(.documentWrongID, "")) { _ = try await lying.document(of: asked) }
    }

    @Test
    func `an application's DID resolver that does not answer is given up after the wait, and its late answer dropped`()
        async throws
    {
        /// Answers after the wait, whether its task is cancelled or not.
        struct Slow: DIDResolver {
            let clock: HandClock
            let asked: AsyncStream<Void>.Continuation

            func document(of did: DID) async throws -> DIDDocument {
                let end = clock.now() + .seconds(31)
                asked.finish()
                let answer = Task { try await clock.wait(until: end) }
                try await answer.value
                return try DIDDocument(parsing: Array(WebDIDResolverTests.text(did.text).utf8))
            }
        }
        let (asked, begin) = AsyncStream.makeStream(of: Void.self)
        var configuration = AgentConfiguration(label: "")
        configuration.didResolver = Slow(clock: clock, asked: begin)
        let (did, lookup) = (try DID(parsing: web), InviterLookup(configuration, clock: clock))
        async let answer = lookup.answer(for: did)
        for await _ in asked {}
        clock.advance(by: .seconds(30))
        guard case .failure(let error) = await answer else {
            Issue.record("the late answer was taken")
            return
        }
        #expect(error.code == .didUnresolved)
        #expect(error.reason.contains("30 s"))
        clock.advance(by: .seconds(1))
    }
}
