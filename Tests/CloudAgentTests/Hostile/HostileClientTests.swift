import Aries
import CryptoSuite
import DIDComm
import Determinism
import Foundation
import JSON
import TestSupport
import Testing
import WebTransport

/// Clients that keep no rule, at a cloud agent in a process of its own: it goes on serving others, in bounded memory.
@Suite(.enabled(if: CloudWorker.program != nil, "skipped: the worker was not built beside the tests"), .serialized)
struct HostileClientTests {
    /// The most memory that an agent may gain through one attack, in bytes.
    private static let allowance = 200 << 20

    /// A process, and an honest client of it.
    private struct Stage {
        let worker: CloudWorker
        let port: UInt16
        let poster: Poster
        let client: RawClient
        let key: Verkey
        let routing: Verkey

        /// Checks that the honest client is still served.
        func expectService(_ text: String) async throws {
            #expect(try await poster.forward(text, to: key, through: routing) == 202)
            let mail = try await client.deliver()
            #expect(mail.map { String(decoding: $0.envelope, as: UTF8.self) } == ["{\"text\":\"\(text)\"}"])
            #expect(try await client.acknowledge(mail.map(\.id)) == 0)
        }
    }

    private func with(_ body: (Stage) async throws -> Void) async throws {
        try await TemporaryFolder.with { folder in
            let worker = try CloudWorker(
                "sqlite:\(folder)/agent.sqlite", port: 0, publicAddress: "http://agent.example", says: "\(folder)/port")
            let port = try await worker.port()
            let service = WebService()
            let invitation = try OwnInvitation.current(at: "http://agent.example")
            let client = try await RawClient.connect(invitation, at: port, service: service)
            let (routing, key) = (try await client.mediate(), freshKey())
            #expect(try await client.change(key) == "success")
            let stage = Stage(
                worker: worker, port: port, poster: Poster(service: service, port: port), client: client, key: key,
                routing: routing)
            try await stage.expectService("before")
            let before = worker.residentBytes
            #expect(before > 0)
            try await body(stage)
            try await stage.expectService("after")
            #expect(worker.residentBytes - before < Self.allowance)
            await service.stop()
            worker.kill()
        }
    }

