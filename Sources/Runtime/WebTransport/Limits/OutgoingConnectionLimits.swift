import WebAddressing

/// The limits of connections that the clients of one service have open at one time, those being opened included.
public struct OutgoingConnectionLimits: Hashable, Sendable {
    /// The most connections; one more fails with `web.connections.too-many`.
    package var maximumConnections = 4096
    /// The most connections to one address, whatever the port; one more fails with `web.connections.too-many`.
    package var maximumConnectionsPerAddress = 256

    /// Makes service limits with the default values.
    public init() {}
}

/// Counts the connections that clients have open.
struct OutgoingConnections {
    private let limits: OutgoingConnectionLimits
    private var count = 0
    private var perAddress: [IPAddress: Int] = [:]

    init(_ limits: OutgoingConnectionLimits) { self.limits = limits }

    /// Counts one more connection from an address.
    mutating func open(_ address: IPAddress) throws(WebError) {
        let there = perAddress[address, default: 0]
        guard count < limits.maximumConnections, there < limits.maximumConnectionsPerAddress else {
            throw WebError(.tooManyConnections, "\(there) connections to \(address) are open, \(count) in all.")
        }
        count += 1
        perAddress[address] = there + 1
    }

    /// Counts one connection less from an address.
    mutating func close(_ address: IPAddress) {
        guard let there = perAddress[address] else { return }
        count -= 1
        perAddress[address] = there > 1 ? there - 1 : nil
    }
}
