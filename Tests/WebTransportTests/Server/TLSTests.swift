import Foundation
import TestSupport
import Testing
import WebAddressing
import WebTransport

@Suite struct TLSTests {
    private func server(
        _ authority: Authority, _ name: String = "server.example", isRSA: Bool = false
    ) async throws -> Loopback {
        var configuration = ServerConfiguration.patient
        let files = try authority.issue(name, isRSA: isRSA)
        configuration.certificate = .init(chainPath: files.chain, keyPath: files.key)
        var router = HTTPRouter()
        router.on(.get, "/") { HTTPResponse(200, text: "secure \($0.isSecure)") }
        router.webSocket("/echo") { socket in
            do { for try await message in socket.messages { try await socket.send(message) } } catch {}
        }
        return try await Loopback(configuration, router: router)
    }

    private func get(
        _ loopback: Loopback, as name: String, roots: TLSRoots, port: UInt16? = nil
    ) async throws -> HTTPResponse {
        let target = WebConnectionTarget(
            Loopback.host, port: port ?? loopback.address.port, host: .name(name), security: .tls(roots))
        return try await HTTPClient(loopback.service).send(
            HTTPRequest(.get, RequestTarget(parsing: "/")), to: target, limits: .patient)
    }

    @Test func `a TLS certificate for the name, signed by a given root, is accepted`() async throws {
        let authority = try Authority()
        let loopback = try await server(authority)
        let response = try await get(loopback, as: "server.example", roots: .file(authority.rootPath))
        #expect(response.text == "secure true")
        await loopback.stop()
    }

