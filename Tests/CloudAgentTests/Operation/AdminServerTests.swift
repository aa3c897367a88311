import Aries
import AriesConnections
import Determinism
import Foundation
import JSON
import TestSupport
import Testing
import WebAddressing
import WebAssets
import WebTransport

@testable import CloudAgent

/// The operator's listener, asked over loopback.
@Suite struct AdminServerTests {
    private let folder = Folder()

    /// A running agent with its operator's listener.
    private final class Site: Sendable {
        let agent: RunningAgent
        let admin: AdminServer
        let address: SocketAddress
        let service = WebService()

        init(in folder: String) async throws {
            agent = try await RunningAgent(in: folder)
            admin = AdminServer(
                agent.server, ServerConfiguration(), names: ["Agent.Internal"], version: "1.2.3", wallTime: Wallet.time)
            address = try await admin.start()
        }

        func get(_ path: String, host: WebHost? = nil) async throws -> HTTPResponse {
            try await HTTPClient(service).send(
                HTTPRequest(.get, try RequestTarget(parsing: path)),
                to: WebConnectionTarget(address.address, port: address.port, host: host))
        }

        func text(_ path: String) async throws -> String { String(decoding: try await get(path).body, as: UTF8.self) }

        func stop() async {
            await admin.stop()
            await agent.stop()
            await service.stop()
        }
    }

