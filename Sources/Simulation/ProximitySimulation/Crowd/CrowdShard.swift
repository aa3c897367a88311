import Air
import Bluetooth
import Determinism
import Herald

/// A share of a crowd that one thread runs.
///
/// Devices act on each other through events alone, which come at the earliest in the next slice of time. So devices do
/// not affect each other within a slice, and a run does not depend on the division of a crowd into shards.
struct CrowdShard: Sendable {
    /// The events, updates and log entries that a shard produces in a slice of time.
    struct ShardSliceOutput: Sendable {
        var events: [CrowdEvent] = []
        var updates: [DeviceRadioUpdate] = []
        var next: UInt64 = .max
        var log: [CrowdLogEntry] = []
    }

    /// The number of events whose memory is prefetched at once.
    private static let prefetchedEvents = 16

    /// The length of a slice of time in nanoseconds: less than any frame takes.
    static let slice: UInt64 = 20_000_000

    /// The lists of the host that acts.
    private struct ActingHost: Sendable {
        var commands: [AirCommand] = []
        var notes: [ProximityObservation] = []
        /// The links whose sent frames were not reported to the host yet.
        var sent: [LinkID] = []
        /// The lists that hosts share in turn, and whether the acting host has them.
        var scratch = HostEventBuffers()
        var isScratchLent = false
    }

    /// The memory of the next events that is read ahead.
    private struct Prefetch: Sendable {
        /// The target devices of the next few events.
        var concerned: [Int] = []
        /// The sum of the prefetched values; it has no meaning, and prevents the compiler from removing the reads.
        var sum: UInt64 = 0
    }

    private let shards: Int
    private let look: UInt64
    /// The state of all devices on the air in this slice.
    private var stations: SimulatedDeviceRadios
    private var devices: ContiguousArray<CrowdDevice> = []
    private var queue = CrowdEventQueue()
    private var outcome = ShardSliceOutput()
    private var acting = ActingHost()
    private var near = NearDevices()
    private var prefetch = Prefetch()
    /// The present instant, in nanoseconds.
    private var now: UInt64 = 0
    /// The entries for the log; nil without one.
    private var log: CrowdLog?

    init(
        _ members: [CrowdDevice.InitialState], of shards: Int, _ stations: SimulatedDeviceRadios, look: UInt64,
        keepsLog: Bool
    ) {
        self.shards = shards
        self.stations = stations
        self.look = look
        if keepsLog { log = CrowdLog(look: look) }
        devices = ContiguousArray(members.map { CrowdDevice($0) })
        let looks = UInt8(clamping: CrowdDeviceFigures.windowSeconds * 1_000_000_000 / look)
        for index in devices.indices { devices[index].measurements.figures.looksPerWindow = looks }
    }

    private func localIndex(of device: Int) -> Int { device / shards }

    /// Starts the hosts of all devices in the shard.
    mutating func start(in positions: DevicePositions) -> ShardSliceOutput {
        for index in devices.indices {
            let phase = devices[index].random.below(look)
            put(.look, at: phase, index)
            if let life = devices[index].phone.addressLife {
                put(.rotate, at: UInt64(life * 1e9) / 2 + phase, index)
            }
            let address = stations[devices[index].index].address
            act(index, from: nil, positions) { $0.start(as: address, at: $1, into: &$2) }
        }
        return finishSlice()
    }

    /// Handles all events before `end`.
    mutating func run(
        until end: UInt64, _ incoming: [CrowdEvent], _ updates: [DeviceRadioUpdate], in positions: DevicePositions
    ) -> ShardSliceOutput {
        stations.apply(updates)
        for event in incoming { queue.insert(event) }
        queue.advance(to: end)
        var ahead = 0
        while true {
            if ahead == 0 { ahead = prefetchUpcoming() }
            ahead -= 1
            guard let event = queue.popFirst(before: end) else { break }
            now = max(now, event.at)
            handle(event, positions)
        }
        return finishSlice()
    }

    /// Prefetches the memory of the next events, so that the waits for it overlap.
    ///
    /// Returns the number of those events.
    private mutating func prefetchUpcoming() -> Int {
        let events = queue.upcoming(Self.prefetchedEvents)
        var sum: UInt64 = 0
        for event in events { sum &+= devices[localIndex(of: queue.device(at: event))].prefetch() }
        for event in events where queue.concernsHost(at: event) {
            prefetch.concerned.append(localIndex(of: queue.device(at: event)))
        }
        for depth in 0...1 {
            for index in prefetch.concerned { sum &+= devices[index].host.prefetch(depth) }
        }
        prefetch.concerned.removeAll(keepingCapacity: true)
        prefetch.sum &+= sum
        return max(1, events.count)
    }

