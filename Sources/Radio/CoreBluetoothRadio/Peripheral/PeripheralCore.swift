import Bluetooth
import Determinism
import Radio

/// The peripheral role on Core Bluetooth as a value: what the system reports and what callers ask go in, what to ask of
/// the system comes out.
struct PeripheralCore: StateMachine, Sendable {
    /// A part of a write: one characteristic, and where in its value the bytes belong.
    struct WrittenPart: Hashable, Sendable {
        var characteristic: Int
        var offset: Int
        var value: [UInt8]
    }

    enum Input: Hashable, Sendable {
        case state(BluetoothSystemState)
        case publish(RadioOperationID, [ServiceDefinition])
        case addService(RadioOperationID, ServiceDefinition)
        case removeService(BluetoothUUID)
        case startAdvertising(RadioOperationID, Advertisement)
        case stopAdvertising
        case notify(RadioOperationID, [UInt8], of: BluetoothUUID, LinkID)
        case setValue(RadioOperationID, [UInt8], of: BluetoothUUID)
        case answerRead([UInt8], LinkID)
        case disconnect(LinkID)
        case cancel(RadioOperationID)
        /// The system added a service, or says why it did not.
        case added(failure: String?)
        case advertising(failure: String?)
        case subscribed(DeviceAddress, room: Int, characteristic: Int)
        case unsubscribed(DeviceAddress, characteristic: Int)
        case read(request: UInt64, DeviceAddress, room: Int, characteristic: Int, offset: Int)
        case written(request: UInt64, DeviceAddress, room: Int, [WrittenPart])
        /// The value that was to be pushed was taken, or found no room.
        case pushed(isTaken: Bool)
        case roomToPush
        /// The system started the app anew and kept services, in the order of their numbers, and an advertisement.
        case restored([RestoredServices.Service], advertisement: SystemAdvertisement?)
        case tick
    }

    enum Output: Hashable, Sendable {
        case removeAllServices
        /// Add a service whose first characteristic has this number.
        case add(ServiceDefinition, firstNumber: Int)
        /// Remove the characteristics with these numbers and the service that they are in.
        case remove([Int])
        case startAdvertising(SystemAdvertisement)
        case stopAdvertising
        /// Answer a request: an ATT error, or success with the value of a read.
        case respond(request: UInt64, error: UInt8?, value: [UInt8])
        case push([UInt8], characteristic: Int, to: DeviceAddress)
        case completed(RadioOperationID, RadioError?)
        case event(PeripheralEvent)
    }

    private struct QueuedNotification {
        let id: RadioOperationID
        let value: [UInt8]
        let characteristic: Int
        let address: DeviceAddress
    }

    /// Links of this role are numbered from here, so that they are never those of the central role.
    static let firstLink: UInt64 = 1 << 32
    static let maximumValueBytes = 512
    /// The most values that wait to be pushed.
    static let maximumPushes = 1024

    private var state = BluetoothSystemState.unknown
    private var attributes = PublishedCharacteristics()
    /// The services that the system is adding, and the one that `addService` added, if it is that.
    private var publishing: (id: RadioOperationID, missing: Int, failure: String?, added: BluetoothUUID?)?
    private var starting: RadioOperationID?
    private var pushes: [QueuedNotification] = []
    private var isPushing = false
    private var isFull = false
    private var centrals: ServedCentrals
    private var kept: RestoredServices?
    private let restoreWait: Duration

    /// Makes the core.
    ///
    /// A central that never subscribed and asked for nothing in `idleWait` counts as gone. What the system kept is
    /// ended when it is not published again in `restoreWait`.
    init(idleWait: Duration = .seconds(60), restoreWait: Duration = .seconds(30)) {
        centrals = ServedCentrals(idleWait: idleWait)
        self.restoreWait = restoreWait
    }

    var nextDeadline: MonotonicInstant? { [centrals.nextDeadline, kept?.deadline].compactMap { $0 }.min() }

    func statistics(of link: LinkID) -> LinkStatistics? {
        centrals.index(of: link).map { centrals.centrals[$0].statistics }
    }

