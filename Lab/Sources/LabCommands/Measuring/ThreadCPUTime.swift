#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The processor time of the calling thread.
enum ThreadCPUTime {
    /// The processor time in seconds; only differences on one thread are meaningful.
    static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
