public import Bluetooth
public import Determinism

/// The air between simulated Bluetooth devices: advertising, scanning and connections with the timing of real ones.
///
/// No threads, no clock, no I/O: its owner hands in commands with their instants, calls `advance` when `nextDeadline`
/// has come, and passes the deliveries on. Same seed and same calls give the same deliveries. A driver in virtual time
/// goes from one deadline to the next, so that hosts answer in time; one in real time may come late.
///
/// Modelled: advertising events with their random delay, scan responses, connections by the rules in
/// `DeviceRadioConditions`, connection events packet by packet, acknowledgements, corrupted packets sent again, queues
/// of finite length, write commands dropped by the receiving host, supervision timeouts. Not modelled: collisions, and
/// that one device has one radio for all its connections.
///
/// Limits: 65,535 devices, 64 connections and 16 advertisements of one device, frames of 5 to 65,539 bytes.
public struct SimulatedAir: Sendable {
    /// An event for a device's host.
    public struct HostDelivery: Hashable, Sendable {
        /// The device whose host receives it.
        public let device: AirDeviceID
        /// The event that the controller reports.
        public let event: AirEvent
        /// The time of the event.
        public let at: MonotonicInstant
    }

    private enum ScheduledAirEvent: Sendable {
        case advertise(AirDeviceID, ticket: UInt64)
        case link(LinkID, ticket: UInt64)
    }

    /// The most devices that are attached at one time.
    public static let maximumDevices = 65_535
    /// The most connections of one device.
    public static let maximumLinksPerDevice = 64
    /// The most advertisements of one device.
    public static let maximumAdvertisementsPerDevice = 16

    private var outlet = AirOutputs()
    private var random: SeededRandom
    private var advertisingFaults: AdvertisingFaults
    private var heap = EventHeap<ScheduledAirEvent>()
    private var nextTicket: UInt64 = 0
    private var devices: [AirDeviceID: AirDevice] = [:]
    private var owners: [DeviceAddress: AirDeviceID] = [:]
    /// The devices that listen, in the order of attachment.
    private var scanners: [AirDeviceID] = []
    /// The devices that wait for a connection, in the order of their commands.
    private var initiators: [AirDeviceID] = []
    private var links: [LinkID: AirLink] = [:]
    private var lastDevice: UInt32 = 0
    private var lastLink: UInt32 = 0

    /// Makes an air without devices whose clock stands at zero.
    ///
    /// `advertisementLossShare`: the share of advertising events that a scanner misses, each scanner on its own.
    /// `trace`: where to record what happens; nil records nothing.
    public init(seed: UInt64, advertisementLossShare: Double = 0, trace: SimulationTrace? = nil) {
        random = SeededRandom(seed: seed)
        advertisingFaults = AdvertisingFaults(lossShare: advertisementLossShare, random: &random)
        outlet.trace = trace
    }

    /// The latest instant of a call to the air.
    public var now: MonotonicInstant { outlet.now }

    /// The recorded trace; nil when none is recorded.
    public var trace: SimulationTrace? { outlet.trace }

    /// The next time at which the caller calls `advance`; nil while nothing is under way.
    ///
    /// Advertising is always under way; a connection without data is not.
    public var nextDeadline: MonotonicInstant? { heap.first?.instant }

    /// Adds a line of the caller, the owner of the air, to the trace.
    public mutating func note(_ kind: String, device: AirDeviceID? = nil, _ detail: String = "") {
        outlet.note(kind, device: device, detail)
    }

    /// Adds a device; without `address`, or when that is taken, a static random one is drawn from the seed.
    ///
    /// nil when as many devices are attached as may be.
    public mutating func attach(
        address wanted: DeviceAddress? = nil, conditions: DeviceRadioConditions = DeviceRadioConditions()
    ) -> (device: AirDeviceID, address: DeviceAddress)? {
        guard devices.count < Self.maximumDevices, lastDevice < .max else { return nil }
        var address = wanted ?? DeviceAddress(staticRandom: random.nextWord())
        while owners[address] != nil { address = DeviceAddress(staticRandom: random.nextWord()) }
        lastDevice += 1
        let device = AirDeviceID(lastDevice)
        devices[device] = AirDevice(address: address, conditions: conditions, random: random.split())
        owners[address] = device
        outlet.note("attach", device: device, "address=\(address)")
        return (device, address)
    }

