public import WebAddressing

/// Decides whether an address given by a stranger may be connected to, before and after its name is resolved.
///
/// Used by everything that connects to addresses given by strangers: the guarded fetch, posts to service endpoints and
/// WebSockets there.
public struct AddressGuard: Sendable {
    private let resolver: any HostNameResolver

    /// Makes a guard that resolves names with `resolver`.
    public init(resolver: any HostNameResolver = SystemHostNameResolver()) {
        self.resolver = resolver
    }

    /// Finds the addresses of a host, each of them permitted, the best first; connect to these and to nothing else.
    ///
    /// - Parameter deadline: the longest that it may take.
    /// - Throws: `addressRefused`, `insecure` and those of `HostNameResolver`.
    public func endpoints(
        of address: WebAddress, policy: IPAddressPolicy = .publicOnly, allowsInsecure: Bool = false,
        within deadline: Duration = .seconds(5)
    ) async throws(FetchError) -> [IPAddress] {
        var rules = FetchRules()
        rules.policy = policy
        rules.allowsInsecure = allowsInsecure
        if let refusal = Self.securityRefusal(of: address, by: rules) { throw refusal }
        let found: [IPAddress]
        switch address.host {
        case .address(let literal): found = [literal]
        case .name(let name):
            found = Array(
                try await resolver.addresses(of: name, within: deadline).prefix(FetchStateMachine.maximumAddresses))
        }
        if let refusal = Self.refusal(of: found, at: address, by: rules) { throw refusal }
        return found
    }

    /// Returns the error for an address that is refused by its text; nil for one that is not.
    static func refusal(of address: WebAddress, by rules: FetchRules) -> FetchError? {
        guard !address.scheme.isWebSocket else {
            return FetchError(.scheme, "Nothing is fetched by a WebSocket.", at: address)
        }
        return securityRefusal(of: address, by: rules)
    }

    /// The error for a host that is refused because of one of these addresses; nil for one that is not.
    ///
    /// One refused address among several refuses the host: an honest public name has none.
    static func refusal(of found: [IPAddress], at address: WebAddress, by rules: FetchRules) -> FetchError? {
        guard !found.isEmpty else { return FetchError(.nameNotFound, "The name has no address.", at: address) }
        guard let refused = found.first(where: { !rules.policy.permits($0) }) else { return nil }
        return refusal(refused.kind, at: address)
    }

    private static func securityRefusal(of address: WebAddress, by rules: FetchRules) -> FetchError? {
        guard address.scheme.isSecure || rules.allowsInsecure else {
            return FetchError(.insecure, "The address has no TLS, which was not allowed.", at: address)
        }
        guard rules.policy.permits(address.host) else {
            return refusal(address.host.knownKind ?? .reserved, at: address)
        }
        return nil
    }

    private static func refusal(_ kind: IPAddressKind, at address: WebAddress) -> FetchError {
        let words =
            switch kind {
            case .loopback: "this machine"
            case .private: "a private network"
            default: "an address of the kind \(kind.rawValue)"
            }
        return FetchError(.addressRefused, "Not sent: the host is, or leads to, \(words).", at: address)
    }
}
