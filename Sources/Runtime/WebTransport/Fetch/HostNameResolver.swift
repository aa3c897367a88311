public import WebAddressing

/// Finds the IP addresses of a host name.
public protocol HostNameResolver: Sendable {
    /// Finds all addresses of `name`, the best first.
    ///
    /// - Parameter deadline: the longest that the caller is kept waiting.
    /// - Throws: `nameNotFound`, `nameServerFailed`, `nameServerBusy`, `deadline`, `cancelled`.
    func addresses(of name: String, within deadline: Duration) async throws(FetchError) -> [IPAddress]
}
