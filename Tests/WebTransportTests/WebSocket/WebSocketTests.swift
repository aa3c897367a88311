import TestSupport
import Testing
import WebTransport

@Suite struct WebSocketTests {
    private func open(
        _ loopback: Loopback, _ path: String = "/", protocols: [String] = [], headers: HTTPHeaders = [:],
        _ change: (inout WebSocketLimits) -> Void = { _ in }
    ) async throws -> WebSocketConnection {
        var limits = WebSocketLimits.patient
        change(&limits)
        return try await WebSocketClient(loopback.service).connect(
            to: loopback.target, HTTPRequest(.get, RequestTarget(parsing: path), headers: headers),
            protocols: protocols, limits: limits, deadline: .seconds(600))
    }

    private func server(
        protocols: [String] = [], limits: WebSocketLimits = WebSocketLimits.patient,
        _ handler: @escaping HTTPRouter.SocketHandler
    ) async throws -> Loopback {
        var router = HTTPRouter()
        router.webSocket("/", protocols: protocols, limits: limits, handler)
        return try await Loopback(router: router)
    }

    private func limits(_ change: (inout WebSocketLimits) -> Void) -> WebSocketLimits {
        var limits = WebSocketLimits.patient
        change(&limits)
        return limits
    }

    private func echoServer() async throws -> Loopback {
        try await server { socket in
            do { for try await message in socket.messages { try await socket.send(message) } } catch {}
        }
    }

    private func refusal(_ open: () async throws -> WebSocketConnection) async -> Int? {
        do {
            _ = try await open()
            return nil
        } catch let error as WebError { return error.code == .upgradeRefused ? error.wireCode : -1 } catch { return -2 }
    }

    @Test func `WebSocket messages of every length are echoed in order, texts and bytes`() async throws {
        let loopback = try await echoServer()
        let socket = try await open(loopback)
        var messages = socket.messages.makeAsyncIterator()
        for count in [0, 1, 125, 126, 4095, 4096, 4097, 32768, 32769, 65535, 65536, 1 << 20] {
            let bytes = WebSocketMessage.binary((0..<count).map { UInt8(truncatingIfNeeded: $0) })
            let text = WebSocketMessage.text(String(repeating: "é", count: count / 2))
            try await socket.send(bytes)
            try await socket.send(text)
            #expect(try await messages.next() == bytes)
            #expect(try await messages.next() == text)
        }
        socket.close()
        #expect(try await messages.next() == nil)
        await loopback.stop()
    }