    /// Takes a device away; its host receives nothing any more.
    ///
    /// Peers see the supervision timeout, or, when it goes `gracefully`, a disconnect after what is queued.
    public mutating func detach(
        _ device: AirDeviceID, gracefully: Bool = false, at instant: MonotonicInstant,
        into deliveries: inout [HostDelivery]
    ) {
        process(through: instant)
        if devices[device] != nil {
            outlet.note("detach", device: device)
            let instant = now
            silence(device)
            devices[device]?.isLeaving = true
            for link in devices[device]?.links ?? [] {
                if gracefully {
                    links[link]?.close(from: device, at: instant)
                } else {
                    links[link]?.abandon(device, into: &outlet)
                }
                settle(link)
            }
            removeIfGone(device)
        }
        flush(into: &deliveries)
    }

    /// Carries out a command of a device's host at `instant`, after all events due until then.
    ///
    /// An instant in the past counts as the present. Commands of unknown devices and about unknown links are ignored.
    public mutating func perform(
        _ command: AirCommand, by device: AirDeviceID, at instant: MonotonicInstant,
        into deliveries: inout [HostDelivery]
    ) {
        process(through: instant)
        if devices[device].map({ !$0.isLeaving }) ?? false { perform(command, by: device) }
        flush(into: &deliveries)
    }

    /// Moves the clock to `instant` and does all that is due until then, in order.
    public mutating func advance(to instant: MonotonicInstant, into deliveries: inout [HostDelivery]) {
        process(through: instant)
        flush(into: &deliveries)
    }

    // MARK: - Commands

    private mutating func perform(_ command: AirCommand, by device: AirDeviceID) {
        switch command {
        case .configure(let conditions):
            devices[device]?.conditions = conditions
        case .startAdvertising(let data, let scanResponse, let interval, let isConnectable):
            startAdvertising(
                AirAdvertisement(data: data, scanResponse: scanResponse, isConnectable: isConnectable),
                number: nil, intervalMicroseconds: interval, by: device)
        case .stopAdvertising:
            stopAdvertising(device, number: nil)
        case .addAdvertisement(let number, let data, let scanResponse, let interval, let isConnectable):
            startAdvertising(
                AirAdvertisement(data: data, scanResponse: scanResponse, isConnectable: isConnectable),
                number: number, intervalMicroseconds: interval, by: device)
        case .removeAdvertisement(let number):
            stopAdvertising(device, number: number)
        case .startScanning(let isActive):
            startScanning(device, isActive: isActive)
        case .stopScanning:
            stopScanning(device)
        case .connect(let address):
            connect(device, to: address)
        case .cancelConnect:
            cancelConnect(device)
        case .send(let link, let frame):
            send(frame, on: link, by: device)
        case .disconnect(let link):
            let instant = now
            links[link]?.close(from: device, at: instant)
            settle(link)
        case .readStatistics(let link):
            guard let link = links[link], let side = link.side(of: device) else { return }
            var statistics = link[side].statistics
            statistics.rssi = devices[link[side.other].device]?.conditions.rssi
            outlet.emit(.statistics(link.id, statistics), to: device)
        }
    }

    // MARK: - Time

    private mutating func process(through limit: MonotonicInstant) {
        while let (instant, due) = heap.popFirst(through: limit) {
            outlet.clock.advance(to: instant)
            switch due {
            case .advertise(let device, let ticket): advertise(device, ticket: ticket)
            case .link(let link, let ticket): step(link, ticket: ticket)
            }
        }
        outlet.clock.advance(to: limit)
    }

