import Bluetooth
import Determinism
import Radio

/// The values that remote devices push: subscribing, and delivering the values.
final class RemoteSubscriptions {
    private let daemon: BluetoothdConnection
    private let links: CentralLinks

    init(_ daemon: BluetoothdConnection, links: CentralLinks) {
        self.daemon = daemon
        self.links = links
    }

    func subscribe(
        to characteristic: RemoteCharacteristic, _ link: CentralLinkHandle, isolation: isolated any Actor = #isolation
    ) async throws(RadioError) {
        let session = try links.session(of: link)
        guard let object = session.object(of: characteristic, in: daemon.adapter.tree) else {
            throw RadioError(.notFound, "the device has no such characteristic")
        }
        guard session.subscription(to: object) == nil else { return }
        if characteristic.properties.contains(.notify), try await listen(to: characteristic, object, session) { return }
        session.add(.property(characteristic), to: object)
        do throws(RadioError) {
            _ = try await daemon.bus.ask(
                "a subscription", object, BlueZNames.characteristic, "StartNotify", timeout: .seconds(35))
        } catch {
            session.removeSubscription(to: object)
            throw session.isDown ? .linkDown : error
        }
    }

    func unsubscribe(
        from characteristic: RemoteCharacteristic, _ link: CentralLinkHandle, isolation: isolated any Actor = #isolation
    ) async throws(RadioError) {
        let session = try links.session(of: link)
        guard let object = session.object(of: characteristic, in: daemon.adapter.tree),
            let subscription = session.removeSubscription(to: object)
        else { return }
        if case .property = subscription {
            _ = try await daemon.bus.ask("the end of a subscription", object, BlueZNames.characteristic, "StopNotify")
        }
    }

    /// Reads the values that have come on the socket of a subscription.
    func receive(_ object: String, _ device: String) {
        if let session = links.session(with: device) { links.receive(object, session) }
    }

    /// Delivers a value that arrived as a changed property: an indication of a characteristic without notifications.
    func valueChanged(_ object: String) {
        guard let device = AttributeObjectPath.device(of: object), let session = links.session(with: device),
            case .property(let characteristic) = session.subscription(to: object),
            let value = daemon.adapter.tree[object, BlueZNames.characteristic, "Value"]?.byteArray
        else { return }
        let isIndication = !characteristic.properties.contains(.notify)
        links.deliver(value, of: characteristic, isIndication: isIndication, session)
    }

    /// Asks for a socket on which each notification is a message; false where bluetoothd gives none.
    private func listen(
        to characteristic: RemoteCharacteristic, _ object: String, _ session: CentralLinkState,
        isolation: isolated any Actor = #isolation
    ) async throws(RadioError) -> Bool {
        let result = await daemon.bus.call(
            object, BlueZNames.characteristic, "AcquireNotify", [.properties([])], timeout: .seconds(35))
        guard !session.isDown else { throw .linkDown }
        guard case .success(let values) = result, let descriptor = values.first?.openFile else { return false }
        let device = session.path
        let watch = FileDescriptorWatch(reading: descriptor, on: daemon.executor) { [handle = daemon.handle] in
            handle.onQueue { $0.central.subscriptions.receive(object, device) }
        }
        session.add(.socket(characteristic, descriptor, watch), to: object)
        return true
    }
}
