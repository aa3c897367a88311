#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The calendar's time, for the header of answers.
enum SystemTime {
    /// Since the beginning of 1970.
    static var seconds: Int64 { Int64(time(nil)) }
}
