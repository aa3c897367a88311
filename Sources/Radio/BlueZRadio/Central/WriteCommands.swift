import Bluetooth
import Determinism
import Radio

/// Sends write commands to bluetoothd over a socket for each characteristic, which is faster than the bus.
///
/// The sockets and the bus have no certain order between them, so one has to be empty before the other is used.
final class WriteCommands {
    private let daemon: BluetoothdConnection
    private let links: CentralLinks

    init(_ daemon: BluetoothdConnection, links: CentralLinks) {
        self.daemon = daemon
        self.links = links
    }

    /// Records the ATT MTU that bluetoothd states for a link, and reports a change to the link's consumer.
    func note(mtu: Int, _ session: CentralLinkState) {
        if session.record(mtu: mtu) { links.tell(.mtu(mtu), session) }
    }

    /// The channel for write commands to a characteristic, made on first use; nil where bluetoothd has none.
    func channel(
        for object: String, _ session: CentralLinkState,
        isolation: isolated any Actor = #isolation
    ) async throws(RadioError) -> WriteCommandSockets.WriteCommandSocket? {
        if let channel = session.channels.use(object) { return channel }
        guard daemon.adapter.tree[object, BlueZNames.characteristic, "WriteAcquired"] != nil else { return nil }
        let result = await daemon.bus.call(object, BlueZNames.characteristic, "AcquireWrite", [.properties([])])
        guard !session.isDown else { throw .linkDown }
        guard case .success(let values) = result, values.count == 2, let descriptor = values[0].openFile,
            let mtu = values[1].number
        else { return nil }
        note(mtu: min(max(mtu, 23), 517), session)
        let channel = WriteCommandSockets.WriteCommandSocket(descriptor: descriptor, mtu: mtu)
        session.channels.add(channel, for: object)
        return channel
    }

    func send(
        _ value: [UInt8], _ channel: WriteCommandSockets.WriteCommandSocket, _ session: CentralLinkState,
        isolation: isolated any Actor = #isolation
    ) async throws(RadioError) {
        while true {
            switch channel.descriptor.send(value) {
            case .sent: return await keepPace(session)
            case .failed:
                links.socketClosed(session)
                throw RadioError(.linkLost, "bluetoothd closed the channel for write commands")
            case .full: try await awaitRoom(channel.descriptor, session)
            }
        }
    }

    /// Waits until bluetoothd has taken everything from the channel used last, unless it is that of `object`: it serves
    /// its sockets and the bus in no certain order.
    func settle(_ session: CentralLinkState, before object: String?, isolation: isolated any Actor = #isolation)
        async throws(RadioError)
    {
        guard let channel = session.channels.unsettled(before: object) else { return }
        let deadline = daemon.waiters.now + daemon.transactionTimeout
        while (channel.descriptor.unreadBytes ?? 0) > 0 {
            if session.isDown { throw .linkDown }
            if Task.isCancelled { throw .operationCancelled }
            if daemon.waiters.now > deadline { throw RadioError(.requestTimeout, "bluetoothd takes no write commands") }
            _ = await daemon.waiters.until(.milliseconds(2)) { session.isDown }
        }
        session.channels.settled()
    }

    /// Gives a channel back, so that bluetoothd takes writes to its characteristic over the bus again.
    func release(_ object: String, _ session: CentralLinkState, isolation: isolated any Actor = #isolation)
        async throws(RadioError)
    {
        guard session.channels.remove(object) else { return }
        _ = await daemon.waiters.until(.seconds(5)) {
            session.isDown
                || !(self.daemon.adapter.tree[object, BlueZNames.characteristic, "WriteAcquired"]?.flag ?? false)
        }
        if session.isDown { throw .linkDown }
    }

    /// Handles room in the socket of a channel that was full.
    func roomCame(_ device: String) {
        links.session(with: device)?.channels.roomCame()
        daemon.waiters.wake()
    }

    /// Asks bluetoothd for an answer when one is due, and waits for it where no command may follow.
    ///
    /// See `WriteCommandFlowControl`.
    private func keepPace(_ session: CentralLinkState, isolation: isolated any Actor = #isolation) async {
        guard session.sentCommand() else { return }
        daemon.bus.begin("/", BlueZNames.peer, "Ping", timeout: .seconds(20)) { _ in session.answered() }
        if session.mustWaitForAnswer {
            _ = await daemon.waiters.until(.seconds(25)) { !session.mustWaitForAnswer || session.isDown }
        }
    }

    private func awaitRoom(
        _ descriptor: FileDescriptor, _ session: CentralLinkState, isolation: isolated any Actor = #isolation
    ) async throws(RadioError) {
        session.channels.becameFull()
        let device = session.path
        let watch = FileDescriptorWatch(writing: descriptor, on: daemon.executor) { [handle = daemon.handle] in
            handle.onQueue { $0.central.commands.roomCame(device) }
        }
        let isReady = await daemon.waiters.until(daemon.transactionTimeout) {
            session.channels.hasRoom || session.isDown
        }
        withExtendedLifetime(watch) {}
        if Task.isCancelled { throw .operationCancelled }
        if session.isDown { throw .linkDown }
        if !isReady { throw RadioError(.requestTimeout, "bluetoothd took no write command for too long") }
    }
}
