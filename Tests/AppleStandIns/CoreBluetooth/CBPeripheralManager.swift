import Bluetooth
public import Foundation
import Radio
import VirtualRadio

/// Publishes and advertises. Everything happens on the queue that the app gave; what the radio says is brought there.
open class CBPeripheralManager: CBManager {
    public weak var delegate: (any CBPeripheralManagerDelegate)?
    public private(set) var isAdvertising = false

    private var services: [CBMutableService] = []
    private var advertised: [String: Any] = [:]
    private var centrals: [LinkID: CBCentral] = [:]
    private var waitingUpdates = 0
    private let work: AsyncStream<@Sendable () async -> Void>.Continuation
    private var tasks: [Task<Void, Never>] = []

    public init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil) {
        self.delegate = delegate
        let (stream, work) = AsyncStream<@Sendable () async -> Void>.makeStream()
        self.work = work
        super.init(queue)
        let me = OnQueue(self)
        let identifier = options?[CBPeripheralManagerOptionRestoreIdentifierKey] as? String
        tasks = [Task { for await step in stream { await step() } }]
        self.queue.async {
            if let identifier { me.value.restore(identifier) }
            me.value.update()
            me.value.phone.peripheralHome.move(to: me.value)
        }
        phone.atEnd { [queue = self.queue] in queue.sync { me.value.end(identifier) } }
        phone.observe { [queue = self.queue] in queue.async { me.value.update() } }
    }

    /// Goes on with what a manager of this name had.
    private func restore(_ identifier: String) {
        guard let kept = phone.takePeripheral(identifier) else { return }
        services = kept.services.value
        centrals = kept.centrals.value
        var dictionary: [String: Any] = [CBPeripheralManagerRestoredStateServicesKey: services]
        if let data = kept.advertised?.value {
            isAdvertising = true
            advertised = data
            dictionary[CBPeripheralManagerRestoredStateAdvertisementDataKey] = data
        }
        delegate?.peripheralManager(self, willRestoreState: dictionary)
    }

    /// The app has ended.
    private func end(_ identifier: String?) {
        guard !isEnded else { return }
        delegate = nil
        phone.peripheralHome.move(to: nil)
        if let identifier {
            phone.keep(
                KeptPeripheral(
                    services: OnQueue(services), advertised: isAdvertising ? OnQueue(advertised) : nil,
                    centrals: OnQueue(centrals)), for: identifier)
        } else {
            removeAllServices()
            stopAdvertising()
        }
        services = []
        centrals = [:]
        isAdvertising = false
        state = .unknown
        isEnded = true
    }

    private func update() {
        guard !isEnded else { return }
        let now = phone.managerState
        if isAdvertising, now == .poweredOn { sendAdvertisement() }
        guard now != state else { return }
        state = now
        if now != .poweredOn {
            isAdvertising = false
            services = []
            let links = Array(centrals.keys)
            centrals = [:]
            work.yield { [phone] in
                await phone.radio.stopAdvertising()
                for link in links { await phone.radio.disconnect(link) }
            }
        }
        delegate?.peripheralManagerDidUpdateState(self)
    }

    // MARK: - Services

    open func add(_ service: CBMutableService) {
        guard state == .poweredOn else { return }
        for characteristic in service.characteristics ?? [] { characteristic.service = service }
        services.append(service)
        let definition = Self.definition(of: service)
        let (me, kept) = (OnQueue(self), OnQueue(service))
        work.yield { [phone, queue] in
            let isAdded: Bool
            do throws(RadioError) {
                try await phone.radio.addService(definition)
                isAdded = true
            } catch {
                isAdded = false
            }
            queue.async {
                me.value.delegate?.peripheralManager(
                    me.value, didAdd: kept.value, error: isAdded ? nil : CBError(.unknown))
            }
        }
    }

    open func remove(_ service: CBMutableService) {
        guard !isEnded else { return }
        services.removeAll { $0 === service }
        let uuid = service.uuid.value
        work.yield { [phone] in await phone.radio.removeService(uuid) }
    }

    open func removeAllServices() {
        guard !isEnded else { return }
        services = []
        work.yield { [phone] in try? await phone.radio.publish([]) }
    }

    private static func definition(of service: CBMutableService) -> ServiceDefinition {
        ServiceDefinition(
            uuid: service.uuid.value,
            characteristics: (service.characteristics ?? []).map { characteristic in
                let properties = CharacteristicProperties(
                    rawValue: UInt8(characteristic.properties.rawValue & 0x3E))
                return CharacteristicDefinition(
                    uuid: characteristic.uuid.value, properties: properties,
                    initialValue: [UInt8](characteristic.value ?? Data()),
                    hasClientConfiguration: !properties.isDisjoint(with: [.notify, .indicate]),
                    passesReadsOn: characteristic.value == nil)
            })
    }

    // MARK: - Advertising

    /// Of the dictionary the name and the services count, and nothing else.
    open func startAdvertising(_ advertisementData: [String: Any]?) {
        guard state == .poweredOn else { return }
        guard !isAdvertising else {
            delegate?.peripheralManagerDidStartAdvertising(self, error: CBError(.alreadyAdvertising))
            return
        }
        isAdvertising = true
        advertised = advertisementData ?? [:]
        sendAdvertisement()
        let me = OnQueue(self)
        work.yield { [queue] in
            queue.async { me.value.delegate?.peripheralManagerDidStartAdvertising(me.value, error: nil) }
        }
    }

    open func stopAdvertising() {
        guard !isEnded else { return }
        isAdvertising = false
        work.yield { [phone] in await phone.radio.stopAdvertising() }
    }

    /// In front: as many services as 28 bytes hold, the others in the overflow area; in the background all there.
    private func sendAdvertisement() {
        let wanted = (advertised[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []).map(\.value)
        var structures = [AdvertisingStructure.flags(0x1A)]
        var overflow: [BluetoothUUID] = []
        var listed: [BluetoothUUID] = []
        var room = 28
        for uuid in wanted {
            let size = uuid.short == nil ? 18 : 4
            if phone.conditions.isInBackground || size > room {
                overflow.append(uuid)
            } else {
                listed.append(uuid)
                room -= size
            }
        }
        let short = listed.filter { $0.short != nil }
        let long = listed.filter { $0.short == nil }
        if !short.isEmpty { structures.append(.services(short)) }
        if !long.isEmpty { structures.append(.services(long)) }
        var response: [AdvertisingStructure] = []
        if !overflow.isEmpty {
            let area = AdvertisingStructure(.manufacturerData, SimulatedPhone.overflowArea(of: overflow))
            if phone.conditions.isInBackground { structures.append(area) } else { response.append(area) }
        }
        if let name = advertised[CBAdvertisementDataLocalNameKey] as? String, !phone.conditions.isInBackground,
            overflow.isEmpty
        {
            response.append(.localName(String(name.prefix(10))))
        }
        let data = (try? AdvertisingData(structures).encoded()) ?? []
        let answer = (try? AdvertisingData(response).encoded()) ?? []
        work.yield { [phone] in
            try? await phone.radio.startAdvertising(
                Advertisement(data: data, scanResponse: answer, interval: .milliseconds(100)))
        }
    }

    // MARK: - Centrals

    func take(_ event: PeripheralEvent) {
        guard state == .poweredOn else { return }
        switch event {
        case .connected(let link, let peer):
            centrals[link] = CBCentral(SimulatedPhone.identifier(of: peer), link)
            // A connection ends advertising in the controller; the system goes on.
            if isAdvertising { sendAdvertisement() }
        case .mtu(let link, let mtu): centrals[link]?.maximumUpdateValueLength = min(mtu - 3, 512)
        case .subscribed(let link, let uuid, let isSubscribed): subscription(link, uuid, isSubscribed)
        case .read(let link, let uuid, let offset):
            guard let central = centrals[link], let characteristic = characteristic(uuid) else { return }
            delegate?.peripheralManager(
                self, didReceiveRead: CBATTRequest(central, characteristic, offset: offset, value: nil))
        case .written(let link, let uuid, let value, _):
            guard let central = centrals[link], let characteristic = characteristic(uuid) else { return }
            let request = CBATTRequest(central, characteristic, offset: 0, value: Data(value))
            delegate?.peripheralManager(self, didReceiveWrite: [request])
        case .disconnected(let link, _):
            guard let central = centrals.removeValue(forKey: link) else { return }
            // The link's end shows in its subscriptions alone.
            for characteristic in characteristics
            where characteristic.subscribedCentrals?.contains(where: { $0 === central }) == true {
                characteristic.subscribedCentrals?.removeAll { $0 === central }
                delegate?.peripheralManager(self, central: central, didUnsubscribeFrom: characteristic)
            }
        }
    }

    private var characteristics: [CBMutableCharacteristic] {
        services.flatMap { ($0.characteristics ?? []).compactMap { $0 as? CBMutableCharacteristic } }
    }

    private func characteristic(_ uuid: BluetoothUUID) -> CBMutableCharacteristic? {
        characteristics.first { $0.uuid.value == uuid }
    }

    private func subscription(_ link: LinkID, _ uuid: BluetoothUUID, _ isSubscribed: Bool) {
        guard let central = centrals[link], let characteristic = characteristic(uuid) else { return }
        characteristic.subscribedCentrals?.removeAll { $0 === central }
        if isSubscribed {
            characteristic.subscribedCentrals = (characteristic.subscribedCentrals ?? []) + [central]
            delegate?.peripheralManager(self, central: central, didSubscribeTo: characteristic)
        } else {
            delegate?.peripheralManager(self, central: central, didUnsubscribeFrom: characteristic)
        }
    }

    /// Answers a read; a write has been answered by the simulated radio, with success.
    open func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {
        guard !isEnded, request.characteristic.properties.contains(.read), let value = request.value else { return }
        // The radio takes the whole value and sends the part from the offset.
        let whole = [UInt8](repeating: 0, count: request.offset) + [UInt8](value)
        let link = request.central.link
        work.yield { [phone] in try? await phone.radio.answerRead(result == .success ? whole : [], on: link) }
    }

    /// False when the queue is full; the delegate is told when there is room again. Subscribers alone are notified.
    open func updateValue(
        _ value: Data, for characteristic: CBMutableCharacteristic, onSubscribedCentrals centrals: [CBCentral]?
    ) -> Bool {
        guard !isEnded else { return true }
        guard waitingUpdates < SimulatedPhone.queueCapacity else { return false }
        let subscribers = (characteristic.subscribedCentrals ?? []).filter { central in
            centrals?.contains { $0 === central } ?? true
        }
        let isConfirmed = !characteristic.properties.contains(.notify)
        let uuid = characteristic.uuid.value
        let me = OnQueue(self)
        for central in subscribers {
            waitingUpdates += 1
            let bytes = [UInt8](value.prefix(central.maximumUpdateValueLength))
            work.yield { [phone, queue, link = central.link] in
                try? await phone.radio.notify(bytes, of: uuid, on: link, confirmed: isConfirmed)
                queue.async { me.value.updated() }
            }
        }
        return true
    }

    private func updated() {
        let wasFull = waitingUpdates >= SimulatedPhone.queueCapacity
        waitingUpdates -= 1
        if wasFull { delegate?.peripheralManagerIsReady(toUpdateSubscribers: self) }
    }
}
