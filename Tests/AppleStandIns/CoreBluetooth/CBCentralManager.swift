import Bluetooth
public import Foundation
import Radio
import VirtualRadio

/// Scans and connects. Everything happens on the queue that the app gave; what the radio says is brought there.
open class CBCentralManager: CBManager {
    public weak var delegate: (any CBCentralManagerDelegate)?
    public private(set) var isScanning = false

    private var peripherals: [DeviceAddress: CBPeripheral] = [:]
    private var attempts: [DeviceAddress: Task<Void, Never>] = [:]
    private var scan: Task<Void, Never>?
    private var heard = HeardDevices()

    public init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil) {
        self.delegate = delegate
        super.init(queue)
        let identifier = options?[CBCentralManagerOptionRestoreIdentifierKey] as? String
        let me = OnQueue(self)
        self.queue.async {
            let attempts = identifier.flatMap { me.value.restore($0) } ?? []
            me.value.update()
            for address in attempts { me.value.goOnConnecting(to: address) }
        }
        let weak = WeakManager(self)
        phone.atEnd { [queue = self.queue] in queue.sync { weak.manager?.end(identifier) } }
        phone.observe { [queue = self.queue] in queue.async { weak.manager?.update() } }
    }

    /// Goes on with what a manager of this name had; the devices that it was connecting to.
    private func restore(_ identifier: String) -> [DeviceAddress] {
        guard let kept = phone.takeCentral(identifier) else { return [] }
        for link in kept.links { peripherals[link.address] = CBPeripheral(link, self) }
        for address in kept.attempts { peripheral(address).state = .connecting }
        var dictionary: [String: Any] = [CBCentralManagerRestoredStatePeripheralsKey: Array(peripherals.values)]
        if let scan = kept.scan {
            isScanning = true
            services = scan.services?.map(\.value)
            allowsDuplicates = scan.allowsDuplicates
            if let services { dictionary[CBCentralManagerRestoredStateScanServicesKey] = services }
            dictionary[CBCentralManagerRestoredStateScanOptionsKey] = [
                CBCentralManagerScanOptionAllowDuplicatesKey: scan.allowsDuplicates
            ]
        }
        delegate?.centralManager(self, willRestoreState: dictionary)
        return kept.attempts
    }

    private func goOnConnecting(to address: DeviceAddress) {
        if state == .poweredOn, let peripheral = peripherals[address], peripheral.state == .connecting {
            startConnecting(peripheral)
        }
    }

    /// The app has ended.
    private func end(_ identifier: String?) {
        guard !isEnded else { return }
        delegate = nil
        let scan = isScanning ? (services?.map { OnQueue($0) }, allowsDuplicates) : nil
        stopScan()
        for attempt in attempts.values { attempt.cancel() }
        if let identifier {
            let links = peripherals.values.compactMap { $0.giveUpLink() }
            phone.keep(KeptCentral(links: links, attempts: Array(attempts.keys), scan: scan), for: identifier)
        } else {
            for peripheral in peripherals.values { peripheral.invalidate() }
        }
        attempts = [:]
        peripherals = [:]
        state = .unknown
        isEnded = true
    }

    /// Takes the state of the phone, and tells the delegate when it changed.
    private func update() {
        guard !isEnded else { return }
        let now = phone.managerState
        if isScanning, now == .poweredOn { startScan() }
        guard now != state else { return }
        state = now
        if now != .poweredOn {
            stopScan()
            for attempt in attempts.values { attempt.cancel() }
            attempts = [:]
            // All peripherals become invalid, without a callback each.
            for peripheral in peripherals.values { peripheral.invalidate() }
            peripherals = [:]
        }
        delegate?.centralManagerDidUpdateState(self)
    }

    /// The one object that stands for a device.
    private func peripheral(_ address: DeviceAddress) -> CBPeripheral {
        if let known = peripherals[address] { return known }
        let made = CBPeripheral(address, self)
        peripherals[address] = made
        return made
    }

    // MARK: - Scanning

    private var services: [CBUUID]?
    private var allowsDuplicates = false

    open func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
        guard state == .poweredOn else { return }
        services = serviceUUIDs
        allowsDuplicates = options?[CBCentralManagerScanOptionAllowDuplicatesKey] as? Bool ?? false
        heard = HeardDevices()
        startScan()
    }

    private func startScan() {
        scan?.cancel()
        isScanning = true
        let me = OnQueue(self)
        scan = Task { [phone, queue] in
            guard let reports = try? await phone.radio.scan(services: []) else { return }
            do {
                for try await report in reports { queue.async { me.value.take(report) } }
            } catch {}
        }
    }

    open func stopScan() {
        isScanning = false
        scan?.cancel()
        scan = nil
    }

    private func take(_ report: AdvertisementReport) {
        guard isScanning else { return }
        let conditions = phone.conditions
        let wanted = services?.map(\.value)
        // In the background a scan without services finds nothing.
        if conditions.isInBackground, wanted == nil { return }
        let isForeground = !conditions.isInBackground
        guard let data = heard.take(report, wanted: wanted, seesOverflow: isForeground),
            heard.isNews(report.address, allowsDuplicates: allowsDuplicates && isForeground)
        else { return }
        let peripheral = peripheral(report.address)
        peripheral.heard(report.rssi)
        delegate?.centralManager(
            self, didDiscover: peripheral, advertisementData: data, rssi: NSNumber(value: report.rssi ?? 127))
    }

    // MARK: - Connecting

    open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
        peripherals.values.filter { identifiers.contains($0.identifier) }
    }

    /// Goes on until the device is reached or the app cancels.
    open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
        // A peripheral from before Bluetooth was switched off is not valid any more.
        guard state == .poweredOn, attempts[peripheral.address] == nil, peripheral.state == .disconnected,
            peripherals[peripheral.address] === peripheral
        else {
            return
        }
        peripheral.state = .connecting
        startConnecting(peripheral)
    }

    private func startConnecting(_ peripheral: CBPeripheral) {
        let address = peripheral.address
        let (me, target) = (OnQueue(self), OnQueue(peripheral))
        attempts[address] = Task { [phone, queue] in
            while !Task.isCancelled {
                do throws(RadioError) {
                    let link = try await phone.radio.connect(to: address, timeout: .seconds(86_400))
                    return queue.async { me.value.connected(target.value, link) }
                } catch {
                    // A link that is still going down is no reason to give up.
                    guard error.code == .unsupported else { break }
                    try? await Task.sleep(for: .milliseconds(20))
                }
            }
            queue.async { me.value.failed(target.value) }
        }
    }

    private func connected(_ peripheral: CBPeripheral, _ link: any CentralLink) {
        guard attempts.removeValue(forKey: peripheral.address) != nil, peripheral.state == .connecting else {
            return Task { await link.disconnect() }.forget()
        }
        peripheral.open(link, systemMTU: phone.systemMTU)
        delegate?.centralManager(self, didConnect: peripheral)
    }

    private func failed(_ peripheral: CBPeripheral) {
        guard attempts.removeValue(forKey: peripheral.address) != nil else { return }
        peripheral.state = .disconnected
        delegate?.centralManager(self, didFailToConnect: peripheral, error: CBError(.connectionFailed))
    }

    open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
        guard !isEnded else { return }
        if let attempt = attempts.removeValue(forKey: peripheral.address) {
            attempt.cancel()
            peripheral.state = .disconnected
            delegate?.centralManager(self, didDisconnectPeripheral: peripheral, error: nil)
        } else {
            peripheral.close()
        }
    }

    /// A link is down; `reason` is that of the radio.
    func ended(_ peripheral: CBPeripheral, _ reason: DisconnectReason) {
        let error: CBError? =
            switch reason {
            case .local: nil
            case .peer: CBError(.peripheralDisconnected)
            case .supervisionTimeout: CBError(.connectionTimeout)
            case .notEstablished: CBError(.connectionFailed)
            case .protocolFailure, .radioLost: CBError(.unknown)
            }
        delegate?.centralManager(self, didDisconnectPeripheral: peripheral, error: error)
    }
}

