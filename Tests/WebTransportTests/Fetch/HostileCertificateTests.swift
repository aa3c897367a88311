import Foundation
import TestSupport
import Testing
import WebAddressing

@testable import WebTransport

/// Certificates that must not be trusted, from `openssl s_server`.
@Suite struct HostileCertificateTests {
    private func harness(_ certificates: TestCertificates) throws -> FetchHarness {
        var harness = try FetchHarness()
        harness.rules.allowsInsecure = false
        harness.rules.roots = .file(certificates.root)
        return harness
    }

    @Test(
        .shows("F6"),
        arguments: [
            (TestCertificates.Kind.good, nil), (.expired, .certificateExpired), (.otherName, .certificateName),
            (.selfSigned, .certificateUntrusted), (.stranger, .certificateUntrusted),
        ] as [(TestCertificates.Kind, FetchError.Code?)])
    func `an untrusted certificate ends the fetch with its code`(
        kind: TestCertificates.Kind, code: FetchError.Code?
    ) async throws {
        let certificates = try TestCertificates()
        defer { certificates.remove() }
        let server = try certificates.serve(kind)
        defer { TestCertificates.end(server.process) }
        let found = try await harness(certificates).code("https://a.test:\(server.port)/")
        #expect(found == code)
    }

    @Test(.shows("F6")) func `a certificate is checked against the host name and not the address`() async throws {
        let certificates = try TestCertificates()
        defer { certificates.remove() }
        let server = try certificates.serve(.good)
        defer { TestCertificates.end(server.process) }
        let harness = try harness(certificates)
        let found = try await harness.code("https://b.test:\(server.port)/")
        #expect(found == .certificateName)
        let byAddress = try await harness.code("https://127.0.0.1:\(server.port)/")
        #expect(byAddress == .certificateName)
    }

    @Test func `a test certificate is not trusted when the system's roots are used`() async throws {
        let certificates = try TestCertificates()
        defer { certificates.remove() }
        let server = try certificates.serve(.good)
        defer { TestCertificates.end(server.process) }
        var harness = try harness(certificates)
        harness.rules.roots = .system
        let found = try await harness.code("https://a.test:\(server.port)/")
        #expect(found == .certificateUntrusted)
    }

    @Test func `a server without TLS at an https address fails the handshake`() async throws {
        let certificates = try TestCertificates()
        defer { certificates.remove() }
        let server = try HostileServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
        defer { server.stop() }
        let found = try await harness(certificates).code("https://a.test:\(server.port)/")
        #expect(found == .handshake)
    }

    @Test func `a server that never ends its TLS handshake is given up at the deadline`() async throws {
        let certificates = try TestCertificates()
        defer { certificates.remove() }
        let server = try HostileServer { $0.hang() }
        defer { server.stop() }
        var harness = try harness(certificates)
        harness.rules.deadline = .milliseconds(500)
        let found = try await harness.code("https://a.test:\(server.port)/")
        #expect(found == .deadline)
    }

    @Test(.shows("F3")) func `a redirect from https to http is refused on a real connection too`() async throws {
        let certificates = try TestCertificates()
        defer { certificates.remove() }
        let answer = "HTTP/1.1 302 Found\r\nLocation: http://a.test:1/\r\nContent-Length: 0\r\n\r\n"
        try Data(answer.utf8).write(to: certificates.folder.appendingPathComponent("short"))
        let server = try certificates.serve(.good, asFiles: true)
        defer { TestCertificates.end(server.process) }
        var harness = try harness(certificates)
        harness.rules.allowsInsecure = true
        let found = try await harness.code("https://a.test:\(server.port)/short")
        #expect(found == .redirectDowngrade)
    }
}
