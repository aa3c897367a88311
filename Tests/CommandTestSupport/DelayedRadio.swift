package import Bluetooth
import CommandProgram
package import Radio
package import VirtualRadio

/// A virtual radio of which a part is late or missing, like an adapter with a busy or an old daemon.
package struct DelayedRadio: ClosableRadio {
    let radio: VirtualRadio
    let notification: Duration
    let beforeServiceEnds: @Sendable () async -> Void
    package let losesLongWrites: Bool
    let advertises: Bool

    /// Wraps a radio.
    ///
    /// - Parameters:
    ///   - notification: how late notifications are sent.
    ///   - losesLongWrites: that it says to lose the longest values that centrals write.
    ///   - advertises: false when it refuses to advertise.
    ///   - beforeServiceEnds: what the end of a service waits for.
    package init(
        _ radio: VirtualRadio, notification: Duration = .zero, losesLongWrites: Bool = false, advertises: Bool = true,
        beforeServiceEnds: @escaping @Sendable () async -> Void = {}
    ) {
        self.radio = radio
        self.notification = notification
        self.losesLongWrites = losesLongWrites
        self.advertises = advertises
        self.beforeServiceEnds = beforeServiceEnds
    }

    package var events: AsyncStream<PeripheralEvent> { radio.events }

    package func scan(
        services: [BluetoothUUID]
    ) async throws(RadioError) -> AsyncThrowingStream<AdvertisementReport, any Error> {
        try await radio.scan(services: services)
    }

    package func connect(to address: DeviceAddress, timeout: Duration) async throws(RadioError) -> any CentralLink {
        try await radio.connect(to: address, timeout: timeout)
    }

    package func publish(_ services: [ServiceDefinition]) async throws(RadioError) {
        if services.isEmpty { await beforeServiceEnds() }
        try await radio.publish(services)
    }

    package func startAdvertising(_ advertisement: Advertisement) async throws(RadioError) {
        guard advertises else { throw RadioError(.unsupported, "this adapter cannot advertise") }
        try await radio.startAdvertising(advertisement)
    }

    package func stopAdvertising() async { await radio.stopAdvertising() }

    package func notify(
        _ value: [UInt8], of characteristic: BluetoothUUID, on link: LinkID, confirmed: Bool
    ) async throws(RadioError) {
        // In a task of its own, so that a cancellation does not shorten the wait.
        await Task { [notification] in try? await Task.sleep(for: notification) }.value
        try await radio.notify(value, of: characteristic, on: link, confirmed: confirmed)
    }

    package func setValue(_ value: [UInt8], of characteristic: BluetoothUUID) async throws(RadioError) {
        try await radio.setValue(value, of: characteristic)
    }

    package func answerRead(_ value: [UInt8], on link: LinkID) async throws(RadioError) {
        try await radio.answerRead(value, on: link)
    }

    package func disconnect(_ link: LinkID) async { await radio.disconnect(link) }

    package func statistics(of link: LinkID) async -> LinkStatistics { await radio.statistics(of: link) }

    package func close() async { await radio.close() }
}
