public import Bluetooth
import Determinism
public import Radio

/// A socket for raw packets of an adapter, and what its controller takes at once.
final class RawLink {
    let descriptor: Descriptor
    let buffer: Int

    init(_ descriptor: Descriptor, buffer: Int) {
        self.descriptor = descriptor
        self.buffer = buffer
    }
}

// The peripheral role: pushing values.
extension BlueZRadio {
    /// Pushes a value, see `PeripheralRadio`.
    ///
    /// To a subscriber over bluetoothd, which sends it to every subscriber; to a central that has not subscribed as a raw
    /// packet, which takes CAP_NET_RAW.
    public func notify(
        _ value: [UInt8], of characteristic: BluetoothUUID, on link: LinkID, confirmed: Bool
    ) async throws(RadioError) {
        guard let session = peripherals.values.first(where: { $0.id == link }), session.closing == nil else {
            throw RadioError(.linkLost, "the link is down")
        }
        guard let target = application?[characteristic, besides: session.lastWritten] else {
            throw RadioError(.notFound, "no such characteristic was published")
        }
        guard value.count <= session.mtu - 3 else {
            throw RadioError(.tooLarge, "a notification has at most \(session.mtu - 3) bytes on this link")
        }
        let route = NotificationRoute.choose(
            isSubscribed: subscriptions.isSubscribed(link, to: characteristic), isIndication: confirmed,
            maySendRaw: Privileges.isPermitted(.netRaw), hasHandle: target.handle != nil,
            mayBeCut: value.count > session.mtu - 5)
        switch route {
        case .daemon: try await push(value, target, session, confirmed: confirmed)
        case .raw: try await pushRaw(value, target, session)
        case .none(let reason): throw RadioError(reason)
        }
        session.statistics.pdusSent += 1
        tapPush(value, handle: target.handle ?? 0, isIndication: confirmed, .sent, session.id, session.peer)
    }

    private func push(
        _ value: [UInt8], _ target: ApplicationObjects.Characteristic, _ session: PeripheralSession, confirmed: Bool
    ) async throws(RadioError) {
        let before = confirmations[target.path] ?? 0
        emit(
            target.path, BlueZ.properties, "PropertiesChanged",
            [.string(BlueZ.characteristic), .properties([("Value", .bytes(value))]), .strings([])])
        session.pushedAt = timekeeper.now()
        // The answer comes when bluetoothd has read the value, so that nobody runs ahead of it.
        _ = await call("/", BlueZ.peer, "Ping", timeout: .seconds(5))
        session.pushedAt = timekeeper.now()
        if session.isOver { throw RadioError(.linkLost, "the link is down") }
        guard confirmed else { return }
        let isConfirmed = await until(configuration.transactionTimeout) {
            session.isOver || (self.confirmations[target.path] ?? 0) > before
        }
        if session.isOver { throw RadioError(.linkLost, "the link is down") }
        if Task.isCancelled { throw RadioError(.cancelled, "the operation was cancelled") }
        if !isConfirmed { throw RadioError(.requestTimeout, "the central did not confirm") }
        session.statistics.pdusReceived += 1
    }

    private func pushRaw(
        _ value: [UInt8], _ target: ApplicationObjects.Characteristic, _ session: PeripheralSession
    ) async throws(RadioError) {
        let raw = try await openRaw()
        guard !session.isOver, let connection = connection(to: session.peer), connection.isConnected,
            !connection.isOutgoing
        else { throw RadioError(.linkLost, "the kernel has no link with the central") }
        let packets = RawNotification.packets(
            value, attribute: target.handle ?? 0, connection: connection.handle, buffer: raw.buffer)
        for packet in packets {
            guard Privileges.with(.netRaw, { raw.descriptor.send(packet) }) == .sent else {
                throw RadioError(.notPermitted, "The kernel did not take a raw packet.")
            }
        }
        session.pushedAt = timekeeper.now()
    }

    /// The socket for raw packets, opened on first use.
    private func openRaw() async throws(RadioError) -> RawLink {
        if let rawLink { return rawLink }
        let commandComplete: UInt8 = 0x0E
        guard
            let descriptor = Privileges.with(
                .netRaw, { BluetoothSocket.raw(index: adapterIndex, events: [commandComplete]) })
        else { throw RadioError(.notPermitted, "The kernel does not give this process a socket for raw packets.") }
        let sent = Privileges.with(.netRaw) { descriptor.send(RawNotification.readBufferSize) }
        var buffer: Int?
        let deadline = timekeeper.now() + .seconds(1)
        while sent == .sent, buffer == nil, timekeeper.now() < deadline {
            switch descriptor.receive() {
            case .message(let packet): buffer = RawNotification.bufferSize(in: packet)
            case .nothing: await pause(.milliseconds(5))
            case .end: throw RadioError(.unavailable, absence)
            }
        }
        // A socket that nobody reads: nothing more is to be put into it.
        guard let quiet = Privileges.with(.netRaw, { BluetoothSocket.raw(index: adapterIndex) }) else {
            throw RadioError(.notPermitted, "The kernel does not give this process a socket for raw packets.")
        }
        let link = RawLink(quiet, buffer: buffer ?? RawNotification.minimumBuffer)
        rawLink = link
        return link
    }
}

extension RadioError {
    /// Why a value cannot be pushed to a central that has not subscribed.
    init(_ reason: NotificationRoute.Reason) {
        switch reason {
        case .needsRight:
            self.init(
                .unsupported,
                "This central has not subscribed, and notifying it takes the capability CAP_NET_RAW; symbolon doctor --fix tells how."
            )
        case .isIndication: self.init(.unsupported, "An indication reaches subscribers only.")
        case .noHandle: self.init(.unsupported, "bluetoothd has not told the handle of the characteristic.")
        }
    }
}
