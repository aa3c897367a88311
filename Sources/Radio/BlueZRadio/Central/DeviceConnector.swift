import Bluetooth
import Determinism
import Radio

/// Connects to devices: attempts go one after the other, as controllers make them.
final class DeviceConnector {
    /// A caller that waits for a connection.
    private final class ConnectWaiter {
        let number: UInt64
        let address: DeviceAddress
        let deadline: MonotonicInstant
        /// True once bluetoothd was asked to connect, so that this program has to end the link.
        var hasAsked = false
        var waiter: CheckedContinuation<Result<CentralLinkHandle, RadioError>, Never>?
        /// True once the caller has its answer.
        var isOver: Bool { waiter == nil }

        init(_ number: UInt64, to address: DeviceAddress, until deadline: MonotonicInstant) {
            self.number = number
            self.address = address
            self.deadline = deadline
        }

        func finish(_ result: Result<CentralLinkHandle, RadioError>) {
            waiter?.resume(returning: result)
            waiter = nil
        }
    }

    /// The answer to a call that the caller may stop waiting for.
    private final class PendingBusReply {
        var result: Result<[DBusValue], DBusError>?
    }

    private static let maximumAttempts = 64
    /// The time for which discovery stays off for one connect.
    private static let quietTime = Duration.seconds(3)
    /// The longest wait for the end of a link that another program opened.
    private static let freedomTime = Duration.seconds(2)
    /// The time-out of cancelling all attempts when the radio closes.
    private static let withdrawalTime = Duration.seconds(15)

    private let daemon: BluetoothdConnection
    private let scanner: DeviceScanner
    private let links: CentralLinks
    private let disconnector: LinkDisconnector
    /// The attempts, in the order in which they were requested; the first is under way.
    private var attempts: [ConnectWaiter] = []
    private var lastAttempt: UInt64 = 0
    private var runner: Task<Void, Never>?

    init(_ daemon: BluetoothdConnection, scanner: DeviceScanner, links: CentralLinks, disconnector: LinkDisconnector) {
        self.daemon = daemon
        self.scanner = scanner
        self.links = links
        self.disconnector = disconnector
    }

