#if CORE_BLUETOOTH
    import Bluetooth
    import CoreBluetooth
    import Foundation
    import Radio

    /// The only class that calls `CBCentralManager`: each function translates one call or one callback and decides
    /// nothing.
    ///
    /// Invariant that makes it sendable: everything but constants is touched on `queue` alone, which is also the queue
    /// on which Core Bluetooth calls.
    final class CentralManagerBridge: NSObject, @unchecked Sendable {
        /// An event that the port reports to the radio.
        enum CentralManagerEvent: Sendable {
            case input(CentralCore.Input)
            case heard(AdvertisementReport)
        }

        /// The most devices that are kept to be connected to; the one heard longest ago is forgotten first.
        private static let maximumKnown = 1024

        private let queue = DispatchQueue(label: "symbolon.central")
        private let report: @Sendable (CentralManagerEvent) -> Void
        private var manager: CBCentralManager?
        private var known: [DeviceAddress: CBPeripheral] = [:]
        private var order: [DeviceAddress] = []
        private var tables: [DeviceAddress: PeripheralAttributeTable] = [:]

        init(report: @escaping @Sendable (CentralManagerEvent) -> Void) { self.report = report }

        /// Makes the manager; the system asks the user for permission, if it has not before.
        func open(restoreIdentifier: String?, asksToPowerOn: Bool) {
            queue.async { [self] in
                var options: [String: Any] = [CBCentralManagerOptionShowPowerAlertKey: asksToPowerOn]
                if let restoreIdentifier { options[CBCentralManagerOptionRestoreIdentifierKey] = restoreIdentifier }
                manager = CBCentralManager(delegate: self, queue: queue, options: options)
            }
        }

        /// Stops the scan, cancels all connections and releases the manager.
        func close() {
            queue.async { [self] in
                manager?.stopScan()
                for peripheral in known.values where peripheral.state != .disconnected {
                    manager?.cancelPeripheralConnection(peripheral)
                }
                manager?.delegate = nil
                manager = nil
                known = [:]
                order = []
                tables = [:]
            }
        }

        func perform(_ command: CentralCore.Output) {
            queue.async { [self] in carryOut(command) }
        }

        private func carryOut(_ command: CentralCore.Output) {
            switch command {
            case .startScanning(let services):
                manager?.scanForPeripherals(
                    withServices: services.isEmpty ? nil : services.map(\.system),
                    options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
            case .stopScanning: manager?.stopScan()
            case .connect(let address):
                guard let peripheral = known[address] else { return report(.input(.notKnown(address))) }
                manager?.connect(peripheral, options: nil)
            case .cancelConnection(let address):
                if let peripheral = known[address] { manager?.cancelPeripheralConnection(peripheral) }
            case .perform(let address, let request): perform(request, on: address)
            case .failScans, .opened, .completed, .event, .heard: break
            }
        }

        private func perform(_ request: LinkOperationQueue.Request, on address: DeviceAddress) {
            guard let peripheral = known[address] else { return }
            let table = tables[address] ?? PeripheralAttributeTable()
            switch request {
            case .settleMTU: peripheral.discoverServices(nil)
            case .discoverServices(let uuid): peripheral.discoverServices(uuid.map { [$0.system] })
            case .discoverCharacteristics(let number):
                guard let service = table.service(number) else {
                    return answer(.characteristics(service: number, .failure(.att(1))), peripheral)
                }
                peripheral.discoverCharacteristics(nil, for: service)
            case .read(let number):
                guard let characteristic = table.characteristic(number) else {
                    let remote = RemoteCharacteristic(
                        uuid: BluetoothUUID(UInt16(0)), properties: [], valueHandle: number)
                    return answer(.value(remote, .failure(.att(1))), peripheral)
                }
                peripheral.readValue(for: characteristic)
            case .write(let value, let number):
                guard let characteristic = table.characteristic(number) else {
                    return answer(.written(number, .att(1)), peripheral)
                }
                peripheral.writeValue(Data(value), for: characteristic, type: .withResponse)
            case .command(let value, let number):
                if let characteristic = table.characteristic(number) {
                    peripheral.writeValue(Data(value), for: characteristic, type: .withoutResponse)
                }
                answer(.commandTaken(hasRoom: peripheral.canSendWriteWithoutResponse), peripheral)
            case .subscribe(let number, let isOn):
                guard let characteristic = table.characteristic(number) else {
                    return answer(.subscription(number, .att(1)), peripheral)
                }
                peripheral.setNotifyValue(isOn, for: characteristic)
            case .readRSSI: peripheral.readRSSI()
            }
        }

        private func answer(_ answer: LinkOperationQueue.PeripheralCallback, _ peripheral: CBPeripheral) {
            let writeBytes = peripheral.maximumWriteValueLength(for: .withoutResponse)
            report(.input(.answer(DeviceAddress(peripheral.identifier), answer, writeBytes: writeBytes)))
        }

        private func remember(_ peripheral: CBPeripheral) -> DeviceAddress {
            let address = DeviceAddress(peripheral.identifier)
            if known[address] == nil {
                if order.count >= Self.maximumKnown,
                    let oldest = order.firstIndex(where: { known[$0]?.state == .disconnected })
                {
                    known[order.remove(at: oldest)] = nil
                }
                order.append(address)
            }
            known[address] = peripheral
            peripheral.delegate = self
            return address
        }

        private func withTable<Result>(
            of peripheral: CBPeripheral, _ body: (inout PeripheralAttributeTable) -> Result
        ) -> Result {
            body(&tables[DeviceAddress(peripheral.identifier), default: PeripheralAttributeTable()])
        }
    }

    extension CentralManagerBridge: CBCentralManagerDelegate {
        func centralManagerDidUpdateState(_ central: CBCentralManager) {
            if central.state != .poweredOn {
                // Devices found before are not valid any more.
                known = [:]
                order = []
                tables = [:]
            }
            report(.input(.state(BluetoothSystemState(central.state))))
        }

        func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
            let peripherals = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
            let active = peripherals.filter { $0.state == .connected || $0.state == .connecting }
            let devices = active.map { peripheral in
                CentralCore.RestoredPeripheral(
                    address: remember(peripheral), isConnected: peripheral.state == .connected)
            }
            let services = dict[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID]
            report(.input(.restored(devices, scan: services.map { $0.compactMap { BluetoothUUID($0) } })))
        }

        func centralManager(
            _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
            rssi strength: NSNumber
        ) {
            let address = remember(peripheral)
            let rssi = strength.intValue == 127 ? nil : strength.intValue
            report(.heard(HeardAdvertisement(advertisementData).report(from: address, rssi: rssi)))
        }

        func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
            tables[DeviceAddress(peripheral.identifier)] = PeripheralAttributeTable()
            let writeBytes = peripheral.maximumWriteValueLength(for: .withoutResponse)
            report(.input(.connected(remember(peripheral), writeBytes: writeBytes)))
        }

        func centralManager(
            _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
        ) {
            let reason = error.map { "\($0)" } ?? "no reason was given"
            report(.input(.failedToConnect(DeviceAddress(peripheral.identifier), reason: reason)))
        }

        func centralManager(
            _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
        ) {
            let address = DeviceAddress(peripheral.identifier)
            tables[address] = nil
            report(.input(.disconnected(address, DisconnectReason(error))))
        }
    }

    extension CentralManagerBridge: CBPeripheralDelegate {
        func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
            if let error { return answer(.services(.failure(LinkOperationQueue.LinkRequestError(error))), peripheral) }
            let found = withTable(of: peripheral) { table in
                (peripheral.services ?? []).compactMap { table.remote($0) }
            }
            answer(.services(.success(found)), peripheral)
        }

        func peripheral(
            _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
        ) {
            let number = withTable(of: peripheral) { $0.number(of: service) }
            if let error {
                let failure = LinkOperationQueue.LinkRequestError(error)
                return answer(.characteristics(service: number, .failure(failure)), peripheral)
            }
            let found = withTable(of: peripheral) { table in
                (service.characteristics ?? []).compactMap { table.remote($0) }
            }
            answer(.characteristics(service: number, .success(found)), peripheral)
        }

        func peripheral(
            _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
        ) {
            guard let remote = withTable(of: peripheral, { $0.remote(characteristic) }) else { return }
            if let error {
                return answer(.value(remote, .failure(LinkOperationQueue.LinkRequestError(error))), peripheral)
            }
            answer(.value(remote, .success([UInt8](characteristic.value ?? Data()))), peripheral)
        }

        func peripheral(
            _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
        ) {
            let number = withTable(of: peripheral) { $0.number(of: characteristic) }
            answer(.written(number, error.map { LinkOperationQueue.LinkRequestError($0) }), peripheral)
        }

        func peripheral(
            _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
            error: (any Error)?
        ) {
            let number = withTable(of: peripheral) { $0.number(of: characteristic) }
            answer(.subscription(number, error.map { LinkOperationQueue.LinkRequestError($0) }), peripheral)
        }

        func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
            answer(.ready, peripheral)
        }

        func peripheral(_ peripheral: CBPeripheral, didReadRSSI strength: NSNumber, error: (any Error)?) {
            if let error { return answer(.rssi(.failure(LinkOperationQueue.LinkRequestError(error))), peripheral) }
            answer(.rssi(.success(strength.intValue)), peripheral)
        }
    }
#endif
