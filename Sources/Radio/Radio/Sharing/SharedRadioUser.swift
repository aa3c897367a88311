package import Bluetooth

/// The radio of one user of a `SharedPeripheralRadio`.
///
/// It keeps the contract of `PeripheralRadio`, and `publish` replaces the services of this user alone, also while
/// something is connected. As a central it is the device itself.
package struct SharedRadioUser: CentralRadio, PeripheralRadio {
    let shared: SharedPeripheralRadio
    let radio: any CentralRadio & PeripheralRadio
    /// The number of the user, and of its advertisement.
    let number: UInt8
    let queue: SingleConsumerQueue<PeripheralEvent>

    /// Takes away what this user published and advertises, ends the links that belong to it, and ends its events.
    ///
    /// Leaving again does nothing.
    package func leave() async { await shared.leave(number) }

    package var addsServices: Bool { true }

    package var losesLongWrites: Bool { get async { await radio.losesLongWrites } }

    package var cutsLongNotifications: Bool { radio.cutsLongNotifications }

    package var events: AsyncStream<PeripheralEvent> { queue.stream }

    package func publish(_ services: [ServiceDefinition]) async throws(RadioError) {
        try await shared.publish(services, by: number)
    }

    package func addService(_ service: ServiceDefinition) async throws(RadioError) {
        try await shared.addService(service, by: number)
    }

    package func removeService(_ uuid: BluetoothUUID) async { await shared.removeService(uuid, by: number) }

    package func startAdvertising(_ advertisement: Advertisement) async throws(RadioError) {
        try await shared.startAdvertising(advertisement, by: number)
    }

    package func stopAdvertising() async { await shared.stopAdvertising(by: number) }

    package func notify(
        _ value: [UInt8], of characteristic: BluetoothUUID, on link: LinkID, confirmed: Bool
    ) async throws(RadioError) {
        try await shared.check(characteristic, of: number, on: link)
        try await radio.notify(value, of: characteristic, on: link, confirmed: confirmed)
    }

    package func setValue(_ value: [UInt8], of characteristic: BluetoothUUID) async throws(RadioError) {
        try await shared.check(characteristic, of: number)
        try await radio.setValue(value, of: characteristic)
    }

    package func answerRead(_ value: [UInt8], on link: LinkID) async throws(RadioError) {
        guard await shared.holds(link, number) else { return }
        try await radio.answerRead(value, on: link)
    }

    package var exchangesMTUUnasked: Bool { radio.exchangesMTUUnasked }

    package var readsLinkRSSI: Bool { radio.readsLinkRSSI }

    package func scan(
        services: [BluetoothUUID]
    ) async throws(RadioError) -> AsyncThrowingStream<AdvertisementReport, any Error> {
        try await radio.scan(services: services)
    }

    package func connect(to address: DeviceAddress, timeout: Duration) async throws(RadioError) -> any CentralLink {
        try await radio.connect(to: address, timeout: timeout)
    }

    package func disconnect(_ link: LinkID) async { await shared.disconnect(link, by: number) }

    package func statistics(of link: LinkID) async -> LinkStatistics {
        var statistics = await radio.statistics(of: link)
        let dropped = await shared.dropped(of: link)
        if dropped > 0 { statistics.droppedByHost = (statistics.droppedByHost ?? 0) + dropped }
        return statistics
    }
}
