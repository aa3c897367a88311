import Bluetooth
import Determinism
import Herald
import Simulation

/// A share of a crowd that one thread looks after.
///
/// Devices act on each other through events alone, which come at the earliest in the next slice of time. So what a device does in
/// a slice depends on nothing that another does in it, and a run does not depend on how a crowd is shared out.
struct CrowdShard: Sendable {
    /// What came of a slice.
    struct Outcome: Sendable {
        var events: [CrowdEvent] = []
        var updates: [StationUpdate] = []
        var next: UInt64 = .max
        var log: [CrowdLogEntry] = []
    }

    /// What was counted of one device.
    struct Account: Sendable {
        let index: Int
        let figures: DeviceFigures
        let digest: UInt64
        let misdeeds: Int
    }

    /// Another device near the one that looks around.
    struct Neighbour: Sendable {
        let other: Int
        let mean: Double
    }

    /// So many events' memory is asked for at once.
    private static let touchedAhead = 16

    /// Nanoseconds in a slice of time: less than any frame takes.
    static let slice: UInt64 = 20_000_000

    let shards: Int
    let look: UInt64
    /// What all are on the air in this slice.
    var stations: Stations
    var residents: ContiguousArray<CrowdResident> = []
    var queue = CrowdQueue()
    var outcome = Outcome()
    var commands: [AirCommand] = []
    var notes: [ProximityNote] = []
    /// The lists that hosts take turns with, and whether the one that acts has them.
    private var scratch = HostScratch()
    private var isScratchLent = false
    /// The links of the one that acts on which frames went out since it was told so.
    var sent: [LinkID] = []
    /// Who is near the one that looks around, and under which addresses.
    var neighbours: [Neighbour] = []
    var neighbourAddresses: [DeviceAddress] = []
    /// Whose hosts the next few events strike.
    private var concerned: [Int] = []
    /// The sum of what was read only so that it is at hand; without meaning, but not to be left out.
    var touched: UInt64 = 0
    /// What the controllers tell their hosts now.
    var now: UInt64 = 0
    let keepsLog: Bool

    init(_ members: [CrowdResident.Beginning], of shards: Int, _ stations: Stations, look: UInt64, keepsLog: Bool) {
        self.shards = shards
        self.stations = stations
        self.look = look
        self.keepsLog = keepsLog
        residents = ContiguousArray(members.map { CrowdResident($0) })
        let looks = UInt8(clamping: DeviceFigures.windowSeconds * 1_000_000_000 / look)
        for index in residents.indices { residents[index].figures.looksPerWindow = looks }
    }

    func place(of device: Int) -> Int { device / shards }

    /// Lets all hosts begin.
    mutating func start(in sky: Sky) -> Outcome {
        for index in residents.indices {
            let phase = residents[index].random.below(look)
            put(.look, at: phase, index)
            if let life = residents[index].phone.addressLife {
                put(.rotate, at: UInt64(life * 1e9) / 2 + phase, index)
            }
            let address = stations[residents[index].index].address
            act(index, from: nil, sky) { $0.start(as: address, at: $1, into: &$2) }
        }
        return finishSlice()
    }

    /// Does all that is due before `end`.
    mutating func run(
        until end: UInt64, _ incoming: [CrowdEvent], _ updates: [StationUpdate], in sky: Sky
    ) -> Outcome {
        stations.apply(updates)
        for event in incoming { queue.insert(event) }
        queue.turn(before: end)
        var touchedEvents = 0
        while true {
            if touchedEvents == 0 { touchedEvents = touchUpcoming() }
            touchedEvents -= 1
            guard let event = queue.popFirst(before: end) else { break }
            now = max(now, event.at)
            handle(event, sky)
        }
        return finishSlice()
    }