    @Test(.shows("W8")) func `a TLS certificate for another name is refused, even with a trusted signature`()
        async throws
    {
        let authority = try Authority()
        let loopback = try await server(authority, "other.example")
        let refused = await #expect(throws: WebError.self) {
            try await get(loopback, as: "server.example", roots: .file(authority.rootPath))
        }
        #expect(refused?.code == .tlsUntrusted)
        #expect(refused?.reason == "The certificate of server.example is not trusted: hostname mismatch.")
        await loopback.stop()
    }

    @Test(.shows("W8"))
    func `a root certificate that was not given is not trusted, neither from the system nor beside another`()
        async throws
    {
        let authority = try Authority()
        let stranger = try Authority()
        let loopback = try await server(authority)
        for roots in [TLSRoots.system, .file(stranger.rootPath)] {
            await #expect(throws: WebError(.tlsUntrusted, "")) {
                try await get(loopback, as: "server.example", roots: roots)
            }
        }
        await loopback.stop()
    }

    @Test func `a server without TLS has another error code than an untrusted one`() async throws {
        let loopback = try await Loopback { _ in HTTPResponse(200) }
        await #expect(throws: WebError(.tlsFailed, "")) {
            try await get(loopback, as: "server.example", roots: .system)
        }
        await loopback.stop()
    }

    @Test
    func
        `certificate files that are missing, junk, encrypted or of two pairs are reported with their names and causes`()
        async throws
    {
        let authority = try Authority()
        let one = try authority.issue("one.example")
        let two = try authority.issue("two.example")
        let junk = "\(one.chain).junk"
        try Data("no certificate, no key\n".utf8).write(to: URL(filePath: junk))
        let encrypted = "\(one.key).encrypted"
        let made = try Process.run(
            URL(filePath: "/usr/bin/openssl"),
            arguments: ["pkey", "-in", one.key, "-aes256", "-passout", "pass:secret", "-out", encrypted])
        made.waitUntilExit()
        for (chain, key, reason) in [
            (one.chain, two.key, "The key in \(two.key) is not that of the certificate in \(one.chain)."),
            (
                "/nowhere.pem", one.key,
                "The file of the certificate cannot be read: /nowhere.pem: No such file or directory."
            ),
            (one.chain, "/nowhere.key", "The file of the key cannot be read: /nowhere.key: No such file or directory."),
            (junk, one.key, "\(junk) holds no certificate in PEM."),
            (one.chain, junk, "\(junk) holds no private key in PEM."),
            (one.chain, encrypted, "The key in \(encrypted) is encrypted with a passphrase; give one without."),
        ] {
            var configuration = ServerConfiguration.patient
            configuration.certificate = .init(chainPath: chain, keyPath: key)
            let error = await #expect(throws: WebError.self) {
                try await HTTPServer(configuration) { _ in HTTPResponse(200) }.start()
            }
            #expect(error?.code == .tlsConfiguration && error?.reason == reason, "\(error?.reason ?? "")")
        }
        let loopback = try await server(authority)
        await #expect(throws: WebError(.tlsConfiguration, "")) {
            try await get(loopback, as: "server.example", roots: .file("/nowhere.pem"))
        }
        await loopback.stop()
    }

    @Test(.shows("W2")) func `a client that never finishes the TLS handshake is disconnected at the header deadline`()
        async throws
    {
        let authority = try Authority()
        var configuration = ServerConfiguration.patient
        let files = try authority.issue("server.example")
        configuration.certificate = .init(chainPath: files.chain, keyPath: files.key)
        configuration.limits.headerDeadline = .milliseconds(200)
        let loopback = try await Loopback(configuration) { _ in HTTPResponse(200) }
        let silent = try #require(await RawPeer.connect(port: loopback.address.port))
        await silent.say([0x16, 0x03, 0x01, 0x02])
        #expect(await silent.isEnded())
        await loopback.stop()
    }

    /// True when OpenSSL's own client completes a handshake with a server.
    private func handshake(_ loopback: Loopback, _ arguments: [String]) async throws -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = ["s_client", "-connect", "127.0.0.1:\(loopback.address.port)"] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus == 0) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
    }

    @Test(.shows("W8")) func `TLS 1.2 is agreed on with ephemeral keys and AEAD alone, and older versions are not`()
        async throws
    {
        let authority = try Authority()
        let loopback = try await server(authority, isRSA: true)
        // Level 0 lets OpenSSL's client offer what this machine's own settings would leave out.
        let offered = { (name: String) in ["-tls1_2", "-cipher", "\(name):@SECLEVEL=0"] }
        for name in ["ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA-CHACHA20-POLY1305"] {
            #expect(try await handshake(loopback, offered(name)), "\(name)")
        }
        for name in [
            "AES128-GCM-SHA256", "AES128-SHA", "AES256-SHA256", "ECDHE-RSA-AES128-SHA", "ECDHE-RSA-AES256-SHA384",
            "DHE-RSA-AES128-GCM-SHA256", "AECDH-AES128-SHA",
        ] {
            #expect(try await !handshake(loopback, offered(name)), "\(name)")
        }
        for version in ["-tls1", "-tls1_1"] {
            #expect(try await !handshake(loopback, [version, "-cipher", "ALL:@SECLEVEL=0"]), "\(version)")
        }
        #expect(try await handshake(loopback, ["-tls1_3"]))
        await loopback.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a named pipe in place of a TLS certificate, key or root file is refused at once`()
        async throws
    {
        let authority = try Authority()
        let files = try authority.issue("server.example")
        let pipe = "\(files.key).pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        for (chain, key) in [(pipe, files.key), (files.chain, pipe)] {
            var configuration = ServerConfiguration.patient
            configuration.certificate = .init(chainPath: chain, keyPath: key)
            await #expect(throws: WebError(.tlsConfiguration, "")) {
                try await HTTPServer(configuration) { _ in HTTPResponse(200) }.start()
            }
        }
        let loopback = try await server(authority)
        await #expect(throws: WebError(.tlsConfiguration, "")) {
            try await get(loopback, as: "server.example", roots: .file(pipe))
        }
        await loopback.stop()
    }

    @Test func `two servers of one process have separate certificates`() async throws {
        let authority = try Authority()
        let first = try await server(authority, "first.example")
        let second = try await server(authority, "second.example")
        let roots = TLSRoots.file(authority.rootPath)
        #expect(try await get(first, as: "first.example", roots: roots).status == 200)
        #expect(try await get(second, as: "second.example", roots: roots).status == 200)
        await #expect(throws: WebError(.tlsUntrusted, "")) {
            try await get(first, as: "second.example", roots: roots)
        }
        await first.stop()
        await second.stop()
    }

    @Test func `a WebSocket works over TLS`() async throws {
        let authority = try Authority()
        let loopback = try await server(authority)
        let target = WebConnectionTarget(
            Loopback.host, port: loopback.address.port, host: .name("server.example"),
            security: .tls(.file(authority.rootPath)))
        let socket = try await WebSocketClient(loopback.service).connect(
            to: target, HTTPRequest(.get, RequestTarget(parsing: "/echo")))
        var messages = socket.messages.makeAsyncIterator()
        for count in [0, 1, 1000, 300_000] {
            let message = WebSocketMessage.binary([UInt8](repeating: 7, count: count))
            try await socket.send(message)
            #expect(try await messages.next() == message)
        }
        socket.close()
        #expect(try await messages.next() == nil)
        await loopback.stop()
    }
}
