/// The limits of a server for its clients; a service changes those that depend on its size and on its own messages.
public struct HTTPServerLimits: Hashable, Sendable {
    /// The most bytes of a request's header, its request line and all line ends included; more is answered with 431.
    package var maximumHeaderBytes = 8192
    /// The longest body of a request; a longer one is answered with 413 before it is read.
    public var maximumBodyBytes = 1 << 20
    /// The most connections at one time; one more is answered with 503.
    ///
    /// A sixteenth of the files that the process may have open, at least 64, stays for all else, whatever this says.
    public var maximumConnections = 10_000
    /// The most connections of one source at one time; one more is answered with 503.
    ///
    /// A source is an address of version 4, or the first 64 bits of one of version 6, which one customer has.
    public var maximumConnectionsPerHost = 10_000
    /// True when a connection above these limits replaces one without a whole request, instead of getting 503.
    ///
    /// The oldest of its own source makes room, or the oldest of all. So clients that hold connections do not turn
    /// others away; of a server with several threads only the connections of the first are considered.
    public var replacesWaiting = false
    /// True when an address of this machine, on which a proxy may be, is a source like others.
    ///
    /// If not, each of them may have fifteen sixteenths of all connections and half of all held bytes, so that it does
    /// not turn others away either.
    public var limitsOwnMachine = true
    /// The most bytes of requests, answers and messages of WebSockets that all connections hold together; a request for
    /// which there is no room is answered with 503, a WebSocket is closed with 1013.
    package var maximumHeldBytes = 256 << 20
    /// The most of these bytes that the connections of one source hold together.
    ///
    /// Above it that source's requests are answered with 503 and its WebSockets closed with 1013, and no other's.
    public var maximumHeldBytesPerHost = 16 << 20
    /// The longest time from the connection, or from the first byte of a further request, to the end of the header.
    package var headerDeadline: Duration = .seconds(10)
    /// The longest time from the end of the header to the end of the body.
    package var bodyDeadline: Duration = .seconds(30)
    /// The longest time from the end of the request to the handler's response; after it the server answers 503.
    package var handlerDeadline: Duration = .seconds(60)
    /// The longest time in which the client takes the whole response.
    package var responseDeadline: Duration = .seconds(60)
    /// The time for which bytes of a refused request are still read and dropped after the response.
    ///
    /// Without it the client might lose the answer (RFC 9112 section 9.6); at most 4 MiB are dropped for each.
    package var lingerDeadline: Duration = .seconds(2)
    /// The most connections that are read and dropped so at one time; others are closed at once.
    package var maximumLingering = 64
    /// The time for which a connection without a request is kept.
    package var idleDeadline: Duration = .seconds(30)
    /// The number of requests that one connection may make before it is closed.
    package var maximumRequestsPerConnection = 1000

    /// Makes server limits with the default values.
    public init() {}

    /// These limits with fewer connections, where so many would need files that all else of the process needs.
    ///
    /// - Parameter files: how many files the process may have open; nil where it is not known.
    func leaving(of files: Int?) -> HTTPServerLimits {
        guard let files else { return self }
        var limits = self
        limits.maximumConnections = min(maximumConnections, max(1, files - max(64, files / 16)))
        return limits
    }
}
