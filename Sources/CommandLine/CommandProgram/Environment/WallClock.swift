package import Determinism

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Reads the system's time of day.
package enum WallClock {
    package static func now() -> WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(millisecondsSinceEpoch: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