    @Test func `the admin server answers health, readiness, status and the status page, and no other path`()
        async throws
    {
        let site = try await Site(in: folder.path)
        #expect(try await site.text("/healthz") == "alive\n")
        #expect(try await site.text("/readyz") == "ready\n")
        let status = try #require(try JSONValue(parsing: try await site.get("/status").body).object)
        #expect(status["state"]?.string == "ready")
        let absent = [
            "oldest", "causeSeconds", "lossSteps", "lossSeconds", "cause", "reason", "nextStep", "replication",
        ]
        for name in MediatorStatus.names where !absent.contains(name) { #expect(status[name]?.int != nil, "\(name)") }
        for name in absent { #expect(status[name]?.isNull == true, "\(name)") }
        let page = try await site.get("/")
        #expect(
            page.headers["content-type"] == "text/html; charset=utf-8" && page.headers["cache-control"] == "no-store")
        #expect(String(decoding: page.body, as: UTF8.self).contains("Symbolon 1.2.3"))
        for path in ["/accounts", "/metrics/", "/readyz/x"] { #expect(try await site.get(path).status == 404) }
        let posted = try await HTTPClient(site.service).send(
            HTTPRequest(.post, try RequestTarget(parsing: "/status")),
            to: WebConnectionTarget(site.address.address, port: site.address.port))
        #expect(posted.status == 405, "it changes nothing")
        await site.stop()
    }

    @Test func `the status page loads its style sheet, and its policy forbids inline scripts and styles`()
        async throws
    {
        let site = try await Site(in: folder.path)
        // A client shows few fields of an answer, so the answer is looked at before it is sent.
        let page = await site.admin.respond(
            HTTPRequest(.get, try RequestTarget(parsing: "/"), headers: ["Host": "\(site.address)"]))
        let policy = try #require(page.headers["content-security-policy"])
        #expect(policy == PageSecurityPolicy().contentSecurityPolicy && !policy.contains("unsafe"))
        let text = String(decoding: page.body, as: UTF8.self)
        #expect(text.contains(#"<link rel="stylesheet" href="/assets/status.css">"#))
        #expect(!text.contains("<style") && !text.contains("style="))
        let style = try await site.get("/assets/status.css")
        #expect(style.status == 200 && style.body == PageAssets.statusStyle.bytes)
        #expect(style.headers["content-type"] == "text/css; charset=utf-8")
        #expect(style.headers["cache-control"] == "no-cache", "asked again with its tag each time")
        await site.stop()
    }

    @Test func `the public port serves no admin path, and the admin port no public one`() async throws {
        let site = try await Site(in: folder.path)
        let everybody = WebConnectionTarget(site.agent.address.address, port: site.agent.address.port)
        let greeting = "This is a cloud agent. Open this link with a wallet, not with a browser.\n"
        for path in ["/", "/healthz", "/readyz", "/metrics", "/status", "/accounts", "/prune"] {
            let asked = try await HTTPClient(site.service).send(
                HTTPRequest(.get, try RequestTarget(parsing: path)), to: everybody)
            #expect(asked.status == 200 && String(decoding: asked.body, as: UTF8.self) == greeting, "\(path)")
            for method in [HTTPMethod.put, .delete, .patch] {
                let changed = try await HTTPClient(site.service).send(
                    HTTPRequest(method, try RequestTarget(parsing: path)), to: everybody)
                #expect(changed.status == 405, "\(method) \(path)")
            }
        }
        let operators = WebConnectionTarget(site.address.address, port: site.address.port)
        let taken = site.agent.server.counts.taken
        for path in ["/", "/status", "/somewhere"] {
            let envelope = try RawClient.request(for: site.agent.invitation)
            let posted = try await HTTPClient(site.service).send(
                HTTPRequest(.post, try RequestTarget(parsing: path), body: envelope), to: operators)
            #expect([404, 405, 413].contains(posted.status), "\(path)")
            await #expect(throws: WebError(.upgradeRefused, "")) {
                try await WebSocketClient(site.service).connect(
                    to: operators, HTTPRequest(.get, try RequestTarget(parsing: path)))
            }
        }
        #expect(site.agent.server.counts.taken == taken)
        #expect(try await site.agent.server.totals().accounts == 0)
        await site.stop()
    }

    @Test func `an agent that lost its store or is stopping is alive and not ready`() async throws {
        let site = try await Site(in: folder.path)
        await site.agent.server.stop(within: .milliseconds(200))
        #expect(try await site.get("/readyz").status == 503)
        #expect(try await site.text("/readyz") == "draining\n")
        #expect(try await site.get("/healthz").status == 200)
        let metrics = try await site.text("/metrics")
        #expect(metrics.contains("symbolon_agent_ready 0\n") && !metrics.contains("queued_messages"))
        await site.stop()
    }

    @Test(arguments: [(false, "Check the disk."), (true, "start the server")])
    func `an agent whose store is away tells the cause with its sentence and the next step`(
        isShared: Bool, step: String
    ) async throws {
        let faults = BreakableStore()
        let agent = try await RunningAgent(
            in: folder.path, store: try await faults.open(in: folder.path, isShared: isShared))
        let admin = AdminServer(agent.server, ServerConfiguration(), version: "1", wallTime: Wallet.time)
        faults.isDown = true
        func ask(_ path: String) async throws -> String {
            let request = HTTPRequest(.get, try RequestTarget(parsing: path), headers: ["Host": "127.0.0.1"])
            return String(decoding: await admin.respond(request).body, as: UTF8.self)
        }
        #expect(try await ask("/readyz") == "unready cloud.store.unavailable\n")
        let status = try JSONValue(parsing: try await ask("/status"))
        #expect(status["cause"]?.string == "cloud.store.unavailable")
        #expect(status["reason"]?.string == "The connection is lost.")
        #expect(status["nextStep"]?.string?.contains(step) == true)
        #expect(try await ask("/").contains("cloud.store.unavailable: The connection is lost. "))
        await agent.stop()
    }

    @Test func `an agent is ready only when a store write made for the readiness check was committed`() async throws {
        let faults = BreakableStore()
        let agent = try await RunningAgent(in: folder.path, store: try await faults.open(in: folder.path))
        let monitor = MediatorMonitor(agent.server, clock: SystemMonotonicClock(), wallTime: Wallet.time)
        #expect(await monitor.state() == .ready)
        faults.refusesCommits = true
        #expect(await monitor.readiness().cause?.code == .standby, "reading works")
        faults.refusesCommits = false
        #expect(await monitor.state() == .ready)
        await agent.stop()
    }

    @Test func `a readiness cause with quotation marks and markup is escaped in JSON and on the page`() throws {
        var status = MediatorStatus(StoreTotals(), at: WallTime(millisecondsSinceEpoch: 0))
        status.cause = CloudAgentError(.login, "role \"<b>\" \n may not")
        status.causeTime = .zero
        #expect(try JSONValue(parsing: Array(status.json.utf8))["reason"]?.string == status.cause?.reason)
        let page = OperatorStatusPage.html(status, MediatorStatusPlots(([], .zero), .hour), version: "1")
        #expect(page.contains("role &quot;&lt;b&gt;&quot;") && !page.contains("<b>"))
    }

    @Test func `each Prometheus metric has help and a type, counters end in _total, and each name appears once`()
        async throws
    {
        let site = try await Site(in: folder.path)
        let lines = try await site.text("/metrics").split(separator: "\n").map(String.init)
        await site.stop()
        var (helped, typed): (Set<String>, [String: String]) = ([], [:])
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            if line.hasPrefix("# HELP ") {
                #expect(words.count > 3 && line.hasSuffix(".") && helped.insert(words[2]).inserted, "\(line)")
            } else if line.hasPrefix("# TYPE ") {
                #expect(helped.contains(words[2]) && ["counter", "gauge", "histogram"].contains(words[3]), "\(line)")
                #expect(words[2].hasSuffix("_total") == (words[3] == "counter"), "\(line)")
                typed[words[2]] = words[3]
            } else {
                var name = String(words[0].split(separator: "{")[0])
                for part in ["_bucket", "_sum", "_count"] where name.hasSuffix(part) && typed[name] == nil {
                    name.removeLast(part.count)
                    #expect(typed[name] == "histogram", "\(line)")
                }
                #expect(words.count == 2 && Double(words[1]) != nil && typed[name] != nil, "\(line)")
                #expect(name.hasPrefix("symbolon_agent_") || name.hasPrefix("process_"), "\(line)")
            }
        }
        #expect(helped.count == typed.count && typed["symbolon_agent_queued_messages"] == "gauge")
        let dashboard = OutsideVectors.packageRoot.appending(path: "Packaging/grafana/symbolon-agent.json")
        let text = try String(contentsOf: dashboard, encoding: .utf8)
        let used = text.matches(of: /(?:symbolon_agent|process)_[a-z_]+/).map { String($0.output) }
        for name in used {
            #expect(typed[name] != nil || typed[name.replacing("_bucket", with: "")] == "histogram", "\(name)")
        }
        #expect(used.count > 20)
    }

