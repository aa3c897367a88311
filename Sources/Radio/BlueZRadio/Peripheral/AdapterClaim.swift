import Radio

/// The radio's claim to be the one program of ours that serves on an adapter: two would publish the same services
/// twice.
final class AdapterClaim {
    private let adapter: AdapterState
    private var lock: AdapterLock?

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

    /// The advertising instance that a killed program of ours left behind; nil when there is none.
    var staleInstance: UInt8? { lock?.staleInstance }

    /// Notes the instance that is advertised now; nil: none.
    func note(_ instance: UInt8?) { lock?.note(instance) }
}
