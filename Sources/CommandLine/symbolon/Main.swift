import Commands

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The program `symbolon`.
@main struct Main {
    /// Runs the program and returns without `exit`, which would end libcrypto while other threads still use it.
    static func main() async {
        let status = await runSymbolon()
        fflush(nil)
        _exit(status)
    }
}