    @Test func `hundreds of connections that send half a request leave room for other clients`() async throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        // Foundation starts no process safely with more than 1,300 open files: it reads past the list of them.
        let count = min(600, Int(limit.rlim_cur) / 4)
        try await with { stage in
            var peers: [HostilePeer] = []
            for number in 0..<count {
                let peer = try #require(HostilePeer(port: stage.port))
                switch number % 4 {
                case 0: break
                case 1: await peer.say("POST / HTTP/1.1\r\nHost: a\r\nX")
                case 2: await peer.say("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n{")
                default: await peer.say("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n")
                }
                peers.append(peer)
                if number % 250 == 249 { try await stage.expectService("among \(number)") }
            }
            try await stage.expectService("among all")
            #expect(peers.count == count)
        }
    }

    @Test func `malformed HTTP requests are answered or cut off, and other clients are still served`() async throws {
        try await with { stage in
            for (text, start) in [
                ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", "HTTP/1.1 400"),
                ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\n", "HTTP/1.1 413"),
                ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 400"),
                ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFF\r\n", "HTTP/1.1 413"),
                ("POST http://a/ HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}", "HTTP/1.1 400"),
                ("CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 501"),
                ("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n", "HTTP/1.1 200"),
                (
                    "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 99\r\n"
                        + "Sec-WebSocket-Key: x\r\n\r\n", "HTTP/1.1 4"
                ), ("\u{0}\u{1}\u{2}\r\n\r\n", ""),
            ] {
                let peer = try #require(HostilePeer(port: stage.port))
                await peer.say(text)
                peer.finish()
                let heard = String(decoding: await peer.hear(), as: UTF8.self)
                #expect(heard.isEmpty || heard.hasPrefix(start), "\(text) was answered by \(heard)")
            }
            let pipelined = try #require(HostilePeer(port: stage.port))
            let one = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
            await pipelined.say(String(repeating: one, count: 1200))
            let answers = String(decoding: await pipelined.hear(), as: UTF8.self)
            #expect(answers.components(separatedBy: "HTTP/1.1 200").count - 1 <= 1000)
        }
    }

    @Test func `no WebSocket message is compressed, and frames that break a rule close their WebSocket`() async throws {
        try await with { stage in
            let offering = try #require(HostilePeer(port: stage.port))
            let head = await offering.open("Sec-WebSocket-Extensions: permessage-deflate\r\n")
            #expect(head.hasPrefix("HTTP/1.1 101"))
            #expect(!head.lowercased().contains("sec-websocket-extensions"))
            let mask: [UInt8] = [0, 0, 0, 0]
            for (name, frame, status) in [
                ("compressed", [0xC1, 0x81] + mask + [1], 1002),
                ("of a reserved kind", [0x83, 0x81] + mask + [1], 1002),
                ("going on with nothing", [0x80, 0x81] + mask + [1], 1002),
                ("begun within another", [0x01, 0x81] + mask + [65, 0x81, 0x81] + mask + [66], 1002),
                ("no text", [0x81, 0x82] + mask + [0xC3, 0x28], 1007),
                ("too long", [0x82, 0xFF, 0, 0, 0, 0, 0, 0x20, 0, 0] + mask + [1], 1009),
                ("a long ping", [0x89, 0xFE, 1, 0] + mask, 1002),
            ] as [(String, [UInt8], Int?)] {
                let peer = try #require(HostilePeer(port: stage.port))
                #expect(await peer.open().hasPrefix("HTTP/1.1 101"))
                await peer.say(frame)
                let found = await peer.closeStatus()
                #expect(found == status, "a frame that is \(name) is ended with \(found ?? 0)")
            }
        }
    }

    @Test func `floods of WebSocket pings and fragments do not delay other clients or use up memory`() async throws {
        try await with { stage in
            let mask: [UInt8] = [0, 0, 0, 0]
            let pinging = try #require(HostilePeer(port: stage.port))
            #expect(await pinging.open().hasPrefix("HTTP/1.1 101"))
            // The client does not read the pongs.
            let ping = [0x89, 0xFD] + mask + [UInt8](repeating: 1, count: 125)
            let pings = Array((0..<1000).map { _ in ping }.joined())
            for _ in 0..<50 { await pinging.say(pings, isPatient: false) }
            let slicing = try #require(HostilePeer(port: stage.port))
            #expect(await slicing.open().hasPrefix("HTTP/1.1 101"))
            await slicing.say([0x01, 0x81] + mask + [65])
            let slice = [0x00, 0x81] + mask + [65]
            await slicing.say(Array((0..<20_000).map { _ in slice }.joined()))
            let empty = [0x00, 0x80] + mask
            await slicing.say(Array((0..<20_000).map { _ in empty }.joined()))
            try await stage.expectService("among floods")
        }
    }

    @Test func `a client that reads no answers and leaves does not delay other clients`() async throws {
        try await with { stage in
            for _ in 0..<3 {
                let peer = try #require(HostilePeer(port: stage.port))
                let one = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
                await peer.say(Array(String(repeating: one, count: 900).utf8), isPatient: false)
                peer.finish()
                try await stage.expectService("beside")
            }
        }
    }

    @Test func `a live client that does not read is waited for in bounded memory, and loses nothing`() async throws {
        try await with { stage in
            let socket = try await stage.client.liveSocket()
            let large = String(repeating: "x", count: 250_000)
            let count = TestSize.choose(30, full: 60)
            for number in 0..<count {
                #expect(
                    try await stage.poster.forward("\(number) \(large)", to: stage.key, through: stage.routing) == 202)
            }
            var (numbers, seen): ([Int], Set<String>) = ([], [])
            for try await case .text(let bytes) in socket.messages {
                let mail = RawClient.attachments(of: try stage.client.opened(bytes))
                for one in mail where seen.insert(one.id).inserted {
                    let words = try JSONValue(parsing: one.envelope)["text"]?.string?.split(separator: " ").first
                    numbers.append(words.flatMap { Int($0) } ?? -1)
                }
                guard !mail.isEmpty else { continue }
                let ack = try stage.client.packed(
                    "messagepickup/2.0/messages-received", ["message_id_list": .strings(mail.map(\.id))])
                try await socket.send(.text(ack))
                if numbers.count == count { break }
            }
            #expect(numbers == Array(0..<count))
            #expect(
                try await eventually {
                    try await stage.client.ask("messagepickup/2.0/status-request")?.object["message_count"]?.int == 0
                })
            socket.close()
        }
    }

    @Test func `forwards nested for the agent itself are unwrapped up to a limit, and loops are dropped`() async throws
    {
        try await with { stage in
            var (codec, random) = (EnvelopeCodec(), SystemRandom())
            var envelope = Array("{\"text\":\"x\"}".utf8)
            for _ in 0..<8 {
                envelope = try codec.wrap(envelope, for: stage.routing, via: [stage.routing], random: &random)
            }
            #expect(try await stage.poster.post(envelope).status == 202)
            #expect(try await stage.client.deliver().isEmpty)
        }
    }
}
