import Determinism
import TestSupport
import Testing
import WebTransport

@Suite struct WebSocketReceiverTests {
    /// Sends each message back, and records it.
    private final class Recorder: WebSocketReceiver {
        struct Record {
            var messages: [WebSocketMessage] = []
            var underWay = 0
            var mostUnderWay = 0
            var endCount = 0
            var countAtEnd: Int?
        }

        let record = Lock(Record())
        let connection: WebSocketConnection

        init(_ connection: WebSocketConnection) { self.connection = connection }

        func received(_ message: WebSocketMessage) async {
            record.withLock { record in
                record.messages.append(message)
                record.underWay += 1
                record.mostUnderWay = max(record.mostUnderWay, record.underWay)
            }
            await Task.yield()
            try? await connection.send(message)
            record.withLock { $0.underWay -= 1 }
        }

        func ended() async {
            record.withLock { record in
                record.endCount += 1
                record.countAtEnd = record.messages.count
            }
        }
    }

    /// A server whose WebSockets have recorders, except at `/closed`.
    private struct Served {
        let loopback: Loopback
        private let all: Lock<[Recorder]>

        init(_ limits: WebSocketLimits = .patient) async throws {
            let all = Lock<[Recorder]>([])
            var router = HTTPRouter()
            router.webSocketReceiver("/", limits: limits) { connection in
                let recorder = Recorder(connection)
                all.withLock { $0.append(recorder) }
                return recorder
            }
            router.webSocketReceiver("/closed") { connection in
                connection.close(.tryAgainLater, reason: "Not now.")
                return nil
            }
            (self.all, loopback) = (all, try await Loopback(router: router))
        }

        var recorder: Recorder? { all.withLock { $0.first } }

        func open(_ path: String = "/") async throws -> WebSocketConnection {
            try await WebSocketClient(loopback.service).connect(
                to: loopback.target,
                HTTPRequest(.get, RequestTarget(parsing: path), headers: ["X-Note": "a header"]), limits: .patient,
                deadline: .seconds(600))
        }
    }

    @Test func `a WebSocket receiver is called with each message in order, one at a time, and with the end once`()
        async throws
    {
        let served = try await Served()
        let socket = try await served.open()
        let sent = (0..<200).map { WebSocketMessage.text("message \($0)") }
        for message in sent { try await socket.send(message) }
        var answers = socket.messages.makeAsyncIterator()
        for message in sent { #expect(try await answers.next() == message) }
        socket.close()
        #expect(try await answers.next() == nil)
        let recorder = try #require(served.recorder)
        #expect(await eventually { recorder.record.withLock { $0.endCount } == 1 })
        let record = recorder.record.withLock { $0 }
        #expect(record.messages == sent && record.mostUnderWay == 1 && record.countAtEnd == sent.count)
        await served.loopback.stop()
        #expect(recorder.record.withLock { $0.endCount } == 1)
    }

    @Test func `a WebSocket receiver that is slower than the peer is given all messages, while reading pauses`()
        async throws
    {
        var limits = WebSocketLimits.patient
        limits.maximumUnreadMessages = 2
        let served = try await Served(limits)
        let socket = try await served.open()
        let sent = (0..<50).map { WebSocketMessage.binary([UInt8](repeating: UInt8($0), count: 2000)) }
        for message in sent { try await socket.send(message) }
        var answers = socket.messages.makeAsyncIterator()
        for message in sent { #expect(try await answers.next() == message) }
        await served.loopback.stop()
    }

    @Test func `a WebSocket receiver is called with the end when the server stops, and when nothing was ever sent`()
        async throws
    {
        let served = try await Served()
        let socket = try await served.open()
        #expect(await eventually { served.recorder != nil })
        let recorder = try #require(served.recorder)
        await served.loopback.server.stop(within: .seconds(5))
        #expect(await eventually { recorder.record.withLock { $0.endCount } == 1 })
        #expect(recorder.record.withLock { $0.messages.isEmpty })
        socket.close()
        await served.loopback.stop()
    }

    @Test func `a WebSocket route that closes instead of naming a receiver ends the socket`() async throws {
        let served = try await Served()
        let socket = try await served.open("/closed")
        var messages = socket.messages.makeAsyncIterator()
        _ = try? await messages.next()
        #expect(await eventually { socket.isClosed })
        await served.loopback.stop()
    }

    @Test func `a WebSocket receiver's connection keeps the peer's address and not its header`() async throws {
        let served = try await Served()
        let socket = try await served.open()
        #expect(await eventually { served.recorder != nil })
        let request = try #require(served.recorder).connection.request
        #expect(request.peer?.address == Loopback.host && request.headers["x-note"] == nil)
        socket.close()
        await served.loopback.stop()
    }
}