    mutating func handle(_ input: Input, at now: MonotonicInstant, into outputs: inout [Output]) {
        if let refused = kept?.hold(input) {
            outputs += refused
            return
        }
        switch input {
        case .state(let state): changed(to: state, into: &outputs)
        case .publish(let id, let services): publish(id, services, at: now, into: &outputs)
        case .addService(let id, let service): addService(id, service, into: &outputs)
        case .removeService(let uuid): removeService(uuid, into: &outputs)
        case .startAdvertising(let id, let advertisement): advertise(id, advertisement, into: &outputs)
        case .stopAdvertising:
            _ = takeKeptAdvertisement()
            outputs.append(.stopAdvertising)
        case .notify(let id, let value, let uuid, let link): notify(id, value, uuid, link, into: &outputs)
        case .setValue(let id, let value, let uuid): setValue(id, value, uuid, into: &outputs)
        case .answerRead(let value, let link): answerRead(value, link, into: &outputs)
        case .disconnect(let link):
            // The system has no way to end it; the central is forgotten until it does something.
            if let index = centrals.index(of: link) { end(index, .local, into: &outputs) }
        case .cancel(let id): cancel(id, into: &outputs)
        case .added(let failure): added(failure, into: &outputs)
        case .advertising(let failure): advertising(failure, into: &outputs)
        case .subscribed(let address, let room, let number):
            subscribed(address, room, number, at: now, into: &outputs)
        case .unsubscribed(let address, let number): unsubscribed(address, number, into: &outputs)
        case .read(let request, let address, let room, let number, let offset):
            read(request, address, room, number, offset, at: now, into: &outputs)
        case .written(let request, let address, let room, let parts):
            written(request, address, room, parts, at: now, into: &outputs)
        case .pushed(let isTaken): pushed(isTaken, into: &outputs)
        case .roomToPush:
            isFull = false
            pushNext(into: &outputs)
        case .restored(let services, let advertisement):
            kept = RestoredServices(services, advertisement, deadline: now + restoreWait)
        case .tick:
            endKept(at: now, into: &outputs)
            while let index = centrals.idle(at: now) { end(index, .peer, into: &outputs) }
        }
    }
}

// Publishing and advertising.
extension PeripheralCore {
    private mutating func changed(to state: BluetoothSystemState, into outputs: inout [Output]) {
        self.state = state
        guard let error = state.failure else { return }
        // The system forgets what was published and advertised.
        attributes = PublishedCharacteristics()
        outputs += kept?.refusals ?? []
        kept = nil
        if let publishing { outputs.append(.completed(publishing.id, error)) }
        if let starting { outputs.append(.completed(starting, error)) }
        publishing = nil
        starting = nil
        isFull = false
        for central in centrals.removeAll() { outputs.append(.event(.disconnected(central.link, .radioLost))) }
        for push in pushes { outputs.append(.completed(push.id, RadioError(.linkLost, "the link is down"))) }
        pushes = []
        isPushing = false
    }

    private mutating func publish(
        _ id: RadioOperationID, _ services: [ServiceDefinition], at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        var error = state.failure
        if !centrals.centrals.isEmpty {
            error = RadioError(.unsupported, "services cannot be replaced while something is connected")
        } else if publishing != nil {
            error = RadioError(.unsupported, "services are being published")
        } else if services.contains(where: { $0.characteristics.contains { $0.initialValue.count > 512 } }) {
            error = RadioError(.tooLarge, "a value has at most \(Self.maximumValueBytes) bytes")
        }
        if let error { return outputs.append(.completed(id, error)) }
        if takeUp(id, services, at: now, into: &outputs) { return }
        attributes = PublishedCharacteristics(services)
        outputs.append(.removeAllServices)
        guard !services.isEmpty else { return outputs.append(.completed(id, nil)) }
        publishing = (id, services.count, nil, nil)
        var number = 0
        for service in services {
            outputs.append(.add(service, firstNumber: number))
            number += service.characteristics.count
        }
    }

