/// The limits of a received envelope; each is checked before the limited part is read.
public struct EnvelopeLimits: Hashable, Sendable {
    /// The default limits for agents: 1 MiB, 16 recipients.
    public static let standard = EnvelopeLimits()

    /// The limits of envelopes that a mediator delivers: 3 MiB.
    ///
    /// They hold the largest envelope that a mediator takes, wrapped twice more.
    public static let ofMediators = EnvelopeLimits(maximumBytes: 3 << 20)

    /// The most bytes of a received envelope.
    public var maximumBytes: Int

    /// The most recipients of a received envelope.
    public var maximumRecipients: Int

    /// Makes limits; both are at least 1.
    public init(maximumBytes: Int = 1 << 20, maximumRecipients: Int = 16) {
        precondition(maximumBytes >= 1 && maximumRecipients >= 1, "limits are at least 1")
        self.maximumBytes = maximumBytes
        self.maximumRecipients = maximumRecipients
    }

    /// The most bytes of the header: enough for all recipients, with white space.
    var maximumHeaderBytes: Int { 256 + 1024 * maximumRecipients }
}
