import LabCommands

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The program.
@main struct Main {
    /// Ends without `exit`, which would end libcrypto while other threads still use it.
    static func main() async {
        let status = await runLab()
        fflush(nil)
        _exit(status)
    }
}
