#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The time of day, for the `Date` field of responses.
enum SystemTime {
    /// The seconds since the beginning of 1970.
    static var seconds: Int64 { Int64(time(nil)) }
}
