import Dispatch

/// The one queue on which a radio's actor, its bus and its sockets run.
///
/// Calls to sd-bus and to sockets never wait, but they have to come one after the other; an actor on this executor may
/// make them as if it were alone.
final class BusQueue: SerialExecutor {
    let queue = DispatchQueue(label: "symbolon.bluez")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
