import WebTransport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The server of `web-peer`: echoes, bodies of a size, delays, WebSockets, and a feed for pages.
struct PeerServer {
    private let configuration: ServerConfiguration

    init(_ words: Words) {
        var configuration = ServerConfiguration()
        configuration.port = UInt16(clamping: words.number("port", or: 0))
        configuration.limits.maximumConnections = words.number("connections", or: 10_000)
        configuration.limits.maximumConnectionsPerHost = words.number("host-limit", or: 10_000)
        configuration.limits.headerDeadline = .seconds(words.number("header-seconds", or: 10))
        configuration.limits.idleDeadline = .seconds(words.number("idle-seconds", or: 30))
        configuration.limits.maximumRequestsPerConnection = words.number("requests", or: 1_000_000)
        if let chain = words.options["cert"], let key = words.options["key"] {
            configuration.certificate = ServerConfiguration.Certificate(chainPath: chain, keyPath: key)
        }
        self.configuration = configuration
    }

    /// Serves until standard input ends.
    func run() async throws {
        let feed = WebSocketPublisher()
        let server = HTTPServer(configuration, router: Self.router(feed))
        let address = try await server.start()
        say("listening \(address.port)")
        await Self.waitForEndOfInput()
        await server.stop(within: .seconds(5))
        say("stopped")
    }

    private static func router(_ feed: WebSocketPublisher) -> HTTPRouter {
        var router = HTTPRouter { request in
            let tag = request.headers["x-front-tag"] ?? "none"
            return HTTPResponse(200, text: "n=0 tag=\(tag) body=\(request.body.count)\n")
        }
        router.on(.get, "/") { _ in HTTPResponse(200, text: "hello\n") }
        router.on(.get, "/nowhere") { _ in HTTPResponse(404) }
        for method in [HTTPMethod.post, .put, .patch] {
            router.on(method, "/echo") { HTTPResponse(200, "application/octet-stream", $0.body) }
        }
        router.on(.get, "/size/:n") { request in
            let count = min(request.parameters["n"].flatMap { Int($0) } ?? 0, 1 << 26)
            return HTTPResponse(200, "application/octet-stream", [UInt8](repeating: 97, count: count))
        }
        router.on(.get, "/query") { request in
            let items = request.target.query.map { "\($0.name)=\($0.value)" }.joined(separator: "|")
            return HTTPResponse(200, text: "\(request.target.path) \(items)")
        }
        router.on(.get, "/header") { HTTPResponse(200, text: $0.headers["x-test"] ?? "none") }
        router.on(.delete, "/thing") { _ in HTTPResponse(204) }
        router.on(.get, "/slow/:ms") { request in
            try? await Task.sleep(for: .milliseconds(request.parameters["ms"].flatMap { Int($0) } ?? 0))
            return HTTPResponse(200, text: "slow\n")
        }
        router.on(.get, "/redirect") { _ in HTTPResponse(302, headers: ["Location": "/"]) }
        router.on(.post, "/publish") { request in
            feed.publish(.text(request.body))
            return HTTPResponse(202)
        }
        router.webSocket("/feed") { await feed.serve($0) }
        router.webSocket("/chat", protocols: ["chat.v1", "chat.v2"], origins: .any) { await echo($0) }
        router.webSocket("/echo") { await echo($0) }
        router.webSocket("/close/:code") { connection in
            let code = connection.request.parameters["code"].flatMap { UInt16($0) } ?? 1000
            connection.close(WebSocketCloseCode(rawValue: code), reason: "as asked")
        }
        return router
    }

    @Sendable private static func echo(_ connection: WebSocketConnection) async {
        do {
            for try await message in connection.messages { try await connection.send(message) }
        } catch { say("socket: \(error)") }
    }

    private static func waitForEndOfInput() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            var thread = pthread_t()
            let context = Unmanaged.passRetained(Waiter(continuation)).toOpaque()
            pthread_create(&thread, nil, readToEnd, context)
        }
    }
}

private final class Waiter: Sendable {
    let continuation: CheckedContinuation<Void, Never>
    init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = continuation }
}

/// Reads standard input to its end, in a thread, and then resumes the waiting task.
private func readToEnd(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    var byte: UInt8 = 0
    while read(0, &byte, 1) > 0 {}
    if let context { Unmanaged<Waiter>.fromOpaque(context).takeRetainedValue().continuation.resume() }
    return nil
}
