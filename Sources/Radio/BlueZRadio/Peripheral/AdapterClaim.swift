import Radio

/// The radio's claim to be the one program of ours that serves on an adapter: two would publish the same services
/// twice.
final class AdapterClaim {
    private let adapter: AdapterState
    private var lock: AdapterLock?

    /// The advertising instances of this program.
    ///
    /// Linux 6.1 does not list an instance whose number is higher than their count, so its own list does not do.
    private(set) var instances: Set<UInt8> = []

    init(_ adapter: AdapterState) { self.adapter = adapter }

    /// Claims the adapter, unless that is done.
    ///
    /// - Throws: `unavailable` when another program has it.
    func take() throws(RadioError) {
        guard lock == nil else { return }
        guard let lock = AdapterLock(adapter: adapter.name) else {
            throw RadioError(.unavailable, "Another program of this kind advertises on \(adapter.name).")
        }
        self.lock = lock
    }

    func release() { lock = nil }

    /// The advertising instances that a killed program of ours left behind.
    var staleInstances: [UInt8] { lock?.staleInstances ?? [] }

    /// The handle at which the next service is to begin; nil where none was noted.
    var nextHandle: UInt16? { lock?.handle }

    /// Notes the handle at which the next service is to begin.
    func note(handle: UInt16) { lock?.note(handle: handle) }

    /// Notes an instance that this program advertises.
    func add(_ instance: UInt8) {
        instances.insert(instance)
        lock?.note(instances.sorted())
    }

    /// Notes that an instance of this program, or a stale one, is gone.
    func remove(_ instance: UInt8) {
        instances.remove(instance)
        lock?.note(instances.sorted())
    }
}
