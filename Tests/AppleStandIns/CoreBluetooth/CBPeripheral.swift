import Bluetooth
public import Foundation
import Radio

public enum CBPeripheralState: Int, Sendable {
    case disconnected = 0
    case connecting = 1
    case connected = 2
    case disconnecting = 3
}

/// A device that was heard. Requests go one after the other, as in ATT; write commands have a queue with a limit.
open class CBPeripheral: CBPeer {
    public weak var delegate: (any CBPeripheralDelegate)?
    public internal(set) var state = CBPeripheralState.disconnected
    public private(set) var services: [CBService]?
    public private(set) var name: String?

    let address: DeviceAddress
    /// The queue of the manager.
    let queue: DispatchQueue
    private weak var manager: CBCentralManager?
    private var link: (any CentralLink)?
    private var mtu = 23
    private var rssi = -127
    private var waitingCommands = 0
    private var tasks: [Task<Void, Never>] = []
    private var work: AsyncStream<@Sendable () async -> Void>.Continuation?
    private var home: LinkHome?

    init(_ address: DeviceAddress, _ manager: CBCentralManager) {
        self.address = address
        self.manager = manager
        queue = manager.queue
        super.init(SimulatedPhone.identifier(of: address))
    }

    /// A device to which the system kept the link. What was found on it is asked for again.
    convenience init(_ kept: KeptLink, _ manager: CBCentralManager) {
        self.init(kept.address, manager)
        link = kept.link
        work = kept.work
        mtu = kept.mtu
        rssi = kept.rssi
        home = kept.home
        state = .connected
        kept.home.move(to: self)
    }

    /// The app has ended: the link, if there is one, is left to the system.
    func giveUpLink() -> KeptLink? {
        defer {
            delegate = nil
            link = nil
            work = nil
            home = nil
            state = .disconnected
        }
        guard state == .connected, let link, let home else { return nil }
        home.move(to: nil)
        return KeptLink(address: address, link: link, home: home, work: work, mtu: mtu, rssi: rssi)
    }

    func heard(_ rssi: Int?) { if let rssi { self.rssi = rssi } }

    // MARK: - The link

    /// A link is up. The system exchanges the MTU unasked, and before any request of the app.
    func open(_ link: any CentralLink, systemMTU: Int) {
        self.link = link
        state = .connected
        mtu = 23
        waitingCommands = 0
        services = nil
        let (stream, work) = AsyncStream<@Sendable () async -> Void>.makeStream()
        self.work = work
        work.yield { _ = try? await link.exchangeMTU(systemMTU) }
        let home = LinkHome()
        self.home = home
        home.move(to: self)
        tasks = [
            Task { for await step in stream { await step() } },
            Task { for await event in link.events { home.deliver(event) } },
        ]
    }

    func take(_ event: CentralLinkEvent) {
        guard state != .disconnected else { return }
        switch event {
        case .mtu(let mtu): self.mtu = mtu
        case .value(let value, let remote, _):
            guard let characteristic = characteristic(remote) else { return }
            characteristic.value = Data(value)
            delegate?.peripheral(self, didUpdateValueFor: characteristic, error: nil)
        case .disconnected(let reason):
            invalidate()
            manager?.ended(self, reason)
        }
    }

    /// The app ends the link; the delegate is told when it is down.
    func close() {
        guard state == .connected else {
            if state == .connecting { state = .disconnected }
            return
        }
        guard let link else { return }
        state = .disconnecting
        Task { await link.disconnect() }.forget()
    }

    /// Forgets the link and everything that was found on it.
    func invalidate() {
        if state != .disconnected, let link { Task { await link.disconnect() }.forget() }
        state = .disconnected
        link = nil
        home = nil
        services = nil
        work?.finish()
        work = nil
        tasks = []
    }

    private func characteristic(_ remote: RemoteCharacteristic) -> CBCharacteristic? {
        services?.lazy.compactMap(\.characteristics).joined().first { $0.remote?.valueHandle == remote.valueHandle }
    }

    /// Does something after everything that was asked before, and brings its result to the queue.
    private func enqueue<Result: Sendable>(
        _ operation: @escaping @Sendable (any CentralLink) async throws(RadioError) -> Result,
        then finish: @escaping (CBPeripheral, Swift.Result<Result, CBFailure>) -> Void
    ) {
        guard let link, state == .connected else {
            return finish(self, .failure(.framework(CBError(.notConnected))))
        }
        let (me, finish) = (OnQueue(self), OnQueue(finish))
        work?.yield { [queue] in
            let result: Swift.Result<Result, CBFailure>
            do throws(RadioError) { result = .success(try await operation(link)) } catch {
                result = .failure(CBFailure(error))
            }
            queue.async { finish.value(me.value, result) }
        }
    }

    // MARK: - Requests

