public import WebAddressing

/// The proxies in front of a server that are believed about where a connection or a request comes from.
///
/// Limits per source then count the client of the proxy; the proxy itself has no limit of its own.
public struct TrustedProxies: Hashable, Sendable {
    /// The way in which a proxy tells the server the source of a connection or request.
    public enum SourceReportMethod: String, Hashable, Sendable, CaseIterable {
        /// A header of version 2 of the PROXY protocol, before the first byte of each connection and before TLS.
        ///
        /// A connection of a proxy without it is closed.
        case proxyProtocol = "proxy-protocol"
        /// The last element of the field `Forwarded` of each request (RFC 7239), which the proxy itself has written.
        case forwarded
    }

    /// The way in which the proxies tell the source.
    public var method: SourceReportMethod

    /// The networks of the proxies' addresses; the fields and headers of other peers are not believed.
    public var networks: [IPNetwork]

    /// Makes a rule.
    public init(_ method: SourceReportMethod, _ networks: [IPNetwork]) {
        self.method = method
        self.networks = networks
    }

    /// Returns true when an address is one of the proxies.
    func contain(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }
}
