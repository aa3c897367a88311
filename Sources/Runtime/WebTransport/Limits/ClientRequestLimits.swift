/// The limits of one request of a client; a client changes those of the answers that it expects.
public struct ClientRequestLimits: Hashable, Sendable {
    /// The longest time from the first step to the last byte of the response.
    public var deadline: Duration = .seconds(30)
    /// The longest body of an answer.
    public var maximumBodyBytes = 1 << 20
    /// The most bytes of an answer's header, its status line and all line ends included.
    package var maximumHeaderBytes = 16384

    /// Makes client limits with the default values.
    public init() {}
}
