import WebTransport

/// The routes of the mediator's port.
enum CloudAgentRoutes {
    /// - Parameter service: nil before the agent is ready.
    static func router(_ service: @escaping @Sendable () -> MediatorService?) -> Router {
        var router = Router()
        router.on(.post, "/*") { request in
            guard let service = service() else { return MediatorService.later }
            return await service.answer(request)
        }
        router.on(.get, "/*") { _ in
            HTTPResponse(200, text: "This is a cloud agent. Open this link with a wallet, not with a browser.\n")
        }
        router.webSocketReceiver("/*", origins: .any, limits: CloudAgentConfiguration.socketLimits) { connection in
            guard let service = service() else {
                connection.close(.tryAgainLater, reason: "Not ready yet.")
                return nil
            }
            return service.begin(WebClientSocket(connection: connection))
        }
        return router
    }
}