    /// Logs the times in range that have not ended, and returns the last entries of the log.
    mutating func finishLog(at end: UInt64) -> [CrowdLogEntry] {
        for index in devices.indices { log?.noteRest(of: devices[index], at: end) }
        return finishSlice().log
    }

    /// Ends the counting, and returns the figures of each device in the shard.
    mutating func finish(at end: UInt64) -> [CrowdDevice.DeviceRunResult] {
        devices.indices.map { devices[$0].finish(at: end) }
    }

    private mutating func finishSlice() -> ShardSliceOutput {
        outcome.next = queue.first ?? .max
        outcome.log = log?.drain() ?? []
        let result = outcome
        outcome = ShardSliceOutput()
        return result
    }

    // MARK: - Events

    /// Schedules an event of a device for itself.
    private mutating func put(_ kind: CrowdEvent.Kind, at instant: UInt64, _ index: Int) {
        let device = UInt32(devices[index].index)
        queue.insert(
            CrowdEvent(
                at: instant, device: device, source: device, sequence: devices[index].nextSequence(), kind: kind))
    }

    /// Sends an event to another device, not before the next slice.
    private mutating func send(_ kind: CrowdEvent.Kind, to device: Int, at instant: UInt64, from index: Int) {
        let earliest = (now / Self.slice + 1) * Self.slice
        outcome.events.append(
            CrowdEvent(
                at: max(instant, earliest), device: UInt32(device), source: UInt32(devices[index].index),
                sequence: devices[index].nextSequence(), kind: kind))
    }

    private mutating func handle(_ event: CrowdEvent, _ positions: DevicePositions) {
        let index = localIndex(of: Int(event.device))
        switch event.kind {
        case .look: withScratch(index) { $0.lookAround(index, positions) }
        case .deadline:
            guard devices[index].scheduled == event.at else { return }
            devices[index].scheduled = .max
            if devices[index].host.dueInstant() <= now {
                act(index, from: nil, positions) { $0.wake(at: $1, into: &$2) }
            } else {
                schedule(index)
            }
        case .rotate: rotate(index, positions)
        case .initiate, .request, .accept, .refuse, .frame, .down, .cancelled, .strength:
            handleLink(event, index, positions)
        }
    }

    private mutating func rotate(_ index: Int, _ positions: DevicePositions) {
        guard let life = devices[index].phone.addressLife else { return }
        put(.rotate, at: now + UInt64(life * 1e9), index)
        let word = devices[index].random.nextWord()
        let address = DeviceAddress(value: word & 0x3FFF_FFFF_FFFF | 0x4000_0000_0000, kind: .random)
        outcome.updates.append(.address(devices[index].index, address))
        act(index, from: nil, positions) { $0.addressChanged(to: address, at: $1, into: &$2) }
    }

    // MARK: - Hosts

    /// Passes an event to a host, and carries out its commands.
    private mutating func act(
        _ index: Int, from peer: Int?, _ positions: DevicePositions,
        _ body: (inout any CrowdHost, MonotonicInstant, inout [AirCommand]) -> Void
    ) {
        withScratch(index) { shard in
            body(&shard.devices[index].host, MonotonicInstant(nanoseconds: shard.now), &shard.acting.commands)
            shard.settle(index, from: peer, positions)
        }
    }

    /// Lends a host the lists of the shard while it handles an event.
    private mutating func withScratch(_ index: Int, _ body: (inout CrowdShard) -> Void) {
        guard !acting.isScratchLent else { return body(&self) }
        acting.isScratchLent = true
        devices[index].host.exchange(&acting.scratch)
        body(&self)
        devices[index].host.exchange(&acting.scratch)
        acting.isScratchLent = false
    }

    /// Collects the host's observations, carries out its commands and schedules its next deadline.
    private mutating func settle(_ index: Int, from peer: Int?, _ positions: DevicePositions) {
        devices[index].host.drainNotes(into: &acting.notes)
        for note in acting.notes { devices[index].count(note, from: peer, at: now) }
        acting.notes.removeAll(keepingCapacity: true)
        log?.noteEvents(of: &devices[index], from: peer, at: now)
        while !acting.commands.isEmpty {
            for command in acting.commands { perform(command, index, positions) }
            acting.commands.removeAll(keepingCapacity: true)
            reportSent(index)
        }
        schedule(index)
    }

