import Bluetooth
import Determinism
import Radio

// The central role: what is done on a link.
extension BlueZRadio {
    /// How many write commands go between two questions to bluetoothd; twice as many may be ahead of it.
    private static let commandsAtOnce = 16

    private func session(_ id: LinkID, _ path: String) throws(RadioError) -> CentralSession {
        guard let session = centrals[path], session.id == id, !session.isDown else {
            throw RadioError(.linkLost, "the link is down")
        }
        return session
    }

    func mtu(_ id: LinkID, _ path: String) -> Int {
        guard let session = centrals[path], session.id == id else { return ended[id]?.mtu ?? ATTPDU.minimumMTU }
        return session.mtu
    }

    /// bluetoothd exchanges the MTU when the link comes up; it is known when the services are.
    func awaitMTU(_ id: LinkID, _ path: String) async throws(RadioError) -> Int {
        _ = try await table(id, path)
        throw RadioError(.unsupported, "bluetoothd exchanges the MTU by itself")
    }

    /// What the device offers, once bluetoothd has found out.
    func table(_ id: LinkID, _ path: String) async throws(RadioError) -> RemoteTable {
        let session = try session(id, path)
        _ = await until(configuration.transactionTimeout) {
            session.isDown || self.tree[path, BlueZ.device, "ServicesResolved"]?.flag ?? false
        }
        if Task.isCancelled { throw RadioError(.cancelled, "the operation was cancelled") }
        _ = try self.session(id, path)
        guard tree[path, BlueZ.device, "ServicesResolved"]?.flag ?? false else {
            throw RadioError(.requestTimeout, "bluetoothd did not find out what the device offers")
        }
        await awaitObjects(session)
        _ = try self.session(id, path)
        var table = RemoteTable(tree, device: path)
        if table.services.isEmpty {
            // When a link ends, bluetoothd takes the services away before it says so.
            _ = await until(.seconds(1)) {
                session.isDown || !(self.tree[path, BlueZ.device, "ServicesResolved"]?.flag ?? false)
            }
            _ = try self.session(id, path)
            table = RemoteTable(tree, device: path)
        }
        session.table = table
        if let told = table.mtu { note(mtu: told, session) }
        return table
    }

    /// Waits until bluetoothd has told of all that it found: it may say that it is through before it says what is there, but
    /// answers no question about an object before it has told what it knew by then.
    private func awaitObjects(_ session: CentralSession) async {
        guard session.table == nil else { return }
        await refresh(session.path, BlueZ.device)
    }

    private func note(mtu: Int, _ session: CentralSession) {
        guard mtu != session.mtu else { return }
        session.shutLane()
        session.mtu = mtu
        session.statistics.mtu = mtu
        tell(.mtu(mtu), session)
    }

    private func object(of characteristic: RemoteCharacteristic, _ session: CentralSession) throws(RadioError) -> String
    {
        let table = session.table ?? RemoteTable(tree, device: session.path)
        guard let path = table.path(of: characteristic) else {
            throw RadioError(.notFound, "the device has no such characteristic")
        }
        return path
    }

    // MARK: - Values

    func read(_ characteristic: RemoteCharacteristic, _ id: LinkID, _ path: String) async throws(RadioError) -> [UInt8]
    {
        let session = try session(id, path)
        let object = try object(of: characteristic, session)
        try await takeLine(session)
        defer { giveLine(session) }
        count(&session.statistics.pdusSent)
        let values = try await request("a read", session, object, "ReadValue", [.properties([])])
        count(&session.statistics.pdusReceived)
        guard let value = values.first?.byteArray else {
            throw RadioError(.badAnswer, "bluetoothd answered without a value")
        }
        tapRead(value, characteristic, session)
        return value
    }

    func write(
        _ value: [UInt8], to characteristic: RemoteCharacteristic, _ id: LinkID, _ path: String
    ) async throws(RadioError) {
        let session = try session(id, path)
        guard value.count <= 512 else { throw RadioError(.tooLarge, "a value has at most 512 bytes") }
        let object = try object(of: characteristic, session)
        try await takeLine(session)
        defer { giveLine(session) }
        try await settle(session, before: nil)
        try await release(object, session)
        count(&session.statistics.pdusSent)
        tapWrite(value, characteristic, session, isCommand: false)
        let options = DBusValue.properties([("type", .string("request"))])
        _ = try await request("a write", session, object, "WriteValue", [.bytes(value), options])
        count(&session.statistics.pdusReceived)
    }

    func command(
        _ value: [UInt8], to characteristic: RemoteCharacteristic, _ id: LinkID, _ path: String
    ) async throws(RadioError) {
        let session = try session(id, path)
        let object = try object(of: characteristic, session)
        try await takeLine(session)
        defer { giveLine(session) }
        try await settle(session, before: object)
        let channel = try await channel(for: object, session)
        let limit = min(session.mtu, channel?.mtu ?? session.mtu) - 3
        guard value.count <= limit else { throw RadioError(.tooLarge, "a write command has at most \(limit) bytes") }
        if let channel, !value.isEmpty {
            try await send(value, channel, session)
        } else {
            try await release(object, session)
            let options = DBusValue.properties([("type", .string("command"))])
            _ = try await request("a write command", session, object, "WriteValue", [.bytes(value), options])
        }
        count(&session.statistics.pdusSent)
        tapWrite(value, characteristic, session, isCommand: true)
        if let channel, !session.isDown, configuration.tap == nil {
            session.lane.open(
                channel.descriptor, valueHandle: characteristic.valueHandle, limit: limit,
                count: Self.commandsAtOnce - session.commandsAhead - 1)
        }
    }

