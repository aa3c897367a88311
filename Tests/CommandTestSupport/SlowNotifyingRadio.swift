import Bluetooth
import CommandProgram
import Radio
import VirtualRadio

/// A virtual radio that sends notifications 50 ms late, like an adapter with a busy daemon.
struct SlowNotifyingRadio: ClosableRadio {
    let radio: VirtualRadio

    var events: AsyncStream<PeripheralEvent> { radio.events }

    func scan(
        services: [BluetoothUUID]
    ) async throws(RadioError) -> AsyncThrowingStream<AdvertisementReport, any Error> {
        try await radio.scan(services: services)
    }

    func connect(to address: DeviceAddress, timeout: Duration) async throws(RadioError) -> any CentralLink {
        try await radio.connect(to: address, timeout: timeout)
    }

    func publish(_ services: [ServiceDefinition]) async throws(RadioError) { try await radio.publish(services) }

    func startAdvertising(_ advertisement: Advertisement) async throws(RadioError) {
        try await radio.startAdvertising(advertisement)
    }

    func stopAdvertising() async { await radio.stopAdvertising() }

    func notify(
        _ value: [UInt8], of characteristic: BluetoothUUID, on link: LinkID, confirmed: Bool
    ) async throws(RadioError) {
        // In a task of its own, so that a cancellation does not shorten the wait.
        await Task { try? await Task.sleep(for: .milliseconds(50)) }.value
        try await radio.notify(value, of: characteristic, on: link, confirmed: confirmed)
    }

    func setValue(_ value: [UInt8], of characteristic: BluetoothUUID) async throws(RadioError) {
        try await radio.setValue(value, of: characteristic)
    }

    func answerRead(_ value: [UInt8], on link: LinkID) async throws(RadioError) {
        try await radio.answerRead(value, on: link)
    }

    func disconnect(_ link: LinkID) async { await radio.disconnect(link) }

    func statistics(of link: LinkID) async -> LinkStatistics { await radio.statistics(of: link) }

    func close() async { await radio.close() }
}
