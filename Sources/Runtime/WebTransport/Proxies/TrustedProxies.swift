public import WebAddressing

/// The proxies in front of a server that are believed about where a connection or a request comes from.
///
/// What limits count by source then counts the client of the proxy; the proxy itself has no limit of its own.
public struct TrustedProxies: Hashable, Sendable {
    /// How a proxy tells the source.
    public enum Method: String, Hashable, Sendable, CaseIterable {
        /// By a header of version 2 of the PROXY protocol before the first byte of each connection, also before TLS.
        ///
        /// A connection of a proxy without it is closed.
        case proxyProtocol = "proxy-protocol"
        /// By the last element of the field `Forwarded` of each request, RFC 7239, which the proxy itself has written.
        case forwarded
    }

    /// How they tell the source.
    public var method: Method

    /// The networks of their addresses; others are no proxies, and what they tell is not believed.
    public var networks: [IPNetwork]

    /// Makes a rule.
    public init(_ method: Method, _ networks: [IPNetwork]) {
        self.method = method
        self.networks = networks
    }

    /// Whether an address is one of theirs.
    func contain(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }
}
