import Commands

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The program.
@main struct Main {
    /// Ends without `exit`, which takes libcrypto down first, under the hands of whoever still works at that moment.
    static func main() async {
        let status = await runSymbolon()
        fflush(nil)
        _exit(status)
    }
}
