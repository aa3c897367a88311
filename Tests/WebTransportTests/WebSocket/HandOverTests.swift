import TestSupport
import Testing
import WebTransport

/// What is sent so that its sender knows whether it went out.
@Suite struct HandOverTests {
    /// A server that sends numbered messages until it fails, and then returns their number.
    private func server(count: Int, sizeBytes: Int) async throws -> (Loopback, AsyncStream<Int>) {
        let (counts, told) = AsyncStream.makeStream(of: Int.self)
        var router = Router()
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
        await loopback.stop()
    }

    @Test func `WebSocket messages of every allowed length are sent`() async throws {
        for size in [2, 125, 126, 32_768, 32_769, 65_536] {
            let (loopback, counts) = try await server(count: 40, sizeBytes: size)
            let peer = try await peer(loopback)
            #expect(numbers(await peer.hear()) == Array(0..<40))
            var told = counts.makeAsyncIterator()
            #expect(await told.next() == 40)
            await loopback.stop()
        }
    }

    @Test func `waiting for the system to accept a message fails when the connection is lost`() async throws {
        let (loopback, counts) = try await server(count: 400, sizeBytes: 50_000)
        let peer = try await peer(loopback)
        _ = await peer.hear { $0.count >= 1000 }
        await peer.end()
        var told = counts.makeAsyncIterator()
        #expect((await told.next()).map { $0 < 400 } == true)
        await loopback.stop()
    }
}
