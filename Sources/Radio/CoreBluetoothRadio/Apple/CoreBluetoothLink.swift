#if CORE_BLUETOOTH
    import Bluetooth
    import Radio

    /// A link of a `CoreBluetoothRadio` in the central role.
    final class CoreBluetoothLink: CentralLink {
        let peer: DeviceAddress
        private let radio: CoreBluetoothRadio
        private let id: LinkID
        private let mailbox: SingleConsumerQueue<CentralLinkEvent>

        init(
            radio: CoreBluetoothRadio, id: LinkID, peer: DeviceAddress, mailbox: SingleConsumerQueue<CentralLinkEvent>
        ) {
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
            _ = try await radio.perform(.settleMTU, on: id)
            return await mtu
        }

        func discoverServices(_ uuid: BluetoothUUID?) async throws(RadioError) -> [RemoteService] {
            guard case .services(let found) = try await radio.perform(.discoverServices(uuid), on: id) else {
                throw Self.misfit
            }
            return found
        }

        func discoverCharacteristics(of service: RemoteService) async throws(RadioError) -> [RemoteCharacteristic] {
            let request = LinkOperationQueue.Request.discoverCharacteristics(service: service.startHandle)
            guard case .characteristics(let found) = try await radio.perform(request, on: id) else {
                throw Self.misfit
            }
            return found
        }

        func read(_ characteristic: RemoteCharacteristic) async throws(RadioError) -> [UInt8] {
            guard case .value(let value) = try await radio.perform(.read(characteristic.valueHandle), on: id) else {
                throw Self.misfit
            }
            return value
        }

        func write(_ value: [UInt8], to characteristic: RemoteCharacteristic) async throws(RadioError) {
            _ = try await radio.perform(.write(value, characteristic.valueHandle), on: id)
        }

        func writeWithoutResponse(
            _ value: [UInt8], to characteristic: RemoteCharacteristic
        ) async throws(RadioError) {
            _ = try await radio.perform(.command(value, characteristic.valueHandle), on: id)
        }

        func subscribe(to characteristic: RemoteCharacteristic) async throws(RadioError) {
            _ = try await radio.perform(.subscribe(characteristic.valueHandle, isOn: true), on: id)
        }

        func unsubscribe(from characteristic: RemoteCharacteristic) async throws(RadioError) {
            _ = try await radio.perform(.subscribe(characteristic.valueHandle, isOn: false), on: id)
        }

        func readRSSI() async throws(RadioError) -> Int {
            guard case .rssi(let strength) = try await radio.perform(.readRSSI, on: id) else { throw Self.misfit }
            return strength
        }

        func disconnect() async { await radio.end(id) }

        func statistics() async -> LinkStatistics { await radio.statistics(of: id) }

        /// The error for a reply of another kind than its request; it cannot happen.
        private static var misfit: RadioError { RadioError(.badAnswer, "the reply is of another request") }
    }
#endif