    /// Has memory bring at once what the next events need: one after the other, each would be waited for.
    ///
    /// Returns how many those are.
    private mutating func touchUpcoming() -> Int {
        let events = queue.upcoming(Self.touchedAhead)
        var sum: UInt64 = 0
        for event in events { sum &+= residents[place(of: queue.device(at: event))].touch() }
        for event in events where queue.concernsHost(at: event) { concerned.append(place(of: queue.device(at: event))) }
        for depth in 0...3 {
            for index in concerned { sum &+= residents[index].host.touch(depth) }
        }
        concerned.removeAll(keepingCapacity: true)
        touched &+= sum
        return max(1, events.count)
    }

    /// What the log still lacks at the end.
    mutating func finishLog(at end: UInt64) -> [CrowdLogEntry] {
        for index in residents.indices {
            logRest(index, at: end)
        }
        return finishSlice().log
    }

    /// What was counted, by device.
    mutating func finish(at end: UInt64) -> [Account] {
        residents.indices.map { index in
            if !residents[index].canListen {
                residents[index].figures.longestScanGap = max(
                    residents[index].figures.longestScanGap, end - min(residents[index].deafSince, end))
            }
            for link in residents[index].links where link.isCentral {
                residents[index].figures.linkNanoseconds += end - min(link.openedAt, end)
            }
            residents[index].figures.finish(at: end / 1_000_000_000)
            return Account(
                index: residents[index].index, figures: residents[index].figures, digest: residents[index].digest,
                misdeeds: residents[index].host.misdeeds)
        }
    }

    private mutating func finishSlice() -> Outcome {
        outcome.next = queue.first ?? .max
        let result = outcome
        outcome = Outcome()
        return result
    }

    // MARK: - Events

    /// Puts an event of a device's own.
    mutating func put(_ kind: CrowdEvent.Kind, at instant: UInt64, _ index: Int) {
        let device = UInt32(residents[index].index)
        queue.insert(
            CrowdEvent(
                at: instant, device: device, source: device, sequence: residents[index].nextSequence(), kind: kind))
    }

    /// Sends an event to another device, not before the next slice.
    mutating func send(_ kind: CrowdEvent.Kind, to device: Int, at instant: UInt64, from index: Int) {
        let earliest = (now / Self.slice + 1) * Self.slice
        outcome.events.append(
            CrowdEvent(
                at: max(instant, earliest), device: UInt32(device), source: UInt32(residents[index].index),
                sequence: residents[index].nextSequence(), kind: kind))
    }

    private mutating func handle(_ event: CrowdEvent, _ sky: Sky) {
        let index = place(of: Int(event.device))
        switch event.kind {
        case .look: withScratch(index) { $0.lookAround(index, sky) }
        case .deadline:
            guard residents[index].scheduled == event.at else { return }
            residents[index].scheduled = .max
            if residents[index].host.dueInstant() <= now {
                act(index, from: nil, sky) { $0.wake(at: $1, into: &$2) }
            } else {
                schedule(index)
            }
        case .rotate: rotate(index, sky)
        default: handleLink(event, index, sky)
        }
    }

    private mutating func rotate(_ index: Int, _ sky: Sky) {
        guard let life = residents[index].phone.addressLife else { return }
        put(.rotate, at: now + UInt64(life * 1e9), index)
        let word = residents[index].random.nextWord()
        let address = DeviceAddress(value: word & 0x3FFF_FFFF_FFFF | 0x4000_0000_0000, kind: .random)
        outcome.updates.append(.address(residents[index].index, address))
        act(index, from: nil, sky) { $0.addressChanged(to: address, at: $1, into: &$2) }
    }

    // MARK: - Hosts

    /// Lets a host act on what comes from another device or from itself, and does what it asks.
    mutating func act(
        _ index: Int, from peer: Int?, _ sky: Sky,
        _ body: (inout any CrowdHost, MonotonicInstant, inout [AirCommand]) -> Void
    ) {
        withScratch(index) { shard in
            body(&shard.residents[index].host, MonotonicInstant(nanoseconds: shard.now), &shard.commands)
            shard.settle(index, from: peer, sky)
        }
    }

    /// Lends a host the lists of the shard while it deals with an event.
    mutating func withScratch(_ index: Int, _ body: (inout CrowdShard) -> Void) {
        guard !isScratchLent else { return body(&self) }
        isScratchLent = true
        residents[index].host.exchange(&scratch)
        body(&self)
        residents[index].host.exchange(&scratch)
        isScratchLent = false
    }

