package import Determinism

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Tells calendar time for captures from instants of a monotonic clock, so that packets never go back in time.
package struct CaptureClock: Sendable {
    private let start: MonotonicInstant
    private let startMicroseconds: Int64

    /// Makes a clock that reads the wall clock once, at `instant` of the monotonic one.
    package init(at instant: MonotonicInstant) {
        start = instant
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        startMicroseconds = Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    /// Microseconds since 1970 at `instant`.
    package func microseconds(at instant: MonotonicInstant) -> Int64 {
        startMicroseconds + (instant - start).wholeNanoseconds / 1000
    }
}