    private mutating func addService(
        _ id: RadioOperationID, _ service: ServiceDefinition, into outputs: inout [Output]
    ) {
        var error: RadioError?
        if let failure = state.failure {
            error = failure
        } else if publishing != nil {
            error = RadioError(.unsupported, "services are being published")
        } else if kept?.services.isEmpty == false {
            error = RadioError(.unsupported, "the services that the system kept are not published yet")
        } else if attributes.hasService(service.uuid) {
            error = RadioError(.unsupported, "the service \(service.uuid) is published already")
        } else if service.characteristics.contains(where: { $0.initialValue.count > Self.maximumValueBytes }) {
            error = RadioError(.tooLarge, "a value has at most \(Self.maximumValueBytes) bytes")
        }
        if let error { return outputs.append(.completed(id, error)) }
        publishing = (id, 1, nil, service.uuid)
        outputs.append(.add(service, firstNumber: attributes.add(service)))
    }

    private mutating func removeService(_ uuid: BluetoothUUID, into outputs: inout [Output]) {
        guard let numbers = attributes.remove(uuid) else { return }
        for index in centrals.centrals.indices { centrals.update(index) { $0.subscriptions.subtract(numbers) } }
        outputs.append(.remove(numbers))
    }

    private mutating func added(_ failure: String?, into outputs: inout [Output]) {
        guard var current = publishing else { return }
        current.missing -= 1
        current.failure = current.failure ?? failure
        publishing = current
        guard current.missing == 0 else { return }
        publishing = nil
        if current.failure != nil, let added = current.added { removeService(added, into: &outputs) }
        outputs.append(.completed(current.id, current.failure.map { RadioError(.unsupported, $0) }))
    }

    private mutating func advertise(
        _ id: RadioOperationID, _ advertisement: Advertisement, into outputs: inout [Output]
    ) {
        if let error = state.failure { return outputs.append(.completed(id, error)) }
        guard starting == nil else {
            return outputs.append(.completed(id, RadioError(.unsupported, "advertising is being started")))
        }
        do throws(RadioError) {
            let request = try SystemAdvertisement(advertisement)
            if takeKeptAdvertisement()?.saysTheSame(as: request) == true {
                return outputs.append(.completed(id, nil))
            }
            starting = id
            outputs.append(.stopAdvertising)
            outputs.append(.startAdvertising(request))
        } catch {
            outputs.append(.completed(id, error))
        }
    }

    private mutating func advertising(_ failure: String?, into outputs: inout [Output]) {
        guard let id = starting else { return }
        starting = nil
        outputs.append(.completed(id, failure.map { RadioError(.unsupported, $0) }))
    }

    private mutating func setValue(
        _ id: RadioOperationID, _ value: [UInt8], _ uuid: BluetoothUUID, into outputs: inout [Output]
    ) {
        var error: RadioError?
        if value.count > Self.maximumValueBytes {
            error = RadioError(.tooLarge, "a value has at most \(Self.maximumValueBytes) bytes")
        } else if !attributes.set(value, of: uuid) {
            error = RadioError(.notFound, "no characteristic \(uuid) is published")
        }
        outputs.append(.completed(id, error))
    }
}

// The services that the system kept while the app did not run.
extension PeripheralCore {
    /// Goes on with services that the system kept, if they are these: their subscribers are told of, and then what
    /// centrals did since the app was started.
    private mutating func takeUp(
        _ id: RadioOperationID, _ services: [ServiceDefinition], at now: MonotonicInstant, into outputs: inout [Output]
    ) -> Bool {
        guard let kept, !kept.services.isEmpty else { return false }
        self.kept = kept.withoutServices
        guard let published = PublishedCharacteristics(services, numberedAs: kept.services) else {
            outputs += kept.refusals
            return false
        }
        attributes = published
        outputs.append(.completed(id, nil))
        for (number, characteristic) in kept.services.flatMap(\.characteristics).enumerated() {
            for central in characteristic.subscribers {
                subscribed(central.address, central.room, number, at: now, into: &outputs)
            }
        }
        for input in kept.held { handle(input, at: now, into: &outputs) }
        return true
    }

    private mutating func takeKeptAdvertisement() -> SystemAdvertisement? {
        guard let kept, let advertisement = kept.advertisement else { return nil }
        self.kept = kept.withoutAdvertisement
        return advertisement
    }

