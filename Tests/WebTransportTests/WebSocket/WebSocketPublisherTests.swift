import Testing
import WebTransport

@Suite struct WebSocketPublisherTests {
    private func feed(_ publisher: WebSocketPublisher) async throws -> Loopback {
        var limits = WebSocketLimits.patient
        limits.maximumUnsentBytes = 200_000
        var router = Router()
        router.webSocket("/feed", limits: limits) { socket in
            await publisher.serve(socket) { .text("hello") }
        }
        return try await Loopback(router: router)
    }

    @Test func `everybody hears the greeting and then all that is published, in order`() async throws {
        let publisher = WebSocketPublisher()
        let loopback = try await feed(publisher)
        let client = WebSocketClient(loopback.service)
        let request = HTTPRequest(.get, try RequestTarget(parsing: "/feed"))
        var sockets: [WebSocketConnection] = []
        for _ in 0..<10 { sockets.append(try await client.connect(to: loopback.target, request)) }
        #expect(await eventually { publisher.count == 10 })
        for number in 0..<20 { #expect(publisher.publish(.text("\(number)")) == 0) }
        for socket in sockets {
            var messages = socket.messages.makeAsyncIterator()
            #expect(try await messages.next() == .text("hello"))
            for number in 0..<20 { #expect(try await messages.next() == .text("\(number)")) }
        }
        sockets.removeLast(9)
        #expect(await eventually { publisher.count == 1 })
        await loopback.stop()
        #expect(await eventually { publisher.count == 0 })
    }

    @Test func `a reader that is too slow is closed, and the others hear everything`() async throws {
        let publisher = WebSocketPublisher()
        let loopback = try await feed(publisher)
        let slow = try #require(await RawPeer.connect(port: loopback.address.port))
        await slow.say(WebSocketTests.handshake().replacing("GET / ", with: "GET /feed "))
        let socket = try await WebSocketClient(loopback.service).connect(
            to: loopback.target, HTTPRequest(.get, RequestTarget(parsing: "/feed")))
        #expect(await eventually { publisher.count == 2 })
        var messages = socket.messages.makeAsyncIterator()
        _ = try await messages.next()
        let text = WebSocketMessage.text(String(repeating: "x", count: 100_000))
        var dropped = 0
        for _ in 0..<1000 where dropped == 0 {
            dropped += publisher.publish(text)
            #expect(try await messages.next() == text)
        }
        #expect(dropped == 1)
        #expect(publisher.count == 1)
        #expect(publisher.publish(.text("end")) == 0)
        #expect(try await messages.next() == .text("end"))
        await loopback.stop()
    }
}
