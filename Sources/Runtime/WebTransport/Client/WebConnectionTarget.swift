public import WebAddressing

/// The server that a client connects to: address, port, TLS and the name that its certificate must have.
///
/// Names are never resolved here: the caller resolves the name, checks the addresses, and passes one. The certificate,
/// the name in the TLS handshake and the `Host` field go by `host`.
public struct WebConnectionTarget: Hashable, Sendable {
    /// The transport security of a connection: none, or TLS with the roots that are trusted.
    public enum TransportSecurity: Hashable, Sendable {
        /// The connection does not use TLS.
        case none
        /// TLS 1.2 or later, the certificate signed by one of these roots for `host`, which must be a name.
        case tls(TLSRoots)
    }

    /// The machine to connect to.
    public let address: IPAddress
    /// The TCP port.
    public let port: UInt16
    /// The name or address that the server's certificate must have.
    public let host: WebHost
    /// The transport security: none, or TLS with the roots that are trusted.
    public let security: TransportSecurity

    /// Makes a target; without a host, the address is one.
    public init(_ address: IPAddress, port: UInt16, host: WebHost? = nil, security: TransportSecurity = .none) {
        self.address = address
        self.port = port
        self.host = host ?? .address(address)
        self.security = security
    }

    /// Makes the target of an address of the web, `http`, `https`, `ws` or `wss`, whose host was resolved to `address`.
    public init(_ address: IPAddress, for web: WebAddress, roots: TLSRoots = .system) {
        let security: TransportSecurity = web.scheme.isSecure ? .tls(roots) : .none
        self.init(address, port: web.port, host: web.host, security: security)
    }

    /// The `Host` field: the host, and the port where it is not the usual one.
    var hostField: String {
        let usual: UInt16 = security == .none ? 80 : 443
        return port == usual ? "\(host)" : "\(host):\(port)"
    }
}

/// The root certificates that a server's certificate is verified against.
public enum TLSRoots: Hashable, Sendable {
    /// The roots of the operating system.
    case system
    /// The roots of a file in PEM, and no others.
    case file(String)
}
