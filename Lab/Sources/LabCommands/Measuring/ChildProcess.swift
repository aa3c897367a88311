import CommandProgram

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Runs another program for its output.
enum ChildProcess {
    private static let maximumOutput = 1 << 20

    /// The standard output of `arguments`, a path and its arguments.
    ///
    /// Nil when it cannot be started, does not end in the time allowed, fails or writes too much. Its standard input is
    /// empty and its errors go nowhere. Blocks the thread.
    static func output(of arguments: [String], secondsAllowed: Int) -> [UInt8]? {
        guard let path = arguments.first, access(path, X_OK) == 0, let (child, reading) = start(arguments) else {
            return nil
        }
        defer { close(reading) }
        let output = readAll(reading, secondsAllowed: secondsAllowed)
        if output == nil { kill(child, SIGKILL) }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status == 0 ? output : nil
    }

    /// Starts a program with an empty standard input; nil when it cannot be.
    ///
    /// The caller reads, closes and waits.
    static func start(_ arguments: [String]) -> (child: pid_t, reading: Int32)? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        defer { close(ends[1]) }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        for end in ends { posix_spawn_file_actions_addclose(&actions, end) }
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var child: pid_t = 0
        guard posix_spawn(&child, arguments[0], &actions, nil, words, environ) == 0 else {
            close(ends[0])
            return nil
        }
        return (child, ends[0])
    }

    /// Reads all bytes up to the end; nil past the time or the size allowed.
    private static func readAll(_ descriptor: Int32, secondsAllowed: Int) -> [UInt8]? {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(secondsAllowed)
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while output.count <= maximumOutput, clock.now < end {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 200) > 0 else { continue }
            let count = POSIXFile.read(descriptor, into: &buffer)
            if count == 0 { return output }
            if count > 0 { output.append(contentsOf: buffer[..<count]) }
        }
        return nil
    }
}
