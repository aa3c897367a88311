import Determinism
public import WebAddressing

/// The resolver of the system, on threads of its own.
///
/// The system's call blocks without limit and cannot be cancelled. So it never runs on the threads of tasks: at most
/// `maximumThreads` threads are in it at a time, and end when no lookup waits. A caller is resumed at its deadline or
/// when its task is cancelled; its lookup, if no thread took it yet, is then dropped.
public final class SystemHostNameResolver: HostNameResolver {
    /// Finds the addresses of one name, however long it takes.
    typealias LookUp = @Sendable (String) -> Result<[IPAddress], FetchError>

    private struct GuardedState {
        var threads = 0
        var waiting: [HostNameResolution] = []
    }

    private let state = Lock(GuardedState())
    private let maximumThreads: Int
    private let maximumWaiting: Int
    private let lookUp: LookUp

    /// Makes a resolver.
    ///
    /// - Parameters:
    ///   - maximumThreads: how many names are looked up at a time, at least 1.
    ///   - maximumWaiting: how many more may wait.
    public convenience init(maximumThreads: Int = 4, maximumWaiting: Int = 64) {
        self.init(maximumThreads: maximumThreads, maximumWaiting: maximumWaiting, lookUp: SystemAddressLookup.addresses)
    }

    init(maximumThreads: Int, maximumWaiting: Int, lookUp: @escaping LookUp) {
        self.maximumThreads = max(1, maximumThreads)
        self.maximumWaiting = max(0, maximumWaiting)
        self.lookUp = lookUp
    }

    /// Finds all addresses of `name` in the order in which the system prefers them.
    public func addresses(of name: String, within deadline: Duration) async throws(FetchError) -> [IPAddress] {
        let resolution = HostNameResolution(name: name)
        try start(resolution)
        let timer = Task {
            try? await Task.sleep(for: deadline)
            resolution.finish(.failure(FetchError(.deadline, "The name servers did not answer in time.")))
        }
        defer { timer.cancel() }
        return try await resolution.outcome().get()
    }

    /// The number of lookups that wait for a thread and still have a waiting caller.
    var waitingCount: Int { state.withLock { $0.waiting.count { !$0.isFinished } } }

    /// Gives the lookup to an idle thread, or to a new one.
    private func start(_ resolution: HostNameResolution) throws(FetchError) {
        let mustStart: Bool? = state.withLock { state in
            state.waiting.removeAll { $0.isFinished }
            if state.threads < maximumThreads {
                state.threads += 1
                return true
            }
            guard state.waiting.count < maximumWaiting else { return nil }
            state.waiting.append(resolution)
            return false
        }
        guard let mustStart else { throw FetchError(.nameServerBusy, "Too many names are being resolved.") }
        guard mustStart else { return }
        if !DetachedThread.start({ [self] in work(on: resolution) }) {
            state.withLock { $0.threads -= 1 }
            throw FetchError(.local, "The system has no thread left.")
        }
    }

    /// The body of a thread: this lookup, and then those that wait.
    private func work(on first: HostNameResolution) {
        var current: HostNameResolution? = first
        while let resolution = current {
            if !resolution.isFinished { resolution.finish(lookUp(resolution.name)) }
            current = state.withLock { state in
                state.waiting.removeAll { $0.isFinished }
                guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
                state.threads -= 1
                return nil
            }
        }
    }
}
