public import DIDComm

/// The addresses of a cloud agent, by HTTP and by WebSocket.
public struct MediatorEndpoints: Hashable, Sendable {
    /// The address for HTTP POST.
    public let http: ServiceEndpoint
    /// By WebSocket, on the same port and path.
    public let socket: ServiceEndpoint

    /// Takes the address of either kind, with or without a path; a trailing slash is dropped.
    ///
    /// - Throws: `didcomm.endpoint.*`, `didcomm.endpoint.transport-unsupported` for what is no address of the web among
    ///   them.
    public init(_ text: String) throws(DIDCommError) {
        var text = text[...]
        while text.utf8.last == UInt8(ascii: "/") { text.removeLast() }
        let given = try ServiceEndpoint(parsing: String(text))
        guard given.address != nil, let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw DIDCommError(.endpointTransport, "an agent is reached by an address of the web")
        }
        let rest = String(text[colon...])
        let isSecure = [.https, .wss].contains(given.transport)
        http = try ServiceEndpoint(parsing: (isSecure ? "https" : "http") + rest)
        socket = try ServiceEndpoint(parsing: (isSecure ? "wss" : "ws") + rest)
    }

    /// The address by HTTP of one key grant: a last path segment tells it from the others.
    func address(forGrant name: String) throws(DIDCommError) -> ServiceEndpoint {
        try ServiceEndpoint(parsing: http.text + "/" + name)
    }
}
