#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The limit of open files of this process, sockets among them.
package enum OpenFileLimit {
    /// The most files that may be open at one time; nil where the system does not report it.
    package static var limit: Int? { current.map { Int(clamping: $0.rlim_cur) } }

    /// Raises the limit of this process and its children to the most that the system allows them; without effect where
    /// it allows no change.
    package static func raiseLimit() {
        guard var limit = current, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(kind, &limit)
    }

    private static var current: rlimit? {
        var limit = rlimit()
        return unsafe getrlimit(kind, &limit) == 0 ? limit : nil
    }

    #if canImport(Darwin)
        private static let kind = RLIMIT_NOFILE
    #else
        private static let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
}
