import Determinism
import TestSupport
import Testing
import WebAddressing

@testable import WebTransport

@Suite struct FetchRedirectTests {
    /// Answers every question of a plan: names by a table, addresses by another, until it ends.
    private struct World {
        var names: [String: [String]] = ["a.example": ["93.184.216.34"], "b.example": ["93.184.216.35"]]
        var pages: [String: FetchResponse] = [:]
        var asked: [String] = []

        mutating func run(_ text: String, rules: FetchRules = FetchRules()) throws -> Result<FetchResult, FetchError> {
            var plan = FetchStateMachine(try WebAddress(parsing: text), rules: rules)
            var input = FetchStateMachine.Input.begin
            for _ in 0..<100 {
                let outputs = plan.handle(input, at: .zero)
                try #require(outputs.count == 1)
                switch outputs[0] {
                case .resolve(let name, _): input = .resolved((names[name] ?? []).compactMap { IPAddress(parsing: $0) })
                case .exchange(let target, _):
                    asked.append("\(target.address) at \(target.endpoint)")
                    input = .answered(pages[target.address.withoutFragment.description] ?? FetchResponse(404))
                case .delivered(let result): return .success(result)
                case .failed(let error): return .failure(error)
                }
            }
            return .failure(FetchError(.local, "the plan does not end"))
        }
    }

    private func code(
        of location: String?, from: String = "https://a.example/x", rules: FetchRules = FetchRules()
    ) throws -> FetchError.Code? {
        var world = World()
        world.pages["https://b.example/"] = FetchResponse(200)
        world.pages[try WebAddress(parsing: from).description] = FetchResponse(302, location: location)
        guard case .failure(let error) = try world.run(from, rules: rules) else { return nil }
        return error.code
    }

