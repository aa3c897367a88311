#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
#endif

/// The size of tests whose rule holds at any size: small in `make test`, full in `make gate G=test-long`.
public enum TestSize {
    /// True when `SYMBOLON_LONG_TESTS` is 1, as `make gate G=test-long` sets it.
    public static let isFull = ProcessInfo.processInfo.environment["SYMBOLON_LONG_TESTS"] == "1"

    /// Returns `full` in `make gate G=test-long`, else `small`.
    public static func choose<Value>(_ small: Value, full: Value) -> Value { isFull ? full : small }
}
