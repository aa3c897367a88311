import Aries
import AriesRuntime
import CloudAgent
import DIDComm
import Foundation
import TestSupport
import Testing
import WebAddressing
import WebTransport

/// The sample for nginx in `Packaging/nginx`, before a real cloud agent.
@Suite(.enabled(if: Proxy.isInstalled, "nginx is not installed"))
struct ProxyTests {
    /// Finds the name of the sample on this machine.
    private struct Names: Resolver {
        func addresses(of name: String, within deadline: Duration) async throws(FetchError) -> [IPAddress] {
            [.v4(IPv4Address(127, 0, 0, 1))]
        }
    }

    @Test func `wallets reach an agent behind nginx over TLS, by HTTP and by WebSocket`() async throws {
        try await TemporaryFolder.with { folder in
            let authority = try Authority()
            let proxy = try await Proxy(in: folder, authority)
            let wire = { (service: WebService) in
                WebWire(service, resolver: Names(), policy: .allowPrivate, roots: .file(authority.rootPath))
            }
            let agent = try await RunningAgent(in: folder, port: proxy.inside, wire: wire) {
                $0.publicAddress = "https://\(Proxy.name):\(proxy.outside)"
            }
            let ann = try await Wallet("ann", in: folder, wire: wire)
            let bob = try await Wallet("bob", in: folder, wire: wire)
            let mediator = try await ann.use(agent.invitation)
            #expect(mediator.endpoint?.transport == .https && mediator.socket?.transport == .wss)
            try await bob.use(agent.invitation)
            let connection = try await Wallet.connect(ann, bob)
            let long = String(repeating: "x", count: BasicMessage.maximumBytes)
            try await ann.send(long, on: connection.inviter)
            try await bob.send("back", on: connection.invitee)
            #expect(try await eventually { try await bob.texts(on: connection.invitee) == [long] })
            #expect(try await eventually { try await ann.texts(on: connection.inviter) == ["back"] })
            // When the agent is away, nginx says so, and nothing is lost.
            await ann.stop()
            await agent.stop()
            try await bob.send("while away", on: connection.invitee)
            let again = try await RunningAgent(in: folder, port: proxy.inside, wire: wire) {
                $0.publicAddress = "https://\(Proxy.name):\(proxy.outside)"
            }
            let annAgain = try await Wallet("ann", in: folder, wire: wire)
            #expect(
                try await eventually { try await annAgain.texts(on: connection.inviter) == ["back", "while away"] })
            await annAgain.stop()
            await bob.stop()
            await again.stop()
            proxy.stop()
        }
    }
}

/// An nginx with the sample, on ports of this machine.
private final class Proxy {
    static let name = "agent.example.org"
    private static let program = "/usr/sbin/nginx"
    static let isInstalled = FileManager.default.isExecutableFile(atPath: program)

    let outside: UInt16
    let inside: UInt16
    private let process = Process()

    /// Starts it; ports are free ones, found by opening them for a moment.
    init(in folder: String, _ authority: Authority) async throws {
        (outside, inside) = (try await Self.freePort(), try await Self.freePort())
        let certificate = try authority.issue(Self.name)
        var sample = try Packaging.text("nginx/symbolon-agent.conf")
        for (place, value) in [
            ("listen 443 ssl;", "listen 127.0.0.1:\(outside) ssl;"), ("    listen [::]:443 ssl;\n", ""),
            ("127.0.0.1:8040;", "127.0.0.1:\(inside);"),
            ("/etc/ssl/agent.example.org/fullchain.pem", certificate.chain),
            ("/etc/ssl/agent.example.org/privkey.pem", certificate.key),
        ] {
            guard sample.contains(place) else { throw Failure(what: "the sample has no \(place)") }
            sample = sample.replacingOccurrences(of: place, with: value)
        }
        try sample.write(toFile: "\(folder)/sample.conf", atomically: true, encoding: .utf8)
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "    \($0)_temp_path \(folder)/\($0);\n"
        }
        let whole = """
            daemon off; pid \(folder)/nginx.pid; worker_processes 1; error_log \(folder)/nginx.log;
            events { worker_connections 256; }
            http {
            \(temporary.joined())    include \(folder)/sample.conf;
            }
            """
        try whole.write(toFile: "\(folder)/nginx.conf", atomically: true, encoding: .utf8)
        process.executableURL = URL(filePath: Self.program)
        // Where it runs as root, its workers must reach the certificate's folder: they run as the same user.
        let user = geteuid() == 0 ? ["-g", "user root;"] : []
        process.arguments = ["-p", folder, "-e", "\(folder)/nginx.log", "-c", "\(folder)/nginx.conf"] + user
        process.standardError = FileHandle.nullDevice
        try process.run()
        guard try await eventually({ await Self.answers(outside) }) else {
            let log = (try? String(contentsOfFile: "\(folder)/nginx.log", encoding: .utf8)) ?? ""
            throw Failure(what: "nginx did not start: \(log.suffix(500))")
        }
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    private struct Failure: Error {
        let what: String
    }

    private static func freePort() async throws -> UInt16 {
        let server = HTTPServer(ServerConfiguration(), router: Router())
        let address = try await server.start()
        await server.stop(within: .zero)
        return address.port
    }

    private static func answers(_ port: UInt16) async -> Bool {
        let service = WebService()
        defer { Task { await service.stop() } }
        let target = ConnectionTarget(
            .v4(IPv4Address(127, 0, 0, 1)), port: port, host: .name(name), security: .none)
        return await (try? HTTPClient(service).send(HTTPRequest(.get, RequestTarget(parsing: "/")), to: target)) != nil
    }
}
