#if canImport(Glibc)
    import Glibc
#endif

/// Makes the program overwrite freed memory, which otherwise keeps its content.
enum FreedMemoryWiping {
    private static let variable = "GLIBC_TUNABLES"
    /// Tunables of glibc: every freed block is overwritten, and the cache that would keep blocks as they are is off.
    private static let tunables = "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0"

    /// Starts this program anew in its own process, with an allocator that overwrites what is freed; and keeps the
    /// system from writing its memory to a file when it fails.
    ///
    /// The setting is read by the C library when a program starts, hence the second start; there it does nothing but
    /// the second part. Where the program cannot be started anew it goes on as it is.
    static func wipe() {
        #if canImport(Glibc)
            if let value = getenv(variable), String(cString: value).contains(tunables) {
                var none = rlimit(rlim_cur: 0, rlim_max: 0)
                _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
                return
            }
            setenv(variable, tunables, 1)
            var arguments = CommandLine.arguments.map { strdup($0) }
            arguments.append(nil)
            execv("/proc/self/exe", &arguments)
            for argument in arguments { free(argument) }
        #endif
    }
}