    private mutating func schedule(_ index: Int) {
        let due = devices[index].host.dueInstant()
        guard due < .max else { return }
        // A host that is due at once is called again a millisecond later, so that time always advances.
        let instant = max(due, now + 1_000_000)
        guard instant < devices[index].scheduled else { return }
        devices[index].scheduled = instant
        put(.deadline, at: instant, index)
    }

    // MARK: - What a controller hears between two looks

    /// Passes a host the advertisements since the last look, and counts the devices in range.
    private mutating func lookAround(_ index: Int, _ positions: DevicePositions) {
        let me = devices[index].index
        put(.look, at: now + look, index)
        if devices[index].listening.since != .max {
            devices[index].listening.time += now - devices[index].listening.since
            devices[index].listening.since = now
        }
        let share = min(1, Double(devices[index].listening.time) / Double(look))
        devices[index].listening.time = 0
        let clear = SignalPropagationModel.clearShare(devices[index].heardCount)
        let seconds = now / 1_000_000_000
        near.survey(me, stations, positions)
        prefetch.sum &+= near.prefetch(for: &devices[index], stations)
        var heard = 0
        for position in near.found.indices {
            let (other, mean) = (near.found[position].device, near.found[position].mean)
            if mean >= SignalPropagationModel.range {
                let position = devices[index].measurements.figures.pairs.index(of: other)
                devices[index].measurements.figures.noteInRange(
                    position, at: seconds, canNotice: stations.canNotice(me, other))
                log?.noteNear(&devices[index], other, position, positions, at: now)
            }
            guard stations[other].isAdvertising else { continue }
            if hear(index, other, mean, share, clear, positions) { heard += 1 }
        }
        devices[index].heardCount = heard
        let records = devices[index].host.countRecords()
        if records > devices[index].measurements.figures.mostRecords {
            devices[index].measurements.figures.mostRecords = records
        }
        checkLinks(index, positions)
    }

    /// Passes a host one advertisement of another device, if one was received in this time.
    private mutating func hear(
        _ index: Int, _ other: Int, _ mean: Double, _ share: Double, _ clear: UInt64, _ positions: DevicePositions
    ) -> Bool {
        let sent = Double(look) / 1e6 / stations[other].intervalMilliseconds * share
        var tries = min(4, Int(sent))
        if tries < 4, devices[index].random.chance(sent - Double(tries)) { tries += 1 }
        while tries > 0 {
            tries -= 1
            guard let rssi = SignalPropagationModel.packet(mean, clear: clear, &devices[index].random) else { continue }
            deliver(stations[other].address, rssi, index, other, positions)
            for _ in 0..<stations[other].phantoms {
                let address = DeviceAddress(staticRandom: devices[index].random.nextWord())
                devices[index].measurements.figures.phantomsHeard += 1
                deliver(address, rssi, index, other, positions)
            }
            return true
        }
        return false
    }

    private mutating func deliver(
        _ address: DeviceAddress, _ rssi: Int, _ index: Int, _ other: Int, _ positions: DevicePositions
    ) {
        devices[index].measurements.figures.advertisementsHeard += 1
        devices[index].measurements.mix(UInt64(other) << 16 ^ now)
        let bytes = stations.bytes
        devices[index].host.hear(
            address, kind: stations[other].isConnectable ? .connectable : .broadcast, rssi: rssi,
            data: bytes.span.extracting(stations.range(of: other)), at: MonotonicInstant(nanoseconds: now),
            into: &acting.commands)
        settle(index, from: other, positions)
    }

    /// Ends links whose signal was too weak for two looks in a row; the central's side decides for both.
    private mutating func checkLinks(_ index: Int, _ positions: DevicePositions) {
        var position = 0
        while position < devices[index].links.count {
            let link = devices[index].links[position]
            position += 1
            guard link.isCentral else { continue }
            guard positions.mean(at: devices[index].index, of: link.peer) < SignalPropagationModel.linkFloor else {
                devices[index].links[position - 1].weakLooks = 0
                continue
            }
            devices[index].links[position - 1].weakLooks += 1
            guard link.weakLooks >= 1 else { continue }
            send(.down(link: link.peerNumber, reason: 0x08), to: link.peer, at: now, from: index)
            drop(index, link.number, reason: 0x08, positions)
            position = 0
        }
    }

    // MARK: - Links

