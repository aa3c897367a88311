import Bluetooth
import Determinism
import Radio

/// Write commands go to bluetoothd over a socket for each characteristic, faster than over the bus; what goes over the
/// sockets and the bus has no certain order, so that one has to be empty before the other is used.
final class WriteCommands {
    /// How many write commands go between two questions to bluetoothd; twice as many may be ahead of it.
    private static let commandsAtOnce = 16

    private let transactionTimeout: Duration
    private let executor: BusQueue
    private let handle: RadioHandle
    private let bus: BusConnection
    private let waiters: EventWaiters
    private let adapter: AdapterState
    private let links: CentralLinks

    init(
        _ transactionTimeout: Duration, on executor: BusQueue, _ handle: RadioHandle, _ bus: BusConnection,
        _ waiters: EventWaiters, _ adapter: AdapterState, _ links: CentralLinks
    ) {
        self.transactionTimeout = transactionTimeout
        self.executor = executor
        self.handle = handle
        self.bus = bus
        self.waiters = waiters
        self.adapter = adapter
        self.links = links
    }

    /// The ATT MTU of a link, as bluetoothd says.
    func note(mtu: Int, _ session: CentralSession) {
        guard mtu != session.mtu else { return }
        session.stopDirectCommands()
        session.mtu = mtu
        session.statistics.mtu = mtu
        links.tell(.mtu(mtu), session)
    }

    /// The channel for write commands to a characteristic, made on first use; nil where bluetoothd has none.
    func channel(
        for object: String, _ session: CentralSession,
        isolation: isolated any Actor = #isolation
    ) async throws(RadioError) -> CentralSession.WriteChannel? {
        if let channel = session.channels[object] {
            session.lastChannel = object
            return channel
        }
        guard adapter.tree[object, BlueZ.characteristic, "WriteAcquired"] != nil else { return nil }
        let result = await bus.call(object, BlueZ.characteristic, "AcquireWrite", [.properties([])])
        guard !session.isDown else { throw .linkDown }
        guard case .success(let values) = result, values.count == 2, let descriptor = values[0].openFile,
            let mtu = values[1].number
        else { return nil }
        note(mtu: min(max(mtu, 23), 517), session)
        let channel = CentralSession.WriteChannel(descriptor: descriptor, mtu: mtu)
        session.channels[object] = channel
        session.lastChannel = object
        return channel
    }

    func send(
        _ value: [UInt8], _ channel: CentralSession.WriteChannel, _ session: CentralSession,
        isolation: isolated any Actor = #isolation
    ) async throws(RadioError) {
        while true {
            switch channel.descriptor.send(value) {
            case .sent: return await keepPace(session)
            case .failed: throw RadioError(.linkLost, "bluetoothd closed the channel for write commands")
            case .full: try await awaitRoom(channel.descriptor, session)
            }
        }
    }

    /// Lets the write commands that follow go past the radio's queue.
    func startDirectCommands(
        _ channel: CentralSession.WriteChannel, valueHandle: UInt16, limit: Int, _ session: CentralSession
    ) {
        session.directCommands.open(
            channel.descriptor, valueHandle: valueHandle, limit: limit,
            count: Self.commandsAtOnce - session.commandsAhead - 1)
    }

    /// Waits until bluetoothd has taken everything from the channel used last, unless it is that of `object`: it serves
    /// its sockets and the bus in no certain order.
    func settle(_ session: CentralSession, before object: String?, isolation: isolated any Actor = #isolation)
        async throws(RadioError)
    {
        guard let last = session.lastChannel, last != object, let channel = session.channels[last] else { return }
        let deadline = waiters.now + transactionTimeout
        while (channel.descriptor.unreadBytes ?? 0) > 0 {
            if session.isDown { throw .linkDown }
            if Task.isCancelled { throw .operationCancelled }
            if waiters.now > deadline { throw RadioError(.requestTimeout, "bluetoothd takes no write commands") }
            _ = await waiters.until(.milliseconds(2)) { session.isDown }
        }
        session.lastChannel = nil
    }

    /// Gives a channel back, so that bluetoothd takes writes to its characteristic over the bus again.
    func release(_ object: String, _ session: CentralSession, isolation: isolated any Actor = #isolation)
        async throws(RadioError)
    {
        guard session.channels.removeValue(forKey: object) != nil else { return }
        if session.lastChannel == object { session.lastChannel = nil }
        _ = await waiters.until(.seconds(5)) {
            session.isDown || !(self.adapter.tree[object, BlueZ.characteristic, "WriteAcquired"]?.flag ?? false)
        }
        if session.isDown { throw .linkDown }
    }

    /// The socket of a channel has room again.
    func roomCame(_ device: String) {
        links.session(with: device)?.hasRoom = true
        waiters.wake()
    }

    /// Asks bluetoothd for a sign of life from time to time: it takes write commands faster than it, or another one,
    /// gets them out of the kernel at the other end, and what does not fit there is lost.
    ///
    /// One question may be under way while commands go on, so that the link does not run empty over it.
    private func keepPace(_ session: CentralSession, isolation: isolated any Actor = #isolation) async {
        session.commandsAhead += 1
        guard session.commandsAhead >= Self.commandsAtOnce else { return }
        session.commandsAhead = 0
        session.questions += 1
        bus.begin("/", BlueZ.peer, "Ping", timeout: .seconds(20)) { _ in session.questions -= 1 }
        if session.questions > 1 {
            _ = await waiters.until(.seconds(25)) { session.questions <= 1 || session.isDown }
        }
    }

    private func awaitRoom(
        _ descriptor: Descriptor, _ session: CentralSession, isolation: isolated any Actor = #isolation
    ) async throws(RadioError) {
        session.hasRoom = false
        let device = session.path
        let watch = DescriptorWatch(writing: descriptor, on: executor) { [handle] in
            handle.onQueue { $0.commands.roomCame(device) }
        }
        let isReady = await waiters.until(transactionTimeout) { session.hasRoom || session.isDown }
        withExtendedLifetime(watch) {}
        if Task.isCancelled { throw .operationCancelled }
        if session.isDown { throw .linkDown }
        if !isReady { throw RadioError(.requestTimeout, "bluetoothd took no write command for too long") }
    }
}