    @Test func `a WebSocket message at the limit is sent and one byte more refused`() async throws {
        let loopback = try await echoServer()
        let socket = try await open(loopback) { $0.maximumSentMessageBytes = 1000 }
        try await socket.send(.binary([UInt8](repeating: 1, count: 1000)))
        await #expect(throws: WebError(.sendTooLarge, "")) {
            try await socket.send(.binary([UInt8](repeating: 1, count: 1001)))
        }
        #expect(!socket.offer(.binary([UInt8](repeating: 1, count: 1001))))
        var messages = socket.messages.makeAsyncIterator()
        #expect(try await messages.next()?.sizeBytes == 1000)
        await loopback.stop()
    }

    @Test(.shows("W1"))
    func `a received WebSocket message at the limit is accepted, and one byte more closes with 1009, at both ends`()
        async throws
    {
        let (ends, end) = AsyncStream.makeStream(of: WebError.Code?.self)
        let loopback = try await server(limits: limits { $0.maximumMessageBytes = 1000 }) { socket in
            do {
                for try await message in socket.messages { try await socket.send(message) }
                end.yield(nil)
            } catch { end.yield((error as? WebError)?.code) }
        }
        let socket = try await open(loopback)
        var messages = socket.messages.makeAsyncIterator()
        try await socket.send(.binary([UInt8](repeating: 1, count: 1000)))
        #expect(try await messages.next()?.sizeBytes == 1000)
        try await socket.send(.binary([UInt8](repeating: 1, count: 1001)))
        do {
            _ = try await messages.next()
            Issue.record("the socket was not closed")
        } catch let error as WebError {
            #expect(error.code == .socketClosed)
            #expect(error.wireCode == 1009)
        }
        var reasons = ends.makeAsyncIterator()
        #expect(await reasons.next() == .messageTooLarge)
        await loopback.stop()
        let talkative = try await server { try? await $0.send(.binary([UInt8](repeating: 1, count: 1001))) }
        let modest = try await open(talkative) { $0.maximumMessageBytes = 1000 }
        var loud = modest.messages.makeAsyncIterator()
        await #expect(throws: WebError(.messageTooLarge, "")) { try await loud.next() }
        await talkative.stop()
    }

    @Test(.shows("W5")) func `a receiver that does not read holds the sender back, and loses nothing`() async throws {
        let door = Door()
        let (sums, sum) = AsyncStream.makeStream(of: [Int].self)
        let slow = limits {
            $0.maximumUnreadMessages = 4
            $0.maximumUnreadBytes = 100_000
        }
        let loopback = try await server(limits: slow) { socket in
            await door.pass()
            var heard: [Int] = []
            do {
                for try await message in socket.messages {
                    guard case .binary(let bytes) = message, bytes.count > 2 else { continue }
                    heard.append(Int(bytes[0]) << 8 | Int(bytes[1]))
                    if heard.count == 400 { break }
                }
            } catch {}
            sum.yield(heard)
        }
        let socket = try await open(loopback) { $0.maximumUnsentBytes = 100_000 }
        let sender = Task {
            for number in 0..<400 {
                var bytes = [UInt8](repeating: 0, count: 50_000)
                bytes[0] = UInt8(number >> 8)
                bytes[1] = UInt8(number & 255)
                try await socket.send(.binary(bytes))
            }
            return true
        }
        // 20 MB fit neither into the queues nor into the system's buffers, so the sender must still be waiting.
        #expect(await eventually { !socket.offer(.binary([0, 0])) })
        await door.open()
        var results = sums.makeAsyncIterator()
        let heard = await results.next() ?? []
        #expect(try await sender.value)
        #expect(heard == Array(0..<400))
        await loopback.stop()
    }

    @Test func `the memory of all WebSockets together is limited, and beyond it one is closed with 1013`() async throws
    {
        let door = Door()
        var router = HTTPRouter()
        router.webSocket("/", limits: limits { _ in }) { socket in
            await door.pass()
            do { for try await message in socket.messages { try await socket.send(message) } } catch {}
        }
        var configuration = ServerConfiguration.patient
        configuration.limits.maximumHeldBytes = 3000
        let loopback = try await Loopback(configuration, router: router)
        let first = try await open(loopback)
        try await first.send(.binary([UInt8](repeating: 1, count: 2000)))
        #expect(await eventually { loopback.server.heldBytes == 2000 })
        let second = try #require(await RawPeer.connect(port: loopback.address.port))
        await second.say(Self.handshake())
        _ = await second.hearText(until: "\r\n\r\n")
        await second.say([0x82, 0xFE, 0x03, 0xE9, 0, 0, 0, 0] + [UInt8](repeating: 1, count: 1001))
        let close = await second.hear { $0.count >= 4 }
        #expect(close.first == 0x88 && close.dropFirst(2).prefix(2) == [0x03, 0xF5])
        await second.finish()
        #expect(await eventually { loopback.server.heldBytes == 2000 })
        // The message that was read is in the reader's hands, and its echo is more than there is room for.
        await door.open()
        await #expect(throws: WebError(.socketClosed, "")) { for try await _ in first.messages {} }
        #expect(await eventually { loopback.server.heldBytes == 0 })
        let third = try await open(loopback)
        for _ in 0..<3 {
            try await third.send(.binary([UInt8](repeating: 1, count: 1000)))
            var messages = third.messages.makeAsyncIterator()
            #expect(try await messages.next()?.sizeBytes == 1000)
        }
        await loopback.stop()
    }

    @Test func `a WebSocket peer that reads slowly is kept although its pong comes late`() async throws {
        let hasty = limits {
            $0.pingInterval = .milliseconds(100)
            $0.pongDeadline = .seconds(10)
            $0.maximumSentMessageBytes = 8 << 20
        }
        let loopback = try await server(limits: hasty) { socket in
            do {
                try await socket.send(.binary([UInt8](repeating: 1, count: 8 << 20)))
                for try await _ in socket.messages {}
            } catch {}
        }
        let peer = try #require(await RawPeer.connect(port: loopback.address.port, receiveBuffer: 16_384))
        await peer.say(Self.handshake())
        var count = 0
        // Longer than a pong may take, without a word, but never long without taking something.
        let begun = ContinuousClock.now
        while ContinuousClock.now - begun < .seconds(12) {
            count += await peer.hear { $0.count >= 30_000 }.count
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(count > 0 && count < 8 << 20 && loopback.server.connectionCount == 1)
        await peer.end()
        #expect(await eventually { loopback.server.connectionCount == 0 })
        await loopback.stop()
    }

    @Test func `a partly sent WebSocket message is completed before the answer to a close`() async throws {
        let size = 4 << 20
        let loopback = try await server(limits: limits { $0.maximumSentMessageBytes = size }) { socket in
            do {
                try await socket.send(.binary([UInt8](repeating: 1, count: size)))
                for try await _ in socket.messages {}
            } catch {}
        }
        let peer = try #require(await RawPeer.connect(port: loopback.address.port, receiveBuffer: 16_384))
        await peer.say(Self.handshake())
        let begin = await peer.hear { $0.count >= 100_000 }
        // A close of status 1000, masked by zeros.
        await peer.say([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xE8])
        let heard = begin + (await peer.hear())
        var rest = heard[(try #require(heard.firstRange(of: Array("\r\n\r\n".utf8))).upperBound)...]
        var (opcodes, payload): ([UInt8], Int) = ([], 0)
        while rest.count >= 2 {
            let bytes = Array(rest.prefix(10))
            let (header, length) =
                switch bytes[1] {
                case 126: (4, Int(bytes[2]) << 8 | Int(bytes[3]))
                case 127: (10, bytes[2..<10].reduce(0) { $0 << 8 | Int($1) })
                default: (2, Int(bytes[1]))
                }
            opcodes.append(bytes[0])
            if bytes[0] & 0x0F < 8 { payload += length }
            rest = rest.dropFirst(header + length)
        }
        #expect(payload == size)
        // The last part of the message, and then the close, once.
        #expect(opcodes.suffix(2) == [0x80, 0x88] && opcodes.count { $0 == 0x88 } == 1, "\(opcodes)")
        await loopback.stop()
    }

    @Test func `a WebSocket send that waits for room can be cancelled`() async throws {
        let door = Door()
        let loopback = try await server { _ in await door.pass() }
        let socket = try await open(loopback) { $0.maximumUnsentBytes = 1_000_000 }
        let sender = Task {
            while true { try await socket.send(.binary([UInt8](repeating: 0, count: 500_000))) }
        }
        #expect(await eventually { !socket.offer(.binary([UInt8](repeating: 0, count: 900_000))) })
        try await Task.sleep(for: .milliseconds(100))
        sender.cancel()
        await #expect(throws: CancellationError.self) { try await sender.value }
        await door.open()
        await loopback.service.stop()
        await loopback.stop()
    }

    @Test(.shows("W2")) func `a WebSocket peer that answers no ping is disconnected`() async throws {
        let (ends, end) = AsyncStream.makeStream(of: WebError.Code?.self)
        let slow = limits {
            $0.pingInterval = .milliseconds(50)
            $0.pongDeadline = .milliseconds(300)
        }
        let loopback = try await server(limits: slow) { socket in
            do {
                for try await _ in socket.messages {}
                end.yield(nil)
            } catch { end.yield((error as? WebError)?.code) }
        }
        let silent = try #require(await RawPeer.connect(port: loopback.address.port))
        await silent.say(Self.handshake())
        let heard = await silent.hear { $0.suffix(2) == [0x89, 0x00] }
        #expect(heard.suffix(2) == [0x89, 0x00])
        var reasons = ends.makeAsyncIterator()
        let reason = await reasons.next()
        #expect(reason == .socketSilent)
        #expect(await silent.isEnded())
        await loopback.stop()
    }

    @Test func `a WebSocket peer that answers pings is kept connected`() async throws {
        let loopback = try await server(limits: limits { $0.pingInterval = .milliseconds(50) }) { socket in
            do { for try await _ in socket.messages {} } catch {}
        }
        let socket = try await open(loopback)
        try await Task.sleep(for: .seconds(1))
        #expect(!socket.isClosed)
        await loopback.stop()
    }

    @Test func `each side of a WebSocket gets the close code of the other`() async throws {
        let loopback = try await server { socket in
            var messages = socket.messages.makeAsyncIterator()
            guard case .text(let bytes) = try? await messages.next(),
                let code = UInt16(String(decoding: bytes, as: UTF8.self))
            else { return }
            socket.close(WebSocketCloseCode(rawValue: code), reason: "as asked")
        }
        for code in [1000, 1001, 3000, 4999] {
            let socket = try await open(loopback)
            try await socket.send(.text("\(code)"))
            var messages = socket.messages.makeAsyncIterator()
            #expect(try await messages.next() == nil)
        }
        for code in [1002, 1003, 1008, 1011] {
            let socket = try await open(loopback)
            try await socket.send(.text("\(code)"))
            var messages = socket.messages.makeAsyncIterator()
            do {
                _ = try await messages.next()
                Issue.record("\(code) passed for an end in order")
            } catch let error as WebError {
                #expect(error.code == .socketClosed)
                #expect(error.wireCode == code)
                await #expect(throws: WebError(.socketClosed, "")) { try await socket.send(.text("late")) }
            }
        }
        await loopback.stop()
    }

    @Test func `a WebSocket is closed when its handler returns, after what it sent`() async throws {
        let loopback = try await server { socket in
            for number in 0..<100 { try? await socket.send(.text("\(number)")) }
        }
        let socket = try await open(loopback)
        var heard: [WebSocketMessage] = []
        for try await message in socket.messages { heard.append(message) }
        #expect(heard == (0..<100).map { .text("\($0)") })
        #expect(socket.isClosed)
        await loopback.stop()
    }

    @Test func `a WebSocket whose peer breaks a rule fails with the violation`() async throws {
        let (failures, failed) = AsyncStream.makeStream(of: WebError?.self)
        let loopback = try await server { socket in
            do {
                for try await _ in socket.messages {}
                failed.yield(nil)
            } catch {
                failed.yield(error as? WebError)
            }
        }
        let peer = try #require(await RawPeer.connect(port: loopback.address.port))
        await peer.say(Self.handshake())
        await peer.say([0x81, 0x01, 0x41])
        #expect(await peer.hearText().hasPrefix("HTTP/1.1 101 "))
        var found = failures.makeAsyncIterator()
        let error = try #require(await found.next() ?? nil)
        #expect(error.code == .socketViolation && error.code.rawValue == "web.socket.violation")
        #expect(error.wireCode == 1002)
        await loopback.stop()
    }

    @Test func `a WebSocket whose connection is cut reports a lost connection`() async throws {
        let port = await RawPeer.serveOnce { _ in }
        let service = WebService()
        await #expect(throws: WebError(.connectionLost, "")) {
            try await WebSocketClient(service).connect(
                to: WebConnectionTarget(Loopback.host, port: port), HTTPRequest(.get, RequestTarget(parsing: "/")),
                deadline: .seconds(600))
        }
        let loopback = try await echoServer()
        let peer = try #require(await RawPeer.connect(port: loopback.address.port))
        await peer.say(Self.handshake())
        #expect(await peer.hearText(until: "\r\n\r\n").hasPrefix("HTTP/1.1 101 "))
        #expect(loopback.server.connectionCount == 1)
        await service.stop()
        await loopback.stop()
        #expect(await peer.isEnded())
    }

    @Test func `an HTTP server that stops closes its WebSockets with 1001`() async throws {
        let loopback = try await echoServer()
        let peer = try #require(await RawPeer.connect(port: loopback.address.port))
        await peer.say(Self.handshake())
        _ = await peer.hearText(until: "\r\n\r\n")
        let stopping = Task { await loopback.server.stop(within: .seconds(2)) }
        let frame = await peer.hear { $0.count >= 4 }
        #expect(frame.first == 0x88)
        #expect(frame.dropFirst(2).prefix(2) == [0x03, 0xE9])
        await stopping.value
        await loopback.service.stop()
    }

    @Test(
        arguments: [
            ([0x81, 0x82, 0, 0, 0, 0, 0xC3, 0x28], 1007), ([0x80, 0x81, 0, 0, 0, 0, 1], 1002),
            ([0x01, 0x81, 0, 0, 0, 0, 0x41, 0x81, 0x81, 0, 0, 0, 0, 0x42], 1002),
        ] as [([UInt8], Int)])
    func `a frame that breaks a rule closes the WebSocket with its code`(frame: [UInt8], status: Int) async throws {
        let loopback = try await echoServer()
        let peer = try #require(await RawPeer.connect(port: loopback.address.port))
        await peer.say(Self.handshake())
        _ = await peer.hearText(until: "\r\n\r\n")
        await peer.say(frame)
        let heard = await peer.hear { $0.count >= 4 }
        #expect(heard.isEmpty || heard.first == 0x88)
        #expect(heard.isEmpty || Int(heard[2]) << 8 | Int(heard[3]) == status)
        await peer.finish()
        await loopback.stop()
    }

    @Test(.shows("W1")) func `a frame that announces too large a message is refused before it arrives`() async throws {
        let loopback = try await server(limits: limits { $0.maximumFrameBytes = 1000 }) { socket in
            do { for try await message in socket.messages { try await socket.send(message) } } catch {}
        }
        let peer = try #require(await RawPeer.connect(port: loopback.address.port))
        await peer.say(Self.handshake())
        _ = await peer.hearText(until: "\r\n\r\n")
        await peer.say([0x82, 0xFF, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3])
        let heard = await peer.hear { $0.count >= 4 }
        #expect(heard.first == 0x88 && heard.dropFirst(2).prefix(2) == [0x03, 0xF1])
        await peer.finish()
        await loopback.stop()
    }

    @Test func `a WebSocket request for an unknown or forbidden path is refused with a status`() async throws {
        let loopback = try await server(protocols: ["one"]) { _ in }
        #expect(await refusal { try await open(loopback, "/other") } == 404)
        #expect(await refusal { try await open(loopback, protocols: ["two"]) } == 400)
        #expect(await refusal { try await open(loopback, headers: ["Origin": "https://evil.example"]) } == 403)
        let own = "http://127.0.0.1:\(loopback.address.port)"
        #expect(await refusal { try await open(loopback, headers: ["Origin": own]) } == nil)
        let socket = try await open(loopback, protocols: ["two", "one"])
        #expect(socket.subprotocol == "one")
        #expect(try await open(loopback).subprotocol == "")
        await loopback.stop()
    }

    @Test func `a WebSocket that does not open in time is given up`() async throws {
        let port = await RawPeer.serveOnce { _ = await $0.isEnded() }
        let service = WebService()
        await #expect(throws: WebError(.deadline, "")) {
            try await WebSocketClient(service).connect(
                to: WebConnectionTarget(Loopback.host, port: port), HTTPRequest(.get, RequestTarget(parsing: "/")),
                deadline: .milliseconds(200))
        }
        await service.stop()
    }

    @Test func `a request that cannot open a WebSocket is refused before anything is sent`() async throws {
        let loopback = try await echoServer()
        for request in [
            HTTPRequest(.post, try RequestTarget(parsing: "/")),
            HTTPRequest(.get, try RequestTarget(parsing: "/"), body: [1]),
            HTTPRequest(.get, try RequestTarget(parsing: "/"), headers: ["a b": "c"]),
        ] {
            await #expect(throws: WebError(.messageMalformed, "")) {
                try await WebSocketClient(loopback.service).connect(to: loopback.target, request)
            }
        }
        await #expect(throws: WebError(.messageMalformed, "")) { try await open(loopback, protocols: ["a,b"]) }
        await loopback.stop()
    }

    static func handshake() -> String {
        "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    }
}