/// A manager that the phone does not keep alive; looked at on the manager's queue alone.
private final class WeakManager: @unchecked Sendable {
    weak var manager: CBCentralManager?

    init(_ manager: CBCentralManager) { self.manager = manager }
}

extension Task where Success == Void, Failure == Never {
    /// The task goes on alone.
    func forget() {}
}

/// The devices that a scan has heard, with the advertisement and the scan response of each, which it reports as one.
struct HeardDevices {
    private struct Device {
        var advertisement: [UInt8] = []
        var response: [UInt8] = []
        var isConnectable = true
        /// The size in bytes of the data last reported to the delegate; nil before the first report.
        var told: Int?
    }

    private var devices: [DeviceAddress: Device] = [:]

    /// Returns the advertisement data for the delegate; nil for a device that the scan does not look for.
    mutating func take(
        _ report: AdvertisementReport, wanted: [BluetoothUUID]?, seesOverflow: Bool
    ) -> [String: Any]? {
        var device = devices[report.address] ?? Device()
        if report.kind == .scanResponse {
            device.response = report.data
        } else {
            device.advertisement = report.data
            device.isConnectable = report.kind == .connectable
        }
        devices[report.address] = device
        guard !device.advertisement.isEmpty || report.kind != .scanResponse else { return nil }
        let parsed = AdvertisingData(parsing: device.advertisement + device.response)
        let overflow = seesOverflow ? Self.overflow(parsed, wanted: wanted ?? []) : []
        if let wanted, !parsed.serviceUUIDs.contains(where: wanted.contains), overflow.isEmpty { return nil }
        var data: [String: Any] = [CBAdvertisementDataIsConnectable: NSNumber(value: device.isConnectable)]
        if !parsed.serviceUUIDs.isEmpty {
            data[CBAdvertisementDataServiceUUIDsKey] = parsed.serviceUUIDs.map { CBUUID($0) }
        }
        if !overflow.isEmpty { data[CBAdvertisementDataOverflowServiceUUIDsKey] = overflow.map { CBUUID($0) } }
        if !parsed.serviceData.isEmpty {
            var found: [CBUUID: Data] = [:]
            for part in parsed.serviceData { found[CBUUID(part.uuid)] = Data(part.data) }
            data[CBAdvertisementDataServiceDataKey] = found
        }
        // The overflow area itself is not told.
        if let part = parsed.structures.first(where: { $0.kind == .manufacturerData }),
            !part.value.starts(with: [0x4C, 0x00, 0x01])
        {
            data[CBAdvertisementDataManufacturerDataKey] = Data(part.value)
        }
        if let name = parsed.localName { data[CBAdvertisementDataLocalNameKey] = name }
        if let power = parsed.transmitPower { data[CBAdvertisementDataTxPowerLevelKey] = NSNumber(value: power) }
        return data
    }

    /// Returns true when the delegate gets a report: always with duplicates, else when more data came than before.
    mutating func isNews(_ address: DeviceAddress, allowsDuplicates: Bool) -> Bool {
        guard var device = devices[address] else { return false }
        let size = device.advertisement.count + device.response.count
        defer { devices[address] = device }
        if !allowsDuplicates, let told = device.told, told >= size { return false }
        device.told = size
        return true
    }

    private static func overflow(_ data: AdvertisingData, wanted: [BluetoothUUID]) -> [BluetoothUUID] {
        guard
            let area = data.structures.first(where: {
                $0.kind == .manufacturerData && $0.value.starts(with: [0x4C, 0x00, 0x01]) && $0.value.count == 19
            })
        else { return [] }
        return wanted.filter { service in
            let bit = SimulatedPhone.overflowBit(of: service)
            return area.value[3 + bit / 8] & 1 << (bit % 8) != 0
        }
    }
}
