public import Bluetooth
public import Determinism

/// One Herald device: notices who is near, learns and tells payloads, and measures signal strengths.
///
/// A value that never touches the world. It is told what the radio heard and did, and answers with what the radio should do
/// next and what the user should know, in that order. Nothing that others send makes it trap or grow beyond its limits, and it
/// believes no state that a radio reports without a time-out of its own (HP-21, HP-22). Sources: Herald protocol specification
/// (2020-12-09), and the behaviour of the deployed libraries 2.2 where that is silent.
public struct HeraldNode: Sendable {
    /// A connection that this device opens; the node gives the numbers.
    public struct Link: Hashable, Comparable, Sendable {
        /// The number of the connection, counted from 1.
        public let number: UInt64

        /// Makes the name of connection `number`.
        public init(_ number: UInt64) { self.number = number }

        /// Orders links by when they were asked for.
        public static func < (left: Link, right: Link) -> Bool { left.number < right.number }
    }

    /// A connection that another device opened; the radio gives the numbers.
    public struct Central: Hashable, Comparable, Sendable {
        /// The number that the radio gave the connection.
        public let number: UInt64

        /// Makes the name of connection `number`.
        public init(_ number: UInt64) { self.number = number }

        /// Orders connections by their numbers.
        public static func < (left: Central, right: Central) -> Bool { left.number < right.number }
    }

    /// What happened.
    public enum Input: Hashable, Sendable {
        /// Begin; it is this time on the calendar.
        case start(WallTime)
        /// The calendar was set: it is this time now.
        case wallTime(WallTime)
        /// The radio came on, went off or is gone. It counts as on from `start`.
        case radio(RadioState)
        /// The radio scans and connects, but does not advertise; until `stop` this device writes what others would read (HP-14).
        case cannotAdvertise(reason: String)
        /// The system gave this device another address, a moment ago (HP-25).
        case addressChanged
        /// An advertisement or a scan response was heard. `hear` is the same without an array.
        case heard(AdvertisementReport)

        /// A link that was asked for is up.
        case connected(Link)
        /// A link that was asked for did not come up.
        case connectFailed(Link)
        /// These characteristics were found in the services asked for, in any order; none when no service was there.
        case discovered(Link, [BluetoothUUID])
        /// The services could not be discovered.
        case discoveryFailed(Link)
        /// A characteristic was read, whole.
        case read(Link, BluetoothUUID, [UInt8])
        /// A characteristic could not be read.
        case readFailed(Link, BluetoothUUID)
        /// The write under way was acknowledged.
        case written(Link)
        /// The write under way was refused.
        case writeFailed(Link)
        /// The subscription asked for is there.
        case subscribed(Link)
        /// The peer cannot be subscribed to.
        case subscribeFailed(Link)
        /// A value was pushed on a link.
        case notified(Link, BluetoothUUID, [UInt8])
        /// The signal strength of a link, in dBm.
        case linkRSSI(Link, Int)
        /// The signal strength of a link could not be read.
        case linkRSSIFailed(Link)
        /// A link is down, whoever ended it.
        case disconnected(Link)

        /// A device connected to this one.
        case centralConnected(Central, DeviceAddress)
        /// A device wrote a characteristic; `isCommand` when without response.
        case centralWrote(Central, BluetoothUUID, [UInt8], isCommand: Bool)
        /// A device subscribed to a characteristic, or no longer does.
        case centralSubscribed(Central, BluetoothUUID, Bool)
        /// A device's connection is down.
        case centralDisconnected(Central)

        /// Time has passed; whoever keeps the clock says so no later than at `nextDeadline`.
        case tick
        /// End everything.
        case stop
    }

    /// What to do, or to know.
    public enum Output: Hashable, Sendable {
        /// Publish these services in place of all others; said before the first advertisement.
        case publish([ServiceDefinition])
        /// Serve this value to whoever reads a characteristic, in every service that has it.
        case setValue([UInt8], of: BluetoothUUID)
        /// Advertise this, or go on with it after a connection ended it.
        case startAdvertising(HeraldAdvertisement)
        /// Stop advertising.
        case stopAdvertising
        /// Scan, duplicates included, for devices that name one of `services` or, where that is empty, for all.
        case startScanning(services: [BluetoothUUID])
        /// Stop scanning.
        case stopScanning