    private mutating func flush(into deliveries: inout [HostDelivery]) {
        forgetStaleEntries()
        for delivery in outlet.deliveries where devices[delivery.device].map({ !$0.isLeaving }) ?? false {
            deliveries.append(delivery)
        }
        outlet.deliveries.removeAll(keepingCapacity: true)
    }

    /// Drops entries that no longer count from the head of the heap, so that `nextDeadline` tells the truth.
    private mutating func forgetStaleEntries() {
        while let due = heap.first?.payload, isStale(due) { heap.popFirst() }
    }

    private func isStale(_ due: ScheduledAirEvent) -> Bool {
        switch due {
        case .advertise(let device, let ticket):
            devices[device]?.advertisers.contains { $0.ticket == ticket } != true
        case .link(let link, let ticket): links[link]?.ticket != ticket
        }
    }

    private mutating func takeTicket() -> UInt64 {
        nextTicket += 1
        return nextTicket
    }

    // MARK: - Connections

    /// The least time from a connection request to the window in which the first packet may start.
    ///
    /// Source: Core Specification 5.3, Vol 6 Part B §4.5.3.
    private static let transmitWindowMicroseconds = 1250

    /// Brings a connection up: both hosts get an event, the peripheral stops advertising, and the first connection
    /// event follows one interval and the transmit window later.
    private mutating func establish(central: AirDeviceID, peripheral: AirDeviceID) {
        guard let one = devices[central], let other = devices[peripheral], lastLink < .max else { return }
        forgetTarget(of: central)
        stopAdvertising(peripheral, number: nil)
        lastLink += 1
        let id = LinkID(UInt64(lastLink))
        let parameters = LinkParameters.agreed(one.conditions.link, other.conditions.link)
        let faults = AirLinkFaults(central: one.conditions, peripheral: other.conditions, random: &random)
        let link = AirLink(
            id: id, parameters: parameters,
            ends: (end(of: central, one, peer: other), end(of: peripheral, other, peer: one)), faults: faults,
            firstAnchor: now.adding(microseconds: parameters.intervalMicroseconds + Self.transmitWindowMicroseconds))
        links[id] = link
        devices[central]?.links.append(id)
        devices[peripheral]?.links.append(id)
        outlet.note("connect", device: central, link: id, "to=d\(peripheral.number) \(parameters.summary)")
        announce(link, .central)
        announce(link, .peripheral)
        settle(id)
    }

    private func end(of device: AirDeviceID, _ state: AirDevice, peer: AirDevice) -> AirLinkEndpoint {
        AirLinkEndpoint(device: device, address: peer.address, queueCapacity: state.conditions.queueCapacity, now: now)
    }

    private mutating func announce(_ link: AirLink, _ side: AirLinkRole) {
        let end = link[side]
        outlet.emit(
            .connected(
                link.id, peer: end.address, isCentral: side == .central, link.parameters,
                queueCapacity: end.queueCapacity),
            to: end.device)
    }

    /// Queues a frame; one too many, too short or too long ends the link at once for both.
    private mutating func send(_ frame: [UInt8], on id: LinkID, by device: AirDeviceID) {
        // No copy of the link is kept here, or queueing would copy the queue.
        guard let side = links[id]?.side(of: device), links[id]?[side].isClosing == false else { return }
        let isValid = frame.count > L2CAPFrameSummary.headerBytes && frame.count <= L2CAPFrameSummary.maximumBytes
        if isValid, links[id]?[side].isFull == false {
            let instant = now
            links[id]?.enqueue(.frame(frame), from: side, at: instant)
        } else {
            outlet.note(isValid ? "overflow" : "refused", device: device, link: id, "bytes=\(frame.count)")
            links[id]?.drop(side, reason: ControllerErrorCode.memoryExceeded, into: &outlet)
            links[id]?.drop(side.other, reason: ControllerErrorCode.peerLowOnResources, into: &outlet)
        }
        settle(id)
    }

    /// Runs the due step of a link; does nothing when `ticket` is stale because the link was rescheduled.
    private mutating func step(_ id: LinkID, ticket: UInt64) {
        guard links[id]?.ticket == ticket else { return }
        links[id]?.scheduled = nil
        links[id]?.step(into: &outlet)
        settle(id)
    }