    @Test(.shows("F4"), arguments: [301, 302, 303, 307, 308])
    func `a redirect is followed with a new resolution, and the result has the final address`(status: Int) throws {
        var world = World()
        world.pages["https://a.example/x"] = FetchResponse(status, location: "//b.example/y?oob=e30#part")
        world.pages["https://b.example/y?oob=e30"] = FetchResponse(200, body: [1])
        let result = try world.run("https://a.example/x#z").get()
        #expect(result.address.description == "https://b.example/y?oob=e30#part")
        #expect(result.redirects.map(\.description) == ["https://a.example/x"])
        #expect(result.body == [1])
        #expect(
            world.asked == [
                "https://a.example/x#z at 93.184.216.34", "https://b.example/y?oob=e30#part at 93.184.216.35",
            ])
    }

    @Test(
        .shows("ARI-044", "CHK-096", "CHK-097", "CHK-100", "CHK-102", "CHK-103", "CHK-104", "F3"),
        arguments: [
            ("https://127.0.0.1/", .addressRefused), ("https://localhost/", .addressRefused),
            ("https://169.254.169.254/latest", .addressRefused), ("https://[fd00:ec2::254]/", .addressRefused),
            ("https://[::ffff:169.254.169.254]/", .addressRefused), ("//10.0.0.1:443/", .addressRefused),
            ("https://[2002:7f00:1::]/", .addressRefused), ("https://[64:ff9b::a00:1]/", .addressRefused),
            ("https://private.example/", .addressRefused), ("https://mixed.example/", .addressRefused),
            ("https://nowhere.example/", .nameNotFound), ("http://b.example/", .redirectDowngrade),
            ("ws://b.example/", .redirectScheme), ("wss://b.example/", .redirectScheme),
            ("file:///etc/passwd", .redirectScheme),
            ("ftp://b.example/", .redirectScheme), ("data:text/plain,a", .redirectScheme),
            ("javascript:a", .redirectScheme),
            ("didcomm://invite?oob=e30", .redirectScheme), ("https://user:word@b.example/", .redirectMalformed),
            ("https://127.1/", .redirectMalformed), ("https://0x7f.1/", .redirectMalformed),
            ("https://2130706433/", .redirectMalformed), ("https://b.example\\@127.0.0.1/", .redirectMalformed),
            ("https://b.example/\r\nX: y", .redirectMalformed), ("https://b.example:0/", .redirectMalformed),
            ("https://bücher.example/", .redirectMalformed), ("", .redirectLoop), ("x", .redirectLoop),
            ("#a", .redirectLoop),
            ("https://A.EXAMPLE:443/y/../x", .redirectLoop),
        ] as [(String, FetchError.Code)])
    func `a redirect to a forbidden address is refused with its code`(location: String, code: FetchError.Code) throws {
        var world = World()
        world.names["private.example"] = ["192.168.1.1"]
        world.names["mixed.example"] = ["93.184.216.36", "fe80::1"]
        world.pages["https://a.example/x"] = FetchResponse(302, location: location)
        guard case .failure(let error) = try world.run("https://a.example/x") else {
            Issue.record("the redirect was followed")
            return
        }
        #expect(error.code == code)
        #expect(world.asked.count == 1)
    }

    @Test func `an HTTP redirect without a target is refused`() throws {
        #expect(try code(of: nil) == .redirectMalformed)
    }

    @Test(.shows("CHK-103"))
    func `a redirect may lead to https, and to http only from http where that is allowed`() throws {
        var rules = FetchRules()
        rules.allowsInsecure = true
        #expect(try code(of: "https://b.example/", from: "http://a.example/x", rules: rules) == nil)
        #expect(try code(of: "http://b.example/", from: "http://a.example/x", rules: rules) == .status)
        #expect(try code(of: "http://b.example/", rules: rules) == .redirectDowngrade)
    }

    @Test(.shows("ARI-044", "CHK-101", "F3")) func `the allowed number of redirects is followed and one more refused`()
        throws
    {
        var world = World()
        let limit = FetchRules().maximumRedirects
        for hop in 0...limit {
            world.pages["https://a.example/\(hop)"] = FetchResponse(302, location: "/\(hop + 1)")
        }
        world.pages["https://a.example/\(limit + 1)"] = FetchResponse(200)
        #expect(try world.run("https://a.example/1").get().redirects.count == limit)
        #expect(throws: FetchError(.redirectLimit, "")) { try world.run("https://a.example/0").get() }
    }

    @Test(.shows("CHK-102", "F3")) func `a redirect loop is detected at the first repetition`() throws {
        var world = World()
        world.pages["https://a.example/1"] = FetchResponse(302, location: "https://b.example/2")
        world.pages["https://b.example/2"] = FetchResponse(307, location: "https://a.example/1#again")
        #expect(throws: FetchError(.redirectLoop, "")) { try world.run("https://a.example/1").get() }
        #expect(world.asked.count == 2)
    }

    @Test(.shows("CHK-096", "F4")) func `a host name that moves to a private address between two redirects is refused`()
        throws
    {
        var plan = FetchStateMachine(try WebAddress(parsing: "https://a.example/1"))
        _ = plan.handle(.begin, at: .zero)
        _ = plan.handle(.resolved([FetchStateMachineTests.open]), at: .zero)
        let again = plan.handle(.answered(FetchResponse(302, location: "/2")), at: .zero)
        #expect(again == [.resolve("a.example", until: .zero + .seconds(10))])
        let outputs = plan.handle(.resolved([.v4(IPv4Address(127, 0, 0, 1))]), at: .zero)
        #expect(outputs == [.failed(FetchError(.addressRefused, ""))])
    }

    @Test func `a refused redirect reports its target, cut at the limit, and the reason contains none of it`() throws {
        var world = World()
        world.pages["https://a.example/x"] = FetchResponse(302, location: "didcomm://invite?oob=e30")
        do {
            _ = try world.run("https://a.example/x").get()
            Issue.record("the redirect was followed")
        } catch let error as FetchError {
            #expect(error.redirectTarget == "didcomm://invite?oob=e30")
            #expect(!error.reason.contains("oob"))
        }
        world.pages["https://a.example/x"] = FetchResponse(
            302, location: "x:" + String(repeating: "y", count: WebAddress.maximumBytes))
        guard case .failure(let error) = try world.run("https://a.example/x") else {
            Issue.record("the redirect was followed")
            return
        }
        #expect(error.redirectTarget?.utf8.count == WebAddress.maximumBytes)
    }
}
