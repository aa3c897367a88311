import Determinism

/// A duration that is stored in whole nanoseconds, so that no advertisement costs a conversion.
@propertyWrapper public struct WholeNanoseconds: Hashable, Sendable {
    private var nanoseconds: Int64

    /// Stores a duration, clamped to 64 bits of nanoseconds (about 292 years).
    public init(wrappedValue: Duration) { nanoseconds = wrappedValue.wholeNanoseconds }

    /// The stored duration, in whole nanoseconds.
    public var wrappedValue: Duration {
        get { .nanoseconds(nanoseconds) }
        set { nanoseconds = newValue.wholeNanoseconds }
    }

    /// The duration in nanoseconds; 0 for a negative one.
    public var projectedValue: UInt64 { UInt64(max(0, nanoseconds)) }
}

extension Duration {
    /// The duration in nanoseconds; 0 for a negative one.
    var ticks: UInt64 { UInt64(max(0, wholeNanoseconds)) }
}