    /// Schedules a link again after a change, and forgets it when both ends are down.
    private mutating func settle(_ id: LinkID) {
        guard let link = links[id] else { return }
        guard !link.isDown else { return forget(link) }
        let deadline = link.nextDeadline
        guard deadline != link.scheduled else { return }
        let ticket = takeTicket()
        links[id]?.ticket = ticket
        links[id]?.scheduled = deadline
        if let deadline { heap.insert(.link(id, ticket: ticket), at: deadline) }
    }

    private mutating func forget(_ link: AirLink) {
        links[link.id] = nil
        for device in [link.central.device, link.peripheral.device] {
            devices[device]?.links.removeAll { $0 == link.id }
            removeIfGone(device)
        }
    }

    /// Forgets a device that was detached and has no connection left.
    private mutating func removeIfGone(_ device: AirDeviceID) {
        guard let state = devices[device], state.isLeaving else { return }
        let isNeeded = state.links.contains { links[$0]?.side(of: device) != nil }
        guard !isNeeded else { return }
        devices[device] = nil
        owners[state.address] = nil
    }

    /// The most random delay that is added to the interval of advertising events.
    ///
    /// Source: Core Specification 5.3, Vol 6 Part B §4.4.2.2.1.
    private static let advertisingDelayMicroseconds = 10_000
    private static let advertisingIntervalMicroseconds = 20_000...10_240_000

    // MARK: - Advertising

    private mutating func startAdvertising(
        _ advertisement: AirAdvertisement, number: UInt8?, intervalMicroseconds wanted: Int, by device: AirDeviceID
    ) {
        guard advertisement.isValid else { return outlet.note("refused", device: device, "advertising data too long") }
        let limits = Self.advertisingIntervalMicroseconds
        let interval = min(limits.upperBound, max(limits.lowerBound, wanted))
        let name = number.map { " number=\($0)" } ?? ""
        outlet.note("advertise", device: device, "kind=\(advertisement.kind) interval=\(interval)\(name)")
        guard let advertisers = devices[device]?.advertisers else { return }
        if let index = advertisers.firstIndex(where: { $0.number == number }) {
            if advertisers[index].intervalMicroseconds == interval {
                devices[device]?.advertisers[index].advertisement = advertisement
                return
            }
            devices[device]?.advertisers.remove(at: index)
        } else if advertisers.count == Self.maximumAdvertisementsPerDevice {
            return outlet.note("refused", device: device, "too many advertisements")
        }
        devices[device]?.advertisers.append(
            AirDevice.AirAdvertiserState(
                number: number, advertisement: advertisement, intervalMicroseconds: interval, ticket: 0))
        scheduleAdvertisement(of: device, number: number, afterMicroseconds: 0)
    }

    private mutating func stopAdvertising(_ device: AirDeviceID, number: UInt8?) {
        guard let index = devices[device]?.advertisers.firstIndex(where: { $0.number == number }) else { return }
        devices[device]?.advertisers.remove(at: index)
        outlet.note("unadvertise", device: device, number.map { "number=\($0)" } ?? "")
    }

    private mutating func scheduleAdvertisement(
        of device: AirDeviceID, number: UInt8?, afterMicroseconds interval: Int
    ) {
        guard let index = devices[device]?.advertisers.firstIndex(where: { $0.number == number }),
            let delay = devices[device]?.random.within(0...Self.advertisingDelayMicroseconds)
        else { return }
        let ticket = takeTicket()
        devices[device]?.advertisers[index].ticket = ticket
        heap.insert(.advertise(device, ticket: ticket), at: now.adding(microseconds: interval + delay))
    }

