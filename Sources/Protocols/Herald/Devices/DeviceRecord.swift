/// The part of a device record that every advertisement needs: plain numbers, without references; times in nanoseconds.
struct DeviceRecord: Sendable {
    /// Facts that the device's advertisements have shown, as a set.
    struct AdvertisementFlags: OptionSet, Sendable {
        let rawValue: UInt8

        /// An advertisement or a scan response was received; without it the device is known only by its writes.
        static let heard = AdvertisementFlags(rawValue: 1 << 0)
        /// An advertisement named a Herald service, or had a pseudo address.
        static let namesHerald = AdvertisementFlags(rawValue: 1 << 1)
        /// The device's advertisements are connectable.
        static let connectable = AdvertisementFlags(rawValue: 1 << 2)
        /// Apple's company number was in an advertisement.
        static let apple = AdvertisementFlags(rawValue: 1 << 3)
    }

    /// The result of connections and writes: whether the device speaks Herald.
    enum HeraldSupport: UInt8, Sendable {
        /// Neither a connection nor a write has shown whether the device speaks Herald.
        case unknown
        /// The device does not speak Herald; it is ignored until `retryAt`.
        case foreign
        /// The device speaks Herald.
        case confirmed
    }

    /// The signal characteristic of the device, to which frames are written.
    enum SignalCharacteristicState: Hashable, Sendable {
        /// The signal characteristic has not been discovered.
        case unknown
        /// The device offers a signal characteristic of this kind.
        case offered(SignalCharacteristicKind)
        /// The device does not have the characteristic; an earlier connection may have found one.
        case missing(last: SignalCharacteristicKind?)

        /// The kind of signal characteristic that frames can be written to; nil for none.
        var writable: SignalCharacteristicKind? {
            switch self {
            case .offered(let kind): kind
            case .unknown, .missing: nil
            }
        }

        /// The kind of signal characteristic that was found last, even if it is missing now.
        var last: SignalCharacteristicKind? {
            switch self {
            case .offered(let kind): kind
            case .missing(let kind): kind
            case .unknown: nil
            }
        }

        var isMissing: Bool { if case .missing = self { true } else { false } }
    }

    /// The values that were read over a link or cannot be read, as a set.
    struct ReadDeviceValues: OptionSet, Sendable {
        let rawValue: UInt8

        static let payload = ReadDeviceValues(rawValue: 1 << 0)
        static let model = ReadDeviceValues(rawValue: 1 << 1)
        static let legacy = ReadDeviceValues(rawValue: 1 << 2)
    }

    /// Facts about the device's payload, as a set.
    struct PayloadFlags: OptionSet, Sendable {
        let rawValue: UInt8

        /// The device's payload is known.
        static let hasPayload = PayloadFlags(rawValue: 1 << 0)
        /// Another device uses the same payload or pseudo address, so no other record is merged into this one.
        static let contested = PayloadFlags(rawValue: 1 << 1)
        /// The payload is or was that of a beacon, so that there may be a visit.
        static let mayVisit = PayloadFlags(rawValue: 1 << 2)
    }

    /// The work that the device needs over a link and its state, as a set.
    struct LinkWork: OptionSet, Sendable {
        let rawValue: UInt8

        /// The device has work to do over a link.
        static let wanted = LinkWork(rawValue: 1 << 0)
        /// A link to the device is open or being opened.
        ///
        /// A device whose record took over another's links may wait for one all the same.
        static let linked = LinkWork(rawValue: 1 << 1)
        /// The device connected to this one a moment ago, so it is likely to be reachable now.
        static let justConnected = LinkWork(rawValue: 1 << 2)
        /// A message of the application is queued for the device.
        static let message = LinkWork(rawValue: 1 << 3)
    }

    /// The connect queues that contain an entry of the device.
    enum ConnectQueueState: UInt8, Sendable {
        /// No queue contains the device.
        case no
        /// One queue contains the device, other than that of weakly received devices.
        case queued
        /// The queue of weakly received devices contains the device, and another queue may too.
        case queuedAsFaint
        /// The queue of weakly received devices still has an entry of this device, which does not count as queued.
        ///
        /// A message came meanwhile, so that the device enters the queue of messages, and its entry in the other is
        /// removed later.
        case leavingFaint

        /// True when the device is queued to be connected to.
        var isQueued: Bool { self == .queued || self == .queuedAsFaint }

        /// True when the queue of weakly received devices has an entry of this device.
        var isInFaint: Bool { self == .queuedAsFaint || self == .leavingFaint }

        /// Records that a connect queue has an entry of the device.
        mutating func enter(isFaint: Bool) { self = isFaint || isInFaint ? .queuedAsFaint : .queued }

        /// Records that a message takes the device out of its queue.
        mutating func leaveForMessage() { self = isInFaint ? .leavingFaint : .no }
    }

    /// A contact with a device that has not ended.
    struct OpenContact: Sendable {
        let start: UInt64
        var lastReading: UInt64
        var readings: UInt32
        var strongest: Int8

        @inline(__always)
        mutating func take(_ rssi: Int8, at now: UInt64) {
            lastReading = now
            readings &+= 1
            if rssi > strongest { strongest = rssi }
        }
    }

    // The order keeps what every advertisement needs in the first two cache lines.

