public import Bluetooth

/// The settings of a node, each with its default.
public struct HeraldConfiguration: Hashable, Sendable {
    /// The capabilities of the device that the node runs on.
    public var platform = PlatformProfile()
    /// The parts of the advertisement; by default both generations of the service, or the assigned one with the pseudo
    /// address.
    public var advertisement = HeraldAdvertisement.Content()
    /// The service UUIDs that count as Herald; by default those of all generations.
    public var detection = AdvertisementReading.Detection()
    /// How devices are treated that show nothing but Apple's messages (HP-30).
    public var introspection = AppleIntrospection.connect
    /// Whether the model of a device is read from its Device Information (HP-45); off, because it makes the device
    /// recognisable.
    public var readsModel = false
    /// A characteristic of an older application that is served and read beside Herald's (HP-68); none by default.
    public var legacy: LegacyCharacteristic?
    /// The connection that is closed when another one needs its slot (HP-40, HP-41).
    public var quota = QuotaPolicy.dropOldest
    /// How long after its last reading a contact is taken to last (HP-57).
    public var tail = ContactTail.meanInterval
    /// Whether payloads must hold at the time; nil: all are taken.
    public var freshness: PayloadFreshness?
    /// Whether the node writes its payload, its readings and the payloads of others unasked; messages are sent either
    /// way.
    public var writesUnasked = true
    /// Whether devices may write that were not heard on the air; phones that cannot advertise have to.
    public var acceptsUnheardWriters = true
    /// How far a written signal strength may be from what this device measures, in dB; beyond, it is refused.
    public var writtenRSSITolerance = 40
    /// Whether the pseudo address changes whenever the payload does, so that neither links two of the other.
    public var changesPseudoAddressWithPayload = true
    /// The limits of tables and rates.
    public var limits = HeraldLimits()
    /// The schedule: scans, waits and intervals.
    public var timing = HeraldTiming()

    /// Makes the default configuration.
    public init() {}

    /// The configuration for a sensor on an Apple device, which hears others in the background only when it looks for
    /// their services, and never sees Apple's messages themselves.
    public static var iPhone: HeraldConfiguration {
        var configuration = HeraldConfiguration()
        configuration.platform = .iPhone
        configuration.introspection = .off
        return configuration
    }

    /// How devices are treated that show nothing but Apple's messages.
    public enum AppleIntrospection: String, Hashable, Sendable, CaseIterable {
        /// Devices that show nothing but Apple's messages are ignored.
        case off
        /// Those are connected to whose overflow area has the bit of Herald's documented service.
        case likely
        /// All are connected to that no message excludes, when there is nothing better to do.
        case connect
    }

    /// The connection that is closed when another one needs its slot.
    public enum QuotaPolicy: String, Hashable, Sendable, CaseIterable {
        /// The one that has been open longest.
        case dropOldest
        /// The one to the device with the weakest signal.
        case dropWeakest
    }

    /// How long after its last reading a contact is taken to last.
    public enum ContactTail: Hashable, Sendable {
        /// Not at all; a contact of one reading lasts no time.
        case none
        /// The mean time between its readings, from one second to 30; one second for a single reading.
        case meanInterval
        /// Always so long; at most 30 s (HP-58).
        case fixed(Duration)
    }
}

/// A characteristic of an older application.
public struct LegacyCharacteristic: Hashable, Sendable {
    /// The UUID of the service that holds the characteristic; nil for the Herald service (HP-69).
    public var service: BluetoothUUID?
    /// The UUID of the characteristic.
    public var characteristic: BluetoothUUID
    /// The value that a central reads from the characteristic.
    public var payload: [UInt8]
    /// Whether the node reads the characteristic of devices that have it.
    public var isReadOnPeers: Bool

    /// Makes a legacy characteristic that may be read and written.
    public init(
        service: BluetoothUUID?, characteristic: BluetoothUUID, payload: [UInt8], isReadOnPeers: Bool = true
    ) {
        self.service = service
        self.characteristic = characteristic
        self.payload = payload
        self.isReadOnPeers = isReadOnPeers
    }

    /// The one of OpenTrace, in its own service.
    public static func openTrace(payload: [UInt8]) -> LegacyCharacteristic {
        LegacyCharacteristic(
            service: HeraldUUIDs.openTraceService, characteristic: HeraldUUIDs.openTracePayload, payload: payload)
    }
}

