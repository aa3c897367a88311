import TestSupport
import Testing
import WebAddressing

@testable import WebTransport

@Suite struct AddressGuardTests {
    private struct Names: HostNameResolver {
        var table: [String: [String]] = [:]

        func addresses(of name: String, within deadline: Duration) async throws(FetchError) -> [IPAddress] {
            guard let found = table[name] else { throw FetchError(.nameNotFound, "") }
            return found.compactMap { IPAddress(parsing: $0) }
        }
    }

    private let guardian = AddressGuard(
        resolver: Names(table: [
            "open.example": ["93.184.216.34", "2606:4700::1111"], "closed.example": ["93.184.216.34", "127.0.0.1"],
            "none.example": [], "many.example": (1...40).map { "93.184.216.\($0)" },
        ]))

    private func code(_ text: String, policy: IPAddressPolicy = .publicOnly) async throws -> FetchError.Code? {
        let address = try WebAddress(parsing: text)
        do throws(FetchError) {
            _ = try await guardian.endpoints(of: address, policy: policy)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(.shows("ARI-024")) func `a service endpoint's addresses are resolved, for WebSockets too`() async throws {
        for text in ["https://open.example/inbox", "wss://open.example"] {
            let found = try await guardian.endpoints(of: try WebAddress(parsing: text))
            #expect(found.map(\.description) == ["93.184.216.34", "2606:4700::1111"])
        }
        #expect(try await guardian.endpoints(of: try WebAddress(parsing: "https://8.8.8.8")).count == 1)
    }

    @Test(
        .shows("ARI-024", "CHK-098"),
        arguments: [
            ("https://closed.example", .addressRefused), ("https://none.example", .nameNotFound),
            ("https://other.example", .nameNotFound), ("https://10.0.0.1", .addressRefused),
            ("wss://[::1]", .addressRefused),
            ("https://localhost", .addressRefused), ("ws://open.example", .insecure),
            ("http://open.example", .insecure),
        ] as [(String, FetchError.Code)])
    func `a forbidden endpoint is refused with its code`(text: String, code: FetchError.Code) async throws {
        #expect(try await self.code(text) == code)
    }

    @Test func `private networks and addresses without TLS are accepted when the caller allows them`() async throws {
        #expect(try await code("https://closed.example", policy: .allowPrivate) == nil)
        let address = try WebAddress(parsing: "ws://open.example")
        #expect(try await guardian.endpoints(of: address, allowsInsecure: true).count == 2)
    }

    @Test func `at most the allowed number of a name's addresses is checked`() async throws {
        let found = try await guardian.endpoints(of: try WebAddress(parsing: "https://many.example"))
        #expect(found.count == FetchStateMachine.maximumAddresses)
    }
}
