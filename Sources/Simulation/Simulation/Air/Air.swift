public import Bluetooth
public import Determinism

/// The air between simulated Bluetooth devices: advertising, scanning and connections with the timing of real ones.
///
/// No threads, no clock, no I/O: whoever owns it hands in commands with their instants, calls `advance` when
/// `nextDeadline` has come, and passes the deliveries on. Same seed and same calls give the same deliveries. A driver in
/// virtual time goes from one deadline to the next, so that hosts answer in time; one in real time may come late.
///
/// Modelled: advertising events with their random delay, scan responses, connections by the rules in `AirConditions`,
/// connection events packet by packet, acknowledgements, corrupted packets sent again, queues of finite length,
/// write commands dropped by the receiving host, supervision timeouts. Not modelled: collisions, and that one device
/// has one radio for all its connections.
///
/// Limits: 65,535 devices, 64 connections of one device, frames of 5 to 65,539 bytes.
public struct Air: Sendable {
    /// Something that a device's host is told.
    public struct Delivery: Hashable, Sendable {
        /// Whose host.
        public let device: AirDeviceID
        /// What it is told.
        public let event: AirEvent
        /// When it happened.
        public let at: MonotonicInstant
    }

    enum Due: Sendable {
        case advertise(AirDeviceID, ticket: UInt64)
        case link(LinkID, ticket: UInt64)
    }

    /// The most devices that are attached at one time.
    public static let maximumDevices = 65_535
    /// The most connections of one device.
    public static let maximumLinksPerDevice = 64

    var outlet = AirOutlet()
    var random: SeededRandom
    var advertisingFaults: AdvertisingFaults
    var heap = EventHeap<Due>()
    var nextTicket: UInt64 = 0
    var devices: [AirDeviceID: AirDevice] = [:]
    var owners: [DeviceAddress: AirDeviceID] = [:]
    /// Who listens, in the order of attachment.
    var scanners: [AirDeviceID] = []
    /// Who waits for a connection, in the order of their commands.
    var initiators: [AirDeviceID] = []
    var links: [LinkID: AirLink] = [:]
    private var lastDevice: UInt32 = 0
    var lastLink: UInt32 = 0

    /// Makes an air without devices whose clock stands at zero.
    ///
    /// `advertisementLossShare`: the share of advertising events that a scanner misses, each scanner on its own.
    /// `trace`: where to record what happens; nil records nothing.
    public init(seed: UInt64, advertisementLossShare: Double = 0, trace: Trace? = nil) {
        random = SeededRandom(seed: seed)
        advertisingFaults = AdvertisingFaults(lossShare: advertisementLossShare, random: &random)
        outlet.trace = trace
    }

    /// The latest instant that the air was told.
    public var now: MonotonicInstant { outlet.now }

    /// What was recorded; nil when nothing is.
    public var trace: Trace? { outlet.trace }

    /// When `advance` is next due; nil while nothing is under way.
    ///
    /// Advertising is always under way; a connection without data is not.
    public var nextDeadline: MonotonicInstant? { heap.first?.instant }

    /// Adds a line of the owner's to the trace.
    public mutating func note(_ kind: String, device: AirDeviceID? = nil, _ detail: String = "") {
        outlet.note(kind, device: device, detail)
    }

    /// Adds a device; without `address`, or when that is taken, a static random one is drawn from the seed.
    ///
    /// nil when as many devices are attached as may be.
    public mutating func attach(
        address wanted: DeviceAddress? = nil, conditions: AirConditions = AirConditions()
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

    /// Takes a device away; its host is told nothing any more.
    ///
    /// Peers see the supervision timeout, or, when it goes `gracefully`, a disconnect after what is queued.
    public mutating func detach(
        _ device: AirDeviceID, gracefully: Bool = false, at instant: MonotonicInstant, into deliveries: inout [Delivery]
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

    /// Does what the host of `device` asks at `instant`, after all that is due until then.
    ///
    /// An instant in the past counts as the present. Commands of unknown devices and about unknown links are ignored.
    public mutating func perform(
        _ command: AirCommand, by device: AirDeviceID, at instant: MonotonicInstant, into deliveries: inout [Delivery]
    ) {
        process(through: instant)
        if devices[device].map({ !$0.isLeaving }) ?? false { perform(command, by: device) }
        flush(into: &deliveries)
    }

    /// Moves the clock to `instant` and does all that is due until then, in order.
    public mutating func advance(to instant: MonotonicInstant, into deliveries: inout [Delivery]) {
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
                Advertisement(data: data, scanResponse: scanResponse, isConnectable: isConnectable),
                intervalMicroseconds: interval, by: device)
        case .stopAdvertising:
            stopAdvertising(device)
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

    private mutating func flush(into deliveries: inout [Delivery]) {
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

    private func isStale(_ due: Due) -> Bool {
        switch due {
        case .advertise(let device, let ticket): devices[device]?.advertiser?.ticket != ticket
        case .link(let link, let ticket): links[link]?.ticket != ticket
        }
    }

    mutating func takeTicket() -> UInt64 {
        nextTicket += 1
        return nextTicket
    }
}
