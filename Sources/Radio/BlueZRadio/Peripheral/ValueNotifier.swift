import Bluetooth
import Determinism
import Radio

/// Pushes values to centrals: to subscribers over bluetoothd, to others as raw packets.
final class ValueNotifier {
    /// A socket for raw packets of an adapter, on which the controller says what it has sent, and its room.
    private struct RawSocket {
        let descriptor: FileDescriptor
        let watch: FileDescriptorWatch
        var flow: RawPacketFlowControl
    }

    /// The most callers that wait until the value of another one has been sent.
    private static let maximumWaiting = 1024

    private let daemon: BluetoothdConnection
    private let services: PublishedServices
    private let links: PeripheralLinks
    private let recorder: PacketRecorder
    private var raw: RawSocket?
    /// True while the packets of a value are being sent.
    private var isSendingRaw = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ daemon: BluetoothdConnection, services: PublishedServices, links: PeripheralLinks, recorder: PacketRecorder)
    {
        self.daemon = daemon
        self.services = services
        self.links = links
        self.recorder = recorder
    }

    func close() { raw = nil }

    /// Pushes a value, see `PeripheralRadio`.
    func notify(
        _ value: [UInt8], of characteristic: BluetoothUUID, on link: LinkID, confirmed: Bool,
        isolation: isolated any Actor = #isolation
    ) async throws(RadioError) {
        guard let session = links.session(of: link), !session.isDown else { throw .linkDown }
        guard let target = services.characteristic(characteristic, besides: session.lastWritten) else {
            throw RadioError(.notFound, "no such characteristic was published")
        }
        let room = min(session.mtu - 3, ATTPDU.maximumValueBytes)
        guard value.count <= room else {
            throw RadioError(.tooLarge, "a notification has at most \(room) bytes on this link")
        }
        let route = NotificationRoute.choose(
            isSubscribed: links.isSubscribed(link, to: target.path), isIndication: confirmed,
            maySendRaw: LinuxCapabilities.isPermitted(.netRaw), hasHandle: target.handle != nil,
            needsRaw: value.count > session.mtu - 5 || session.getsRaw)
        switch route {
        case .daemon: try await push(value, target, session, confirmed: confirmed)
        case .raw: try await pushRaw(value, target, session)
        case .none(let reason): throw RadioError(reason)
        }
        session.count(sent: 1)
        recorder.push(
            value, handle: target.handle ?? 0, isIndication: confirmed, .sent, session.id, session.peer)
    }

    private func push(
        _ value: [UInt8], _ target: GATTApplicationObjects.Characteristic, _ session: PeripheralLinkState,
        confirmed: Bool,
        isolation: isolated any Actor = #isolation
    ) async throws(RadioError) {
        let before = services.confirmations(of: target.path)
        daemon.bus.emit(
            target.path, BlueZNames.properties, "PropertiesChanged",
            [.string(BlueZNames.characteristic), .properties([("Value", .bytes(value))]), .strings([])])
        session.pushed(at: daemon.waiters.now)
        // The answer comes when bluetoothd has read the value, so that the caller does not run ahead of it.
        _ = await daemon.bus.call("/", BlueZNames.peer, "Ping", timeout: .seconds(5))
        session.pushed(at: daemon.waiters.now)
        if session.isOver { throw .linkDown }
        guard confirmed else { return }
        let isConfirmed = await daemon.waiters.until(daemon.transactionTimeout) {
            session.isOver || self.services.confirmations(of: target.path) > before
        }
        if session.isOver { throw .linkDown }
        if Task.isCancelled { throw .operationCancelled }
        if !isConfirmed { throw RadioError(.requestTimeout, "the central did not confirm") }
        session.count(received: 1)
    }

    private func pushRaw(
        _ value: [UInt8], _ target: GATTApplicationObjects.Characteristic, _ session: PeripheralLinkState,
        isolation: isolated any Actor = #isolation
    ) async throws(RadioError) {
        guard waiting.count < Self.maximumWaiting else {
            throw RadioError(.tooLarge, "\(waiting.count) values wait to be sent already")
        }
        await takeTurn()
        defer { passTurn() }
        if Task.isCancelled { throw .operationCancelled }
        let raw = try await openRaw()
        guard !session.isOver, let connection = daemon.adapter.connection(to: session.peer), connection.isConnected,
            !connection.isOutgoing
        else { throw RadioError(.linkLost, "the kernel has no link with the central") }
        let packets = RawHCINotification.packets(
            value, attribute: target.handle ?? 0, connection: connection.handle, buffer: raw.flow.bytes)
        session.startRaw()
        for packet in packets {
            try await awaitRoom(session)
            self.raw?.flow.sent(on: connection.handle, of: session.id)
            guard LinuxCapabilities.with(.netRaw, { raw.descriptor.send(packet) }) == .sent else {
                throw RadioError(.notPermitted, "The kernel did not take a raw packet.")
            }
        }
        session.pushed(at: daemon.waiters.now)
    }

    /// Waits until the controller has room for one more raw packet.
    private func awaitRoom(
        _ session: PeripheralLinkState, isolation: isolated any Actor = #isolation
    ) async throws(RadioError) {
        let hasRoom = await daemon.waiters.until(daemon.transactionTimeout) { [self] in
            raw?.flow.forget { links.session(of: $0) == nil }
            return session.isOver || raw?.flow.hasRoom != false
        }
        if session.isOver { throw .linkDown }
        if !hasRoom {
            throw Task.isCancelled
                ? .operationCancelled : RadioError(.requestTimeout, "the controller sends nothing on this link")
        }
    }

    /// Waits until the packets of no other value are being sent: those of two must not mix.
    private func takeTurn(isolation: isolated any Actor = #isolation) async {
        guard isSendingRaw else {
            isSendingRaw = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func passTurn() {
        if waiting.isEmpty { isSendingRaw = false } else { waiting.removeFirst().resume() }
    }

    /// Reads what the controller says that it has sent.
    func readRawEvents() {
        guard let descriptor = raw?.descriptor else { return }
        while true {
            switch descriptor.receive() {
            case .message(let packet): raw?.flow.take(packet)
            case .nothing: return daemon.waiters.wake()
            case .end:
                raw = nil
                return daemon.waiters.wake()
            }
        }
    }

    /// The socket for raw packets, opened on first use.
    private func openRaw(isolation: isolated any Actor = #isolation) async throws(RadioError) -> RawSocket {
        if let raw { return raw }
        let index = daemon.adapter.index
        let commandComplete: UInt8 = 0x0E
        guard
            let descriptor = LinuxCapabilities.with(
                .netRaw, { BluetoothSocket.raw(index: index, events: [commandComplete]) })
        else { throw RadioError(.notPermitted, "The kernel does not give this process a socket for raw packets.") }
        let sent = LinuxCapabilities.with(.netRaw) { descriptor.send(RawHCINotification.readBufferSize) }
        var buffers: (bytes: Int, count: Int)?
        let deadline = daemon.waiters.now + .seconds(1)
        while sent == .sent, buffers == nil, daemon.waiters.now < deadline {
            switch descriptor.receive() {
            case .message(let packet): buffers = RawHCINotification.buffers(in: packet)
            case .nothing: await daemon.waiters.pause(.milliseconds(5))
            case .end: throw RadioError(.unavailable, daemon.adapter.absence)
            }
        }
        guard
            let lasting = LinuxCapabilities.with(
                .netRaw, { BluetoothSocket.raw(index: index, events: [RawPacketFlowControl.completedPackets]) })
        else { throw RadioError(.notPermitted, "The kernel does not give this process a socket for raw packets.") }
        let watch = FileDescriptorWatch(reading: lasting, on: daemon.executor) { [handle = daemon.handle] in
            handle.onQueue { $0.peripheral.notifier.readRawEvents() }
        }
        let raw = RawSocket(
            descriptor: lasting, watch: watch,
            flow: RawPacketFlowControl(
                bytes: buffers?.bytes ?? RawHCINotification.minimumBuffer, count: buffers?.count ?? 0))
        self.raw = raw
        return raw
    }
}

extension RadioError {
    /// Makes the error for a value that cannot be pushed to a central that has not subscribed.
    init(_ reason: NotificationRoute.NoRouteReason) {
        switch reason {
        case .needsRight:
            self.init(
                .unsupported,
                "This central has not subscribed, and notifying it takes the capability CAP_NET_RAW; symbolon doctor --fix shows how."
            )
        case .isIndication: self.init(.unsupported, "An indication reaches subscribers only.")
        case .noHandle: self.init(.unsupported, "bluetoothd has not told the handle of the characteristic.")
        }
    }
}
