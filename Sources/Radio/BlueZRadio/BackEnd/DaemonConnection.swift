import Determinism
import Radio

/// The radio's access to bluetoothd, shared by its parts: the bus, the objects on it, and the queue on which all run.
struct DaemonConnection {
    let executor: BusQueue
    let handle: RadioHandle
    let waiters: EventWaiters
    let bus: BusConnection
    let adapter: AdapterState
    /// The longest wait for the answer to an ATT request.
    let transactionTimeout: Duration

    init(on executor: BusQueue, handle: RadioHandle, transactionTimeout: Duration) {
        self.executor = executor
        self.handle = handle
        self.transactionTimeout = transactionTimeout
        waiters = EventWaiters(on: executor, handle)
        bus = BusConnection(on: executor, handle: handle, waiters: waiters)
        adapter = AdapterState(bus, waiters: waiters) { changes in handle.onQueue { $0.take(changes) } }
    }
}