    private func send(
        _ value: [UInt8], _ channel: CentralSession.WriteChannel, _ session: CentralSession
    ) async throws(RadioError) {
        while true {
            switch channel.descriptor.send(value) {
            case .sent: return await keepPace(session)
            case .failed: throw RadioError(.linkLost, "bluetoothd closed the channel for write commands")
            case .full: try await room(channel.descriptor, session)
            }
        }
    }

    /// Asks bluetoothd for a sign of life from time to time: it takes write commands faster than it, or another one, gets
    /// them out of the kernel at the other end, and what does not fit there is lost.
    ///
    /// One question may be under way while commands go on, so that the line does not run empty over it.
    private func keepPace(_ session: CentralSession) async {
        session.commandsAhead += 1
        guard session.commandsAhead >= Self.commandsAtOnce else { return }
        session.commandsAhead = 0
        session.questions += 1
        begin("/", BlueZ.peer, "Ping", timeout: .seconds(20)) { _ in session.questions -= 1 }
        if session.questions > 1 { _ = await until(.seconds(25)) { session.questions <= 1 || session.isDown } }
    }

    private func room(_ descriptor: Descriptor, _ session: CentralSession) async throws(RadioError) {
        session.hasRoom = false
        let path = session.path
        let watch = DescriptorWatch(writing: descriptor, on: executor) { [weak self] in
            self?.assumeIsolated { $0.roomCame(path) }
        }
        let isReady = await until(configuration.transactionTimeout) { session.hasRoom || session.isDown }
        withExtendedLifetime(watch) {}
        if Task.isCancelled { throw RadioError(.cancelled, "the operation was cancelled") }
        if session.isDown { throw RadioError(.linkLost, "the link is down") }
        if !isReady { throw RadioError(.requestTimeout, "bluetoothd took no write command for too long") }
    }

    private func roomCame(_ path: String) {
        centrals[path]?.hasRoom = true
        wake()
    }

    /// The channel for write commands to a characteristic, made on first use; nil where bluetoothd has none.
    private func channel(
        for object: String, _ session: CentralSession
    ) async throws(RadioError) -> CentralSession.WriteChannel? {
        if let channel = session.channels[object] {
            session.lastChannel = object
            return channel
        }
        guard tree[object, BlueZ.characteristic, "WriteAcquired"] != nil else { return nil }
        let result = await call(object, BlueZ.characteristic, "AcquireWrite", [.properties([])])
        guard !session.isDown else { throw RadioError(.linkLost, "the link is down") }
        guard case .success(let values) = result, values.count == 2, let descriptor = values[0].openFile,
            let mtu = values[1].number
        else { return nil }
        note(mtu: min(max(mtu, 23), 517), session)
        let channel = CentralSession.WriteChannel(descriptor: descriptor, mtu: mtu)
        session.channels[object] = channel
        session.lastChannel = object
        return channel
    }

    /// Waits until bluetoothd has taken everything from the channel used last, unless it is that of `object`: it serves its
    /// sockets and the bus in no certain order.
    private func settle(_ session: CentralSession, before object: String?) async throws(RadioError) {
        guard let last = session.lastChannel, last != object, let channel = session.channels[last] else { return }
        let deadline = timekeeper.now() + configuration.transactionTimeout
        while (channel.descriptor.unreadBytes ?? 0) > 0 {
            if session.isDown { throw RadioError(.linkLost, "the link is down") }
            if Task.isCancelled { throw RadioError(.cancelled, "the operation was cancelled") }
            if timekeeper.now() > deadline { throw RadioError(.requestTimeout, "bluetoothd takes no write commands") }
            _ = await until(.milliseconds(2)) { session.isDown }
        }
        session.lastChannel = nil
    }

    /// Gives a channel back, so that bluetoothd takes writes to its characteristic over the bus again.
    private func release(_ object: String, _ session: CentralSession) async throws(RadioError) {
        guard session.channels.removeValue(forKey: object) != nil else { return }
        if session.lastChannel == object { session.lastChannel = nil }
        _ = await until(.seconds(5)) {
            session.isDown || !(self.tree[object, BlueZ.characteristic, "WriteAcquired"]?.flag ?? false)
        }
        if session.isDown { throw RadioError(.linkLost, "the link is down") }
    }

    /// A call about an attribute; that the link ended in the meantime is the cause of whatever it answers.
    private func request(
        _ action: String, _ session: CentralSession, _ object: String, _ member: String, _ arguments: [DBusValue]
    ) async throws(RadioError) -> [DBusValue] {
        let result = await call(
            object, BlueZ.characteristic, member, arguments, timeout: configuration.transactionTimeout + .seconds(5))
        switch result {
        case .success(let values): return values
        case .failure(let error):
            if session.isDown || !isConnected(session.path) { throw RadioError(.linkLost, "the link is down") }
            throw RadioError(error, during: action)
        }
    }

    /// Operations that write go one after the other.
    private func takeLine(_ session: CentralSession) async throws(RadioError) {
        while session.isBusy, !session.isDown, !Task.isCancelled {
            _ = await until(.seconds(60)) { !session.isBusy || session.isDown }
        }
        if session.isDown { throw RadioError(.linkLost, "the link is down") }
        if Task.isCancelled { throw RadioError(.cancelled, "the operation was cancelled") }
        session.isBusy = true
        session.shutLane()
    }

    private func giveLine(_ session: CentralSession) {
        session.isBusy = false
        wake()
    }

    private func count(_ counter: inout Int) { counter += 1 }
}
