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
    /// The treatment of devices that show nothing but Apple's messages (HP-30).
    public var introspection = AppleIntrospection.connect
    /// True when the node reads the model of a device from its Device Information (HP-45); off, because it makes the
    /// device recognisable.
    public var readsModel = false
    /// A characteristic of an older application that is served and read beside Herald's (HP-68); none by default.
    public var legacy: LegacyCharacteristic?
    /// The connection that is closed when another one needs its slot (HP-40, HP-41).
    public var quota = QuotaPolicy.dropOldest
    /// The time for which a contact is taken to last after its last reading (HP-57).
    public var tail = ContactTail.meanInterval
    /// The rule that payloads must be valid at the time of reading; nil: all are accepted.
    public var freshness: PayloadFreshness?
    /// True when the node writes its payload, its readings and the payloads of others unasked; it sends messages either
    /// way.
    public var writesUnasked = true
    /// True when devices whose advertisements were not received may write; phones that cannot advertise have to.
    public var acceptsUnheardWriters = true
    /// The largest difference in dB between a signal strength that a peer writes and the own reading; more is refused.
    public var writtenRSSITolerance = 40
    /// True when the pseudo address changes whenever the payload does, so that neither links two of the other.
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

    /// The treatment of devices that show nothing but Apple's messages.
    public enum AppleIntrospection: String, Hashable, Sendable, CaseIterable {
        /// Devices that show nothing but Apple's messages are ignored.
        case off
        /// Devices are connected to when their overflow area has the bit of Herald's documented service.
        case likely
        /// All devices are connected to that no message excludes, when there is nothing better to do.
        case connect
    }

    /// The connection that is closed when another one needs its slot.
    public enum QuotaPolicy: String, Hashable, Sendable, CaseIterable {
        /// The connection that has been open longest is closed.
        case dropOldest
        /// The connection to the device with the weakest signal is closed.
        case dropWeakest
    }

    /// The time for which a contact is taken to last after its last reading.
    public enum ContactTail: Hashable, Sendable {
        /// No time: a contact of one reading has the duration 0.
        case none
        /// The mean time between its readings, from one second to 30; one second for a single reading.
        case meanInterval
        /// Always this duration; at most 30 s (HP-58).
        case fixed(Duration)
    }
}

/// A characteristic of an older application.
public struct LegacyCharacteristic: Hashable, Sendable {
    /// The UUID of the service that holds the characteristic; nil for the Herald service (HP-69).
    public var service: BluetoothUUID?
    /// The UUID of the legacy characteristic.
    public var characteristic: BluetoothUUID
    /// The value that a central reads from the characteristic.
    public var payload: [UInt8]
    /// True when the node reads the characteristic of devices that have it.
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

    /// The legacy characteristic of OpenTrace, in OpenTrace's own service.
    public static func openTrace(payload: [UInt8]) -> LegacyCharacteristic {
        LegacyCharacteristic(
            service: HeraldUUIDs.openTraceService, characteristic: HeraldUUIDs.openTracePayload, payload: payload)
    }
}

