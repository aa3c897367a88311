public import WebAddressing

/// What a guarded fetch allows the server and the author of its address.
public struct FetchRules: Hashable, Sendable {
    /// Where addresses may lead.
    public var policy: AddressPolicy = .publicOnly

    /// Whether `http` is taken beside `https`; a redirect from TLS to none is refused in any case.
    public var allowsInsecure = false

    /// From the first step to the last byte, all redirects included.
    public var deadline: Duration = .seconds(10)

    /// The time-out of one address of several, before the next is tried.
    public var attemptDeadline: Duration = .seconds(3)

    /// The most redirects that are followed.
    public var maximumRedirects = 5

    /// The longest body.
    public var maximumBodyBytes = 65536

    /// The largest header.
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