    /// One advertising event: all devices that listen hear it, and the first that waits for the device connects.
    private mutating func advertise(_ device: AirDeviceID, ticket: UInt64) {
        guard let state = devices[device], let advertiser = state.advertisers.first(where: { $0.ticket == ticket })
        else { return }
        report(advertiser.advertisement, of: state, device)
        if advertiser.advertisement.isConnectable, let initiator = nextInitiator(for: state.address, device) {
            establish(central: initiator, peripheral: device)
        }
        // A connection has taken the one without a number away.
        scheduleAdvertisement(
            of: device, number: advertiser.number, afterMicroseconds: advertiser.intervalMicroseconds)
    }

    private mutating func report(_ advertisement: AirAdvertisement, of state: AirDevice, _ device: AirDeviceID) {
        let report = AdvertisementReport(
            address: state.address, kind: advertisement.kind, rssi: state.conditions.rssi, data: advertisement.data)
        var response = report
        response.kind = .scanResponse
        response.data = advertisement.scanResponse
        var listeners = 0
        for scanner in scanners where scanner != device && !advertisingFaults.missesReport() {
            listeners += 1
            outlet.emit(.report(report), to: scanner)
            guard report.kind != .broadcast, devices[scanner]?.isActiveScanner == true else { continue }
            outlet.emit(.report(response), to: scanner)
        }
        if listeners > 0 { outlet.note("advert", device: device, "heard=\(listeners)") }
    }

    // MARK: - Scanning

    private mutating func startScanning(_ device: AirDeviceID, isActive: Bool) {
        if devices[device]?.isActiveScanner == nil {
            // Identifiers grow, so a late starter is put where its number says: reports go out in one order.
            let isLast = scanners.last.map { $0 < device } ?? true
            let position = isLast ? scanners.count : scanners.firstIndex { $0 > device } ?? scanners.count
            scanners.insert(device, at: position)
        }
        devices[device]?.isActiveScanner = isActive
        outlet.note("scan", device: device, isActive ? "active" : "passive")
    }

    private mutating func stopScanning(_ device: AirDeviceID) {
        guard devices[device]?.isActiveScanner != nil else { return }
        devices[device]?.isActiveScanner = nil
        scanners.removeAll { $0 == device }
        outlet.note("unscan", device: device)
    }

    // MARK: - Connecting

    /// Begins to wait for the advertiser `address`; a pending `connect` of the device to another is cancelled.
    private mutating func connect(_ device: AirDeviceID, to address: DeviceAddress) {
        cancelConnect(device)
        guard !isConnected(device, to: address), devices[device]?.address != address else {
            outlet.emit(.connectCancelled, to: device)
            return outlet.note("refused", device: device, "connect to \(address)")
        }
        devices[device]?.target = address
        initiators.append(device)
        outlet.note("initiate", device: device, "address=\(address)")
    }

    private mutating func cancelConnect(_ device: AirDeviceID) {
        guard devices[device]?.target != nil else { return }
        forgetTarget(of: device)
        outlet.emit(.connectCancelled, to: device)
        outlet.note("cancel", device: device)
    }

    private mutating func forgetTarget(of device: AirDeviceID) {
        devices[device]?.target = nil
        initiators.removeAll { $0 == device }
    }

    private func isConnected(_ device: AirDeviceID, to address: DeviceAddress) -> Bool {
        (devices[device]?.links ?? []).contains { id in
            guard let link = links[id], let side = link.side(of: device) else { return false }
            return link[side].address == address
        }
    }

    /// The device that has waited longest for the advertiser, provided that both may have another connection.
    private func nextInitiator(for address: DeviceAddress, _ advertiser: AirDeviceID) -> AirDeviceID? {
        guard hasRoomForLink(advertiser) else { return nil }
        return initiators.first { devices[$0]?.target == address && hasRoomForLink($0) }
    }

    private func hasRoomForLink(_ device: AirDeviceID) -> Bool {
        (devices[device]?.links.count ?? .max) < Self.maximumLinksPerDevice
    }

    /// Stops the device's advertising, scanning and connecting; its connections stay.
    private mutating func silence(_ device: AirDeviceID) {
        for advertiser in devices[device]?.advertisers ?? [] { stopAdvertising(device, number: advertiser.number) }
        stopScanning(device)
        forgetTarget(of: device)
    }
}
