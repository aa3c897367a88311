import Bluetooth
import Determinism
import Radio

/// The attributes of remote devices: their services, reads and writes.
final class RemoteAttributes {
    private let daemon: BluetoothdConnection
    private let links: CentralLinks
    private let commands: WriteCommands
    private let recorder: PacketRecorder

    init(_ daemon: BluetoothdConnection, links: CentralLinks, commands: WriteCommands, recorder: PacketRecorder) {
        self.daemon = daemon
        self.links = links
        self.commands = commands
        self.recorder = recorder
    }

    /// Waits for the services, then throws `unsupported`: bluetoothd exchanges the MTU unasked.
    func awaitMTU(_ link: CentralLinkHandle, isolation: isolated any Actor = #isolation) async throws(RadioError) -> Int
    {
        _ = try await table(link)
        throw RadioError(.unsupported, "bluetoothd exchanges the MTU unasked")
    }

    /// The attributes that the device offers, once bluetoothd has discovered them.
    func table(_ link: CentralLinkHandle, isolation: isolated any Actor = #isolation) async throws(RadioError)
        -> RemoteAttributeTable
    {
        let device = link.path
        let session = try links.session(of: link)
        _ = await daemon.waiters.until(daemon.transactionTimeout) {
            session.isDown || self.daemon.adapter.areServicesResolved(device)
        }
        if Task.isCancelled { throw .operationCancelled }
        _ = try links.session(of: link)
        guard daemon.adapter.areServicesResolved(device) else {
            throw RadioError(.requestTimeout, "bluetoothd did not find out what the device offers")
        }
        await awaitObjects(session)
        _ = try links.session(of: link)
        var table = RemoteAttributeTable(daemon.adapter.tree, device: device)
        if table.services.isEmpty {
            // When a link ends, bluetoothd removes the services before it reports the end.
            _ = await daemon.waiters.until(.seconds(1)) {
                session.isDown || !self.daemon.adapter.areServicesResolved(device)
            }
            _ = try links.session(of: link)
            table = RemoteAttributeTable(daemon.adapter.tree, device: device)
        }
        session.record(table)
        if let mtu = table.mtu { commands.note(mtu: mtu, session) }
        return table
    }

    /// Waits until bluetoothd has reported all services: it may report the end of discovery before the services, but
    /// answers a call on an object only after its earlier signals.
    private func awaitObjects(_ session: CentralLinkState, isolation: isolated any Actor = #isolation) async {
        guard !session.hasTable else { return }
        await daemon.adapter.refresh(session.path, BlueZNames.device)
    }

    private func object(of characteristic: RemoteCharacteristic, _ session: CentralLinkState) throws(RadioError)
        -> String
    {
        guard let object = session.object(of: characteristic, in: daemon.adapter.tree) else {
            throw RadioError(.notFound, "the device has no such characteristic")
        }
        return object
    }

    // MARK: - Values

    func read(
        _ characteristic: RemoteCharacteristic, _ link: CentralLinkHandle, isolation: isolated any Actor = #isolation
    )
        async throws(RadioError) -> [UInt8]
    {
        let session = try links.session(of: link)
        let object = try object(of: characteristic, session)
        try await begin(session)
        defer { end(session) }
        session.count(sent: 1)
        let values = try await request("a read", session, object, "ReadValue", [.properties([])])
        session.count(received: 1)
        guard let value = values.first?.byteArray else {
            throw RadioError(.badAnswer, "bluetoothd answered without a value")
        }
        recorder.read(value, characteristic, session.id, session.peer)
        return value
    }

    func write(
        _ value: [UInt8], to characteristic: RemoteCharacteristic, _ link: CentralLinkHandle,
        isolation: isolated any Actor = #isolation
    ) async throws(RadioError) {
        let session = try links.session(of: link)
        guard value.count <= 512 else { throw RadioError(.tooLarge, "a value has at most 512 bytes") }
        let object = try object(of: characteristic, session)
        try await begin(session)
        defer { end(session) }
        try await commands.settle(session, before: nil)
        try await commands.release(object, session)
        session.count(sent: 1)
        recorder.write(value, characteristic, isCommand: false, session.id, session.peer)
        let options = DBusValue.properties([("type", .string("request"))])
        _ = try await request("a write", session, object, "WriteValue", [.bytes(value), options])
        session.count(received: 1)
    }

    func command(
        _ value: [UInt8], to characteristic: RemoteCharacteristic, _ link: CentralLinkHandle,
        isolation: isolated any Actor = #isolation
    ) async throws(RadioError) {
        let session = try links.session(of: link)
        let object = try object(of: characteristic, session)
        try await begin(session)
        defer { end(session) }
        try await commands.settle(session, before: object)
        let channel = try await commands.channel(for: object, session)
        let limit = min(session.mtu, channel?.mtu ?? session.mtu) - 3
        guard value.count <= limit else { throw RadioError(.tooLarge, "a write command has at most \(limit) bytes") }
        if let channel, !value.isEmpty {
            try await commands.send(value, channel, session)
        } else {
            try await commands.release(object, session)
            let options = DBusValue.properties([("type", .string("command"))])
            _ = try await request("a write command", session, object, "WriteValue", [.bytes(value), options])
        }
        session.count(sent: 1)
        recorder.write(value, characteristic, isCommand: true, session.id, session.peer)
        if let channel, !session.isDown, !recorder.isOn {
            session.startDirectCommands(channel, valueHandle: characteristic.valueHandle, limit: limit)
        }
    }

    /// Calls a method of a characteristic; when the link has ended meanwhile, any error counts as that end.
    private func request(
        _ action: String, _ session: CentralLinkState, _ object: String, _ member: String, _ arguments: [DBusValue],
        isolation: isolated any Actor = #isolation
    ) async throws(RadioError) -> [DBusValue] {
        let result = await daemon.bus.call(
            object, BlueZNames.characteristic, member, arguments, timeout: daemon.transactionTimeout + .seconds(5))
        switch result {
        case .success(let values): return values
        case .failure(let error):
            if session.isDown || !daemon.adapter.isConnected(session.path) { throw .linkDown }
            throw RadioError(error, during: action)
        }
    }

    /// Operations go one after the other: waits until none is under way, and begins the next.
    private func begin(_ session: CentralLinkState, isolation: isolated any Actor = #isolation) async throws(RadioError)
    {
        while session.isBusy, !session.isDown, !Task.isCancelled {
            _ = await daemon.waiters.until(.seconds(60)) { !session.isBusy || session.isDown }
        }
        if session.isDown { throw .linkDown }
        if Task.isCancelled { throw .operationCancelled }
        session.beginOperation()
    }

    private func end(_ session: CentralLinkState) {
        session.endOperation()
        daemon.waiters.wake()
    }
}
