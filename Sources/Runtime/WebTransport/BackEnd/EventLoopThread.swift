#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The system threads on which loops run.
enum EventLoopThread {
    /// Runs the loop on a thread of its own, which keeps it alive until it ends; false when the system has no thread
    /// left.
    static func start(_ loop: SocketEventLoop) -> Bool {
        var thread = pthread_t()
        let retained = unsafe Unmanaged.passRetained(loop)
        guard unsafe pthread_create(&thread, nil, serviceThread, retained.toOpaque()) == 0 else {
            unsafe retained.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}

/// The thread's entry; a free function, so that it is isolated to no actor.
private func serviceThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    // A write over TLS to a connection that is gone would otherwise end the process.
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    unsafe Unmanaged<SocketEventLoop>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
