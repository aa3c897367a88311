public import Bluetooth
import Determinism
public import Radio

// The central role: connecting. Attempts go one after the other, as controllers make them.
extension BlueZRadio {
    /// Somebody who waits for a connection.
    final class ConnectAttempt {
        let number: UInt64
        let address: DeviceAddress
        let deadline: MonotonicInstant
        /// Whether bluetoothd has to find the device first.
        var needsDiscovery = false
        var waiter: CheckedContinuation<Result<BlueZCentralLink, RadioError>, Never>?
        /// Nobody waits any more.
        var isOver: Bool { waiter == nil }

        init(_ number: UInt64, _ address: DeviceAddress, _ deadline: MonotonicInstant) {
            self.number = number
            self.address = address
            self.deadline = deadline
        }

        func finish(_ result: Result<BlueZCentralLink, RadioError>) {
            waiter?.resume(returning: result)
            waiter = nil
        }
    }

    /// The answer to a call that somebody may stop waiting for.
    private final class Answer {
        var result: Result<[DBusValue], DBusError>?
    }

    private static let maximumAttempts = 64

    /// Connects to an advertiser, see `CentralRadio`; attempts to several devices go one after the other.
    public func connect(
        to address: DeviceAddress, timeout: Duration
    ) async throws(RadioError) -> any CentralLink {
        try checkUsable()
        guard !Task.isCancelled else { throw RadioError(.cancelled, "the connect was cancelled") }
        guard attempts.count < Self.maximumAttempts else {
            throw RadioError(.tooLarge, "\(attempts.count) connects wait already")
        }
        let number = nextNumber()
        let attempt = ConnectAttempt(number, address, timekeeper.now() + timeout)
        let alarm = Task { [timekeeper, deadline = attempt.deadline] in
            try? await timekeeper.wait(until: deadline)
            if !Task.isCancelled {
                self.abandon(number, RadioError(.connectTimeout, "\(address) was not reached within the time given"))
            }
        }
        defer { alarm.cancel() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                attempt.waiter = continuation
                attempts.append(attempt)
                runAttempts()
            }
        } onCancel: {
            Task { await self.abandon(number, RadioError(.cancelled, "the connect was cancelled")) }
        }
        return try result.get()
    }

    func failAttempts(_ error: RadioError) {
        for attempt in attempts { attempt.finish(.failure(error)) }
        wake()
    }

    private func abandon(_ number: UInt64, _ error: RadioError) {
        attempts.first { $0.number == number }?.finish(.failure(error))
        wake()
    }

    private func runAttempts() {
        guard attemptRunner == nil else { return }
        attemptRunner = Task {
            while let attempt = attempts.first {
                if !attempt.isOver { await run(attempt) }
                attempts.removeFirst()
            }
            attemptRunner = nil
        }
    }

    private func run(_ attempt: ConnectAttempt) async {
        while !attempt.isOver, !isClosed {
            guard let path = await find(attempt) else { return }
            discoveryHolds += 1
            wake()
            _ = await until(.seconds(5)) { !self.isDiscovering }
            let isDone = await connect(attempt, path)
            discoveryHolds -= 1
            discoverIfWanted()
            if isDone { return }
            _ = await until(.milliseconds(200)) { attempt.isOver }
        }
    }

    /// The object of the device, looked for on the air if it is not on the bus; nil when the attempt ended first.
    private func find(_ attempt: ConnectAttempt) async -> String? {
        if let path = path(of: attempt.address) { return path }
        attempt.needsDiscovery = true
        defer { attempt.needsDiscovery = false }
        discoverIfWanted()
        _ = await until(attempt.deadline) { attempt.isOver || self.path(of: attempt.address) != nil }
        return attempt.isOver ? nil : path(of: attempt.address)
    }

    private func path(of address: DeviceAddress) -> String? {
        tree.paths(with: BlueZ.device, under: adapterPath).first { path in
            tree.properties(path, BlueZ.device).flatMap(DeviceReport.address) == address
        }
    }

    /// Tries once; true when the attempt has its answer.
    private func connect(_ attempt: ConnectAttempt, _ path: String) async -> Bool {
        guard centrals[path] == nil else {
            attempt.finish(.failure(RadioError(.unsupported, "this radio is connected to the device already")))
            return true
        }
        let answer = Answer()
        begin(path, BlueZ.device, "Connect", timeout: .seconds(120)) { answer.result = $0 }
        _ = await until(.seconds(125)) { answer.result != nil || attempt.isOver }
        if answer.result == nil {
            // Disconnect is how bluetoothd is told to stop trying.
            _ = await call(path, BlueZ.device, "Disconnect", timeout: .seconds(10))
            _ = await until(.seconds(5)) { answer.result != nil }
        }
        switch answer.result {
        case .success: return await connected(attempt, path)
        case .failure(let error) where error.name.hasSuffix("AlreadyConnected"): return await connected(attempt, path)
        case .failure(let error) where Self.isFinal(error):
            attempt.finish(.failure(RadioError(error, during: "a connect")))
            return true
        case .failure, nil: return attempt.isOver
        }
    }

    private static func isFinal(_ error: DBusError) -> Bool {
        ["NotReady", "Disconnected", "AccessDenied", "ServiceUnknown"].contains { error.name.hasSuffix($0) }
    }

    private func connected(_ attempt: ConnectAttempt, _ path: String) async -> Bool {
        // bluetoothd 5.66 does not tell that a device is connected when it hears of its ATT channel before the kernel's word.
        if !isConnected(path) { await refresh(path, BlueZ.device) }
        let isUp = await until(.seconds(1)) { self.isConnected(path) }
        guard !attempt.isOver else {
            if isUp { await endUnwanted(path) }
            return true
        }
        guard isUp else { return false }
        listenToKernel()
        let session = CentralSession(id: nextLink(), path: path, peer: attempt.address)
        centrals[path] = session
        tap(.connected(isCentral: true, parameters: nil), .received, link: session.id.number, peer: session.peer)
        attempt.finish(.success(BlueZCentralLink(radio: self, session: session)))
        return true
    }

    func isConnected(_ path: String) -> Bool { tree[path, BlueZ.device, "Connected"]?.flag ?? false }

    private func endUnwanted(_ path: String) async {
        await hangUp(path)
        _ = await until(.seconds(5)) { !self.isConnected(path) }
    }
}
