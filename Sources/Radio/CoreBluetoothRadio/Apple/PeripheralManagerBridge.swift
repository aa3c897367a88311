#if CORE_BLUETOOTH
    import Bluetooth
    import CoreBluetooth
    import Foundation
    import Radio

    /// The only class that calls `CBPeripheralManager`: each function translates one call or one callback and decides
    /// nothing.
    ///
    /// Invariant that makes it sendable: everything but constants is touched on `queue` alone, which is also the queue
    /// on which Core Bluetooth calls.
    final class PeripheralManagerBridge: NSObject, @unchecked Sendable {
        /// The most centrals that are kept to be notified.
        private static let maximumCentrals = 1024

        private let queue = DispatchQueue(label: "symbolon.peripheral")
        private let report: @Sendable (PeripheralCore.Input) -> Void
        private var manager: CBPeripheralManager?
        /// The characteristics by the numbers that the core gave them.
        private var characteristics: [Int: CBMutableCharacteristic] = [:]
        private var centrals: [DeviceAddress: CBCentral] = [:]
        private var requests: [UInt64: CBATTRequest] = [:]
        private var lastRequest: UInt64 = 0

        init(report: @escaping @Sendable (PeripheralCore.Input) -> Void) { self.report = report }

        /// Makes the manager; the system asks the user for permission, if it has not before.
        func open(restoreIdentifier: String?, asksToPowerOn: Bool) {
            queue.async { [self] in
                var options: [String: Any] = [CBPeripheralManagerOptionShowPowerAlertKey: asksToPowerOn]
                if let restoreIdentifier { options[CBPeripheralManagerOptionRestoreIdentifierKey] = restoreIdentifier }
                manager = CBPeripheralManager(delegate: self, queue: queue, options: options)
            }
        }

        /// Stops advertising, removes all services and releases the manager.
        func close() {
            queue.async { [self] in
                manager?.stopAdvertising()
                manager?.removeAllServices()
                manager?.delegate = nil
                manager = nil
                characteristics = [:]
                centrals = [:]
                requests = [:]
            }
        }

        func perform(_ command: PeripheralCore.Output) {
            queue.async { [self] in carryOut(command) }
        }

        private func carryOut(_ command: PeripheralCore.Output) {
            switch command {
            case .removeAllServices:
                manager?.removeAllServices()
                characteristics = [:]
            case .add(let definition, let firstNumber):
                let service = CBMutableService(type: definition.uuid.system, primary: true)
                let added = definition.characteristics.map(\.system)
                service.characteristics = added
                for (offset, characteristic) in added.enumerated() {
                    characteristics[firstNumber + offset] = characteristic
                }
                manager?.add(service)
            case .remove(let numbers): remove(numbers)
            case .startAdvertising(let advertisement): manager?.startAdvertising(advertisement.system)
            case .stopAdvertising: manager?.stopAdvertising()
            case .respond(let number, let error, let value): respond(number, error, value)
            case .push(let value, let number, let address): push(value, number, address)
            case .completed, .event: break
            }
        }

        private func remove(_ numbers: [Int]) {
            let removed = numbers.compactMap { characteristics.removeValue(forKey: $0) }
            if let service = removed.first?.service as? CBMutableService { manager?.remove(service) }
        }

        private func respond(_ number: UInt64, _ error: UInt8?, _ value: [UInt8]) {
            guard let request = requests.removeValue(forKey: number) else { return }
            request.value = Data(value)
            let code = error.map { CBATTError.Code(rawValue: Int($0)) ?? .unlikelyError } ?? .success
            manager?.respond(to: request, withResult: code)
        }

        private func push(_ value: [UInt8], _ number: Int, _ address: DeviceAddress) {
            guard let characteristic = characteristics[number], let central = centrals[address], let manager else {
                // The central is gone: there is nothing to wait for.
                return report(.pushed(isTaken: true))
            }
            let isTaken = manager.updateValue(
                Data(value), for: characteristic, onSubscribedCentrals: [central])
            report(.pushed(isTaken: isTaken))
        }

        private func note(_ central: CBCentral) -> (address: DeviceAddress, room: Int) {
            let address = DeviceAddress(central.identifier)
            if centrals.count >= Self.maximumCentrals, centrals[address] == nil, let other = centrals.keys.first {
                centrals[other] = nil
            }
            centrals[address] = central
            return (address, central.maximumUpdateValueLength)
        }

        private func number(of characteristic: CBCharacteristic) -> Int {
            characteristics.first { $0.value === characteristic }?.key
                ?? characteristics.filter { $0.value.uuid == characteristic.uuid }.keys.min() ?? -1
        }

        private func keep(_ request: CBATTRequest) -> UInt64 {
            lastRequest += 1
            requests[lastRequest] = request
            return lastRequest
        }
    }

    extension PeripheralManagerBridge: CBPeripheralManagerDelegate {
        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
            report(.state(BluetoothSystemState(peripheral.state)))
        }

        func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
            let services = dict[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService] ?? []
            let kept = services.compactMap { service in
                BluetoothUUID(service.uuid).map { uuid in
                    RestoredServices.Service(
                        uuid: uuid, characteristics: (service.characteristics ?? []).compactMap(keep))
                }
            }
            let data = dict[CBPeripheralManagerRestoredStateAdvertisementDataKey] as? [String: Any]
            report(.restored(kept, advertisement: data.flatMap(SystemAdvertisement.init)))
        }

        /// Adds a characteristic that the system kept, under the next number; nil for one that cannot be served.
        private func keep(_ characteristic: CBCharacteristic) -> RestoredServices.Characteristic? {
            guard let uuid = BluetoothUUID(characteristic.uuid),
                let published = characteristic as? CBMutableCharacteristic
            else { return nil }
            characteristics[characteristics.count] = published
            let properties = UInt8(truncatingIfNeeded: published.properties.rawValue)
            let subscribers = (published.subscribedCentrals ?? []).map { central in
                let (address, room) = note(central)
                return RestoredServices.Subscriber(address: address, room: room)
            }
            return RestoredServices.Characteristic(
                uuid: uuid, properties: CharacteristicProperties(rawValue: properties), subscribers: subscribers)
        }

        func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
            report(.added(failure: error.map { "\($0)" }))
        }

        func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
            report(.advertising(failure: error.map { "\($0)" }))
        }

        func peripheralManager(
            _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
        ) {
            let (address, room) = note(central)
            report(.subscribed(address, room: room, characteristic: number(of: characteristic)))
        }

        func peripheralManager(
            _ peripheral: CBPeripheralManager, central: CBCentral,
            didUnsubscribeFrom characteristic: CBCharacteristic
        ) {
            let (address, _) = note(central)
            report(.unsubscribed(address, characteristic: number(of: characteristic)))
        }

        func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
            let (address, room) = note(request.central)
            report(
                .read(
                    request: keep(request), address, room: room, characteristic: number(of: request.characteristic),
                    offset: request.offset))
        }

        func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
            guard let first = requests.first else { return }
            let (address, room) = note(first.central)
            let parts = requests.map { request in
                PeripheralCore.WrittenPart(
                    characteristic: number(of: request.characteristic), offset: request.offset,
                    value: [UInt8](request.value ?? Data()))
            }
            report(.written(request: keep(first), address, room: room, parts))
        }

        func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
            report(.roomToPush)
        }
    }
#endif
