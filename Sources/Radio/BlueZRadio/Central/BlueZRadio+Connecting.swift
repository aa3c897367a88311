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
        /// Whether bluetoothd was asked to connect, so that the link is ours to end.
        var hasAsked = false
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
    /// How long nothing is heard for the sake of one connect.
    private static let quietTime = Duration.seconds(3)
    /// How long a link of somebody else is waited for to end.
    private static let freedomTime = Duration.seconds(2)
    /// How long after it was given up a link may still come up.
    private static let lateTime = Duration.milliseconds(300)
    /// The same where the kernel still works on it.
    private static let latestTime = Duration.seconds(3)
    /// How long the attempts that are given up when the radio closes may take to be taken back.
    private static let withdrawalTime = Duration.seconds(15)

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

    /// Gives up all attempts, and returns when bluetoothd has been told: else a link would come up that is nobody's.
    func withdrawAttempts() async {
        failAttempts(RadioError(.unavailable, "the radio is closed"))
        _ = await until(Self.withdrawalTime) { self.attemptRunner == nil }
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
            wake()
        }
    }

    private func run(_ attempt: ConnectAttempt) async {
        var pause = Duration.milliseconds(200)
        while !attempt.isOver, !isClosed {
            guard let path = await find(attempt), await awaitFreedom(path, attempt) else { return }
            let isDone = isConnected(path) ? await connected(attempt, path) : await connectQuietly(attempt, path)
            if isDone { return }
            _ = await until(pause) { attempt.isOver }
            pause = min(pause * 2, .milliseconds(1600))
        }
    }

    /// Waits a while for whoever has a link to the device to end it; false when the attempt ended first.
    ///
    /// bluetoothd must not be asked to connect to a device that is connected: of one whose flags do not say that it has no
    /// classic Bluetooth it believes that classic Bluetooth is meant, and refuses. So a link that stays is used as it is.
    private func awaitFreedom(_ path: String, _ attempt: ConnectAttempt) async -> Bool {
        if isConnected(path), centrals[path] == nil {
            _ = await until(Self.freedomTime) { attempt.isOver || !self.isConnected(path) }
        }
        return !attempt.isOver
    }

    /// Connects, at first while no discovery of ours is under way; true when the attempt has its answer.
    private func connectQuietly(_ attempt: ConnectAttempt, _ path: String) async -> Bool {
        let hold = holdDiscovery()
        _ = await until(.seconds(5)) { !self.isDiscovering || attempt.isOver }
        // What was given up meanwhile must not be begun: ending it at once is more than the kernel bears.
        let isDone = attempt.isOver ? true : await connect(attempt, path)
        hold.cancel()
        await hold.value
        return isDone
    }

    /// Keeps discovery off until it is cancelled, or a while has passed in which the kernel would have heard the device: else
    /// nothing would be heard for as long as a device is connected to that is away.
    private func holdDiscovery() -> Task<Void, Never> {
        discoveryHolds += 1
        wake()
        return Task {
            await pause(Self.quietTime)
            discoveryHolds -= 1
            discoverIfWanted()
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
        guard !isConnected(path) else { return false }
        let answer = Answer()
        attempt.hasAsked = true
        begin(path, BlueZ.device, "Connect", timeout: .seconds(120)) { answer.result = $0 }
        _ = await until(.seconds(125)) { answer.result != nil || attempt.isOver }
        if answer.result == nil {
            await giveUp(path, answer)
            await awaitLatecomer(attempt.address, path)
        }
        // A link may have come up whatever bluetoothd says.
        if case .success = answer.result { return await connected(attempt, path) }
        if isConnected(path) { return await connected(attempt, path) }
        if case .failure(let error) = answer.result, Self.isFinal(error) {
            attempt.finish(.failure(RadioError(error, during: "a connect")))
            return true
        }
        return attempt.isOver
    }

    /// Tells bluetoothd to stop trying, for which it has only Disconnect.
    private func giveUp(_ path: String, _ answer: Answer) async {
        _ = await call(path, BlueZ.device, "Disconnect", timeout: .seconds(10))
        _ = await until(.seconds(5)) { answer.result != nil }
    }

    /// Waits for a link that was given up and comes up all the same: what the kernel has begun it may carry through.
    private func awaitLatecomer(_ address: DeviceAddress, _ path: String) async {
        let begin = timekeeper.now()
        while !isConnected(path) {
            let elapsed = timekeeper.now() - begin
            guard elapsed < Self.lateTime || connection(to: address) != nil && elapsed < Self.latestTime else { return }
            _ = await until(.milliseconds(50)) { self.isConnected(path) }
        }
    }

    private static func isFinal(_ error: DBusError) -> Bool {
        ["NotReady", "Disconnected", "AccessDenied", "ServiceUnknown"].contains { error.name.hasSuffix($0) }
    }

    /// Makes a session of the link that is there, whoever asked for it; true when the attempt has its answer.
    private func connected(_ attempt: ConnectAttempt, _ path: String) async -> Bool {
        guard centrals[path] == nil else {
            attempt.finish(.failure(RadioError(.unsupported, "this radio is connected to the device already")))
            return true
        }
        // bluetoothd 5.66 does not tell that a device is connected when it hears of its ATT channel before the kernel's word.
        if !isConnected(path) { await refresh(path, BlueZ.device) }
        let isUp = await until(.seconds(1)) { self.isConnected(path) }
        let isOwn = attempt.hasAsked && connection(to: attempt.address)?.isOutgoing ?? true
        guard !attempt.isOver else {
            if isUp, isOwn { await endUnwanted(path) }
            return true
        }
        guard isUp else { return false }
        listenToKernel()
        let session = CentralSession(id: nextLink(), path: path, peer: attempt.address, isShared: !isOwn)
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
