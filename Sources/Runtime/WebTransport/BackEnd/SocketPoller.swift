import CLinux

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Waits until sockets are ready; the only file that calls epoll and eventfd.
@safe final class SocketPoller: @unchecked Sendable {
    // Invariant: `wake` is called on any thread before `close`; everything else on the loop's thread alone.

    /// The events to wait for on a socket; hang-ups and errors are reported always.
    struct Interest: OptionSet {
        let rawValue: UInt8

        /// The socket has bytes, a connection to accept, or the end of the peer's bytes.
        static let reading = Interest(rawValue: 1)
        /// The socket has room for bytes, or the result of a connect.
        static let writing = Interest(rawValue: 2)
    }

    /// The events that have happened on a socket.
    struct Readiness: OptionSet {
        let rawValue: UInt8

        static let readable = Readiness(rawValue: 1)
        static let writable = Readiness(rawValue: 2)
        /// The connection failed or ended in both directions.
        static let hungUp = Readiness(rawValue: 4)
    }

    /// The most events taken at once.
    private static let batch = 256
    /// The serial number of the descriptor for wake-ups; connections count from 1.
    private static let wakeSerial: UInt64 = 0

    private let descriptor: Int32
    private let wakeDescriptor: Int32
    private let events: UnsafeMutablePointer<epoll_event>

    /// Makes a poller; nil when the process has no descriptor left.
    init?() {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        unsafe events = .allocate(capacity: Self.batch)
        unsafe events.initialize(repeating: epoll_event(), count: Self.batch)
        guard descriptor >= 0, wakeDescriptor >= 0, add(wakeDescriptor, serial: Self.wakeSerial, .reading) else {
            close()
            return nil
        }
    }

    deinit { unsafe events.deallocate() }

    /// Closes both descriptors; nothing is called afterwards.
    func close() {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        if wakeDescriptor >= 0 { _ = Glibc.close(wakeDescriptor) }
    }

    /// Reports a socket from now on, under a serial number; false when the system has no room.
    func add(_ socket: Int32, serial: UInt64, _ interest: Interest) -> Bool {
        control(EPOLL_CTL_ADD, socket, serial, interest)
    }

    /// Changes the events to wait for on a socket.
    func change(_ socket: Int32, serial: UInt64, _ interest: Interest) {
        _ = control(EPOLL_CTL_MOD, socket, serial, interest)
    }

    /// Reports a socket no longer; it is still open.
    func remove(_ socket: Int32) { _ = control(EPOLL_CTL_DEL, socket, 0, []) }

    /// Makes `wait` return soon.
    func wake() {
        var one: UInt64 = 1
        _ = unsafe write(wakeDescriptor, &one, 8)
    }

    /// Waits for events, at most `milliseconds` (-1 for as long as it takes), and appends them, wake-ups excepted.
    ///
    /// - Returns: False when epoll has failed.
    func wait(milliseconds: Int32, into ready: inout [(serial: UInt64, Readiness)]) -> Bool {
        let count = unsafe epoll_wait(descriptor, events, Int32(Self.batch), milliseconds)
        guard count >= 0 else { return errno == EINTR }
        for index in 0..<Int(count) {
            let event = unsafe events[index]
            let serial = unsafe event.data.u64
            if serial == Self.wakeSerial {
                var number: UInt64 = 0
                _ = unsafe read(wakeDescriptor, &number, 8)
            } else {
                ready.append((serial, unsafe Self.readiness(event.events)))
            }
        }
        return true
    }

    private func control(_ operation: Int32, _ socket: Int32, _ serial: UInt64, _ interest: Interest) -> Bool {
        var event = unsafe epoll_event()
        if interest.contains(.reading) { unsafe event.events |= EPOLLIN.rawValue }
        if interest.contains(.writing) { unsafe event.events |= EPOLLOUT.rawValue }
        unsafe event.data.u64 = serial
        return unsafe epoll_ctl(descriptor, operation, socket, &event) == 0
    }

    private static func readiness(_ events: UInt32) -> Readiness {
        var readiness: Readiness = []
        if events & EPOLLIN.rawValue != 0 { readiness.insert(.readable) }
        if events & EPOLLOUT.rawValue != 0 { readiness.insert(.writable) }
        if events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { readiness.insert(.hungUp) }
        return readiness
    }
}
