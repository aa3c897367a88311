import Bluetooth
import Determinism
import Radio

/// Pushes values to centrals: to subscribers over bluetoothd, to others as raw packets.
final class ValueNotifier {
    /// A socket for raw packets of an adapter, and how many bytes its controller takes at once.
    private struct RawSocket {
        let descriptor: FileDescriptor
        let buffer: Int
    }

    private let daemon: BluetoothdConnection
    private let services: PublishedServices
    private let links: PeripheralLinks
    private let recorder: PacketRecorder
    private var raw: RawSocket?

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
        guard value.count <= session.mtu - 3 else {
            throw RadioError(.tooLarge, "a notification has at most \(session.mtu - 3) bytes on this link")
        }
        let route = NotificationRoute.choose(
            isSubscribed: links.isSubscribed(link, to: characteristic), isIndication: confirmed,
            maySendRaw: LinuxCapabilities.isPermitted(.netRaw), hasHandle: target.handle != nil,
            mayBeCut: value.count > session.mtu - 5)
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
        let raw = try await openRaw()
        guard !session.isOver, let connection = daemon.adapter.connection(to: session.peer), connection.isConnected,
            !connection.isOutgoing
        else { throw RadioError(.linkLost, "the kernel has no link with the central") }
        let packets = RawHCINotification.packets(
            value, attribute: target.handle ?? 0, connection: connection.handle, buffer: raw.buffer)
        for packet in packets {
            guard LinuxCapabilities.with(.netRaw, { raw.descriptor.send(packet) }) == .sent else {
                throw RadioError(.notPermitted, "The kernel did not take a raw packet.")
            }
        }
        session.pushed(at: daemon.waiters.now)
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
        var buffer: Int?
        let deadline = daemon.waiters.now + .seconds(1)
        while sent == .sent, buffer == nil, daemon.waiters.now < deadline {
            switch descriptor.receive() {
            case .message(let packet): buffer = RawHCINotification.bufferSize(in: packet)
            case .nothing: await daemon.waiters.pause(.milliseconds(5))
            case .end: throw RadioError(.unavailable, daemon.adapter.absence)
            }
        }
        // A socket that is never read: nothing more is to be put into it.
        guard let quiet = LinuxCapabilities.with(.netRaw, { BluetoothSocket.raw(index: index) }) else {
            throw RadioError(.notPermitted, "The kernel does not give this process a socket for raw packets.")
        }
        let raw = RawSocket(descriptor: quiet, buffer: buffer ?? RawHCINotification.minimumBuffer)
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
