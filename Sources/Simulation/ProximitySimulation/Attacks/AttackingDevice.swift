import Air
import Bluetooth
import Determinism
import Herald

/// A device that makes one kind of attack on all devices that it hears, in turn.
struct AttackingDevice: CrowdHost {
    private static let maximumHeard = 256

    /// The device that is attacked.
    private struct Victim: Sendable {
        /// The beginning of the connect under way; nil without one.
        var attemptSince: MonotonicInstant?
        var link: LinkID?
        var since = MonotonicInstant.zero
    }

    private let kind: HeraldAttack
    private var random: SeededRandom
    private var stack = HostStack()
    private var heard: [DeviceAddress] = []
    private var turn = 0
    private var victim = Victim()
    private var due = MonotonicInstant.zero
    private var advertisement: [UInt8] = [2, 1, 6, 3, 3, 0xF6, 0xFC]
    private var payload: [UInt8]
    private var signal: BluetoothUUID?
    private var events: [HostStackEvent] = []
    private(set) var misdeeds = 0

    init(_ kind: HeraldAttack, _ random: SeededRandom) {
        self.kind = kind
        self.random = random
        payload = self.random.bytes(count: 21)
        if kind == .fakePhones { advertisement = HeraldHost.backgroundAdvertisement }
    }

    var nextDeadline: MonotonicInstant? { stack.nextDeadline.map { min($0, due) } ?? due }

    mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        publish()
        advertise(into: &commands)
        commands.append(.startScanning(isActive: false))
        due = now + .seconds(1)
    }

    mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        stack.handle(event, at: now, into: &commands, &events)
        settle(at: now, into: &commands)
    }

    mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        if let due = stack.nextDeadline, due <= now { stack.wake(at: now, into: &commands, &events) }
        if due <= now {
            due = now + .seconds(1)
            doTurn(at: now, into: &commands)
        }
        settle(at: now, into: &commands)
    }

    // MARK: - What others see of it

    private mutating func publish() {
        guard kind != .slowLinks, kind != .fakePhones else { return }
        let characteristics = [
            CharacteristicDefinition(uuid: HeraldUUIDs.payload, properties: .read, initialValue: payload),
            CharacteristicDefinition(uuid: HeraldUUIDs.compliantSignal, properties: .write),
        ]
        stack.publish([ServiceDefinition(uuid: HeraldUUIDs.service, characteristics: characteristics)])
    }

    private func advertise(into commands: inout [AirCommand]) {
        commands.append(
            .startAdvertising(
                data: advertisement, scanResponse: [], intervalMicroseconds: 100_000, isConnectable: true))
    }

    // MARK: - What it does

    private mutating func doTurn(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        if kind == .identityChurn {
            misdeeds += 1
            payload = random.bytes(count: 21)
            advertisement = [2, 1, 6, 3, 3, 0xF6, 0xFC, 9, 0xFF, 0xF1, 5] + random.bytes(count: 6)
            publish()
            advertise(into: &commands)
        }
        if let since = victim.attemptSince {
            if since + .seconds(5) <= now { commands.append(.cancelConnect) }
            return
        }
        if let link = victim.link, victim.since + .seconds(10) <= now, kind != .slowLinks {
            commands.append(.disconnect(link))
        }
        guard victim.link == nil || kind == .slowLinks, kind != .addressFlood, kind != .fakePhones, !heard.isEmpty
        else {
            return
        }
        turn += 1
        victim.attemptSince = now
        commands.append(.connect(heard[turn % heard.count]))
    }

    private mutating func settle(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        while !events.isEmpty { take(events.removeFirst(), at: now, into: &commands) }
    }

    private mutating func take(_ event: HostStackEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        switch event {
        case .heard(let report): hear(report, into: &commands)
        case .connectCancelled: victim.attemptSince = nil
        case .connected(let link, _, let isCentral):
            guard isCentral else { return advertise(into: &commands) }
            victim.attemptSince = nil
            guard kind != .slowLinks else {
                misdeeds += 1
                return
            }
            victim.link = link
            victim.since = now
            stack.discover(
                [HeraldUUIDs.service, HeraldUUIDs.documentedService], on: link, at: now, into: &commands, &events)
        case .discovered(let link, let found):
            let signals = [HeraldUUIDs.compliantSignal, HeraldUUIDs.nonCompliantSignal]
            signal = found?.map(\.uuid).first { signals.contains($0) }
            pester(link, at: now, into: &commands)
        case .wrote(let link, _, let isDone):
            misdeeds += isDone ? 1 : 0
            pester(link, at: now, into: &commands)
        case .read(let link, _, let value):
            if let value, !value.isEmpty, value != payload {
                payload = value
                misdeeds += 1
            }
            publish()
            advertise(into: &commands)
            commands.append(.disconnect(link))
        case .disconnected(let link): if victim.link == link { victim.link = nil }
        case .subscribed, .mtu, .pushed, .rssi, .centralWrote, .centralReads, .centralSubscribed: break
        }
    }

    private mutating func hear(_ report: AdvertisementReport, into commands: inout [AirCommand]) {
        guard HeraldAdvertisementFields(parsing: report.data).namesHerald else { return }
        if kind == .replay, report.data != advertisement,
            HeraldAdvertisementFields(parsing: report.data).pseudoAddress != nil
        {
            advertisement = report.data
            misdeeds += 1
            advertise(into: &commands)
        }
        guard !heard.contains(report.address) else { return }
        if heard.count == Self.maximumHeard { heard.removeFirst() }
        heard.append(report.address)
    }

    /// Sends the next frame or request of the attack to a victim.
    private mutating func pester(_ link: LinkID, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        if kind == .replay {
            return stack.read(HeraldUUIDs.payload, on: link, at: now, into: &commands, &events)
        }
        guard let signal else { return commands.append(.disconnect(link)) }
        let value: [UInt8]
        switch kind {
        case .oversizedFrames: value = [4, 0xFF, 0xFF] + random.bytes(count: 17)
        case .messageFlood: value = [4, 17, 0] + random.bytes(count: 17)
        case .addressFlood, .replay, .slowLinks, .identityChurn, .fakePhones:
            value = [1, 17, 0] + random.bytes(count: 17)
        }
        stack.write(value, to: signal, on: link, at: now, into: &commands, &events)
    }
}
