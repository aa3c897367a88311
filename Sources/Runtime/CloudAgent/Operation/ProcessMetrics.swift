import WebTransport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The system's figures of this process, for the metrics that Prometheus' libraries name `process_…`.
struct ProcessMetrics: Hashable, Sendable {
    /// The processor time of user and system together, in milliseconds.
    var processorMilliseconds = 0
    /// Resident memory in bytes; nil where the system does not say.
    var residentBytes: Int?
    /// The open file descriptors; nil where the system does not say.
    var descriptors: Int?
    /// The most file descriptors that the process may have; nil for no limit.
    var descriptorLimit: Int?

    /// The figures as they are now.
    static func now() -> ProcessMetrics {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return ProcessMetrics(
            processorMilliseconds: Int(time.tv_sec) * 1000 + Int(time.tv_nsec) / 1_000_000,
            residentBytes: ProcessMemory.residentBytes, descriptors: openDescriptors, descriptorLimit: limit)
    }

    private static var limit: Int? {
        var limit = rlimit()
        #if canImport(Darwin)
            guard getrlimit(RLIMIT_NOFILE, &limit) == 0 else { return nil }
        #else
            guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        #endif
        return Int(exactly: limit.rlim_cur)
    }

    private static var openDescriptors: Int? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Without `.`, `..` and the folder itself.
        return max(0, count - 3)
    }
}
