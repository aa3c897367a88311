public import WebAddressing

/// The limits of a guarded fetch towards the server and the author of the address.
public struct FetchRules: Hashable, Sendable {
    /// The rules for the addresses that may be connected to; a user may allow private ones.
    public var policy: IPAddressPolicy = .publicOnly

    /// True when `http` is accepted beside `https`; a redirect from TLS to none is refused in any case.
    public var allowsInsecure = false

    /// The longest time from the first step to the last byte, all redirects included, as long as a user can wait.
    public var deadline: Duration = .seconds(10)

    /// The time-out of one address of several, before the next is tried.
    package var attemptDeadline: Duration = .seconds(3)

    /// The most redirects that are followed.
    package var maximumRedirects = 5

    /// The largest body in bytes, as the format that is fetched has it.
    public var maximumBodyBytes = 65536

    /// The most addresses of one name that are tried.
    package var maximumAttempts = 3

    /// The root certificates that a server's certificate is verified against; a private network has its own.
    public var roots: TLSRoots = .system

    /// The value of the header field `Accept`, as the format that is fetched has it.
    public var accept = "*/*"

    /// Makes fetch rules with the default values.
    public init() {}
}
