public import Determinism

/// The operating system's random generator, fit for keys.
public struct SystemRandom: RandomSource {
    /// Makes a source; all of them draw from the operating system's one generator, from any thread.
    public init() {}

    /// Returns `count` unpredictable bytes.
    public mutating func bytes(count: Int) -> [UInt8] {
        precondition(count >= 0, "a count of bytes is never negative")
        return BackEnd.randomBytes(count: count)
    }
}