        /// Connect, and say `connected` or `connectFailed`.
        case connect(Link, DeviceAddress, timeout: Duration)
        /// Find the characteristics of these services, those that are there, and say `discovered` or `discoveryFailed`.
        case discover(Link, services: [BluetoothUUID])
        /// Read a characteristic whole, and say `read` or `readFailed`.
        case read(Link, BluetoothUUID)
        /// Write with response, and say `written` or `writeFailed`.
        case write(Link, BluetoothUUID, [UInt8])
        /// Subscribe, and say `subscribed` or `subscribeFailed`.
        case subscribe(Link, BluetoothUUID)
        /// Read the signal strength of a link, and say `linkRSSI` or `linkRSSIFailed`.
        case readRSSI(Link)
        /// End a link, or give up connecting; nothing more is expected of it but `disconnected` or `connectFailed`.
        case disconnect(Link)

        /// Push a value to a device that is connected to this one.
        case notify(Central, BluetoothUUID, [UInt8])
        /// End a connection that another device opened.
        case disconnectCentral(Central)

        /// Tell the user.
        case event(HeraldEvent)
    }

    /// To whom a message goes.
    public enum Recipients: Hashable, Sendable {
        /// To one device.
        case target(TargetID)
        /// To these devices, each once.
        case targets([TargetID])
        /// To all that speak Herald and were noticed in the last 60 s (HP-53, HP-54).
        case all
    }

    /// A message that was taken, and to whom it goes.
    public struct Dispatch: Hashable, Sendable {
        /// The name under which its fate is told.
        public var message: MessageID
        /// Who is to get it, most recently noticed first.
        public var targets: [TargetID]
    }

    enum Phase: Hashable, Sendable {
        /// Before `start`: nothing is done.
        case idle
        /// Between `start` and `stop`.
        case running
        /// After `stop`: every input is without effect.
        case stopped
    }

    // What is looked at with everything that happens comes first and stands together.

    var phase = Phase.idle
    var radio = RadioState.on
    /// Whether `nextDeadline` must be worked out again; advertisements seldom move it.
    var isDeadlineStale = false
    /// When `tick` must come at the latest; nil: nothing is due by itself.
    public private(set) var nextDeadline: MonotonicInstant?
    let ticks: HeraldTicks
    var wakes = DeadlineHeap()
    var links: [OpenLink] = []
    var centrals: [Visitor] = []
    var scan = ScanState()
    var own = OwnIdentity()
    var table: DeviceTable
    var lines = WaitingLines()

    /// The settings; the radio may turn out not to advertise.
    public internal(set) var configuration: HeraldConfiguration

    var random: any RandomSource
    var supplier: any PayloadSupplier
    var contestedPseudos: [(key: UInt64, until: UInt64, times: Int)] = []
    /// How many devices are written to, where this one cannot advertise, and when that was counted.
    var readers: (count: Int, at: UInt64) = (0, 0)
    var lastLink: UInt64 = 0
    var lastMessage: UInt64 = 0
    var waitingMessages = 0
    var troubleBudget: TokenBucket
    var strangerBudget: TokenBucket

