import Aries
import ByteCoding
import CommandTestSupport
import CryptoSuite
import DIDComm
import Determinism
import Foundation
import JSON
import Terminal
import Testing
import WebAddressing
import WebTransport

/// An inviter of this machine that answers requests of connections 1.0 as a test says.
private final class HostileInviter: Sendable {
    /// A request that the inviter received, and the means to answer it.
    struct Heard {
        let request: Message
        let sender: Verkey
        let inviter: HostileInviter

        /// The answer that an honest inviter gives.
        func response(
            thread: String? = nil, did: DID? = nil, signer: AgentKey? = nil, endpoint: String = "http://x.example"
        ) throws -> Message {
            let address = AgentAddress(
                key: inviter.own.verkey, endpoint: try ServiceEndpoint(parsing: endpoint))
            let party: JSONObject = [
                "DID": .string((did ?? address.unqualifiedDID).text), "DIDDoc": .object(address.legacyDocument),
            ]
            let signature = try SignatureDecorator.sign(
                party.encoded, at: WallTime(millisecondsSinceEpoch: 0), seed: (signer ?? inviter.key).seed)
            return Message(
                MessageType(.connections10, "response"), id: "response",
                thread: MessageThread(id: thread ?? request.threadID),
                body: ["connection~sig": .object(signature)])
        }

        /// Packs a message into an envelope for the sender of the request.
        func pack(_ message: Message, by key: AgentKey? = nil, alsoTo others: [Verkey] = []) throws -> HTTPResponse {
            var codec = EnvelopeCodec()
            var random = SystemRandom()
            let bytes = try codec.pack(
                message.encoded, from: key ?? inviter.key, to: [sender] + others, random: &random)
            return HTTPResponse(200, "application/didcomm-envelope-enc", bytes)
        }
    }

    let key: AgentKey
    let own: AgentKey
    let stranger: AgentKey

    init() {
        var random = SystemRandom()
        (key, own, stranger) = (.make(from: &random), .make(from: &random), .make(from: &random))
    }

    func hear(_ body: [UInt8]) throws -> Heard? {
        var codec = EnvelopeCodec()
        let keys = [key, own]
        guard
            case .authenticated(let opened) = try codec.unpack(
                body, ownKey: { name in keys.first { $0.verkey == name } })
        else { return nil }
        return Heard(request: try Message(parsing: opened.plaintext), sender: opened.sender, inviter: self)
    }

    func link(at endpoint: String) throws -> String {
        let address = AgentAddress(key: key.verkey, endpoint: try ServiceEndpoint(parsing: endpoint))
        let id = UUID().uuidString
        return try InvitationDraft(.connections, label: "Desk").invitation(id: id, address: address).link(
            base: endpoint)
    }
}

/// Attacks of inviters and unknown senders on `invite accept` and `listen`.
@Suite struct HostileInviterTests {
    private typealias Answer = @Sendable (HostileInviter.Heard) throws -> HTTPResponse

    private static func report(_ heard: HostileInviter.Heard, thread: String) -> Message {
        ProblemReport(code: "no\u{1B}[2J", explanation: "Go away\u{202E}.", threadID: thread).message(
            MessageType(.connections10, "problem_report"), id: "report")
    }

