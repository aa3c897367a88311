public import WebAddressing

/// Where a server listens, and what it allows.
public struct ServerConfiguration: Hashable, Sendable {
    /// A certificate and its key, both files in PEM.
    public struct Certificate: Hashable, Sendable {
        /// The certificate, and those between it and the root.
        public let chainPath: String
        /// The key, without a passphrase.
        public let keyPath: String

        /// Makes the pair.
        public init(chainPath: String, keyPath: String) {
            self.chainPath = chainPath
            self.keyPath = keyPath
        }
    }

    /// The address to listen at; by default the loopback address.
    public var address = IPAddress.v4(IPv4Address(127, 0, 0, 1))
    /// The port; 0 for any that is free.
    public var port: UInt16 = 0
    /// Serves TLS 1.2 and 1.3 instead of plain HTTP.
    public var certificate: Certificate?
    /// What clients may take.
    public var limits = ServerLimits()
    /// Names of header fields to keep, beside those that the library below knows; at most 32.
    public var keptHeaders: [String] = []

    /// Makes a server configuration with the default values.
    public init() {}
}
