public import WebAddressing

/// An address and a port of TCP.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// The IP address.
    public let address: IPAddress
    /// The TCP port.
    public let port: UInt16

    /// Makes a socket address from an IP address and a port.
    public init(_ address: IPAddress, _ port: UInt16) {
        self.address = address
        self.port = port
    }

    /// `address:port`, the address of version 6 in brackets.
    public var description: String { "\(WebHost.address(address)):\(port)" }
}
