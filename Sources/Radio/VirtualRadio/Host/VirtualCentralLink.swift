import Air
import Bluetooth
import Radio

/// A link of a `VirtualRadio` in the central role.
final class VirtualCentralLink: CentralLink {
    let peer: DeviceAddress
    private let mailbox: SingleConsumerQueue<CentralLinkEvent>
    private let radio: VirtualRadio
    private let id: LinkID

    init(radio: VirtualRadio, id: LinkID, peer: DeviceAddress, mailbox: SingleConsumerQueue<CentralLinkEvent>) {
        self.radio = radio
        self.id = id
        self.peer = peer
        self.mailbox = mailbox
    }

    var events: AsyncStream<CentralLinkEvent> { mailbox.stream }

    var mtu: Int {
        get async { await radio.mtu(of: id) }
    }

    func exchangeMTU(_ requested: Int) async throws(RadioError) -> Int {
        let limit = await radio.maximumMTU(of: id)
        guard case .mtu(let agreed) = try await perform(.exchangeMTU(min(requested, limit))) else { throw Self.misfit }
        return agreed
    }

    func discoverServices(_ uuid: BluetoothUUID?) async throws(RadioError) -> [RemoteService] {
        guard case .services(let services) = try await perform(.discoverServices(uuid)) else { throw Self.misfit }
        return services
    }

    func discoverCharacteristics(of service: RemoteService) async throws(RadioError) -> [RemoteCharacteristic] {
        guard case .characteristics(let found) = try await perform(.discoverCharacteristics(of: service)) else {
            throw Self.misfit
        }
        return found
    }

    func read(_ characteristic: RemoteCharacteristic) async throws(RadioError) -> [UInt8] {
        guard case .value(let value) = try await perform(.read(handle: characteristic.valueHandle)) else {
            throw Self.misfit
        }
        return value
    }

    func write(_ value: [UInt8], to characteristic: RemoteCharacteristic) async throws(RadioError) {
        _ = try await perform(.write(value, handle: characteristic.valueHandle))
    }

    func writeWithoutResponse(_ value: [UInt8], to characteristic: RemoteCharacteristic) async throws(RadioError) {
        _ = try await radio.run(.procedure(.writeCommand(value, handle: characteristic.valueHandle)), on: id)
    }

    func subscribe(to characteristic: RemoteCharacteristic) async throws(RadioError) {
        try await radio.subscribe(to: characteristic, on: id)
    }

    func unsubscribe(from characteristic: RemoteCharacteristic) async throws(RadioError) {
        try await radio.unsubscribe(from: characteristic, on: id)
    }

    func disconnect() async {
        await radio.disconnect(id)
    }

    func statistics() async -> LinkStatistics {
        await radio.statistics(of: id)
    }

    /// The error for an outcome of another kind than its procedure; it cannot happen.
    private static var misfit: RadioError { RadioError(.badAnswer, "the outcome is of another procedure") }

    private func perform(_ procedure: GATTClient.Procedure) async throws(RadioError) -> GATTClient.GATTProcedureResult {
        guard case .outcome(let outcome) = try await radio.run(.procedure(procedure), on: id) else {
            throw Self.misfit
        }
        return outcome
    }
}