    @Test
    func `the admin page shows the invitation after log-in, and ten wrong passwords in a minute block it`()
        async throws
    {
        let agent = try await RunningAgent(in: folder.path)
        let clock = HandClock()
        let admin = AdminServer(
            agent.server, ServerConfiguration(), version: "1", password: "open sesame", clock: clock,
            wallTime: Wallet.time)
        func ask(_ password: String?, _ path: String = "/invitation") async throws -> HTTPResponse {
            var headers: HTTPHeaders = ["Host": "127.0.0.1"]
            if let password { headers["Authorization"] = "Basic \(Data("me:\(password)".utf8).base64EncodedString())" }
            return await admin.respond(HTTPRequest(.get, try RequestTarget(parsing: path), headers: headers))
        }
        let asked = try await ask(nil)
        #expect(asked.status == 401 && asked.headers["www-authenticate"]?.hasPrefix("Basic realm=") == true)
        let shown = try await ask("open sesame")
        let page = String(decoding: shown.body, as: UTF8.self)
        #expect(shown.status == 200 && page.contains("<svg") && page.contains("/i</code>") && page.contains("?oob="))
        #expect(try await ask("open sesame", "/invitation?name=x").status == 404)
        let numbers = String(decoding: try await ask(nil, "/").body, as: UTF8.self)
        #expect(numbers.contains("/invitation") && !numbers.contains("oob="))
        for _ in 0..<10 { #expect(try await ask("wrong").status == 401) }
        #expect(try await ask("open sesame").status == 429)
        clock.advance(by: .seconds(60))
        #expect(try await ask("open sesame").status == 200)
        let without = AdminServer(agent.server, ServerConfiguration(), version: "1", wallTime: Wallet.time)
        let gone = await without.respond(
            HTTPRequest(.get, try RequestTarget(parsing: "/invitation"), headers: ["Host": "127.0.0.1"]))
        #expect(gone.status == 404)
        await agent.stop()
    }

    @Test func `every counter of the agent has one metric, and no metric covers two counters`() {
        let names = Mirror(reflecting: MediatorCounts()).children.compactMap(\.label)
        #expect(MediatorMetric.all.map(\.name) == names)
        for (index, figure) in MediatorMetric.all.enumerated() {
            var families = MediatorMetric.all.map(\.metric)
            families.remove(at: index)
            #expect(figure.label.isEmpty == !families.contains(figure.metric), "\(figure.name)")
        }
    }

    @Test func `health checks without a Host field are answered, and other admin requests without it are refused`()
        async throws
    {
        let site = try await Site(in: folder.path)
        for (path, status) in [("/healthz", 200), ("/readyz", 200), ("/status", 421), ("/", 421)] {
            let request = HTTPRequest(.get, try RequestTarget(parsing: path))
            #expect(await site.admin.respond(request).status == status, "\(path)")
        }
        await site.stop()
    }

    @Test func `a request whose Host is not an allowed name is refused by the admin server`() async throws {
        let site = try await Site(in: folder.path)
        for path in ["/", "/metrics", "/status", "/healthz", "/nothing"] {
            #expect(try await site.get(path, host: try WebHost(parsing: "evil.example")).status == 421, "\(path)")
        }
        for name in ["localhost", "agent.internal"] {
            #expect(try await site.get("/status", host: try WebHost(parsing: name)).status == 200, "\(name)")
        }
        await site.stop()
    }

    @Test func `the status page lists the longest queues by account number, and ages in two units`() throws {
        var status = MediatorStatus(StoreTotals(), at: WallTime(millisecondsSinceEpoch: 90_000_000))
        status.state = .ready
        status.queues = [
            AccountEntry(
                number: 7, created: WallTime(millisecondsSinceEpoch: 0), seen: WallTime(millisecondsSinceEpoch: 0),
                isServed: true, body: [],
                queue: QueueStatus(
                    count: 1234, bytes: 5, oldest: WallTime(millisecondsSinceEpoch: 0)), keyCount: 1)
        ]
        let page = OperatorStatusPage.html(status, MediatorStatusPlots(([], .zero), .hour), version: "1")
        #expect(page.contains("<tr><td>7<td>1\u{202F}234<td>5\u{A0}B<td>1\u{A0}d\u{A0}1\u{A0}h"))
        for (seconds, text) in [(0, "0 s"), (59, "59 s"), (60, "1 min"), (3661, "1 h 1 min"), (86_400, "1 d")] {
            #expect(OperatorStatusPage.span(seconds).replacing("\u{A0}", with: " ") == text)
        }
        #expect(!page.contains("<script") && !page.contains("src=") && page.split(separator: "href=").count == 3)
        for (bytes, text) in [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (62_240, "62.2 kB"), (1_500_000, "1.5 MB")] {
            #expect(OperatorStatusPage.bytes(bytes).replacing("\u{A0}", with: " ") == text)
        }
    }

    @Test func `the age of a queued message is zero when the clock was set back`() {
        let (early, late) = (WallTime(millisecondsSinceEpoch: .min), WallTime(millisecondsSinceEpoch: .max))
        #expect(MediatorStatus.seconds(from: early, to: late) == 0, "too far apart for a number")
        #expect(MediatorStatus.seconds(from: late, to: early) == 0)
        #expect(
            MediatorStatus.seconds(
                from: WallTime(millisecondsSinceEpoch: 0), to: WallTime(millisecondsSinceEpoch: 1999))
                == 1)
    }
}