    private mutating func perform(_ command: AirCommand, _ index: Int, _ positions: DevicePositions) {
        let me = devices[index].index
        switch command {
        case .configure, .addAdvertisement, .removeAdvertisement: break
        case .startAdvertising(let data, _, let interval, let isConnectable):
            guard data.count <= 31 else { return }
            devices[index].isAdvertising = isConnectable
            let advertisement = DeviceAdvertisingState(
                data: data, isConnectable: isConnectable,
                intervalMilliseconds: Double(min(max(interval, 20_000), 10_240_000)) / 1000,
                isInBackground: data == HeraldHost.backgroundAdvertisement)
            outcome.updates.append(.advertisement(me, advertisement))
        case .stopAdvertising:
            devices[index].isAdvertising = false
            outcome.updates.append(.advertisement(me, nil))
        case .startScanning:
            devices[index].listening.isScanning = true
            devices[index].updateListening(at: now)
        case .stopScanning:
            devices[index].listening.isScanning = false
            devices[index].updateListening(at: now)
        case .connect(let address): connect(index, to: address)
        case .cancelConnect:
            guard devices[index].attempt.ticket != 0 else { return }
            endAttempt(index)
            put(.cancelled, at: now, index)
        case .send(let link, let frame): send(frame, link, index, positions)
        case .disconnect(let link): close(UInt32(truncatingIfNeeded: link.number), index)
        case .readStatistics(let link): reportStatistics(UInt32(truncatingIfNeeded: link.number), index, positions)
        }
    }

    // MARK: - Connecting

    private mutating func connect(_ index: Int, to address: DeviceAddress) {
        devices[index].numbers.ticket &+= 1
        devices[index].attempt = CrowdDevice.CrowdConnectAttempt(
            ticket: devices[index].numbers.ticket, address: address)
        devices[index].updateListening(at: now)
        let share = devices[index].phone.silentConnectShare
        guard share == 0 || !devices[index].random.chance(share) else { return }
        let wait = SignalPropagationModel.connectMilliseconds(&devices[index].random)
        put(.initiate(ticket: devices[index].numbers.ticket), at: now + UInt64(wait) * 1_000_000, index)
    }

    private mutating func endAttempt(_ index: Int) {
        devices[index].attempt = CrowdDevice.CrowdConnectAttempt()
        devices[index].updateListening(at: now)
    }

    private mutating func initiate(_ ticket: UInt32, _ index: Int, _ positions: DevicePositions) {
        let attempt = devices[index].attempt
        guard attempt.ticket == ticket else { return }
        let me = devices[index].index
        guard devices[index].links.count < devices[index].phone.linkLimit,
            let peer = stations.owner(of: attempt.address), peer != me, stations[peer].isConnectable,
            positions.mean(at: me, of: peer) >= SignalPropagationModel.sensitivity
        else { return tryAgain(ticket, index) }
        devices[index].numbers.link += 1
        send(.request(link: devices[index].numbers.link, ticket: ticket), to: peer, at: now, from: index)
    }

    private mutating func tryAgain(_ ticket: UInt32, _ index: Int) {
        let wait = UInt64(devices[index].random.within(300...1500))
        put(.initiate(ticket: ticket), at: now + wait * 1_000_000, index)
    }

    private mutating func handleLink(_ event: CrowdEvent, _ index: Int, _ positions: DevicePositions) {
        let source = Int(event.source)
        switch event.kind {
        case .initiate(let ticket): initiate(ticket, index, positions)
        case .request(let link, let ticket): answer(link, ticket, of: source, index, positions)
        case .accept(let yours, let mine, let ticket):
            guard devices[index].attempt.ticket == ticket else {
                return send(.down(link: mine, reason: 0x13), to: source, at: now, from: index)
            }
            endAttempt(index)
            open(yours, mine, with: source, isCentral: true, index, positions)
        case .refuse(let ticket):
            if devices[index].attempt.ticket == ticket { tryAgain(ticket, index) }
        case .frame(let link, let frame):
            guard devices[index].linkIndex(of: link) != nil else { return }
            let received = AirEvent.received(LinkID(UInt64(link)), frame: frame)
            act(index, from: source, positions) { $0.handle(received, at: $1, into: &$2) }
        case .down(let link, let reason): drop(index, link, reason: reason, positions)
        case .cancelled: act(index, from: nil, positions) { $0.handle(.connectCancelled, at: $1, into: &$2) }
        case .strength(let link, let peer, let rssi):
            var statistics = AirLinkStatistics()
            statistics.rssi = rssi.map(Int.init)
            let event = AirEvent.statistics(LinkID(UInt64(link)), statistics)
            act(index, from: Int(peer), positions) { $0.handle(event, at: $1, into: &$2) }
        case .look, .deadline, .rotate: break
        }
    }

