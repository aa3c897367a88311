import Commands

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The program.
@main struct Main {
    static func main() async {
        exit(await runSymbolon())
    }
}
