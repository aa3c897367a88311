/// The IP addresses that a link given by a stranger may lead to.
public enum IPAddressPolicy: Hashable, Sendable {
    /// A link may lead only to the public internet.
    case publicOnly
    /// A link may also lead to this machine and to networks behind a router, for those who run both ends.
    ///
    /// It never leads to the addresses where clouds hand out secrets, to many machines at once, or to none.
    case allowPrivate

    /// Returns true when a connection to addresses of this kind may be made.
    public func permits(_ kind: IPAddressKind) -> Bool {
        switch kind {
        case .public: true
        case .loopback, .private, .linkLocal, .uniqueLocal, .carrier: self == .allowPrivate
        case .metadata, .multicast, .broadcast, .documentation, .unspecified, .reserved: false
        }
    }

    /// Returns true when a connection to this address may be made.
    public func permits(_ address: IPAddress) -> Bool { permits(address.kind) }

    /// Returns true when a connection to a host may be tried, as far as its text shows before its name is resolved.
    ///
    /// Names under `localhost` count as this machine (RFC 6761), and so do `metadata.google.internal` and its like as
    /// metadata; of any other name only its addresses tell, and they must be checked after every resolution.
    public func permits(_ host: WebHost) -> Bool { host.knownKind.map(permits) ?? true }
}

extension WebHost {
    /// The kind of the host's address; nil for a name that must be resolved first.
    public var knownKind: IPAddressKind? {
        switch self {
        case .address(let address): return address.kind
        case .name(let name):
            if name == "localhost" || name.hasSuffix(".localhost") { return .loopback }
            return name == "metadata.google.internal" || name == "metadata.goog" ? .metadata : nil
        }
    }
}
