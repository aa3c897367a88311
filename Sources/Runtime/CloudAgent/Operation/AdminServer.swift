public import Determinism
import WebAssets
public import WebTransport

/// The operator's listener of a cloud agent: health, readiness, metrics, and a page of numbers.
///
/// It changes nothing, and discloses no key, no identifier and nothing of a message; the invitations alone, at
/// `/invitation` and only with the operator's password. `GET /healthz` answers as long as
/// the process lives, `/readyz` with 503 while the store does not answer or the agent is being stopped, `/metrics` in
/// the text format of Prometheus, `/status` in JSON, `/` as a page with its style sheet below `/assets`. A request with
/// a `Host` that is not the operator's gets 421, so that a page of another site cannot read it through DNS rebinding.
public final class AdminServer: Sendable {
    private let server: HTTPServer
    private let monitor: MediatorMonitor
    private let sampling = Lock<Task<Void, Never>?>(nil)

    /// Answers one request, as the listener does.
    let respond: @Sendable (HTTPRequest) async -> HTTPResponse

    /// Makes the listener; nothing listens before `start`.
    ///
    /// - Parameters:
    ///   - names: accepted host names, beside addresses and `localhost`.
    ///   - version: the program's version for the metrics and the page.
    ///   - password: the operator's password, with which `/invitation` shows the invitations; nil for no such page.
    public init(
        _ agent: CloudAgentServer, _ configuration: ServerConfiguration, names: [String] = [], version: String,
        password: String? = nil,
        clock: any MonotonicClock = SystemMonotonicClock(), wallTime: @escaping @Sendable () -> WallTime
    ) {
        let monitor = MediatorMonitor(agent, clock: clock, wallTime: wallTime)
        self.monitor = monitor
        let login = password.map { OperatorLogin(password: $0, clock: clock) }
        var router = Self.router(monitor, version, showsInvitation: login != nil)
        if let login { Self.addInvitation(of: agent, login, to: &router) }
        let routes = router
        let guardian = HostGuard(names: names)
        respond = { request in
            // A check of a proxy may name no host, and learns nothing but whether the agent is well.
            let isCheck = request.headers["host"] == nil && Self.checks.contains(request.target.path)
            guard isCheck || guardian.isWelcome(request.headers["host"]) else {
                return HTTPResponse(421, text: "Ask for this by its address.\n")
            }
            var response = await routes.respond(to: request)
            for field in PageSecurityPolicy().headers.fields { response.headers[field.name] = field.value }
            response.headers["Cache-Control"] = response.headers["Cache-Control"] ?? "no-store"
            return response
        }
        server = HTTPServer(configuration, handler: respond)
    }

    /// Begins to listen; once.
    ///
    /// - Throws: as `HTTPServer.start`.
    @discardableResult
    public func start() async throws(WebError) -> SocketAddress {
        let address = try await server.start()
        let monitor = monitor
        sampling.withLock { $0 = Task { await monitor.sample() } }
        return address
    }

    /// Stops; requests under way may take a second.
    public func stop() async {
        sampling.withLock { $0?.cancel() }
        await server.stop(within: .seconds(1))
    }

    private static func addInvitation(of agent: CloudAgentServer, _ login: OperatorLogin, to router: inout HTTPRouter) {
        router.on(.get, "/invitation") { request in
            if let refusal = login.refusal(of: request) { return refusal }
            let name = request.target.query.first { $0.name == "name" }?.value
            guard let page = OperatorInvitationPage.html(agent, name: name) else {
                return HTTPResponse(404, text: "There is no such invitation.\n")
            }
            return HTTPResponse(200, "text/html; charset=utf-8", Array(page.utf8))
        }
    }

    private static let checks: Set = ["/healthz", "/readyz"]

    private static func router(_ monitor: MediatorMonitor, _ version: String, showsInvitation: Bool) -> HTTPRouter {
        var router = HTTPRouter()
        router.on(.get, "/healthz") { _ in HTTPResponse(200, text: "alive\n") }
        router.on(.get, "/readyz") { _ in
            let (state, cause) = await monitor.readiness()
            let words = [state.rawValue, cause?.code.rawValue].compactMap(\.self).joined(separator: " ")
            return HTTPResponse(state == .ready ? 200 : 503, text: "\(words)\n")
        }
        router.on(.get, "/metrics") { _ in
            let text = PrometheusText.text(await monitor.status(), version: version)
            return HTTPResponse(200, PrometheusText.mediaType, Array(text.utf8))
        }
        router.on(.get, "/status") { _ in
            HTTPResponse(200, "application/json", Array(await monitor.status().json.utf8))
        }
        router.on(.get, "/") { request in
            let asked = request.target.query.first { $0.name == "span" }?.value
            let span = asked.flatMap(MediatorStatusHistory.PlotSpan.init(rawValue:)) ?? .hour
            let plots = MediatorStatusPlots(monitor.samples(of: span), span)
            let page = OperatorStatusPage.html(
                await monitor.status(), plots, version: version, showsInvitation: showsInvitation)
            return HTTPResponse(200, "text/html; charset=utf-8", Array(page.utf8))
        }
        router.on(.get, PageAssets.statusStyle.path) { PageAssets.statusStyle.response(to: $0) }
        return router
    }
}