    private mutating func endKept(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard let kept, kept.deadline <= now else { return }
        self.kept = nil
        outputs += kept.refusals
        if kept.advertisement != nil { outputs.append(.stopAdvertising) }
        if !kept.services.isEmpty { outputs.append(.removeAllServices) }
    }
}

// Requests of centrals.
extension PeripheralCore {
    /// Returns the record of an active central; its first activity counts as its connection.
    private mutating func note(
        _ address: DeviceAddress, _ room: Int, at now: MonotonicInstant, into outputs: inout [Output]
    ) -> Int? {
        guard let (index, isNew) = centrals.note(address, room: room, at: now) else { return nil }
        let link = centrals.centrals[index].link
        centrals.update(index) { $0.statistics.pdusReceived += 1 }
        if isNew {
            outputs.append(.event(.connected(link, peer: address)))
            outputs.append(.event(.mtu(link, room + 3)))
        } else if centrals.centrals[index].statistics.mtu != room + 3 {
            centrals.update(index) { $0.statistics.mtu = room + 3 }
            outputs.append(.event(.mtu(link, room + 3)))
        }
        return index
    }

    private mutating func end(_ index: Int, _ reason: DisconnectReason, into outputs: inout [Output]) {
        let central = centrals.remove(index)
        if let read = central.read {
            outputs.append(.respond(request: read.request, error: ATTErrorCode.unlikely.rawValue, value: []))
        }
        outputs.append(.event(.disconnected(central.link, reason)))
    }

    private mutating func subscribed(
        _ address: DeviceAddress, _ room: Int, _ number: Int, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard let characteristic = attributes.characteristic(number),
            let index = note(address, room, at: now, into: &outputs)
        else { return }
        centrals.update(index) { $0.subscriptions.insert(number) }
        let link = centrals.centrals[index].link
        outputs.append(
            .event(.subscribed(link, characteristic: characteristic.definition.uuid, isSubscribed: true)))
    }

    /// Handles the end of a subscription: the central unsubscribed, or its link ended.
    private mutating func unsubscribed(_ address: DeviceAddress, _ number: Int, into outputs: inout [Output]) {
        guard let characteristic = attributes.characteristic(number),
            let index = centrals.centrals.firstIndex(where: { $0.address == address }),
            centrals.centrals[index].subscriptions.contains(number)
        else { return }
        centrals.update(index) { $0.subscriptions.remove(number) }
        let central = centrals.centrals[index]
        outputs.append(
            .event(.subscribed(central.link, characteristic: characteristic.definition.uuid, isSubscribed: false)))
        if central.subscriptions.isEmpty { end(index, .peer, into: &outputs) }
    }

    private mutating func read(
        _ request: UInt64, _ address: DeviceAddress, _ room: Int, _ number: Int, _ offset: Int,
        at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard let characteristic = attributes.characteristic(number),
            let index = note(address, room, at: now, into: &outputs)
        else {
            let error = ATTErrorCode.attributeNotFound.rawValue
            return outputs.append(.respond(request: request, error: error, value: []))
        }
        if characteristic.definition.passesReadsOn {
            let link = centrals.centrals[index].link
            if let earlier = centrals.centrals[index].read {
                outputs.append(
                    .respond(request: earlier.request, error: ATTErrorCode.unlikely.rawValue, value: []))
            }
            centrals.update(index) { $0.read = (request, offset) }
            outputs.append(.event(.read(link, characteristic: characteristic.definition.uuid, offset: offset)))
        } else {
            respond(to: request, characteristic.value, from: offset, into: &outputs)
        }
    }

    private mutating func answerRead(_ value: [UInt8], _ link: LinkID, into outputs: inout [Output]) {
        guard let index = centrals.index(of: link), let read = centrals.centrals[index].read else { return }
        centrals.update(index) { $0.read = nil }
        respond(to: read.request, Array(value.prefix(Self.maximumValueBytes)), from: read.offset, into: &outputs)
    }

    /// Answers a read of `value` from `offset`: at its end with no bytes, beyond it with an error.
    private func respond(to request: UInt64, _ value: [UInt8], from offset: Int, into outputs: inout [Output]) {
        if (0...value.count).contains(offset) {
            outputs.append(.respond(request: request, error: nil, value: Array(value[offset...])))
        } else {
            outputs.append(.respond(request: request, error: ATTErrorCode.invalidOffset.rawValue, value: []))
        }
    }