    /// Takes what a host has noticed and does what it asks.
    mutating func settle(_ index: Int, from peer: Int?, _ sky: Sky) {
        residents[index].host.drainNotes(into: &notes)
        if !notes.isEmpty { take(index, from: peer) }
        if keepsLog { logEvents(index, from: peer) }
        while !commands.isEmpty {
            for command in commands { perform(command, index, sky) }
            commands.removeAll(keepingCapacity: true)
            tellSent(index)
        }
        schedule(index)
    }

    private mutating func schedule(_ index: Int) {
        let due = residents[index].host.dueInstant()
        guard due < .max else { return }
        // A host that is due at once is called again a little later, so that time goes on whatever it does.
        let instant = max(due, now + 1_000_000)
        guard instant < residents[index].scheduled else { return }
        residents[index].scheduled = instant
        put(.deadline, at: instant, index)
    }

    /// Counts what a device noticed.
    private mutating func take(_ index: Int, from peer: Int?) {
        let seconds = now / 1_000_000_000
        for note in notes {
            switch note {
            case .measured(let target, let rssi):
                residents[index].mix(UInt64(bitPattern: Int64(rssi)) &+ target << 8)
                guard let peer else { continue }
                let owner = residents[index].owner(of: target)
                if owner >= 0, owner != peer { residents[index].figures.misattributed += 1 }
                residents[index].figures.noteReading(of: peer, at: seconds)
            case .identified(let target, let payload):
                guard let owner = CrowdPayload.owner(of: payload) else { continue }
                residents[index].mix(UInt64(owner) ^ now)
                residents[index].setOwner(owner, of: target)
                residents[index].figures.noteIdentity(of: owner)
            case .payloadRead(let payload):
                if let peer { residents[index].figures.noteRead(of: peer, payload: payload, at: seconds) }
            case .merged: break
            case .received: residents[index].figures.messagesReceived += 1
            }
        }
        notes.removeAll(keepingCapacity: true)
    }

    private mutating func logEvents(_ index: Int, from peer: Int?) {
        var events: [HeraldEvent] = []
        residents[index].host.drainEvents(into: &events)
        for event in events {
            // Who is behind a name is known when the name is given: it is the one whose doing it was.
            if case .detected(let target) = event, let peer { residents[index].names[target.number] = peer }
            let known = event.target.flatMap { residents[index].names[$0.number] }
            log(.event(event, about: known), index, at: now)
        }
    }

    mutating func log(_ content: CrowdLogEntry.Content, _ index: Int, at instant: UInt64) {
        outcome.log.append(
            CrowdLogEntry(
                device: residents[index].index, at: MonotonicInstant(nanoseconds: instant), content: content))
    }
}

extension CrowdResident {
    /// Whose a target is; −1 when that is not known.
    func owner(of target: UInt64) -> Int {
        target < UInt64(owners.count) ? Int(owners[Int(target)]) - 1 : -1
    }

    mutating func setOwner(_ owner: Int, of target: UInt64) {
        guard target < 1 << 24 else { return }
        while UInt64(owners.count) <= target { owners.append(0) }
        owners[Int(target)] = UInt32(owner) + 1
    }
}

extension HeraldEvent {
    /// Whom it is about; nil when it is about the device itself.
    fileprivate var target: TargetID? {
        switch self {
        case .state, .ownPayload, .noPayload: nil
        case .detected(let target), .recognised(let target), .forgotten(let target), .merged(let target, _): target
        case .read(let target, _, _), .legacy(let target, _, _), .contactBegan(let target, _, _): target
        case .shared(_, let target, _), .received(_, let target), .sent(_, let target): target
        case .notSent(_, let target, _), .transmitPower(let target, _), .model(let target, _): target
        case .measured(let reading): reading.target
        case .contactEnded(let contact): contact.target
        case .visit(let visit): visit.target
        case .trouble(_, let target): target
        }
    }
}
