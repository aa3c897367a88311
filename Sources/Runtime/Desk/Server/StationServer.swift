public import Determinism
import WebAssets
public import WebTransport

/// The server of a desk's pages: static files, and one WebSocket for each station, over which everything else goes.
///
/// A request with a `Host` that is not this machine gets 421, so that a page of another site cannot reach it through
/// DNS rebinding; a WebSocket that a page of another origin opens is refused. Nothing but files is served without the
/// operator's code. Browsers ask for `localhost` at ::1 first, so that port is held there too.
public final class StationServer: Sendable {
    /// The most bytes of a message to a page: four pictures, and the texts around them.
    static let maximumMessageBytes = 16 << 20

    private let server: HTTPServer
    private let stations: [(station: Station, gate: BrowserGate)]

    /// Makes the server; nothing listens before `start`.
    ///
    /// - Parameters:
    ///   - version: the program's version, which the page shows.
    ///   - announce: called with each new one-time code of a station.
    public init(
        _ stations: [Station], _ configuration: ServerConfiguration = ServerConfiguration(), version: String,
        clock: any MonotonicClock = SystemMonotonicClock(), makeRandom: @escaping @Sendable () -> any RandomSource,
        announce: @escaping @Sendable (Station, OneTimeCode) -> Void
    ) {
        let gated = stations.map { station in
            (
                station: station,
                gate: BrowserGate(random: makeRandom(), clock: clock) { announce(station, $0) }
            )
        }
        var configuration = configuration
        configuration.limits.maximumConnections = 64
        configuration.limits.maximumBodyBytes = 4096
        configuration.limits.maximumHeldBytesPerHost = 64 << 20
        configuration.limits.replacesWaiting = true
        configuration.servesLocalhost = true
        self.stations = gated
        server = HTTPServer(configuration, router: Self.router(gated, version))
    }

    /// Begins to listen; once.
    ///
    /// - Throws: as `HTTPServer.start`; `web.listen.failed` also where another program holds the port at ::1.
    @discardableResult
    public func start() async throws(WebError) -> SocketAddress { try await server.start() }

    /// The gates of the stations, in their order.
    var gates: [BrowserGate] { stations.map(\.gate) }

    /// Announces the code that opens each station's page first.
    public func announceCodes() async {
        for (_, gate) in stations { await gate.begin() }
    }

    /// Stops; pages lose their connection.
    public func stop() async {
        await server.stop(within: .seconds(1))
    }

    static func router(_ stations: [(station: Station, gate: BrowserGate)], _ version: String) -> HTTPRouter {
        let guardian = HostGuard(names: [])
        let misdirected = HTTPResponse(421, text: "Ask for this by its address.\n")
        var router = HTTPRouter { request in
            guardian.isWelcome(request.headers["host"])
                ? hardened(HTTPResponse(404, text: "There is nothing here.\n")) : misdirected
        }
        func file(_ asset: StaticAsset, at path: String) {
            router.on(.get, path) { request in
                guard guardian.isWelcome(request.headers["host"]) else { return misdirected }
                return hardened(asset.response(to: request))
            }
        }
        file(PageAssets.deskPage, at: "/")
        for (station, _) in stations { file(PageAssets.deskPage, at: "/\(station.number)") }
        for asset in PageAssets.deskFiles { file(asset, at: asset.path) }
        var limits = WebSocketLimits()
        limits.maximumMessageBytes = PageFrame.maximumBytes
        limits.maximumFrameBytes = PageFrame.maximumBytes
        limits.maximumSentMessageBytes = maximumMessageBytes
        limits.maximumUnsentBytes = maximumMessageBytes
        for (station, gate) in stations {
            router.webSocket("/\(station.number)/events", origins: .same, limits: limits) { socket in
                guard guardian.isWelcome(socket.request.headers["host"]), socket.request.headers["origin"] != nil else {
                    return socket.close(.policy, reason: "another host")
                }
                await BrowserConnection(
                    socket: socket, station: station, stationCount: stations.count, gate: gate, version: version
                ).serve()
            }
        }
        return router
    }

    private static func hardened(_ response: HTTPResponse) -> HTTPResponse {
        var policy = PageSecurityPolicy()
        policy.allowsScripts = true
        policy.forbidsMarkupFromScripts = true
        var response = response
        for field in policy.headers.fields { response.headers[field.name] = field.value }
        response.headers["Permissions-Policy"] = "camera=(self), microphone=(), geolocation=(), usb=()"
        return response
    }
}