    /// The forged answer, its code, and whether it ends the handshake.
    private static let cases: [(name: String, code: String, isLast: Bool, answer: Answer)] = [
        (
            "a stranger's response", "aries.message.wrong-sender", false,
            { try $0.pack($0.response(), by: $0.inviter.stranger) }
        ),
        (
            "a response that another key has signed", "aries.response.signature-invalid", false,
            { try $0.pack($0.response(signer: $0.inviter.stranger)) }
        ),
        (
            "a response of another exchange", "aries.message.wrong-thread", false,
            { try $0.pack($0.response(thread: "other")) }
        ),
        (
            "a response without a signature", "aries.message.not-authentic", false,
            { heard in
                var codec = EnvelopeCodec()
                var random = SystemRandom()
                return HTTPResponse(
                    200, "application/didcomm-envelope-enc",
                    try codec.packAnonymously(heard.response().encoded, to: [heard.sender], random: &random))
            }
        ),
        (
            "a response for two", "aries.message.sender-not-exclusive", false,
            { try $0.pack($0.response(), alsoTo: [$0.inviter.stranger.verkey]) }
        ),
        (
            "a problem of another exchange", "aries.message.wrong-thread", false,
            { try $0.pack(report($0, thread: "other")) }
        ),
        (
            "a message of another kind", "aries.message.wrong-thread", false,
            { try $0.pack(BasicMessage("Hello", sent: nil).message(id: "m")) }
        ),
        (
            "an envelope that is none", "didcomm.envelope.malformed", false,
            { _ in HTTPResponse(200, "application/json", Array(#"{"protected":1}"#.utf8)) }
        ),
        ("an error of the server", "agent.delivery.failed", false, { _ in HTTPResponse(500, text: "Oh.") }),
        (
            "an answer without end", "web.response.too-large", false,
            { _ in HTTPResponse(200, text: "{" + String(repeating: " ", count: 4_000_000)) }
        ),
        (
            "a response about another agent", "aries.response.unusable", true,
            { try $0.pack($0.response(did: .unqualified(of: $0.inviter.stranger.verkey))) }
        ),
        ("a problem", "aries.connection.rejected", true, { try $0.pack(report($0, thread: $0.request.threadID)) }),
    ]

    /// Accepts an invitation whose owner answers with `answer`; ends when `code` was reported.
    private func accept(
        _ vaults: VaultFolder, _ vault: String, until code: String, isLast: Bool, _ answer: @escaping Answer
    ) async throws -> CommandRun {
        let inviter = HostileInviter()
        let server = try await ScriptedServer { request, _ in
            guard let heard = try? inviter.hear(request.body) else { return HTTPResponse(202) }
            return try? answer(heard)
        }
        let link = try inviter.link(at: server.base)
        let setup = CommandRun.Setup()
        let accepting = Task {
            await vaults.run(["invite", "accept"], vault, [link, "--allow-private", "--json"], setup: setup)
        }
        if !isLast {
            let isTold = try await setup.output.waits(for: "\"code\":\"\(code)\"")
            #expect(isTold, "\(setup.output.text)")
            accepting.cancel()
        }
        let run = await accepting.value
        await server.stop()
        return run
    }

    @Test func `a text that a silent server does not take in time is late, and a refused one is not delivered`()
        async throws
    {
        let vaults = try VaultFolder()
        let vault = await vaults.make("vault")
        let inviter = HostileInviter()
        let (isSilent, isRefusing) = (Lock(false), Lock(false))
        let server = try await ScriptedServer { request, base in
            if isRefusing.withLock({ $0 }) { return HTTPResponse(500) }
            if isSilent.withLock({ $0 }) { try? await Task.sleep(for: .seconds(3600)) }
            guard let heard = try? inviter.hear(request.body), heard.request.type.name == "request" else {
                return HTTPResponse(202)
            }
            return try? heard.pack(heard.response(endpoint: base))
        }
        let link = try inviter.link(at: server.base)
        let accepted = await vaults.run(["invite", "accept"], vault, [link, "--allow-private", "--name", "They"])
        #expect(accepted.status == 0, "\(accepted.talk)")
        isSilent.withLock { $0 = true }
        let late = await vaults.run(
            ["messages", "send"], vault, ["They", "Hello", "--allow-private", "--timeout", "200ms"])
        #expect(late.code == "agent.delivery.late" && late.status == 6, "\(late.talk)")
        isRefusing.withLock { $0 = true }
        let refused = await vaults.run(
            ["messages", "send"], vault, ["They", "Hello", "--allow-private", "--timeout", "2s"])
        #expect(refused.code == "agent.delivery.failed" && refused.status == 3, "\(refused.talk)")
        await server.stop()
    }

    @Test func `forged and broken answers are reported with their codes and change nothing`() async throws {
        let vaults = try VaultFolder()
        let vault = await vaults.make("vault")
        let manual = try EventsManual()
        let good = try await accept(vaults, vault, until: "", isLast: true) { try $0.pack($0.response()) }
        let id = try #require(good.events("acceptance").first?["connection"] as? String, "\(good.talk) \(good.output)")
        let before = await vaults.run(["connections", "show"], vault, [id]).output
        for (name, code, isLast, answer) in Self.cases {
            let run = try await accept(vaults, vault, until: code, isLast: isLast, answer)
            for line in run.lines { #expect(manual.complaints(about: line) == []) }
            #expect(run.code == (isLast ? code : "run.interrupted"), "\(name): \(run.talk)")
            #expect(run.talk.contains("next:  "), "\(name)")
            #expect(!run.talk.contains("\u{1B}") && !run.talk.contains("\u{202E}"), "\(name)")
            #expect(await vaults.run(["connections", "show"], vault, [id]).output == before, "\(name)")
            let left = await vaults.run(["connections", "list"], vault, ["--json"]).events("connection")
            for other in left.compactMap({ $0["id"] as? String }) where other != id {
                _ = await vaults.run(["connections", "delete"], vault, [other, "--yes", "--silent"])
            }
        }
        let after = await vaults.run(["connections", "list"], vault, ["--json"]).events("connection")
        #expect(after.count == 1 && after.first?["stage"] as? String == "completed")
    }

    @Test(arguments: ["It works!", "<!doctype html><title>Shop</title>", #"{"error":"no such page"}"#])
    func `a mediator that is no agent is named at once, and nothing of it is kept`(answer: String) async throws {
        let vaults = try VaultFolder()
        let vault = await vaults.make("vault")
        let inviter = HostileInviter()
        let server = try await ScriptedServer { _, _ in HTTPResponse(200, text: answer) }
        let link = try inviter.link(at: server.base)
        let run = await vaults.run(["mediator", "use"], vault, [link, "--allow-private", "--timeout", "1h"])
        #expect(run.code == "agent.delivery.foreign", "\(run.talk)")
        #expect(run.talk.contains("Check the address in the invitation"), "\(run.talk)")
        #expect(await vaults.run(["mediator", "show"], vault, []).code == "agent.mediator.unknown")
        #expect(await vaults.run(["connections", "list"], vault, ["--json"]).events("connection").isEmpty)
        #expect(await vaults.run(["invite", "create"], vault, []).code == "agent.mediator.unknown")
        await server.stop()
    }

    @Test func `a listening vault ignores repeated messages and those of unknown senders, and reports a code`()
        async throws
    {
        let vaults = try VaultFolder()
        let vault = await vaults.make("vault")
        _ = try await vaults.whileListening { other, endpoint, output in
            let invited = await vaults.run(["invite", "create"], other, ["--endpoint", endpoint])
            guard case .invitation(let invitation) = try InvitationText(parsing: invited.lines.first ?? "") else {
                return
            }
            let key = try #require(invitation.firstKey)
            let service = WebService()
            func post(_ body: [UInt8]) async throws -> Int {
                let port = try #require(URL(string: endpoint)?.port)
                let target = WebConnectionTarget(try #require(IPAddress(parsing: "127.0.0.1")), port: UInt16(port))
                let request = HTTPRequest(.post, try RequestTarget(parsing: "/"), headers: [:], body: body)
                return try await HTTPClient(service).send(request, to: target).status
            }
            var codec = EnvelopeCodec()
            var random = SystemRandom()
            let stranger = AgentKey.make(from: &random)
            let text = BasicMessage("Hello", sent: nil).message(id: "m").encoded
            #expect(try await post(Array("hello".utf8)) == 202)
            #expect(try await output.waits(for: "didcomm.envelope.malformed"))
            #expect(try await post(codec.pack(text, from: stranger, to: [stranger.verkey], random: &random)) == 202)
            #expect(try await output.waits(for: "didcomm.envelope.not-for-us"))
            #expect(try await post(codec.pack(text, from: stranger, to: [key], random: &random)) == 202)
            #expect(try await output.waits(for: "aries.message.unexpected"))
            await service.stop()
            let accepted = await vaults.run(
                ["invite", "accept"], vault, [invited.lines.first ?? "", "--allow-private"])
            #expect(accepted.status == 0, "strangers keep nobody from connecting: \(accepted.talk)")
        }
    }
}
