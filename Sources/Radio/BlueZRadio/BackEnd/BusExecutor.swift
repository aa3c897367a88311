/// The one thread on which a radio's actor, its bus and its sockets run.
///
/// Calls to sd-bus and to sockets never wait, but they have to come one after the other; an actor on this executor may
/// make them as if it were alone.
final class BusExecutor: SerialExecutor {
    let loop: BusLoop

    /// Makes a queue; nil when the system has no room for another thread.
    init?() {
        guard let loop = BusLoop() else { return nil }
        self.loop = loop
    }

    deinit { loop.end() }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.perform { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { precondition(loop.isCurrent, "this is not the queue of the bus") }
}