    /// Connects to an advertiser, see `CentralRadio`; attempts to several devices go one after the other.
    func connect(to address: DeviceAddress, timeout: Duration, isolation: isolated any Actor = #isolation)
        async throws(RadioError) -> CentralLinkHandle
    {
        try daemon.adapter.checkUsable()
        guard !Task.isCancelled else { throw RadioError(.cancelled, "the connect was cancelled") }
        guard attempts.count < Self.maximumAttempts else {
            throw RadioError(.tooLarge, "\(attempts.count) connects wait already")
        }
        lastAttempt += 1
        let number = lastAttempt
        let attempt = ConnectWaiter(number, to: address, until: daemon.waiters.now + timeout)
        let alarm = daemon.handle.start(at: attempt.deadline) {
            $0.central.connector.abandon(number, Self.timeout(address))
        }
        defer { alarm.cancel() }
        let result = await withTaskCancellationHandler {
            // Captured, so that this runs on the queue too.
            _ = isolation
            return await withCheckedContinuation { continuation in
                attempt.waiter = continuation
                attempts.append(attempt)
                runAttempts()
            }
        } onCancel: { [handle = daemon.handle] in
            handle.start { $0.central.connector.abandon(number, RadioError(.cancelled, "the connect was cancelled")) }
        }
        return try result.get()
    }

    private static func timeout(_ address: DeviceAddress) -> RadioError {
        RadioError(.connectTimeout, "\(address) was not reached within the time given")
    }

    /// Returns true when the attempt under way is to this device.
    func isConnecting(to address: DeviceAddress) -> Bool { attempts.first?.address == address }

    /// Returns true when an attempt to a device waits or is under way.
    func isAsked(for address: DeviceAddress) -> Bool { attempts.contains { $0.address == address } }

    /// Ends all attempts with an error.
    func fail(_ error: RadioError) {
        for attempt in attempts { attempt.finish(.failure(error)) }
        daemon.waiters.wake()
    }

    /// Cancels all attempts, and returns when bluetoothd has acknowledged that: else a link without a user would come
    /// up.
    func withdraw(isolation: isolated any Actor = #isolation) async {
        fail(RadioError(.unavailable, "the radio is closed"))
        _ = await daemon.waiters.until(Self.withdrawalTime) { self.runner == nil }
    }

    func abandon(_ number: UInt64, _ error: RadioError) {
        attempts.first { $0.number == number }?.finish(.failure(error))
        daemon.waiters.wake()
    }

    // MARK: - One attempt

    private func runAttempts() {
        guard runner == nil else { return }
        runner = daemon.handle.start { await $0.central.connector.runAll() }
    }

    func runAll(isolation: isolated any Actor = #isolation) async {
        while let attempt = attempts.first {
            if !attempt.isOver { await run(attempt) }
            // The deadline may be seen here before its alarm, which finds nothing to end when the attempt is gone.
            if !attempt.isOver { attempt.finish(.failure(Self.timeout(attempt.address))) }
            attempts.removeFirst()
        }
        runner = nil
        daemon.waiters.wake()
    }

    private func run(_ attempt: ConnectWaiter, isolation: isolated any Actor = #isolation) async {
        var schedule = ConnectSchedule()
        while !attempt.isOver, !daemon.waiters.isClosed {
            guard let device = await find(attempt), await awaitFreedom(device, attempt) else { return }
            let isDone =
                daemon.adapter.isConnected(device)
                ? await connected(attempt, device) : await connectQuietly(attempt, device)
            if isDone { return }
            _ = await daemon.waiters.until(schedule.nextPause()) { attempt.isOver }
        }
    }

    /// The object of the device, looked for on the air if it is not on the bus; nil when the attempt ended first.
    private func find(_ attempt: ConnectWaiter, isolation: isolated any Actor = #isolation) async -> String? {
        let address = attempt.address
        if let device = daemon.adapter.device(with: address) { return device }
        defer { scanner.endSearch() }
        scanner.search { !attempt.isOver }
        _ = await daemon.waiters.until(attempt.deadline) {
            attempt.isOver || self.daemon.adapter.device(with: address) != nil
        }
        return attempt.isOver ? nil : daemon.adapter.device(with: address)
    }

    /// Waits a while for a link to the device to end that another program asked for; false when the attempt ended
    /// first.
    ///
    /// bluetoothd must not be asked to connect to a device that is connected: of one whose flags do not say that it has
    /// no classic Bluetooth it believes that classic Bluetooth is meant, and refuses. So a link that stays is used as
    /// it is.
    private func awaitFreedom(_ device: String, _ attempt: ConnectWaiter, isolation: isolated any Actor = #isolation)
        async
        -> Bool
    {
        if daemon.adapter.isConnected(device), !links.isUp(device) {
            _ = await daemon.waiters.until(Self.freedomTime) {
                attempt.isOver || !self.daemon.adapter.isConnected(device)
            }
        }
        return !attempt.isOver
    }

    /// Connects, at first while this program runs no discovery; true when the attempt has its answer.
    ///
    /// The discovery is held off for a while only: else nothing would be heard for as long as the device is away.
    private func connectQuietly(_ attempt: ConnectWaiter, _ device: String, isolation: isolated any Actor = #isolation)
        async
        -> Bool
    {
        let hold = scanner.hold(for: Self.quietTime)
        _ = await daemon.waiters.until(.seconds(5)) { !self.scanner.isDiscovering || attempt.isOver }
        // A cancelled attempt must not begin: the kernel has been seen to fail when a connect is ended at once.
        let isDone = attempt.isOver ? true : await connect(attempt, device)
        hold.cancel()
        await hold.value
        return isDone
    }

    /// Tries once; true when the attempt has its answer.
    private func connect(_ attempt: ConnectWaiter, _ device: String, isolation: isolated any Actor = #isolation) async
        -> Bool
    {
        guard !daemon.adapter.isConnected(device) else { return false }
        let answer = PendingBusReply()
        attempt.hasAsked = true
        let beginning = daemon.waiters.now
        daemon.bus.begin(device, BlueZNames.device, "Connect", timeout: .seconds(120)) { answer.result = $0 }
        _ = await daemon.waiters.until(.seconds(125)) { answer.result != nil || attempt.isOver }
        _ = await daemon.waiters.until(beginning + ConnectSchedule.leastTime) { answer.result != nil }
        if answer.result == nil {
            await giveUp(device, answer)
            await awaitLateLink(attempt.address, device)
        }
        switch ConnectSchedule.outcome(of: answer.result, isConnected: daemon.adapter.isConnected(device)) {
        case .linked: return await connected(attempt, device)
        case .failed(let error):
            attempt.finish(.failure(RadioError(error, during: "a connect")))
            return true
        case .retry: return attempt.isOver
        }
    }

    /// Tells bluetoothd to stop trying, for which it has only Disconnect.
    private func giveUp(_ device: String, _ answer: PendingBusReply, isolation: isolated any Actor = #isolation) async {
        _ = await daemon.bus.call(device, BlueZNames.device, "Disconnect", timeout: .seconds(10))
        _ = await daemon.waiters.until(.seconds(5)) { answer.result != nil }
    }

    /// Waits for a link although its attempt was cancelled, because the kernel may complete it.
    private func awaitLateLink(_ address: DeviceAddress, _ device: String, isolation: isolated any Actor = #isolation)
        async
    {
        let begin = daemon.waiters.now
        while !daemon.adapter.isConnected(device) {
            guard
                ConnectSchedule.mayComeUpLate(
                    after: daemon.waiters.now - begin, isKernelConnecting: daemon.adapter.connection(to: address) != nil
                )
            else { return }
            _ = await daemon.waiters.until(.milliseconds(50)) { self.daemon.adapter.isConnected(device) }
        }
    }

    /// Makes a session of an existing link, whichever program asked for it; true when the attempt has its answer.
    private func connected(_ attempt: ConnectWaiter, _ device: String, isolation: isolated any Actor = #isolation) async
        -> Bool
    {
        guard !links.isUp(device) else {
            attempt.finish(.failure(RadioError(.unsupported, "this radio is connected to the device already")))
            return true
        }
        // bluetoothd 5.66 does not report a connected device when its ATT channel comes before the kernel's event.
        if !daemon.adapter.isConnected(device) { await daemon.adapter.refresh(device, BlueZNames.device) }
        let isUp = await daemon.waiters.until(.seconds(1)) { self.daemon.adapter.isConnected(device) }
        let isOwn = attempt.hasAsked && daemon.adapter.connection(to: attempt.address)?.isOutgoing ?? true
        guard !attempt.isOver else {
            if isUp, isOwn { await endUnwanted(device) }
            return true
        }
        guard isUp else { return false }
        attempt.finish(.success(links.open(device, attempt.address, isShared: !isOwn)))
        return true
    }

    private func endUnwanted(_ device: String, isolation: isolated any Actor = #isolation) async {
        await disconnector.end(device)
        _ = await daemon.waiters.until(.seconds(5)) { !self.daemon.adapter.isConnected(device) }
    }
}