/// The schedule of a node.
public struct HeraldTiming: Hashable, Sendable {
    /// The duration of one scan when scans have pauses.
    @WholeNanoseconds public var scanWindow: Duration = .seconds(4)
    /// The pause between two scans; none by default.
    ///
    /// At most 26 s.
    @WholeNanoseconds public var scanPause: Duration = .zero
    /// The longest time without a scan, whatever else there is to do (HP-38); at most 30 s.
    @WholeNanoseconds public var maximumScanGap: Duration = .seconds(25)
    /// The longest time in which a connection must come up (HP-22).
    @WholeNanoseconds public var connectTimeout: Duration = .seconds(8)
    /// The longest time in which a connection must come up while other devices wait; half of it to a faint device.
    ///
    /// Of connections that come up at all, 98 of a hundred do within four seconds, and nine of ten within two.
    @WholeNanoseconds public var connectPatience: Duration = .seconds(4)
    /// The longest wait for the answer to one request on a link.
    @WholeNanoseconds public var requestTimeout: Duration = .seconds(10)
    /// The longest use of a link in one go, unless it is one that stays open.
    @WholeNanoseconds public var linkTime: Duration = .seconds(20)
    /// The longest wait for the radio to report that a closed link is down.
    @WholeNanoseconds public var closeTimeout: Duration = .seconds(3)
    /// The longest time that a central which writes and reads nothing new may stay connected.
    @WholeNanoseconds public var centralIdleTime: Duration = .seconds(60)
    /// The wait before the first retry of a device; each failure doubles it.
    @WholeNanoseconds public var firstRetry: Duration = .seconds(2)
    /// The longest wait before a retry.
    @WholeNanoseconds public var maximumRetry: Duration = .seconds(60)
    /// The longest time since a device was last heard at which the node still connects to it.
    @WholeNanoseconds public var connectFreshness: Duration = .seconds(10)
    /// The interval after which a payload is read again; nil: never (HP-34).
    public var payloadReread: Duration?
    /// The interval at which a device that cannot advertise writes its payload.
    @WholeNanoseconds public var payloadWriteInterval: Duration = .seconds(300)
    /// The interval at which a device that cannot advertise writes its reading of the signal strength.
    @WholeNanoseconds public var rssiWriteInterval: Duration = .seconds(15)
    /// The interval at which payloads are shared with a device that does not hear all others; nil: never.
    public var sharingInterval: Duration? = .seconds(15)
    /// The longest time since the last sign of a device at which its payload is still shared.
    @WholeNanoseconds public var sharingExpiry: Duration = .seconds(300)
    /// The interval at which the signal strength of a link that stays open is read.
    @WholeNanoseconds public var linkRSSIInterval: Duration = .seconds(2)
    /// The longest silence on a link that stays open before it is closed.
    @WholeNanoseconds public var linkSilence: Duration = .seconds(12)
    /// The delay before the node answers a wake, an empty write to the signal characteristic.
    @WholeNanoseconds public var notificationDelay: Duration = .seconds(2)
    /// The longest time since the last sign of a device at which it still gets a message to all (HP-54).
    @WholeNanoseconds public var sendRecency: Duration = .seconds(60)
    /// The longest time in which a message must be delivered.
    @WholeNanoseconds public var sendTimeout: Duration = .seconds(30)
    /// The longest time between two readings of one contact.
    @WholeNanoseconds public var contactGap: Duration = .seconds(30)
    /// The time without a sign of a device after which its record is removed.
    @WholeNanoseconds public var recordExpiry: Duration = .seconds(900)
    /// The longest life of a pseudo address (HP-26).
    @WholeNanoseconds public var pseudoAddressLife: Duration = .seconds(900)
    /// The time for which a payload that may still be being read delays the one that replaces it.
    @WholeNanoseconds public var payloadHold: Duration = .seconds(10)
    /// The shortest stay at a beacon that counts as a visit.
    @WholeNanoseconds public var visitMinimum: Duration = .seconds(120)
    /// The longest time within a visit in which the beacon is not received.
    @WholeNanoseconds public var visitGap: Duration = .seconds(300)

    /// Makes the default schedule.
    public init() {}
}

/// The limits of a node: nothing that others do makes it exceed them.
public struct HeraldLimits: Hashable, Sendable {
    /// The most devices that have a record.
    public var devices = 16_384
    /// The most addresses that one record keeps; the oldest is forgotten.
    public var addressesPerDevice = 4
    /// The most links in use at a time, not counting those that stay open.
    public var busyLinks = 4
    /// The most messages that wait for one device.
    public var messagesPerDevice = 8
    /// The most messages that wait in all.
    public var messages = 256
    /// The most writes that a central may make at once.
    public var writeBurst = 64
    /// The most writes a second that a central may make on average.
    public var writesPerSecond = 32
    /// The most records that writers whose advertisements were never received may open in a minute.
    public var unheardWritersPerMinute = 60
    /// The most `trouble` events in a minute; more are dropped.
    public var troublesPerMinute = 60

    /// Makes the default limits.
    public init() {}
}