    /// Services that were found before are told again without asking, as the system's cache does.
    open func discoverServices(_ serviceUUIDs: [CBUUID]?) {
        let wanted = serviceUUIDs?.map(\.value)
        enqueue { link throws(RadioError) in
            try await link.discoverServices(nil)
        } then: { peripheral, result in
            if case .success(let found) = result {
                // The system takes away what the peripheral has removed.
                let known = (peripheral.services ?? []).filter { service in
                    found.contains { $0 == service.remote }
                }
                let new = found.filter { wanted?.contains($0.uuid) ?? true }.filter { service in
                    !known.contains { $0.remote == service }
                }
                peripheral.services =
                    known
                    + new.map { remote in
                        let service = CBService(CBUUID(remote.uuid), isPrimary: true)
                        service.peripheral = peripheral
                        service.remote = remote
                        return service
                    }
            }
            peripheral.delegate?.peripheral(peripheral, didDiscoverServices: result.error)
        }
    }

    open func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
        let kept = OnQueue(service)
        guard let remote = service.remote else { return }
        enqueue { link throws(RadioError) in
            try await link.discoverCharacteristics(of: remote)
        } then: { peripheral, result in
            let service = kept.value
            if case .success(let found) = result, service.found == nil {
                service.found = found.map { remote in
                    let characteristic = CBCharacteristic(
                        CBUUID(remote.uuid), CBCharacteristicProperties(rawValue: UInt(remote.properties.rawValue)), nil
                    )
                    characteristic.service = service
                    characteristic.remote = remote
                    return characteristic
                }
            }
            peripheral.delegate?.peripheral(
                peripheral, didDiscoverCharacteristicsFor: service, error: result.error)
        }
    }

    open func readValue(for characteristic: CBCharacteristic) {
        let kept = OnQueue(characteristic)
        guard let remote = characteristic.remote, let link else { return }
        let me = OnQueue(self)
        // Later commands of the app do not wait for the answer to this read.
        work?.yield { [queue] in
            Task {
                let result: Swift.Result<[UInt8], CBFailure>
                do throws(RadioError) { result = .success(try await link.read(remote)) } catch {
                    result = .failure(CBFailure(error))
                }
                queue.async {
                    if case .success(let value) = result { kept.value.value = Data(value) }
                    me.value.delegate?.peripheral(me.value, didUpdateValueFor: kept.value, error: result.error)
                }
            }.forget()
        }
    }

    open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
        type == .withResponse ? 512 : min(mtu - 3, 512)
    }

    /// True when the queue of write commands has room; a command written to a full queue is lost.
    public var canSendWriteWithoutResponse: Bool { waitingCommands < SimulatedPhone.queueCapacity }

    open func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType) {
        guard let remote = characteristic.remote else { return }
        let value = [UInt8](data)
        if type == .withResponse {
            let kept = OnQueue(characteristic)
            return enqueue { link throws(RadioError) in
                try await link.write(value, to: remote)
            } then: { peripheral, result in
                peripheral.delegate?.peripheral(peripheral, didWriteValueFor: kept.value, error: result.error)
            }
        }
        guard canSendWriteWithoutResponse, value.count <= maximumWriteValueLength(for: .withoutResponse) else { return }
        waitingCommands += 1
        enqueue { link throws(RadioError) in
            try await link.writeWithoutResponse(value, to: remote)
        } then: { peripheral, _ in
            let wasFull = !peripheral.canSendWriteWithoutResponse
            peripheral.waitingCommands -= 1
            if wasFull { peripheral.delegate?.peripheralIsReady(toSendWriteWithoutResponse: peripheral) }
        }
    }

    /// A characteristic without a client configuration descriptor fails, and its values are told all the same.
    open func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
        let kept = OnQueue(characteristic)
        guard let remote = characteristic.remote else { return }
        enqueue { link throws(RadioError) in
            if enabled { try await link.subscribe(to: remote) } else { try await link.unsubscribe(from: remote) }
        } then: { peripheral, result in
            var error = result.error
            if error == nil, remote.clientConfigurationHandle == nil { error = CBATTError(.attributeNotFound) }
            kept.value.isNotifying = enabled && error == nil
            peripheral.delegate?.peripheral(
                peripheral, didUpdateNotificationStateFor: kept.value, error: error)
        }
    }

    open func readRSSI() {
        enqueue { _ throws(RadioError) in
        } then: { peripheral, result in
            peripheral.delegate?.peripheral(
                peripheral, didReadRSSI: NSNumber(value: peripheral.rssi), error: result.error)
        }
    }
}

/// An error of the radio as Core Bluetooth reports it.
enum CBFailure: Error {
    case framework(CBError)
    case attribute(CBATTError)

    init(_ error: RadioError) {
        switch (error.code, error.attError) {
        case (.attError, let code?):
            self = .attribute(CBATTError(CBATTError.Code(rawValue: Int(code)) ?? .unlikelyError))
        case (.linkLost, _): self = .framework(CBError(.notConnected))
        default: self = .framework(CBError(.unknown))
        }
    }
}

extension Result where Failure == CBFailure {
    var error: (any Error)? {
        switch self {
        case .success: nil
        case .failure(.framework(let error)): error
        case .failure(.attribute(let error)): error
        }
    }
}
