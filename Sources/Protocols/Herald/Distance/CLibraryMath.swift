#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The mathematical functions of the C library that distance estimates use.
enum CLibraryMath {
    /// Returns the logarithm to the base 10.
    static func decimal(_ value: Double) -> Double { log10(value) }

    /// Returns ten to the power of `value`.
    static func power(_ value: Double) -> Double { pow(10, value) }

    /// Returns e to the power of `value`.
    static func exponential(_ value: Double) -> Double { exp(value) }
}
