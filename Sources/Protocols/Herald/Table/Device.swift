/// What is looked at with every advertisement of a device: plain numbers, times in nanoseconds.
struct Device: Sendable {
    struct Flags: OptionSet, Sendable {
        let rawValue: UInt32

        /// An advertisement named a Herald service, or had a pseudo address.
        static let namesHerald = Flags(rawValue: 1 << 0)
        /// Its characteristics or its writes showed that it speaks Herald.
        static let isConfirmed = Flags(rawValue: 1 << 1)
        /// Its advertisements can be connected to.
        static let isConnectable = Flags(rawValue: 1 << 2)
        /// Known only by what it writes; never heard.
        static let isReceiveOnly = Flags(rawValue: 1 << 3)
        /// It was connected to and does not speak Herald; nothing is told of it until `retryAt`.
        static let isForeign = Flags(rawValue: 1 << 4)
        /// Something is to be done with it over a link.
        static let isWanted = Flags(rawValue: 1 << 5)
        /// It waits in a queue.
        static let isQueued = Flags(rawValue: 1 << 6)
        /// A link to it is open or being opened.
        static let isLinked = Flags(rawValue: 1 << 7)
        /// Its payload is known.
        static let hasPayload = Flags(rawValue: 1 << 8)
        /// Its payload was read by this device.
        static let wasRead = Flags(rawValue: 1 << 9)
        /// Its claimed transmit power is known.
        static let hasPower = Flags(rawValue: 1 << 10)
        /// Another device passed for it: records are not put together with it any more.
        static let isContested = Flags(rawValue: 1 << 11)
        /// It offers no signal characteristic.
        static let lacksSignal = Flags(rawValue: 1 << 12)
        /// It shows nothing but Apple's messages.
        static let isCandidate = Flags(rawValue: 1 << 13)
        /// Apple's company number was in an advertisement.
        static let isApple = Flags(rawValue: 1 << 14)
        /// A signal strength has been measured.
        static let hasRSSI = Flags(rawValue: 1 << 15)
        /// Its model was read, or cannot be.
        static let modelIsDone = Flags(rawValue: 1 << 16)
        /// Its legacy characteristic was read, or is not there.
        static let legacyIsDone = Flags(rawValue: 1 << 17)
        /// A message waits for it.
        static let hasMessage = Flags(rawValue: 1 << 18)
        /// The last thing written to it was a sharing frame.
        static let sharedLast = Flags(rawValue: 1 << 19)
        /// Its payload is or was that of a beacon, so that a visit may be kept.
        static let mayVisit = Flags(rawValue: 1 << 20)
        /// It waits among those that are hardly heard.
        static let waitsFaint = Flags(rawValue: 1 << 21)
        /// It connected to this device a moment ago: a link comes about now if it ever does.
        static let isAtDoor = Flags(rawValue: 1 << 22)
    }

    /// The number of its `TargetID`; 0 in a free slot.
    var target: UInt64 = 0
    /// The last sign of it.
    var lastNoticed: UInt64 = 0
    /// The last advertisement or scan response.
    var lastHeard: UInt64 = 0
    /// The last reading.
    var lastReading: UInt64 = 0
    /// When the present contact began; 0 without one.
    var contactStart: UInt64 = 0
    /// The key of the address under which it was noticed last.
    var address: UInt64 = 0
    /// The key of its pseudo address; 0 without one.
    var pseudo: UInt64 = 0
    /// Before this it is not tried again.
    var retryAt: UInt64 = 0
    var flags: Flags = []
    /// Readings of the present contact.
    var readings: UInt32 = 0
    var rssi: Int8 = 0
    var power: Int8 = 0
    var strongest: Int8 = -128
    var signal: SignalKind?
    var failures: UInt8 = 0
    /// How often it went back to an address after it had been heard under a newer one.
    var alternations: UInt8 = 0

    var firstNoticed: UInt64 = 0
    /// When the newest of its addresses was first heard.
    var addressSince: UInt64 = 0
    /// When it wants to be looked at; `.max` when it does not.
    var wakeAt: UInt64 = .max
    var generation: UInt32 = 0
    /// For how long it was passed over last, in seconds, because it is something else.
    var ignoreSeconds: UInt16 = 0
    /// The running mean of its readings, in sixteenths of a dBm.
    var level: Int16 = 0
    /// What `level` was when a connect to it failed last.
    var failureLevel: Int16 = 0

    /// Takes a reading into the running mean: a quarter of the way towards it.
    @inline(__always)
    mutating func follow(_ rssi: Int8) {
        let reading = Int16(rssi) &* 16
        level = flags.contains(.hasRSSI) ? level &+ (reading &- level) >> 2 : reading
    }

    /// Whether it is hardly heard, so that a connect takes long, and is often for nothing.
    var isFaint: Bool { flags.contains(.hasRSSI) && level < Self.faintLevel }

    /// Whether it is heard so well that a connect which failed was bad luck.
    var isClear: Bool { flags.contains(.hasRSSI) && level >= Self.clearLevel }

    private static let clearLevel: Int16 = -88 * 16
    /// What is heard of a device that can just be connected to is −90 dBm on average: weaker packets are lost.
    private static let faintLevel: Int16 = -90 * 16
    /// By how much a device must be heard better than at a failure to be tried again at once: 2 dB.
    static let recovery: Int16 = 2 * 16
}

/// What is looked at when something is done with a device.
struct DeviceDetails: Sendable {
    struct Message: Sendable {
        let id: UInt64
        let bytes: [UInt8]
        let deadline: UInt64
    }

    var payload: [UInt8] = []
    var provenance = Provenance.link
    var payloadReadAt: UInt64 = 0
    /// The keys of its addresses, the newest last.
    var addresses: [UInt64] = []
    var messages: [Message] = []
    /// When each was written to it last; nil: never.
    var payloadWrittenAt: UInt64?
    var rssiWrittenAt: UInt64?
    var sharedAt: UInt64?
    /// The numbers of the devices whose payloads it was told, the newest last.
    var toldTargets: [UInt64] = []
    var model: String?
    /// When a connect of its was taken last as a sign that it can be reached; nil: never.
    var atDoorSince: UInt64?
    /// When the present visit began and when it was heard last; nil where it is no beacon near.
    var visit: (since: UInt64, last: UInt64, isTold: Bool)?
}
