import Determinism
import Radio

/// The radio's access to bluetoothd, shared by its parts: the bus, the objects on it, and the queue on which all run.
struct BluetoothdConnection {
    let executor: BusExecutor
    let handle: WeakRadioHandle
    let waiters: ConditionWaiters
    let bus: BusConnection
    let adapter: AdapterState
    /// The longest wait for the answer to an ATT request.
    let transactionTimeout: Duration

    init(on executor: BusExecutor, handle: WeakRadioHandle, transactionTimeout: Duration) {
        self.executor = executor
        self.handle = handle
        self.transactionTimeout = transactionTimeout
        waiters = ConditionWaiters(on: executor, handle)
        bus = BusConnection(on: executor, handle: handle, waiters: waiters)
        adapter = AdapterState(bus, waiters: waiters) { changes in handle.onQueue { $0.take(changes) } }
    }
}
