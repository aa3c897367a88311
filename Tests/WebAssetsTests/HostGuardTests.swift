import TestSupport
import Testing
import WebAssets

@Suite struct HostGuardTests {
    @Test(.shows("VD2")) func `pages are served under IP addresses, localhost and the configured names, with any port`()
    {
        let guardian = HostGuard(names: ["Agent.Internal"])
        for field in [
            "127.0.0.1", "127.0.0.1:8041", "[::1]", "[::1]:1", "localhost:80", "LOCALHOST", "agent.internal:1",
        ] {
            #expect(guardian.isWelcome(field), "\(field)")
        }
        for field in [
            nil, "", ":80", "evil.example", "localhost.evil.example", "evil.localhost.", "127.0.0.1.evil.example",
            "localhost:x",
            "agent.internal:80:80", "[::1", "localhost\u{301}", "127.0.0.1:8041\u{301}",
        ] {
            #expect(!guardian.isWelcome(field), "\(field ?? "none")")
        }
    }
}
