import Glibc
public import WebAddressing

/// The addresses on which a server listens, and its limits.
public struct ServerConfiguration: Hashable, Sendable {
    /// A certificate and its key, both files in PEM.
    public struct Certificate: Hashable, Sendable {
        /// The certificate, and those between it and the root.
        public let chainPath: String
        /// The key, without a passphrase.
        public let keyPath: String

        /// Makes the TLS identity of a server from its chain and its key.
        public init(chainPath: String, keyPath: String) {
            self.chainPath = chainPath
            self.keyPath = keyPath
        }
    }

    /// The address to listen at; by default the loopback address.
    public var address = IPAddress.v4(IPv4Address(127, 0, 0, 1))
    /// The port; 0 for any that is free.
    public var port: UInt16 = 0
    /// Listens at ::1 too when the address is 127.0.0.1, at the same port.
    ///
    /// Browsers ask for `localhost` at ::1 first, where another program could show its page as this server's. Where the
    /// machine has no IPv6, 127.0.0.1 alone is served.
    package var servesLocalhost = false
    /// Serves TLS 1.2 and 1.3 instead of plain HTTP.
    public var certificate: Certificate?
    /// The limits for clients.
    public var limits = HTTPServerLimits()
    /// The number of threads that serve connections; each connection stays on one.
    public var threads = 1
    /// The number of processors of this machine, 1 to 64: as many threads serve connections best.
    public static var processorCount: Int { min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1), 64) }
    /// The proxies that are believed about the sources of connections or requests; nil for none.
    public var proxies: TrustedProxies?

    /// Makes a server configuration with the default values.
    public init() {}
}