    /// The number in the device's `TargetID`.
    var target: UInt64 = 0
    /// The time of the last sign of the device.
    var lastNoticed: UInt64 = 0
    /// The time of the last advertisement or scan response.
    var lastHeard: UInt64 = 0
    /// The time before which the node does not connect to the device again.
    var retryAt: UInt64 = 0
    var contact: OpenContact?
    var signs: AdvertisementFlags = []
    /// The key of the address under which the device was noticed last.
    var address: UInt64?
    var verdict = HeraldSupport.unknown
    var work: LinkWork = []
    var waiting = ConnectQueueState.no
    /// The key of the device's pseudo address; nil without one.
    var pseudo: UInt64?
    /// The last reading in dBm; before the first, the signal strength of the detection.
    var rssi: Int8 = 0
    /// The transmit power that the device claims, in dBm.
    var power: Int8?
    /// The running mean of its readings, in sixteenths of a dBm; nil before the first.
    var level: Int16?
    /// The number of failed connects since the last success.
    var failures: UInt8 = 0
    /// The number of times that the device was received under an older address after a newer one.
    ///
    /// A merge of addresses counts down.
    var alternations: UInt8 = 0
    var reads: ReadDeviceValues = []
    var identity: PayloadFlags = []
    var signal = SignalCharacteristicState.unknown
    /// The value of `level` at the last failed connect.
    var failureLevel: Int16 = 0
    /// The seconds for which the device was last ignored because it does not speak Herald.
    var ignoreSeconds: UInt16?
    var firstNoticed: UInt64 = 0
    /// The time at which `DeviceRecords` checks the record next; `.max` for never.
    var wakeAt: UInt64 = .max
    /// The number of times that the record's slot was allocated.
    var generation: UInt32 = 0

    var id: TargetID { TargetID(target) }

    /// True when the device is known only by its writes, because no advertisement of it was received.
    var isReceiveOnly: Bool { !signs.contains(.heard) }

    /// True when the advertisements show no sign of Herald, so that a connection must find out.
    var isCandidate: Bool { verdict != .confirmed && signs.contains(.heard) && !signs.contains(.namesHerald) }

    /// True unless the device is known to accept no signal frames.
    var takesFrames: Bool { !signal.isMissing && !isReceiveOnly }

    /// True when a pseudo address shows that the device will soon change its Bluetooth address.
    var isFleeting: Bool { pseudo != nil && !reads.contains(.payload) }

    /// True when the device is received so weakly that a connect takes long and often fails.
    var isFaint: Bool { level.map { $0 < Self.faintLevel } ?? false }

    /// True when the device is received so well that a failed connect is likely to succeed when repeated.
    var isClear: Bool { level.map { $0 >= Self.clearLevel } ?? false }

    /// True when a connect to the device is likely to fail.
    var isDoubtful: Bool { work.isDisjoint(with: [.message, .justConnected]) && (isFaint || failures > 2) }

    /// True when the device belongs to the queue of weakly received devices, where the strongest goes first.
    var belongsToFaint: Bool {
        // A failed connect to a device that is heard well is chance, and the device soon may be gone.
        let wasRead = reads.contains(.payload)
        let allowed: UInt8 = isClear ? 3 : wasRead ? 1 : isFleeting ? 2 : 0
        return failures > allowed || isFaint
    }

    /// Returns the nanoseconds since the last sign of the device; 0 for a sign later than `now`.
    func age(at now: UInt64) -> UInt64 { now &- min(lastNoticed, now) }

    /// Records an advertisement or a scan response; returns the signs before it.
    ///
    /// One function for all fields, because each access to a record through the table checks for unique ownership.
    @inline(__always)
    mutating func hear(_ shown: AdvertisementFlags, at now: UInt64) -> AdvertisementFlags {
        let before = signs
        lastNoticed = now
        lastHeard = now
        signs.formUnion(shown)
        return before
    }

    /// Records a reading and adds it to the open contact; true when a new contact must begin with it.
    ///
    /// A reading that a device writes is only a claim: it makes a contact only when the device cannot be heard.
    @inline(__always)
    mutating func measure(_ rssi: Int8, isOwn: Bool, gap: UInt64, at now: UInt64) -> Bool {
        if isOwn {
            follow(rssi)
        } else if !isReceiveOnly {
            return false
        }
        guard var contact, now &- contact.lastReading <= gap else { return true }
        contact.take(rssi, at: now)
        self.contact = contact
        return false
    }

    /// Moves the running mean of the level a quarter of the way to a reading of this device's own radio.
    @inline(__always)
    mutating func follow(_ rssi: Int8) {
        let reading = Int16(rssi) &* 16
        level = level.map { $0 &+ (reading &- $0) >> 2 } ?? reading
        self.rssi = rssi
    }

    /// Takes over the facts in another record of the same device.
    mutating func inherit(from new: DeviceRecord) {
        lastNoticed = max(lastNoticed, new.lastNoticed)
        lastHeard = max(lastHeard, new.lastHeard)
        signs.formUnion(new.signs)
        if new.verdict == .confirmed { verdict = .confirmed }
        reads.formUnion(new.reads)
        if new.level != nil {
            rssi = new.rssi
            level = level ?? 0
        }
        power = new.power ?? power
        let isMissing = signal.isMissing || new.signal.isMissing
        if let kind = new.signal.last ?? signal.last {
            signal = isMissing ? .missing(last: kind) : .offered(kind)
        } else if isMissing {
            signal = .missing(last: nil)
        }
        failures = 0
        retryAt = 0
    }

    private static let clearLevel: Int16 = -88 * 16
    /// The level of a device that can hardly be connected to: −90 dBm, because weaker packets are lost.
    private static let faintLevel: Int16 = -90 * 16
    /// The rise in level after a failed connect at which the device is tried again at once: 2 dB.
    static let recovery: Int16 = 2 * 16
}
