import WebAddressing
import WebTransport

/// The client of `web-peer`: sends one request, or opens one WebSocket and checks echoes.
struct PeerClient {
    private let words: Words
    private let web: WebAddress
    private let target: WebConnectionTarget

    init(_ words: Words) throws {
        self.words = words
        web = try WebAddress(parsing: words.plain.first ?? "")
        let roots = words.options["roots"].map { TLSRoots.file($0) } ?? .system
        let address = IPAddress(parsing: words.options["address"] ?? "127.0.0.1")
        target = WebConnectionTarget(address ?? .v4(IPv4Address(127, 0, 0, 1)), for: web, roots: roots)
    }

    func request() async throws {
        let service = WebService()
        var request = HTTPRequest(
            words.command == "post" ? .post : .get, try RequestTarget(parsing: web.requestTarget))
        if words.command == "post" {
            request.body = [UInt8](repeating: 98, count: words.number("body-bytes", or: 10))
        }
        var limits = ClientRequestLimits()
        limits.maximumBodyBytes = 1 << 26
        let response = try await HTTPClient(service).send(request, to: target, limits: limits)
        say("status \(response.status)")
        for field in response.headers.fields { say("\(field.name): \(field.value)") }
        say("bytes \(response.body.count)")
        if response.body.count < 1000 { say("text \(String(decoding: response.body, as: UTF8.self))") }
        await service.stop()
    }

    func socket() async throws {
        let service = WebService()
        let request = HTTPRequest(.get, try RequestTarget(parsing: web.requestTarget))
        let connection = try await WebSocketClient(service).connect(
            to: target, request, protocols: words.options["protocol"].map { [$0] } ?? [])
        say("open \(connection.subprotocol)")
        var messages = connection.messages.makeAsyncIterator()
        let payload = [UInt8](repeating: 99, count: words.number("bytes", or: 100))
        for number in 0..<words.number("count", or: 10) {
            let message = number % 2 == 0 ? WebSocketMessage.binary(payload) : .text("message \(number)")
            try await connection.send(message)
            guard try await messages.next() == message else {
                say("another message came back")
                return
            }
        }
        if let seconds = words.options["hold"].flatMap({ Int($0) }) { try await Task.sleep(for: .seconds(seconds)) }
        connection.close(.normal, reason: "done")
        while try await messages.next() != nil {}
        say("closed")
        await service.stop()
    }

    /// Opens WebSockets one after the other, at the address with a number behind it, echoes what comes, and says how
    /// each one ended.
    func answer() async throws {
        let service = WebService()
        for number in 0..<words.number("times", or: 1) {
            say("\(number) \(await ending(number, WebSocketClient(service)))")
        }
        // Behind it the last close frame is with the system.
        await service.stop()
    }

    private func ending(_ number: Int, _ client: WebSocketClient) async -> String {
        do {
            let request = HTTPRequest(.get, try RequestTarget(parsing: "\(web.requestTarget)\(number)"))
            let connection = try await client.connect(
                to: target, request, protocols: words.options["protocol"].map { [$0] } ?? [])
            do {
                for try await message in connection.messages { try await connection.send(message) }
            } catch let error as WebError { return "open \(connection.subprotocol) \(error.code.rawValue)" }
            return "open \(connection.subprotocol) closed \(connection.closeCode?.rawValue ?? 0)"
        } catch let error as WebError { return error.code.rawValue } catch { return "\(error)" }
    }
}
