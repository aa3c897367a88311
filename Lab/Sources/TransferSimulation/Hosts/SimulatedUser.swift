public import Determinism

/// The person at one end of a simulated hand-over: how long they think, and when they give up.
public struct SimulatedUser: Hashable, Sendable {
    /// The time for which the user thinks before sending or deciding.
    public var thinks: Duration

    /// The time at which the user cancels; nil for never.
    public var cancelsAt: MonotonicInstant?

    /// Makes a user; the default one answers at once and has all the patience of the world.
    public init(thinks: Duration = .zero, cancelsAt: MonotonicInstant? = nil) {
        self.thinks = thinks
        self.cancelsAt = cancelsAt
    }
}
