import TestSupport
import Testing
import WebTransport

/// Tests of messages whose sender learns that they went out.
@Suite struct HandOverTests {
    /// A server that sends numbered messages until it fails, and then returns their number.
    private func server(count: Int, sizeBytes: Int) async throws -> (Loopback, AsyncStream<Int>) {
        let (counts, told) = AsyncStream.makeStream(of: Int.self)
        var router = HTTPRouter()
        router.webSocket("/", limits: .patient) { socket in
            var handed = 0
            do {
                for number in 0..<count {
                    var bytes = [UInt8](repeating: 0, count: sizeBytes)
                    bytes[0] = UInt8(number >> 8)
                    bytes[1] = UInt8(number & 255)
                    try await socket.handOver(.binary(bytes))
                    handed += 1
                }
            } catch {}
            told.yield(handed)
        }
        return (try await Loopback(router: router), counts)
    }

    private func peer(_ loopback: Loopback) async throws -> RawPeer {
        let peer = try #require(await RawPeer.connect(port: loopback.address.port, receiveBuffer: 65_536))
        await peer.say(WebSocketTests.handshake())
        return peer
    }

    /// The numbers of the messages after the header of the answer.
    private func numbers(_ heard: [UInt8]) -> [Int] {
        let end = heard.indices.first { heard[$0...].prefix(4).elementsEqual([13, 10, 13, 10]) } ?? heard.count
        return SocketFrames.messages(in: Array(heard.dropFirst(end + 4))).map { Int($0[0]) << 8 | Int($0[1]) }
    }

    @Test func `a peer that closes its WebSocket has read every message that was reported as sent`() async throws {
        // 20 MB do not fit into the system's buffers, so the close comes before the last of them.
        let (loopback, counts) = try await server(count: 400, sizeBytes: 50_000)
        let peer = try await peer(loopback)
        let head = await peer.hear { $0.count >= 1000 }
        await peer.say(SocketFrames.close)
        let read = numbers(head + (await peer.hear()))
        var told = counts.makeAsyncIterator()
        let handed = await told.next()
        #expect(read.count == handed && read == Array(0..<read.count) && read.count < 400)
        await peer.end()
        await loopback.stop()
    }

    @Test func `WebSocket messages of every allowed length are sent`() async throws {
        for size in [2, 125, 126, 65_535, 65_536, 65_537, 131_072, 131_073] {
            let (loopback, counts) = try await server(count: 40, sizeBytes: size)
            let peer = try await peer(loopback)
            #expect(numbers(await peer.hear()) == Array(0..<40))
            var told = counts.makeAsyncIterator()
            #expect(await told.next() == 40)
            await peer.end()
            await loopback.stop()
        }
    }

    @Test func `a message longer than 64 KiB is sent in frames of 64 KiB, with control frames among them`() async throws
    {
        let (loopback, _) = try await server(count: 20, sizeBytes: 1_000_000)
        let peer = try await peer(loopback)
        let head = await peer.hear { $0.count >= 1000 }
        await peer.say(SocketFrames.client([1, 2, 3], 9))
        let heard = head + (await peer.hear())
        let end = try #require(heard.indices.first { heard[$0...].prefix(4).elementsEqual([13, 10, 13, 10]) })
        let frames = SocketFrames.headers(in: Array(heard[(end + 4)...]))
        #expect(numbers(heard) == Array(0..<20))
        #expect(frames.filter { $0.first & 15 < 8 }.allSatisfy { $0.count <= 65_536 })
        #expect(frames.prefix(2).map(\.first) == [0x02, 0x00] && frames[0].count == 65_536)
        let pong = try #require(frames.firstIndex { $0.first == 0x8A })
        #expect(frames[pong].count == 3)
        #expect(pong < frames.count - 100, "the pong does not wait for all that is unsent")
        await loopback.stop()
    }

    @Test func `a peer that resets its connection while messages are sent ends only its own WebSocket`()
        async throws
    {
        let (loopback, counts) = try await server(count: 200, sizeBytes: 100_000)
        for _ in 0..<40 {
            // Closed with unread bytes, a socket is reset.
            var peer: RawPeer? = try await peer(loopback)
            _ = await peer?.hear { $0.count >= 1000 }
            peer = nil
        }
        var told = counts.makeAsyncIterator()
        for _ in 0..<40 { #expect(await told.next() != nil) }
        #expect(try await loopback.get("/none").status == 404)
        await loopback.stop()
    }

    @Test func `waiting for the system to accept a WebSocket message fails when the connection is lost`() async throws {
        let (loopback, counts) = try await server(count: 400, sizeBytes: 50_000)
        let peer = try await peer(loopback)
        _ = await peer.hear { $0.count >= 1000 }
        await peer.end()
        var told = counts.makeAsyncIterator()
        #expect((await told.next()).map { $0 < 400 } == true)
        await loopback.stop()
    }
}
