import CloudAgent
import Determinism
import JSON
import TestSupport
import Testing
import WebTransport

/// Clients that are sent waiting messages without a request, and acknowledge nothing.
@Suite struct ImplicitPickupTests {
    /// A client's WebSocket to an agent, on which it has asked for everything.
    private func line(of client: RawClient, to agent: RunningAgent) async throws -> HostilePeer {
        let peer = try #require(HostilePeer(port: agent.address.port))
        #expect(await peer.open().hasPrefix("HTTP/1.1 101"))
        let ping = try client.packed("trust_ping/1.0/ping", ["response_requested": false])
        await peer.say(SocketFrames.client(ping))
        return peer
    }

    /// The number with which a text begins.
    private func number(_ envelope: [UInt8]) -> Int? {
        Int(
            String(
                decoding: envelope.dropFirst(#"{"text":""#.utf8.count).prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self
            ))
    }

    @Test func `messages sent while a client closes its WebSocket are delivered once, in order`() async throws {
        try await TemporaryFolder.with { folder in
            let agent = try await RunningAgent(in: folder)
            let service = WebService()
            let client = try await RawClient.connect(agent.invitation, at: agent.address.port, service: service)
            let (routing, key) = (try await client.mediate(), freshKey())
            _ = try await client.change(key)
            let poster = Poster(service: service, port: agent.address.port)
            // More than the system buffers for a client that does not read.
            let count = 44
            for number in 0..<count {
                let text = "\(number) " + String(repeating: "x", count: 350_000)
                #expect(try await poster.forward(text, to: key, through: routing) == 202)
            }
            let first = try await line(of: client, to: agent)
            #expect(try await eventually { try await agent.server.totals().messages < count - 1 })
            // The client closes its WebSocket during the delivery, and reads up to the end.
            await first.say(SocketFrames.close)
            var numbers = SocketFrames.messages(in: await first.hear()).map(number)
            #expect((1..<count).contains(numbers.count))
            let second = try await line(of: client, to: agent)
            let rest = Task { await second.hear() }
            #expect(try await eventually { try await agent.server.totals().messages == 0 })
            await second.say(SocketFrames.close)
            numbers += SocketFrames.messages(in: await rest.value).map(number)
            #expect(numbers == Array(0..<count))
            await service.stop()
            await agent.stop()
        }
    }
}
