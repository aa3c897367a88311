/// The limits of one request of a client.
public struct ClientLimits: Hashable, Sendable {
    /// The longest time from the first step to the last byte of the response.
    public var deadline: Duration = .seconds(30)
    /// The longest body of an answer.
    public var maximumBodyBytes = 1 << 20
    /// The largest header of an answer, by `HTTPHeaders.sizeBytes`; at most 32 KiB.
    public var maximumHeaderBytes = 16384
    /// Names of header fields to keep, beside those that the library below knows.
    public var keptHeaders: [String] = []

    /// Makes client limits with the default values.
    public init() {}
}
