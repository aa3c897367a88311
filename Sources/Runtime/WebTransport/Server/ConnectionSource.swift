import WebAddressing

/// The source of a server's connection: the client, or a proxy until it has named the client.
struct ConnectionSource {
    /// The other end of the socket.
    private let socketPeer: SocketAddress
    /// The way in which the proxy tells the source; nil without a proxy.
    let proxyMethod: TrustedProxies.SourceReportMethod?
    /// The client; of a connection of a proxy the proxy, until it has named the client.
    private(set) var peer: SocketAddress
    /// The source that the connection counts for; nil of a proxy that has not named it.
    private(set) var use: ServerConnectionCounts.SourceLease?

    init(_ peer: SocketAddress, use: ServerConnectionCounts.SourceLease?, proxies: TrustedProxies?) {
        socketPeer = peer
        proxyMethod = use == nil ? proxies?.method : nil
        self.peer = peer
        self.use = use
    }

    /// Takes the client that the header of a proxy names; false when its source has too many connections.
    mutating func resolve(to address: SocketAddress?, in counts: ServerConnectionCounts) -> Bool {
        peer = address ?? peer
        use = counts.begin(for: peer.address)
        return use != nil
    }

    /// Takes the client that the field `Forwarded` of a request names; nil: the proxy.
    ///
    /// - Returns: False when the source of the client has too many connections.
    mutating func change(to address: IPAddress?, in counts: ServerConnectionCounts) -> Bool {
        if let address, use != nil, address.source == peer.address.source { return true }
        leave(counts)
        use = address.flatMap { counts.begin(for: $0) }
        peer = address.map { SocketAddress($0, 0) } ?? socketPeer
        return address == nil || use != nil
    }

    /// Ends the counting of the connection.
    mutating func leave(_ counts: ServerConnectionCounts) {
        if let use { counts.end(use) }
        use = nil
    }
}
