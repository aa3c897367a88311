import Aries
import AriesConnections
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
    private struct Names: HostNameResolver {
        func addresses(of name: String, within deadline: Duration) async throws(FetchError) -> [IPAddress] {
            [.v4(IPv4Address(127, 0, 0, 1))]
        }
    }

    @Test func `wallets reach an agent behind nginx over TLS, by HTTP and by WebSocket`() async throws {
        try await TemporaryFolder.with { folder in
            let authority = try Authority()
            let outside = try ListeningSocket()
            let transport = { (service: WebService) in
                WebMessageTransport(service, resolver: Names(), policy: .allowPrivate, roots: .file(authority.rootPath))
            }
            let publicAddress = "https://\(Proxy.name):\(outside.port)"
            let trusted = TrustedProxies(.forwarded, [IPNetwork(.v4(IPv4Address(127, 0, 0, 1)), prefixLength: 32)])
            let agent = try await RunningAgent(in: folder, transport: transport) {
                $0.publicAddress = publicAddress
                $0.server.proxies = trusted
            }
            let proxy = try await Proxy(in: folder, authority, outside: outside, inside: agent.address.port)
            let ann = try await Wallet("ann", in: folder, transport: transport)
            let bob = try await Wallet("bob", in: folder, transport: transport)
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
            let again = try await RunningAgent(in: folder, transport: transport) { $0.publicAddress = publicAddress }
            try proxy.forward(to: again.address.port)
            let annAgain = try await Wallet("ann", in: folder, transport: transport)
            #expect(
                try await eventually { try await annAgain.texts(on: connection.inviter) == ["back", "while away"] })
            await annAgain.stop()
            await bob.stop()
            await again.stop()
            proxy.stop()
        }
    }
}

/// A socket that listens on this machine at a port that the kernel chose, from the first moment on.
private struct ListeningSocket {
    let handle: FileHandle
    let port: UInt16

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 128) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
    }
}

/// An nginx with the sample. It is handed the socket on which it listens, as an nginx that replaces another one is.
private final class Proxy {
    static let name = "agent.example.org"
    private static let program = "/usr/sbin/nginx"
    static let isInstalled = FileManager.default.isExecutableFile(atPath: program)

    private let folder: String
    private let certificate: (chain: String, key: String)
    private let outside: UInt16
    private let process = Process()

    /// Starts it, before the agent at the port `inside`.
    init(in folder: String, _ authority: Authority, outside: ListeningSocket, inside: UInt16) async throws {
        (self.folder, self.outside) = (folder, outside.port)
        certificate = try authority.issue(Self.name)
        try writeSample(inside: inside)
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
        process.standardInput = outside.handle
        process.environment = ProcessInfo.processInfo.environment.merging(["NGINX": "0;"]) { $1 }
        process.standardError = FileHandle.nullDevice
        try process.run()
        guard try await eventually({ await Self.answers(outside.port) }) else {
            let log = (try? String(contentsOfFile: "\(folder)/nginx.log", encoding: .utf8)) ?? ""
            throw Failure(what: "nginx did not start: \(log.suffix(500))")
        }
    }

    /// Has it forward to another port from now on.
    func forward(to inside: UInt16) throws {
        try writeSample(inside: inside)
        kill(process.processIdentifier, SIGHUP)
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    private func writeSample(inside: UInt16) throws {
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
    }

    private struct Failure: Error {
        let what: String
    }

    private static func answers(_ port: UInt16) async -> Bool {
        let service = WebService()
        defer { Task { await service.stop() } }
        let target = WebConnectionTarget(
            .v4(IPv4Address(127, 0, 0, 1)), port: port, host: .name(name), security: .none)
        return await (try? HTTPClient(service).send(HTTPRequest(.get, RequestTarget(parsing: "/")), to: target)) != nil
    }
}
