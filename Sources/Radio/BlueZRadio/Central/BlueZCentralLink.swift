import Bluetooth
import Radio

/// A link of a `BlueZRadio` in the central role.
final class BlueZCentralLink: CentralLink {
    let peer: DeviceAddress
    private let mailbox: Mailbox<CentralLinkEvent>
    private let lane: CommandLane
    private let radio: BlueZRadio
    private let path: String
    private let id: LinkID

    init(radio: BlueZRadio, session: CentralSession) {
        self.radio = radio
        peer = session.peer
        mailbox = session.events
        lane = session.lane
        path = session.path
        id = session.id
    }

    var events: AsyncStream<CentralLinkEvent> { mailbox.stream }

    var mtu: Int {
        get async { await radio.mtu(id, path) }
    }

    func exchangeMTU(_ wish: Int) async throws(RadioError) -> Int { try await radio.awaitMTU(id, path) }

    func discoverServices(_ uuid: BluetoothUUID?) async throws(RadioError) -> [RemoteService] {
        try await radio.table(id, path).services.filter { uuid == nil || $0.uuid == uuid }
    }

    func discoverCharacteristics(of service: RemoteService) async throws(RadioError) -> [RemoteCharacteristic] {
        try await radio.table(id, path).characteristics(of: service)
    }

    func read(_ characteristic: RemoteCharacteristic) async throws(RadioError) -> [UInt8] {
        try await radio.read(characteristic, id, path)
    }

    func write(_ value: [UInt8], to characteristic: RemoteCharacteristic) async throws(RadioError) {
        try await radio.write(value, to: characteristic, id, path)
    }

    func writeWithoutResponse(_ value: [UInt8], to characteristic: RemoteCharacteristic) async throws(RadioError) {
        if !Task.isCancelled, lane.send(value, to: characteristic) { return }
        try await radio.command(value, to: characteristic, id, path)
    }

    func subscribe(to characteristic: RemoteCharacteristic) async throws(RadioError) {
        try await radio.subscribe(to: characteristic, id, path)
    }

    func unsubscribe(from characteristic: RemoteCharacteristic) async throws(RadioError) {
        try await radio.unsubscribe(from: characteristic, id, path)
    }

    func disconnect() async { await radio.disconnect(central: id, path) }

    func statistics() async -> LinkStatistics { await radio.statistics(of: id) }
}
