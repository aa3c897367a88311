import Bluetooth
import Radio

/// A link of a `BlueZRadio` in the central role.
final class BlueZCentralLink: CentralLink {
    private let radio: BlueZRadio
    private let link: CentralLinkHandle

    init(radio: BlueZRadio, _ link: CentralLinkHandle) {
        self.radio = radio
        self.link = link
    }

    var peer: DeviceAddress { link.peer }

    var events: AsyncStream<CentralLinkEvent> { link.events.stream }

    var mtu: Int {
        get async { await radio.mtu(link) }
    }

    func exchangeMTU(_ requested: Int) async throws(RadioError) -> Int { try await radio.awaitMTU(link) }

    func discoverServices(_ uuid: BluetoothUUID?) async throws(RadioError) -> [RemoteService] {
        try await radio.table(link).services.filter { uuid == nil || $0.uuid == uuid }
    }

    func discoverCharacteristics(of service: RemoteService) async throws(RadioError) -> [RemoteCharacteristic] {
        try await radio.table(link).characteristics(of: service)
    }

    func read(_ characteristic: RemoteCharacteristic) async throws(RadioError) -> [UInt8] {
        try await radio.read(characteristic, link)
    }

    func write(_ value: [UInt8], to characteristic: RemoteCharacteristic) async throws(RadioError) {
        try await radio.write(value, to: characteristic, link)
    }

    func writeWithoutResponse(_ value: [UInt8], to characteristic: RemoteCharacteristic) async throws(RadioError) {
        if !Task.isCancelled, link.directCommands.send(value, to: characteristic) { return }
        try await radio.command(value, to: characteristic, link)
    }

    func subscribe(to characteristic: RemoteCharacteristic) async throws(RadioError) {
        try await radio.subscribe(to: characteristic, link)
    }

    func unsubscribe(from characteristic: RemoteCharacteristic) async throws(RadioError) {
        try await radio.unsubscribe(from: characteristic, link)
    }

    func disconnect() async { await radio.disconnect(central: link) }

    func statistics() async -> LinkStatistics { await radio.statistics(of: link.id) }
}