    /// Makes a node that does nothing before `start`.
    ///
    /// - Parameters:
    ///   - supplier: where its payload comes from.
    ///   - random: where pseudo addresses, the key of the tables and the spread of retries come from.
    /// - Throws: `herald.configuration.invalid` for a setting outside its range; `herald.advertisement.too-long`.
    public init(
        supplier: any PayloadSupplier, random: any RandomSource,
        configuration: HeraldConfiguration = HeraldConfiguration()
    ) throws(HeraldError) {
        try configuration.check()
        self.supplier = supplier
        self.random = random
        self.configuration = configuration
        ticks = HeraldTicks.of(configuration.timing)
        let secret = self.random.bytes(count: 8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let limits = configuration.limits
        table = DeviceTable(limit: limits.devices, addressLimit: limits.addressesPerDevice, secret: secret)
        troubleBudget = TokenBucket(
            burst: limits.troublesPerMinute, perSecond: Double(limits.troublesPerMinute) / 60, at: 0)
        strangerBudget = TokenBucket(
            burst: limits.unheardWritersPerMinute, perSecond: Double(limits.unheardWritersPerMinute) / 60, at: 0)
    }

    mutating func updateDeadline() {
        isDeadlineStale = false
        guard phase == .running else {
            nextDeadline = nil
            return
        }
        var next = min(wakes.first?.at ?? .max, scan.due, own.due)
        // By their places, because a copy of a link or a visitor counts references.
        for index in links.indices { next = min(next, links[index].deadline, links[index].hardDeadline) }
        for index in centrals.indices { next = min(next, centrals[index].wakeDue, centrals[index].idleDue) }
        nextDeadline = next == .max ? nil : MonotonicInstant(nanoseconds: next)
    }

    /// Takes what happened, and appends what to do and to know.
    public mutating func handle(_ input: Input, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch phase {
        case .idle: if case .start(let wall) = input { start(wall, at: now.nanoseconds, into: &outputs) }
        case .running: takeWhileRunning(input, at: now, into: &outputs)
        case .stopped: break
        }
        updateDeadline()
    }

    /// As `handle(_:at:into:)`, with the outputs returned.
    public mutating func handle(_ input: Input, at now: MonotonicInstant) -> [Output] {
        var outputs: [Output] = []
        handle(input, at: now, into: &outputs)
        return outputs
    }

    private mutating func takeWhileRunning(
        _ input: Input, at instant: MonotonicInstant, into outputs: inout [Output]
    ) {
        let now = instant.nanoseconds
        switch input {
        case .start: break
        case .stop: stop(at: now, into: &outputs)
        case .tick: expire(at: now, into: &outputs)
        case .wallTime(let wall): setWall(wall, at: now, into: &outputs)
        case .radio(let state): radioChanged(to: state, at: now, into: &outputs)
        case .cannotAdvertise(let reason): becomeWriter(reason, at: now, into: &outputs)
        case .addressChanged: addressChanged(at: now, into: &outputs)
        case .heard(let report):
            hear(
                report.address, kind: report.kind, rssi: report.rssi, data: report.data.span, at: instant,
                into: &outputs)
        case .centralConnected(let central, let address): admit(central, address, at: now, into: &outputs)
        case .centralWrote(let central, let uuid, let value, let isCommand):
            wrote(central, uuid, value, isCommand: isCommand, at: now, into: &outputs)
        case .centralSubscribed(let central, let uuid, let wants): subscribed(central, uuid, wants, at: now)
        case .centralDisconnected(let central): leave(central, at: now, into: &outputs)
        default: takeFromLink(input, at: now, into: &outputs)
        }
    }

    private mutating func takeFromLink(_ input: Input, at now: UInt64, into outputs: inout [Output]) {
        switch input {
        case .connected(let link): connected(link, at: now, into: &outputs)
        case .connectFailed(let link): connectFailed(link, at: now, into: &outputs)
        case .discovered(let link, let uuids): discovered(link, uuids, at: now, into: &outputs)
        case .discoveryFailed(let link): discoveryFailed(link, at: now, into: &outputs)
        case .read(let link, let uuid, let value): hasRead(link, uuid, value, at: now, into: &outputs)
        case .readFailed(let link, let uuid): readFailed(link, uuid, at: now, into: &outputs)
        case .written(let link): written(link, at: now, into: &outputs)
        case .writeFailed(let link): writeFailed(link, at: now, into: &outputs)
        case .subscribed(let link), .subscribeFailed(let link): subscribed(link, at: now, into: &outputs)
        case .notified(let link, _, _): notified(link, at: now, into: &outputs)
        case .linkRSSI(let link, let rssi): measured(link, rssi, at: now, into: &outputs)
        case .linkRSSIFailed(let link): measured(link, nil, at: now, into: &outputs)
        case .disconnected(let link): linkDown(link, at: now, into: &outputs)
        default: break
        }
    }
}
