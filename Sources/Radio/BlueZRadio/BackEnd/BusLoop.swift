import CSystemd
import Determinism
import Glibc

/// One thread that polls file descriptors, and runs work items in order.
///
/// A dispatch queue would do the same with two thread changes for each message: on a link with thousands of small
/// messages these cost more than everything else.
final class BusLoop: Sendable {
    /// A closure that the loop runs on its thread.
    typealias Work = @Sendable () -> Void

    private struct GuardedState {
        var work: [Work] = []
        /// The work of each watched descriptor, by the number of the watch.
        var watches: [UInt64: Work] = [:]
        var lastWatch: UInt64 = 0
        /// True while the thread is blocked in poll.
        var isAsleep = false
        var isOver = false
        var thread: pthread_t?
    }

    /// The number of rounds of work that run before descriptors are polled again.
    private static let rounds = 64
    /// The number of the watch on the wake-up descriptor.
    private static let bellNumber: UInt64 = 0

    private let state = Lock(GuardedState())
    private let poller: FileDescriptor
    private let bell: FileDescriptor

    /// Makes a loop, and the thread that runs it until `end`; nil when the system has no room for it.
    init?() {
        let poller = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard poller >= 0 else { return nil }
        self.poller = FileDescriptor(poller)
        let bell = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard bell >= 0 else { return nil }
        self.bell = FileDescriptor(bell)
        guard control(EPOLL_CTL_ADD, bell, EPOLLIN.rawValue, Self.bellNumber) else { return nil }
        var thread = pthread_t()
        let retained = unsafe Unmanaged.passRetained(self)
        guard unsafe pthread_create(&thread, nil, busThread, retained.toOpaque()) == 0 else {
            unsafe retained.release()
            return nil
        }
        pthread_detach(thread)
    }

    /// True when the caller is on the thread of the loop.
    var isCurrent: Bool {
        state.withLock { state in state.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    /// Queues work behind earlier work.
    func perform(_ work: @escaping Work) {
        let mustRing = state.withLock { state in
            state.work.append(work)
            defer { state.isAsleep = false }
            return state.isAsleep
        }
        if mustRing { ring() }
    }

    /// Ends the thread after the queued work.
    func end() {
        state.withLock { $0.isOver = true }
        ring()
    }

    // MARK: - Files

    /// Runs `work` whenever a descriptor is readable or writable, until `remove` with the number returned.
    func watch(_ descriptor: FileDescriptor, isForReading: Bool, _ work: @escaping Work) -> UInt64 {
        let number = state.withLock { state in
            state.lastWatch += 1
            state.watches[state.lastWatch] = work
            return state.lastWatch
        }
        _ = control(
            EPOLL_CTL_ADD, descriptor.number, isForReading ? EPOLLIN.rawValue : EPOLLOUT.rawValue, number)
        return number
    }

    /// Ends a watch; its file has to be open still.
    func remove(_ number: UInt64, _ descriptor: FileDescriptor) {
        _ = control(EPOLL_CTL_DEL, descriptor.number, 0, number)
        // The work may hold the last reference to an object whose release takes the lock.
        withExtendedLifetime(state.withLock { $0.watches.removeValue(forKey: number) }) {}
    }

    private func control(_ operation: Int32, _ file: Int32, _ events: UInt32, _ number: UInt64) -> Bool {
        var event = unsafe epoll_event(events: events, data: epoll_data_t(u64: number))
        return unsafe epoll_ctl(poller.number, operation, file, &event) == 0
    }

    private func ring() { _ = eventfd_write(bell.number, 1) }

    // MARK: - The thread

    fileprivate func run() {
        state.withLock { $0.thread = pthread_self() }
        var events = unsafe [epoll_event](repeating: epoll_event(), count: 16)
        while let mayWait = workOff() {
            let count = unsafe epoll_wait(poller.number, &events, Int32(events.count), mayWait ? -1 : 0)
            state.withLock { $0.isAsleep = false }
            for index in 0..<Int(max(0, count)) { unsafe serve(events[index].data.u64) }
        }
    }

    /// Runs the queued work; returns true when none is left, nil when the loop has ended.
    private func workOff() -> Bool? {
        for _ in 0..<Self.rounds {
            let work = state.withLock { state in
                defer { state.work.removeAll() }
                state.isAsleep = state.work.isEmpty && !state.isOver
                return state.work
            }
            guard !work.isEmpty else { return state.withLock { $0.isOver } ? nil : true }
            for body in work { body() }
        }
        return false
    }

    private func serve(_ number: UInt64) {
        guard number != Self.bellNumber else {
            var count: UInt64 = 0
            _ = unsafe eventfd_read(bell.number, &count)
            return
        }
        state.withLock { $0.watches[number] }?()
    }
}

/// The thread's entry; a free function, so that it belongs to no actor.
private func busThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    // Signals are handled by other threads.
    var set = sigset_t()
    unsafe sigfillset(&set)
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    unsafe Unmanaged<BusLoop>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
