import Bluetooth
import Determinism
import Radio

// The central role: values that come without being asked for.
extension BlueZRadio {
    func subscribe(to characteristic: RemoteCharacteristic, _ id: LinkID, _ path: String) async throws(RadioError) {
        guard let session = centrals[path], session.id == id, !session.isDown else {
            throw RadioError(.linkLost, "the link is down")
        }
        let table = session.table ?? RemoteTable(tree, device: path)
        guard let object = table.path(of: characteristic) else {
            throw RadioError(.notFound, "the device has no such characteristic")
        }
        guard session.subscriptions[object] == nil else { return }
        if characteristic.properties.contains(.notify), try await listen(to: characteristic, object, session) { return }
        session.subscriptions[object] = .property(characteristic)
        do throws(RadioError) {
            _ = try await ask("a subscription", object, BlueZ.characteristic, "StartNotify", timeout: .seconds(35))
        } catch {
            session.subscriptions[object] = nil
            throw session.isDown ? RadioError(.linkLost, "the link is down") : error
        }
    }

    /// Asks for a socket on which each notification is a message; false where bluetoothd gives none.
    private func listen(
        to characteristic: RemoteCharacteristic, _ object: String, _ session: CentralSession
    ) async throws(RadioError) -> Bool {
        let result = await call(object, BlueZ.characteristic, "AcquireNotify", [.properties([])], timeout: .seconds(35))
        guard !session.isDown else { throw RadioError(.linkLost, "the link is down") }
        guard case .success(let values) = result, let descriptor = values.first?.openFile else { return false }
        let path = session.path
        let watch = DescriptorWatch(reading: descriptor, on: executor) { [weak self] in
            self?.assumeIsolated { $0.receive(object, path) }
        }
        session.subscriptions[object] = .socket(characteristic, descriptor, watch)
        return true
    }

    func unsubscribe(from characteristic: RemoteCharacteristic, _ id: LinkID, _ path: String) async throws(RadioError) {
        guard let session = centrals[path], session.id == id, !session.isDown else {
            throw RadioError(.linkLost, "the link is down")
        }
        let table = session.table ?? RemoteTable(tree, device: path)
        guard let object = table.path(of: characteristic),
            let subscription = session.subscriptions.removeValue(forKey: object)
        else { return }
        if case .property = subscription {
            _ = try await ask("the end of a subscription", object, BlueZ.characteristic, "StopNotify")
        }
    }

    /// Reads what has come on the socket of a subscription.
    func receive(_ object: String, _ path: String) {
        guard let session = centrals[path],
            case .socket(let characteristic, let descriptor, _) = session.subscriptions[object]
        else { return }
        while !session.isOver {
            switch descriptor.receive() {
            case .message(let value): deliver(value, of: characteristic, isIndication: false, session)
            case .nothing: return
            case .end:
                session.subscriptions[object] = nil
                return
            }
        }
    }

    /// A value was told as a property: an indication, where the characteristic has no notifications.
    func valueChanged(_ object: String) {
        guard let path = AttributePath.device(of: object), let session = centrals[path],
            case .property(let characteristic) = session.subscriptions[object],
            let value = tree[object, BlueZ.characteristic, "Value"]?.byteArray
        else { return }
        let isIndication = !characteristic.properties.contains(.notify)
        deliver(value, of: characteristic, isIndication: isIndication, session)
    }

    private func deliver(
        _ value: [UInt8], of characteristic: RemoteCharacteristic, isIndication: Bool, _ session: CentralSession
    ) {
        session.statistics.pdusReceived += 1
        tapPush(
            value, handle: characteristic.valueHandle, isIndication: isIndication, .received, session.id, session.peer)
        tell(.value(value, of: characteristic, isIndication: isIndication), session)
    }

    /// Tells the consumer; one who is too far behind loses the link, because values are never dropped.
    func tell(_ event: CentralLinkEvent, _ session: CentralSession) {
        guard !session.isDown, !session.events.put(event, limit: Self.maximumEvents) else { return }
        session.closing = .protocolFailure
        session.shutLane()
        Task { await self.disconnect(central: session) }
    }
}
