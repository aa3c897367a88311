package import Air
package import Bluetooth
import CryptoSuite
package import Determinism
import MobileSession

/// One of our sessions on a simulated device: the core, a simulated stack, and nothing that decides.
package struct MobilePartyHost<Party: MobileParty>: SimulatedHost {
    /// The observations.
    package private(set) var record = MobilePartyRecord()

    private var party: Party
    private let person: MobilePerson
    /// The verifier of a reader; nil for a holder.
    private let judge: MobileAnswerJudge?
    /// The event of the controller at which all links of the device are ended; nil for none.
    private var cutsIn: Int?
    private var stack: HostStack
    private var inputs: [MobilePartyInput] = []
    private var isDraining = false
    private var radio = MobilePartyRadio()
    private var tap = MessageTap()
    private var watched: [SessionInventory.WatchedSecret] = []
    private var pending: (request: DeviceRequest, keys: MobileSessionKeys, at: MonotonicInstant)?

    /// Makes the host of a session.
    ///
    /// - Parameters:
    ///   - judge: the verifier of a reader's answers.
    ///   - maximumMTU: the MTU that its server agrees to.
    ///   - cutsAt: the event of the controller, counted from 1, at which the device loses its links.
    package init(
        _ party: Party, person: MobilePerson = MobilePerson(), judge: MobileAnswerJudge? = nil, maximumMTU: Int,
        cutsAt: Int? = nil
    ) {
        self.party = party
        self.person = person
        self.judge = judge
        cutsIn = cutsAt
        stack = HostStack(maximumMTU: maximumMTU)
    }

    /// The earliest of the deadlines of session, stack, connection attempt and person.
    package var nextDeadline: MonotonicInstant? {
        guard record.endings.isEmpty || !party.isClosed else { return nil }
        return [party.nextDeadline, stack.nextDeadline, radio.connectDeadline, pending?.at].compactMap { $0 }.min()
    }

    /// Begins the session.
    package mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand])
    {
        record.times.started = now
        feed(.start, at: now, into: &commands)
    }

    /// Handles the deadlines that have passed.
    package mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        if let deadline = radio.connectDeadline, deadline <= now {
            radio.connectDeadline = nil
            commands.append(.cancelConnect)
        }
        if let deadline = stack.nextDeadline, deadline <= now {
            run(at: now, into: &commands) { $0.wake(at: now, into: &$1, &$2) }
        }
        if let time = pending?.at, time <= now { decide(at: now, into: &commands) }
        if let deadline = party.nextDeadline, deadline <= now { feed(.tick, at: now, into: &commands) }
    }

    /// Handles an event of the controller.
    package mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        if case .report = event {} else { cut(into: &commands) }
        run(at: now, into: &commands) { $0.handle(event, at: now, into: &$1, &$2) }
        switch event {
        case .sent(let link): makeRoom(on: link, at: now, into: &commands)
        case .disconnected(let link, _, _): disconnected(link, at: now, into: &commands)
        case .report, .connected, .connectCancelled, .received, .statistics: break
        }
    }

    private mutating func cut(into commands: inout [AirCommand]) {
        guard let count = cutsIn else { return }
        cutsIn = count > 1 ? count - 1 : nil
        guard count == 1 else { return }
        commands += radio.links.map { .disconnect($0) }
    }

    // MARK: The session

    private mutating func feed(
        _ input: MobilePartyInput, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        inputs.append(input)
        guard !isDraining else { return }
        isDraining = true
        while !inputs.isEmpty { step(inputs.removeFirst(), at: now, into: &commands) }
        isDraining = false
    }

    private mutating func step(_ input: MobilePartyInput, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        switch input {
        case .tick, .link(.heard): break
        case .link(.received(_, let value)), .link(.centralWrote(_, _, let value)):
            tap.incoming += value.count
            record.times.lastEvent = now
            record.times.lost = nil
        case .link(.written), .link(.notified):
            record.times.lastEvent = now
            // The link that was lost is not the one in which the session goes on.
            record.times.lost = nil
        default: record.times.lastEvent = now
        }
        var outputs: [MobileSessionOutput] = []
        party.take(input, at: now, into: &outputs)
        for output in outputs {
            if !record.endings.isEmpty { record.outputsAfterEnd += 1 }
            switch output {
            case .link(let action): act(action, at: now, into: &commands)
            case .event(let event): observe(event, at: now)
            case .finished(let ending):
                record.endings.append(ending)
                record.times.finished = now
                pending = nil
            }
        }
        if outputs.contains(where: { if case .finished = $0 { true } else { false } }) { takeStock() }
    }

    /// Notes what the session holds, and after its end what is left of it.
    private mutating func takeStock() {
        let inventory = SessionInventory(of: party)
        guard record.endings.isEmpty else {
            record.leftSecrets = inventory.secrets.count + watched.count { $0.secret != nil }
            record.leftBytes = inventory.byteCount
            record.isRadioLeft = radio.isBusy
            return
        }
        watched += inventory.secrets
        record.excessBytes = max(
            record.excessBytes, inventory.byteCount - max(tap.incoming, record.given.last?.count ?? 0))
    }

    private mutating func observe(_ event: MobileSessionEvent, at now: MonotonicInstant) {
        switch event {
        case .attemptFailed(let error): record.attempts.insert(error.code.rawValue)
        case .deviation(let deviation): record.deviations.insert(deviation)
        case .ready:
            record.times.ready = now
            takeStock()
        case .asked:
            record.times.asked = now
            takeStock()
        case .requested(let request, let keys):
            record.times.asked = now
            record.requests.append(request.bytes)
            takeStock()
            pending = (request, keys, now + person.thinks)
        case .answered(let response, let keys):
            record.times.answered = record.times.answered ?? now
            record.answers.append(response.bytes)
            guard let judge, response.refusal == nil else { return }
            record.verdicts.append(judge.verdict(response, in: keys))
        case .progress(let count, _): if count & 0xFFF < 512 { takeStock() }
        case .connecting, .sent, .mayHaveArrived: break
        }
    }

    private mutating func decide(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        let decision = person.decision
        if decision == .answers, let pending { record.given.append(person.answer(pending.request, pending.keys)) }
        if decision == .declines { record.given.append(DeviceResponse.encoded(documents: [])) }
        // The application keeps no keys of a session whose request it has decided.
        pending = nil
        switch decision {
        case .answers: feed(.answer(record.given.last ?? []), at: now, into: &commands)
        case .declines: feed(.decline, at: now, into: &commands)
        case .leaves: feed(.cancel, at: now, into: &commands)
        case .waits: break
        }
        if record.endings.isEmpty { takeStock() }
    }

    // MARK: The radio

    private mutating func act(
        _ action: MobileLinkOutput, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        switch action {
        case .startScanning:
            radio.isScanning = true
            commands.append(.startScanning(isActive: true))
        case .stopScanning:
            radio.isScanning = false
            commands.append(.stopScanning)
        case .connect(let address, let timeout):
            radio.connectDeadline = now + timeout
            radio.isConnecting = true
            commands.append(.connect(address))
        case .disconnect:
            if let link = radio.client {
                commands.append(.disconnect(link))
            } else if radio.isConnecting {
                radio.ignoredCancels += 1
                commands.append(.cancelConnect)
            }
            radio.forgetClient()
        case .exchangeMTU, .discover, .readIdent, .subscribe, .write:
            if let link = radio.client { ask(action, of: link, at: now, into: &commands) }
        case .serve(let service, let mode, let ident): serve(service, mode, ident, into: &commands)
        case .advertise(let service): if radio.service == service { advertise(into: &commands) }
        case .stopAdvertising:
            radio.isAdvertising = false
            commands.append(.stopAdvertising)
        case .notify(let link, let characteristic, let value):
            guard let uuid = radio.mode.flatMap({ characteristic.uuid(in: $0) }), radio.centrals.contains(link) else {
                return feed(.link(.notifyFailed(link)), at: now, into: &commands)
            }
            send(.init(link: link, uuid: uuid, characteristic: characteristic, value: value), at: now, into: &commands)
        case .disconnectCentral(let link):
            if radio.centrals.remove(link) != nil { commands.append(.disconnect(link)) }
        case .stopServing:
            radio.stopServing()
            stack.publish([])
            commands.append(.stopAdvertising)
        }
    }

    private mutating func serve(
        _ service: BluetoothUUID, _ mode: MobileMode, _ ident: [UInt8]?, into commands: inout [AirCommand]
    ) {
        radio.service = service
        radio.mode = mode
        let characteristics = MobileCharacteristic.allCases.compactMap { kind in
            kind.uuid(in: mode).map { uuid in
                let properties: CharacteristicProperties =
                    switch kind {
                    case .state: [.notify, .writeWithoutResponse]
                    case .clientToServer: .writeWithoutResponse
                    case .serverToClient: .notify
                    case .ident: .read
                    }
                return CharacteristicDefinition(
                    uuid: uuid, properties: properties, initialValue: kind == .ident ? ident ?? [] : [],
                    hasClientConfiguration: properties.contains(.notify))
            }
        }
        stack.publish([ServiceDefinition(uuid: service, characteristics: characteristics)])
        advertise(into: &commands)
    }

    private mutating func advertise(into commands: inout [AirCommand]) {
        guard let service = radio.service,
            let data = try? AdvertisingData([.flags(6), .services([service])]).encoded()
        else { return }
        radio.isAdvertising = true
        commands.append(
            .startAdvertising(data: data, scanResponse: [], intervalMicroseconds: 100_000, isConnectable: true))
    }

    private mutating func ask(
        _ action: MobileLinkOutput, of link: LinkID, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        switch action {
        case .exchangeMTU(let requested):
            run(at: now, into: &commands) { $0.exchangeMTU(requested, on: link, at: now, into: &$1, &$2) }
        case .discover(let service):
            radio.sought = service
            run(at: now, into: &commands) { $0.discover(only: service, on: link, at: now, into: &$1, &$2) }
        case .readIdent:
            guard let uuid = MobileCharacteristic.ident.uuid(in: .centralClient) else { return }
            run(at: now, into: &commands) { $0.read(uuid, on: link, at: now, into: &$1, &$2) }
        case .subscribe(let uuids):
            radio.subscriptionsOwed = uuids.count
            radio.unsubscribed = []
            for uuid in uuids {
                run(at: now, into: &commands) { $0.subscribe(to: uuid, on: link, at: now, into: &$1, &$2) }
            }
        case .write(let characteristic, let value):
            let mode: MobileMode = Party.self == ReaderSession.self ? .peripheralServer : .centralClient
            guard let uuid = characteristic.uuid(in: mode) else { return }
            send(.init(link: link, uuid: uuid, characteristic: characteristic, value: value), at: now, into: &commands)
        default: break
        }
    }

    /// Gives a value to the stack, or keeps it until the controller has room.
    private mutating func send(
        _ value: MobilePartyRadio.HeldValue, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        guard stack.hasRoom(on: value.link) else {
            radio.held.append(value)
            return
        }
        record.largestValue = max(record.largestValue, value.value.count)
        if value.characteristic != .state, let message = tap.sent(value.value, on: value.link) {
            record.messages.append(message)
        }
        guard value.link != radio.client else {
            return run(at: now, into: &commands) {
                $0.write(
                    value.value, to: value.uuid, on: value.link, withResponse: false, at: now, into: &$1, &$2)
            }
        }
        guard stack.isSubscribed(to: value.uuid, on: value.link) else {
            return feed(.link(.notifyFailed(value.link)), at: now, into: &commands)
        }
        stack.notify(value.value, of: value.uuid, on: value.link, at: now, into: &commands)
        feed(.link(.notified(value.link)), at: now, into: &commands)
    }

    private mutating func makeRoom(on link: LinkID, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        while let index = radio.held.firstIndex(where: { $0.link == link }), stack.hasRoom(on: link) {
            send(radio.held.remove(at: index), at: now, into: &commands)
        }
    }

    private mutating func disconnected(_ link: LinkID, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        radio.held.removeAll { $0.link == link }
        if radio.client == link {
            radio.forgetClient()
            if record.times.ready != nil { record.times.lost = now }
            feed(.link(.disconnected), at: now, into: &commands)
        } else if radio.centrals.remove(link) != nil {
            feed(.link(.centralDisconnected(link)), at: now, into: &commands)
        }
    }

    private mutating func run(
        at now: MonotonicInstant, into commands: inout [AirCommand],
        _ action: (inout HostStack, inout [AirCommand], inout [HostStackEvent]) -> Void
    ) {
        var events: [HostStackEvent] = []
        action(&stack, &commands, &events)
        for event in events { take(event, at: now, into: &commands) }
    }

    private mutating func take(_ event: HostStackEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        if let fact = radio.fact(of: event, isReader: Party.self == ReaderSession.self, into: &commands) {
            feed(.link(fact), at: now, into: &commands)
        }
    }
}