    /// Accepts or refuses a central's connection request; accepting ends advertising, as in a controller.
    private mutating func answer(
        _ link: UInt32, _ ticket: UInt32, of central: Int, _ index: Int, _ positions: DevicePositions
    ) {
        guard devices[index].isAdvertising, devices[index].links.count < devices[index].phone.linkLimit else {
            return send(.refuse(ticket: ticket), to: central, at: now, from: index)
        }
        devices[index].isAdvertising = false
        outcome.updates.append(.advertisement(devices[index].index, nil))
        devices[index].numbers.link += 1
        let mine = devices[index].numbers.link
        send(.accept(yours: link, mine: mine, ticket: ticket), to: central, at: now, from: index)
        open(mine, link, with: central, isCentral: false, index, positions)
    }

    private mutating func open(
        _ number: UInt32, _ other: UInt32, with peer: Int, isCentral: Bool, _ index: Int, _ positions: DevicePositions
    ) {
        devices[index].links.append(
            CrowdLink(
                number: number, peer: peer, peerNumber: other, isCentral: isCentral, openedAt: now, lastArrival: now))
        devices[index].measurements.figures.linksOpened += isCentral ? 1 : 0
        devices[index].measurements.mix(UInt64(peer) ^ now << 1)
        let event = AirEvent.connected(
            LinkID(UInt64(number)), peer: stations[peer].address, isCentral: isCentral, Self.parameters,
            queueCapacity: 8)
        act(index, from: peer, positions) { $0.handle(event, at: $1, into: &$2) }
    }

    private static let parameters =
        LinkParameters.named.first { $0.name == "phone-5" }?.parameters ?? LinkParameters.named[0].parameters

    // MARK: - Frames

    private mutating func send(_ frame: [UInt8], _ id: LinkID, _ index: Int, _ positions: DevicePositions) {
        guard let position = devices[index].linkIndex(of: UInt32(truncatingIfNeeded: id.number)),
            !devices[index].links[position].isClosing
        else { return }
        let link = devices[index].links[position]
        let mean = positions.mean(at: link.peer, of: devices[index].index)
        let tries = UInt64(SignalPropagationModel.tries(mean, &devices[index].random))
        let interval = UInt64(devices[index].phone.linkInterval) * 1_000_000
        let arrival = max(link.lastArrival, now + interval / 2) + interval / 2 * tries
        devices[index].links[position].lastArrival = arrival
        devices[index].measurements.figures.linkBytes += frame.count
        send(.frame(link: link.peerNumber, frame), to: link.peer, at: arrival, from: index)
        acting.sent.append(id)
    }

    /// Reports to a host that its controller has sent its frames: the buffer holds all of them, in order.
    private mutating func reportSent(_ index: Int) {
        for link in acting.sent {
            devices[index].host.handle(.sent(link), at: MonotonicInstant(nanoseconds: now), into: &acting.commands)
        }
        acting.sent.removeAll(keepingCapacity: true)
    }

    private mutating func close(_ number: UInt32, _ index: Int) {
        guard let position = devices[index].linkIndex(of: number),
            !devices[index].links[position].isClosing
        else { return }
        devices[index].links[position].isClosing = true
        let link = devices[index].links[position]
        let end = max(link.lastArrival, now) + UInt64(devices[index].phone.linkInterval) * 1_000_000
        send(.down(link: link.peerNumber, reason: 0x13), to: link.peer, at: end, from: index)
        put(.down(link: number, reason: 0x16), at: end, index)
    }

    /// Handles the end of a connection.
    private mutating func drop(_ index: Int, _ number: UInt32, reason: UInt8, _ positions: DevicePositions) {
        guard let position = devices[index].linkIndex(of: number) else { return }
        let link = devices[index].links.remove(at: position)
        if link.isCentral { devices[index].measurements.figures.linkNanoseconds += now - min(link.openedAt, now) }
        devices[index].measurements.mix(UInt64(link.peer) ^ now << 2)
        let event = AirEvent.disconnected(LinkID(UInt64(number)), reason: reason, AirLinkStatistics())
        act(index, from: link.peer, positions) { $0.handle(event, at: $1, into: &$2) }
    }

    private mutating func reportStatistics(_ number: UInt32, _ index: Int, _ positions: DevicePositions) {
        guard let position = devices[index].linkIndex(of: number) else { return }
        let link = devices[index].links[position]
        let mean = positions.mean(at: devices[index].index, of: link.peer)
        let rssi = SignalPropagationModel.packet(mean, clear: 256, &devices[index].random).map { Int8(clamping: $0) }
        put(.strength(link: number, peer: UInt32(link.peer), rssi: rssi), at: now, index)
    }
}
