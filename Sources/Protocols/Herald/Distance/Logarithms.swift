#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The few functions of the C library's mathematics that distances need.
enum Logarithms {
    /// The logarithm to the base 10.
    static func decimal(_ value: Double) -> Double { log10(value) }

    /// Ten to the power of `value`.
    static func power(_ value: Double) -> Double { pow(10, value) }

    /// e to the power of `value`.
    static func exponential(_ value: Double) -> Double { exp(value) }
}