    /// Handles the parts of one write request, which gets one answer; parts of one characteristic are one value.
    private mutating func written(
        _ request: UInt64, _ address: DeviceAddress, _ room: Int, _ parts: [WrittenPart],
        at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard let index = note(address, room, at: now, into: &outputs) else {
            let error = ATTErrorCode.insufficientResources.rawValue
            return outputs.append(.respond(request: request, error: error, value: []))
        }
        var values: [(number: Int, value: [UInt8])] = []
        for part in parts {
            let isMore = part.offset > 0 && values.last?.number == part.characteristic
            let start = isMore ? values.removeLast().value : []
            guard attributes.characteristic(part.characteristic) != nil, part.offset == start.count,
                start.count + part.value.count <= Self.maximumValueBytes
            else {
                let error = ATTErrorCode.invalidOffset.rawValue
                return outputs.append(.respond(request: request, error: error, value: []))
            }
            values.append((part.characteristic, start + part.value))
        }
        outputs.append(.respond(request: request, error: nil, value: []))
        for (number, value) in values {
            guard let characteristic = attributes.characteristic(number) else { continue }
            centrals.update(index) { $0.writtenService = characteristic.service }
            // The system does not tell; a characteristic that takes both is written with response by those who wait.
            let isCommand = !characteristic.definition.properties.contains(.write)
            outputs.append(
                .event(
                    .written(
                        centrals.centrals[index].link, characteristic: characteristic.definition.uuid, value: value,
                        isCommand: isCommand)))
        }
    }
}

// Notifications and indications.
extension PeripheralCore {
    private mutating func notify(
        _ id: RadioOperationID, _ value: [UInt8], _ uuid: BluetoothUUID, _ link: LinkID, into outputs: inout [Output]
    ) {
        let numbers = attributes.numbers(of: uuid)
        var error: RadioError?
        var number: Int?
        if let index = centrals.index(of: link) {
            let central = centrals.centrals[index]
            let candidates = numbers.filter(central.subscriptions.contains)
            number =
                candidates.first { attributes.characteristic($0)?.service == central.writtenService }
                ?? candidates.first
            if numbers.isEmpty {
                error = RadioError(.notFound, "no characteristic \(uuid) is published")
            } else if number == nil {
                error = RadioError(.unsupported, "Apple's systems notify subscribers alone, and the central is none.")
            } else if value.count > central.room {
                error = RadioError(.tooLarge, "a notification carries at most \(central.room) bytes on this link")
            } else if pushes.count >= Self.maximumPushes {
                error = RadioError(.tooLarge, "\(pushes.count) values wait to be pushed")
            }
            if error == nil, let number {
                centrals.update(index) { $0.statistics.pdusSent += 1 }
                pushes.append(
                    QueuedNotification(id: id, value: value, characteristic: number, address: central.address))
            }
        } else {
            error = RadioError(.linkLost, "the link is down")
        }
        if let error { return outputs.append(.completed(id, error)) }
        pushNext(into: &outputs)
    }

    private mutating func pushNext(into outputs: inout [Output]) {
        guard !isPushing, !isFull, let next = pushes.first else { return }
        isPushing = true
        outputs.append(.push(next.value, characteristic: next.characteristic, to: next.address))
    }

    private mutating func pushed(_ isTaken: Bool, into outputs: inout [Output]) {
        guard isPushing else { return }
        isPushing = false
        if isTaken {
            if !pushes.isEmpty { outputs.append(.completed(pushes.removeFirst().id, nil)) }
        } else {
            isFull = true
        }
        pushNext(into: &outputs)
    }

    /// Cancels a value that waits to be pushed; one that the system already has stays.
    private mutating func cancel(_ id: RadioOperationID, into outputs: inout [Output]) {
        guard let index = pushes.firstIndex(where: { $0.id == id }), index > 0 || !isPushing else { return }
        pushes.remove(at: index)
        outputs.append(.completed(id, RadioError(.cancelled, "the operation was cancelled")))
    }
}
