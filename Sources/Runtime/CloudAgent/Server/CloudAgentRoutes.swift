import WebTransport

/// The routes of the mediator's port.
enum CloudAgentRoutes {
    /// Makes the router of the mediator's port.
    ///
    /// - Parameter service: nil before the agent is ready.
    static func router(
        _ configuration: CloudAgentConfiguration, _ service: @escaping @Sendable () -> MediatorService?
    ) -> HTTPRouter {
        var router = HTTPRouter()
        if let folder = configuration.documentFolder {
            let documents = PublishedDocuments(folder: folder, publicAddress: configuration.publicAddress)
            router.on(.get, "/.well-known/did.json") { documents.response(to: $0, name: nil) }
            router.on(.get, "/:name/did.json") { documents.response(to: $0, name: $0.parameters["name"] ?? "") }
        }
        router.on(.post, "/*") { request in
            guard let service = service() else { return MediatorService.later }
            return await service.answer(request)
        }
        let pages = InvitationPages(service: service)
        router.on(.get, "/*") { await pages.response(to: $0) }
        router.webSocketReceiver("/*", origins: .any, limits: CloudAgentConfiguration.socketLimits) { connection in
            guard let service = service() else {
                connection.close(.tryAgainLater, reason: "Not ready yet.")
                return nil
            }
            return service.begin(WebSocketReplyChannel(connection), from: connection.request.peer)
        }
        return router
    }
}
