import Air
import Bluetooth
import Determinism

@testable import StockHeralds

/// A wearable with the deployed C++ library: finds the documented service alone, reads payloads, and understands no
/// frames.
///
/// It keeps ten records, forgets one after two minutes though it hears it all the time, and reports a signal strength
/// only when it has changed.
struct StockCPPHerald: ProximityHost {
    /// The payload that it serves.
    let payload: [UInt8]

    private var stack = HostStack(maximumMTU: 23)
    private var records = StockHeraldRecords()
    private var attempt: (target: UInt64, link: LinkID?)?
    private var turnDue = MonotonicInstant.zero
    private var turns = 0
    private var events: [HostStackEvent] = []
    private var notes: [ProximityObservation] = []

    /// Makes a wearable.
    init(payload: [UInt8]) { self.payload = payload }

    /// The time of the next timer; nil for none.
    var nextDeadline: MonotonicInstant? { stack.nextDeadline.map { min($0, turnDue) } ?? turnDue }

    /// Returns its events.
    mutating func drainNotes(into notes: inout [ProximityObservation]) {
        notes += self.notes
        self.notes.removeAll(keepingCapacity: true)
    }

    /// Begins.
    mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        stack.publish(StockHeraldWire.services(of: .cpp, payload: payload))
        advertise(into: &commands)
        commands.append(.startScanning(isActive: false))
        turnDue = now + .seconds(1)
    }

    private func advertise(into commands: inout [AirCommand]) {
        commands.append(
            .startAdvertising(
                data: StockHeraldWire.advertisement(of: .cpp, pseudo: []), scanResponse: [],
                intervalMicroseconds: 250_000, isConnectable: true))
    }

    /// Handles an event of the Bluetooth controller.
    mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        stack.handle(event, at: now, into: &commands, &events)
        settle(at: now, into: &commands)
    }

    /// One round of the coordinator each second; of twenty rounds ten only scan, and end what is connected.
    mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        if let due = stack.nextDeadline, due <= now { stack.wake(at: now, into: &commands, &events) }
        if turnDue <= now {
            turnDue = now + .seconds(1)
            turns += 1
            if now.nanoseconds > 120_000_000_000 {
                records.forget(before: MonotonicInstant(nanoseconds: now.nanoseconds - 120_000_000_000), keeping: 10)
            }
            if turns % 20 < 10 { connectNext(into: &commands) } else { pause(into: &commands) }
        }
        settle(at: now, into: &commands)
    }

    private mutating func pause(into commands: inout [AirCommand]) {
        guard let attempt else { return }
        if let link = attempt.link { commands.append(.disconnect(link)) } else { commands.append(.cancelConnect) }
    }

    private mutating func connectNext(into commands: inout [AirCommand]) {
        guard attempt == nil, let next = records.all.first(where: { $0.isHerald && $0.payload == nil }) else { return }
        attempt = (next.target, nil)
        commands.append(.connect(next.address))
    }

    private mutating func settle(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        while !events.isEmpty { take(events.removeFirst(), at: now, into: &commands) }
    }

    private mutating func take(_ event: HostStackEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        switch event {
        case .heard(let report): hear(report, at: now)
        case .connectCancelled: attempt = nil
        case .connected(let link, _, let isCentral):
            guard isCentral else { return advertise(into: &commands) }
            guard attempt != nil else { return commands.append(.disconnect(link)) }
            attempt?.link = link
            stack.discover([StockHeraldWire.documentedService], on: link, at: now, into: &commands, &events)
        case .discovered(let link, let found):
            guard found?.contains(where: { $0.uuid == StockHeraldWire.payload }) ?? false else {
                return commands.append(.disconnect(link))
            }
            stack.read(StockHeraldWire.payload, on: link, at: now, into: &commands, &events)
        case .read(let link, _, let value):
            commands.append(.disconnect(link))
            guard let value, !value.isEmpty, let target = attempt?.target,
                let recordIndex = records.index(ofTarget: target)
            else { return }
            records[recordIndex].payload = value
            // That, and not what is heard, counts as a sign of life.
            records[recordIndex].updated = now
            notes.append(.payloadRead(value))
            notes.append(.identified(target: target, payload: value))
        case .disconnected(let link): if attempt?.link == link { attempt = nil }
        case .wrote, .subscribed, .mtu, .pushed, .rssi, .centralWrote, .centralReads, .centralSubscribed: break
        }
    }

    private mutating func hear(_ report: AdvertisementReport, at now: MonotonicInstant) {
        let reading = StockHeraldWire.read(report.data, swapsCompany: true)
        guard reading.hasDocumented else { return }
        let recordIndex = records.index(of: report.address, pseudo: reading.pseudo, at: now)
        records[recordIndex].isHerald = true
        guard records[recordIndex].rssi != report.rssi, let rssi = report.rssi else { return }
        records[recordIndex].rssi = rssi
        notes.append(.measured(target: records[recordIndex].target, rssi: rssi))
    }
}
