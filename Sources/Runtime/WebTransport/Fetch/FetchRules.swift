public import WebAddressing

/// The limits of a guarded fetch towards the server and the author of the address.
public struct FetchRules: Hashable, Sendable {
    /// The rules for the addresses that may be connected to.
    public var policy: AddressPolicy = .publicOnly

    /// True when `http` is accepted beside `https`; a redirect from TLS to none is refused in any case.
    public var allowsInsecure = false

    /// The longest time from the first step to the last byte, all redirects included.
    public var deadline: Duration = .seconds(10)

    /// The time-out of one address of several, before the next is tried.
    public var attemptDeadline: Duration = .seconds(3)

    /// The most redirects that are followed.
    public var maximumRedirects = 5

    /// The largest body in bytes.
    public var maximumBodyBytes = 65536

    /// The largest header in bytes.
    public var maximumHeaderBytes = 16384

    /// The most addresses of one name that are tried.
    public var maximumAttempts = 3

    /// The root certificates that a server's certificate is verified against.
    public var roots: TLSRoots = .system

    /// The value of the header field `Accept`.
    public var accept = "*/*"

    /// Makes fetch rules with the default values.
    public init() {}
}
