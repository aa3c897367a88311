import DIDComm
public import WebAddressing
public import WebTransport

/// Posts to addresses that clients name, each time on a connection of its own; redirects are not followed.
public struct WebhookSender: Sendable {
    private let service: WebService
    private let guardian: AddressGuard
    private let policy: IPAddressPolicy
    private let roots: TLSRoots

    /// Makes a sender of webhook calls.
    ///
    /// - Parameters:
    ///   - policy: where names may lead, checked before each post.
    ///   - roots: the trusted root certificates.
    public init(
        _ service: WebService, resolver: any HostNameResolver = SystemHostNameResolver(),
        policy: IPAddressPolicy = .publicOnly,
        roots: TLSRoots = .system
    ) {
        self.service = service
        guardian = AddressGuard(resolver: resolver)
        self.policy = policy
        self.roots = roots
    }

    /// Posts a body within ten seconds; returns the status of the answer.
    func post(
        _ body: [UInt8], fields: [(name: String, value: String)], to address: WebAddress
    ) async throws -> Int {
        let found = try await guardian.endpoints(of: address, policy: policy, allowsInsecure: true)
        guard let first = found.first else { throw FetchError(.nameNotFound, "The name has no address.", at: address) }
        var headers = HTTPHeaders()
        headers["Content-Type"] = "application/json"
        for (name, value) in fields { headers[name] = value }
        var limits = ClientRequestLimits()
        limits.deadline = .seconds(10)
        limits.maximumBodyBytes = 16_384
        let request = HTTPRequest(
            .post, try RequestTarget(parsing: address.requestTarget), headers: headers, body: body)
        let target = WebConnectionTarget(first, for: address, roots: roots)
        return try await HTTPClient(service).send(request, to: target, limits: limits).status
    }
}
