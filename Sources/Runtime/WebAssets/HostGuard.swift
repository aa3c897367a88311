import WebAddressing

/// The host names that pages on this machine are served under, against DNS rebinding.
public struct HostGuard: Sendable {
    private let names: [String]

    /// Accepts these names beside addresses and `localhost`.
    public init(names: [String]) { self.names = names.map { $0.lowercased() } }

    /// Returns true when a `Host` field names an address, `localhost` or one of the names, with any port or none.
    ///
    /// An address cannot be rebound to another machine; a name that an attacker owns can.
    public func isWelcome(_ field: String?) -> Bool {
        guard let field else { return false }
        var bytes = Array(field.utf8)[...]
        if let colon = bytes.lastIndex(of: UInt8(ascii: ":")), bytes.last != UInt8(ascii: "]") {
            guard bytes[(colon + 1)...].allSatisfy({ (48...57).contains($0) }) else { return false }
            bytes = bytes[..<colon]
        }
        guard let host = try? WebHost(parsing: String(decoding: bytes, as: UTF8.self)) else { return false }
        switch host {
        case .address: return true
        case .name(let name): return name == "localhost" || names.contains(name)
        }
    }
}
