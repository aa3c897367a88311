#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// How long the thread that asks has had a core.
enum ThreadTime {
    /// Seconds since the thread began; only differences on one thread mean something.
    static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
