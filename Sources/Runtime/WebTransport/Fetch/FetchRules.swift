public import WebAddressing

/// What a guarded fetch allows the server and the author of its address.
public struct FetchRules: Hashable, Sendable {
    /// Where addresses may lead.
    public var policy: AddressPolicy = .publicOnly

    /// Whether `http` is taken beside `https`; a redirect from TLS to none is refused in any case.
    public var allowsInsecure = false

    /// From the first step to the last byte, all redirects included.
    public var deadline: Duration = .seconds(10)

    /// How long one address of several may keep us before the next is tried.
    public var attemptDeadline: Duration = .seconds(3)

    /// The most redirects that are followed.
    public var maximumRedirects = 5

    /// The longest body.
    public var maximumBodyBytes = 65536

    /// The largest header.
    public var maximumHeaderBytes = 16384

    /// The most addresses of one name that are tried.
    public var maximumAttempts = 3

    /// Whose signature makes a server's certificate good.
    public var roots: TLSRoots = .system

    /// What the request says that it would like, a value of the header field `Accept`.
    public var accept = "*/*"

    /// The defaults.
    public init() {}
}