/// The schedule of a node.
public struct HeraldTiming: Hashable, Sendable {
    /// How long one scan lasts when scans have pauses.
    @WholeNanoseconds public var scanWindow: Duration = .seconds(4)
    /// The pause between two scans; none by default.
    ///
    /// At most 26 s.
    @WholeNanoseconds public var scanPause: Duration = .zero
    /// The longest time without a scan, whatever else there is to do (HP-38); at most 30 s.
    @WholeNanoseconds public var maximumScanGap: Duration = .seconds(25)
    /// How long a connection may take to come up (HP-22).
    @WholeNanoseconds public var connectTimeout: Duration = .seconds(8)
    /// How long a connection may take to come up while other devices wait; half as long to one that is hardly heard.
    ///
    /// Of connections that come up at all, 98 of a hundred do within four seconds, and nine of ten within two.
    @WholeNanoseconds public var connectPatience: Duration = .seconds(4)
    /// How long one request on a link may go unanswered.
    @WholeNanoseconds public var requestTimeout: Duration = .seconds(10)
    /// How long a link may be used in one go, unless it is one that stays.
    @WholeNanoseconds public var linkTime: Duration = .seconds(20)
    /// How long a link may take to go down.
    @WholeNanoseconds public var closeTimeout: Duration = .seconds(3)
    /// How long a central may be connected that writes and reads nothing new.
    @WholeNanoseconds public var centralIdleTime: Duration = .seconds(60)
    /// The wait before the first retry of a device; each failure doubles it.
    @WholeNanoseconds public var firstRetry: Duration = .seconds(2)
    /// The longest wait before a retry.
    @WholeNanoseconds public var maximumRetry: Duration = .seconds(60)
    /// How recently a device must have been heard to be connected to.
    @WholeNanoseconds public var connectFreshness: Duration = .seconds(10)
    /// How often a payload is read again; nil: never (HP-34).
    public var payloadReread: Duration?
    /// How often a device that cannot advertise writes its payload.
    @WholeNanoseconds public var payloadWriteInterval: Duration = .seconds(300)
    /// How often a device that cannot advertise writes its reading.
    @WholeNanoseconds public var rssiWriteInterval: Duration = .seconds(15)
    /// How often payloads are shared with a device that does not hear all others; nil: never.
    public var sharingInterval: Duration? = .seconds(15)
    /// How recently a device must have been noticed to have its payload shared.
    @WholeNanoseconds public var sharingExpiry: Duration = .seconds(300)
    /// How often the signal strength of a link that stays is read.
    @WholeNanoseconds public var linkRSSIInterval: Duration = .seconds(2)
    /// How long a link that stays may be silent.
    @WholeNanoseconds public var linkSilence: Duration = .seconds(12)
    /// How long a wake is answered later.
    @WholeNanoseconds public var notificationDelay: Duration = .seconds(2)
    /// How recently a device must have been noticed to get a message to all (HP-54).
    @WholeNanoseconds public var sendRecency: Duration = .seconds(60)
    /// How long a message may take.
    @WholeNanoseconds public var sendTimeout: Duration = .seconds(30)
    /// How long apart two readings of one contact may be.
    @WholeNanoseconds public var contactGap: Duration = .seconds(30)
    /// The time without a sign of a device after which its record is removed.
    @WholeNanoseconds public var recordExpiry: Duration = .seconds(900)
    /// How long a pseudo address lives at most (HP-26).
    @WholeNanoseconds public var pseudoAddressLife: Duration = .seconds(900)
    /// How long a payload in the course of being read keeps its successor waiting.
    @WholeNanoseconds public var payloadHold: Duration = .seconds(10)
    /// How long a stay at a beacon must last to be a visit.
    @WholeNanoseconds public var visitMinimum: Duration = .seconds(120)
    /// How long a beacon may be unheard within a visit.
    @WholeNanoseconds public var visitGap: Duration = .seconds(300)

    /// Makes the default schedule.
    public init() {}
}

/// The limits of a node: nothing that others do makes it exceed them.
public struct HeraldLimits: Hashable, Sendable {
    /// How many devices have a record.
    public var devices = 16_384
    /// How many addresses one record keeps; the oldest is forgotten.
    public var addressesPerDevice = 4
    /// How many links are in use at a time, beside those that stay.
    public var busyLinks = 4
    /// How many messages wait for one device.
    public var messagesPerDevice = 8
    /// How many messages wait in all.
    public var messages = 256
    /// How many writes a central may make at once.
    public var writeBurst = 64
    /// How many writes a second a central may make on average.
    public var writesPerSecond = 32
    /// How many records writers that were never heard may open in a minute.
    public var unheardWritersPerMinute = 60
    /// How many `trouble` events there are in a minute; more are dropped.
    public var troublesPerMinute = 60

    /// Makes the default limits.
    public init() {}
}
