import Determinism
import TestSupport
import Testing
import WebAddressing

@testable import WebTransport

@Suite struct FetchStateMachineTests {
    static let open = IPAddress.v4(IPv4Address(93, 184, 216, 34))
    static let other = IPAddress.v4(IPv4Address(93, 184, 216, 35))
    static let third = IPAddress.v4(IPv4Address(93, 184, 216, 36))

    static func web(_ text: String) throws -> WebAddress { try WebAddress(parsing: text) }

    private func time(_ duration: Duration) -> MonotonicInstant { .zero + duration }

    /// A plan that has begun and whose first name has one public address.
    private func exchanging(_ text: String, rules: FetchRules = FetchRules()) throws -> FetchStateMachine {
        var plan = FetchStateMachine(try Self.web(text), rules: rules)
        _ = plan.handle(.begin, at: .zero)
        _ = plan.handle(.resolved([Self.open]), at: .zero)
        return plan
    }

    private func failure(_ outputs: [FetchStateMachine.Output]) -> FetchError? {
        guard outputs.count == 1, case .failed(let error) = outputs.first else { return nil }
        return error
    }

    @Test func `a fetch resolves the name, requests the address and returns the response`() throws {
        let address = try Self.web("https://a.example/b?c#d")
        var plan = FetchStateMachine(address)
        #expect(plan.nextDeadline == nil)
        #expect(plan.handle(.begin, at: .zero) == [.resolve("a.example", until: time(.seconds(10)))])
        #expect(plan.nextDeadline == time(.seconds(10)))
        #expect(
            plan.handle(.resolved([Self.open]), at: time(.seconds(1))) == [
                .exchange(FetchTarget(address, at: Self.open), until: time(.seconds(10)))
            ])
        let answer = FetchResponse(200, contentType: "Application/JSON; charset=utf-8", body: [123, 125])
        let outputs = plan.handle(.answered(answer), at: time(.seconds(2)))
        guard case .delivered(let result) = outputs.first, outputs.count == 1 else {
            Issue.record("nothing was delivered")
            return
        }
        #expect(result.address == address)
        #expect(result.redirects == [])
        #expect(result.endpoint == Self.open)
        #expect(result.status == 200)
        #expect(result.mediaType == "application/json")
        #expect(result.body == [123, 125])
        #expect(plan.nextDeadline == nil)
    }

    @Test func `a fetch from a host that is an IP address needs no resolution`() throws {
        let address = try Self.web("https://[2606:4700::1111]/")
        var plan = FetchStateMachine(address)
        let endpoint = try #require(IPAddress(parsing: "2606:4700::1111"))
        #expect(
            plan.handle(.begin, at: .zero) == [
                .exchange(FetchTarget(address, at: endpoint), until: time(.seconds(10)))
            ])
    }

    @Test(
        .shows("CHK-097", "CHK-098", "CHK-100", "F2"),
        arguments: [
            ("http://a.example", .insecure), ("ws://a.example", .scheme), ("wss://a.example", .scheme),
            ("https://127.0.0.1", .addressRefused), ("https://[::ffff:10.0.0.1]", .addressRefused),
            ("https://169.254.169.254/latest/meta-data", .addressRefused), ("https://localhost", .addressRefused),
            ("https://metadata.google.internal", .addressRefused), ("https://0.0.0.0", .addressRefused),
        ] as [(String, FetchError.Code)])
    func `a fetch from a forbidden address is refused before any request`(text: String, code: FetchError.Code) throws {
        var plan = FetchStateMachine(try Self.web(text))
        let error = try #require(failure(plan.handle(.begin, at: .zero)))
        #expect(error.code == code)
        #expect(error.address?.description == (try Self.web(text)).description)
    }

    @Test(.shows("F2")) func `a host name with any forbidden address among its addresses is refused`() throws {
        let bad = try #require(IPAddress(parsing: "::ffff:192.168.0.1"))
        for addresses in [[bad], [bad, Self.open], [Self.open, bad]] {
            var plan = FetchStateMachine(try Self.web("https://a.example"))
            _ = plan.handle(.begin, at: .zero)
            #expect(failure(plan.handle(.resolved(addresses), at: .zero))?.code == .addressRefused)
        }
    }

    @Test func `with private networks allowed, this machine may be fetched from and cloud metadata may not`() throws {
        var rules = FetchRules()
        rules.policy = .allowPrivate
        rules.allowsInsecure = true
        let address = try Self.web("http://localhost:8080")
        var plan = FetchStateMachine(address, rules: rules)
        #expect(plan.handle(.begin, at: .zero) == [.resolve("localhost", until: time(.seconds(10)))])
        let loopback = IPAddress.v4(IPv4Address(127, 0, 0, 1))
        #expect(
            plan.handle(.resolved([loopback]), at: .zero) == [
                .exchange(FetchTarget(address, at: loopback), until: time(.seconds(10)))
            ])
        var cloud = FetchStateMachine(address, rules: rules)
        _ = cloud.handle(.begin, at: .zero)
        let metadata = IPAddress.v4(IPv4Address(169, 254, 169, 254))
        #expect(failure(cloud.handle(.resolved([metadata]), at: .zero))?.code == .addressRefused)
    }

    @Test func `a host name without an address fails as not found`() throws {
        var plan = FetchStateMachine(try Self.web("https://a.example"))
        _ = plan.handle(.begin, at: .zero)
        #expect(failure(plan.handle(.resolved([]), at: .zero))?.code == .nameNotFound)
    }

    @Test(arguments: [FetchError.Code.nameNotFound, .nameServerFailed, .nameServerBusy, .deadline, .cancelled])
    func `a failed name resolution ends the fetch with its code`(code: FetchError.Code) throws {
        var plan = FetchStateMachine(try Self.web("https://a.example"))
        _ = plan.handle(.begin, at: .zero)
        #expect(failure(plan.handle(.failed(FetchError(code, "")), at: .zero))?.code == code)
    }

    @Test(arguments: [
        FetchError.Code.certificateExpired, .certificateName, .certificateUntrusted, .handshake, .bodyTooLarge,
        .headerTooLarge, .truncated, .malformed, .cancelled, .local,
    ])
    func `a failed response ends the fetch, and no other address is tried`(code: FetchError.Code) throws {
        var plan = FetchStateMachine(try Self.web("https://a.example"))
        _ = plan.handle(.begin, at: .zero)
        _ = plan.handle(.resolved([Self.open, Self.other]), at: .zero)
        #expect(failure(plan.handle(.failed(FetchError(code, "")), at: .zero))?.code == code)
    }

    @Test func `a fetch tries the next address when one does not answer, up to a limit`() throws {
        let address = try Self.web("https://a.example")
        var rules = FetchRules()
        rules.maximumAttempts = 2
        var plan = FetchStateMachine(address, rules: rules)
        _ = plan.handle(.begin, at: .zero)
        #expect(
            plan.handle(.resolved([Self.open, Self.other, Self.third]), at: .zero) == [
                .exchange(FetchTarget(address, at: Self.open), until: time(.seconds(3)))
            ])
        #expect(
            plan.handle(.failed(FetchError(.deadline, "")), at: time(.seconds(3))) == [
                .exchange(FetchTarget(address, at: Self.other), until: time(.seconds(10)))
            ])
        #expect(
            failure(plan.handle(.failed(FetchError(.unreachable, "")), at: time(.seconds(4))))?.code == .unreachable)
    }

    @Test(.shows("CHK-106", "F5")) func `a fetch ends at its deadline in every phase, and not a moment before`() throws
    {
        var resolving = FetchStateMachine(try Self.web("https://a.example"))
        _ = resolving.handle(.begin, at: .zero)
        var exchanging = try exchanging("https://a.example")
        let last = MonotonicInstant(nanoseconds: 9_999_999_999)
        #expect(resolving.handle(.wake, at: last) == [])
        #expect(exchanging.handle(.wake, at: last) == [])
        #expect(failure(resolving.handle(.resolved([Self.open]), at: time(.seconds(10))))?.code == .deadline)
        #expect(failure(exchanging.handle(.answered(FetchResponse(200)), at: time(.seconds(10))))?.code == .deadline)
    }

    @Test(.shows("ARI-044", "CHK-106", "F5")) func `all redirects of a fetch share one deadline`() throws {
        var plan = try exchanging("https://a.example/0")
        _ = plan.handle(.answered(FetchResponse(302, location: "/1")), at: time(.seconds(6)))
        #expect(plan.nextDeadline == time(.seconds(10)))
        #expect(failure(plan.handle(.wake, at: time(.seconds(10))))?.code == .deadline)
    }

    @Test(arguments: [100, 199, 300, 304, 305, 306, 400, 404, 500, 599])
    func `a status that is neither success nor redirect fails the fetch`(status: Int) throws {
        var plan = try exchanging("https://a.example")
        let error = try #require(failure(plan.handle(.answered(FetchResponse(status, location: "/b")), at: .zero)))
        #expect(error.code == .status)
        #expect(error.wireCode == status)
    }

    @Test(.shows("ARI-044", "CHK-105", "F5"))
    func `a fetched body of the greatest length is returned and one byte more refused`() throws {
        let rules = FetchRules()
        for (count, code) in [
            (rules.maximumBodyBytes, nil), (rules.maximumBodyBytes + 1, FetchError.Code.bodyTooLarge),
        ] {
            var plan = try exchanging("https://a.example")
            let body = [UInt8](repeating: 1, count: count)
            #expect(failure(plan.handle(.answered(FetchResponse(200, body: body)), at: .zero))?.code == code)
        }
    }

    @Test(arguments: ["gzip", "br", "deflate", "gzip, identity", "x"])
    func `a compressed response body is refused`(encoding: String) throws {
        var plan = try exchanging("https://a.example")
        let answer = FetchResponse(200, contentEncoding: encoding)
        #expect(failure(plan.handle(.answered(answer), at: .zero))?.code == .encoded)
    }

    @Test(arguments: ["", "identity", "Identity"])
    func `a response that is not compressed is accepted`(encoding: String) throws {
        var plan = try exchanging("https://a.example")
        #expect(failure(plan.handle(.answered(FetchResponse(200, contentEncoding: encoding)), at: .zero)) == nil)
    }

    @Test func `events before the start, after the end, or without a request do nothing in a fetch`() throws {
        var plan = FetchStateMachine(try Self.web("https://a.example"))
        #expect(plan.handle(.resolved([Self.open]), at: .zero) == [])
        #expect(plan.handle(.wake, at: .zero) == [])
        _ = plan.handle(.begin, at: .zero)
        #expect(plan.handle(.begin, at: .zero) == [])
        #expect(plan.handle(.answered(FetchResponse(200)), at: .zero) == [])
        _ = plan.handle(.resolved([Self.open]), at: .zero)
        #expect(plan.handle(.resolved([Self.other]), at: .zero) == [])
        _ = plan.handle(.answered(FetchResponse(200)), at: .zero)
        for input in [.begin, .wake, .resolved([Self.open]), .answered(FetchResponse(200))] as [FetchStateMachine.Input]
        {
            #expect(plan.handle(input, at: time(.seconds(20))) == [])
        }
    }
}
