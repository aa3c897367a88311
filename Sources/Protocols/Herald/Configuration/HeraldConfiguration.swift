public import Bluetooth

/// The settings of a node that an application decides.
///
/// Its device, its payload's rules, its privacy, and the times that it may trade for energy.
///
/// All other times and limits are the protocol's; they are constants.
public struct HeraldConfiguration: Hashable, Sendable {
    /// The capabilities of the device that the node runs on.
    ///
    /// An application for a phone changes it, because phones differ in what their systems allow.
    public var platform = PlatformProfile()
    /// The parts of the node's advertisement.
    ///
    /// By default both generations of the service, or the assigned one with the pseudo address.
    ///
    /// An application with a service of its own changes it.
    public var advertisement = HeraldAdvertisement.Content()
    /// The service UUIDs that count as Herald; by default those of all generations.
    ///
    /// An application with a service of its own changes it.
    public var detection = HeraldAdvertisementFields.DetectionCriteria()
    /// The treatment of devices whose advertisements have only Apple's messages (HP-30).
    ///
    /// An application without users of iPhones saves connections with `off`.
    public var introspection = AppleIntrospection.connect
    /// True when the node reads the model of other devices (Device Information, HP-45); off by default.
    ///
    /// Off, because it makes the device recognisable.
    public var readsModel = false
    /// A characteristic of an older application that is served and read beside Herald's (HP-68); nil by default.
    public var legacy: LegacyCharacteristic?
    /// The time by which a contact extends beyond its last reading (HP-57).
    ///
    /// An application changes it when its rules of exposure say how to count.
    public var tail = ContactTail.meanInterval
    /// The rule that payloads must be valid when they are read; nil accepts all.
    public var freshness: PayloadFreshness?
    /// True when the node writes payloads and readings without being asked; it sends messages either way.
    ///
    /// Its payload, its readings and the payloads of others.
    ///
    /// An application that only sends messages turns it off.
    public var writesUnasked = true
    /// The limits of tables, which applications on devices with little memory lower.
    public var limits = HeraldLimits()
    /// The times that an application may change to save energy or to keep more history.
    public var timing = HeraldTiming()
    /// The parameters of the protocol, which applications do not set.
    package var parameters = HeraldParameters()

    /// Makes the default configuration.
    public init() {}

    /// The configuration for a sensor on an Apple device.
    ///
    /// It hears others in the background only when it looks for their services, and never sees Apple's messages
    /// themselves.
    public static var iPhone: HeraldConfiguration {
        var configuration = HeraldConfiguration()
        configuration.platform = .iPhone
        configuration.introspection = .off
        return configuration
    }

    /// The treatment of devices whose advertisements have only Apple's messages.
    public enum AppleIntrospection: String, Hashable, Sendable, CaseIterable {
        /// Ignore devices whose advertisements have only Apple's messages.
        case off
        /// Connect to devices whose overflow area has the bit of Herald's documented service.
        case likely
        /// Connect to all devices that no message excludes, when no other device waits.
        case connect
    }

    /// The time by which a contact extends beyond its last reading.
    public enum ContactTail: Hashable, Sendable {
        /// No extension: a contact of one reading has the duration 0.
        case none
        /// The mean time between the contact's readings, from one second to 30; one second for a single reading.
        case meanInterval
        /// A fixed extension of at most 30 s (HP-58).
        case fixed(Duration)
    }
}

/// A characteristic of an older application that this node serves and reads.
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

    /// Returns OpenTrace's characteristic in its own service.
    public static func openTrace(payload: [UInt8]) -> LegacyCharacteristic {
        LegacyCharacteristic(
            service: HeraldUUIDs.openTraceService, characteristic: HeraldUUIDs.openTracePayload, payload: payload)
    }
}

/// The times of a node that an application may change to save energy, delay or memory.
public struct HeraldTiming: Hashable, Sendable {
    /// The duration of one scan window when scans have pauses.
    @WholeNanoseconds public var scanWindow: Duration = .seconds(4)
    /// The pause between two scans, which saves energy and delays readings; none by default.
    ///
    /// At most 26 s.
    @WholeNanoseconds public var scanPause: Duration = .zero
    /// The longest time in which a connection must be established (HP-22).
    ///
    /// An application with few devices around it can wait longer for each.
    @WholeNanoseconds public var connectTimeout: Duration = .seconds(8)
    /// The longest time in which a connection must be established while other devices wait; half for a faint device.
    ///
    /// Of connections that come up at all, 98 of a hundred do within four seconds, and nine of ten within two.
    @WholeNanoseconds public var connectPatience: Duration = .seconds(4)
    /// The interval after which a payload that may change is read again; nil: never (HP-34).
    public var payloadReread: Duration?
    /// The delay before the node answers a wake, an empty write to the signal characteristic.
    ///
    /// A shorter one keeps an iPhone's application awake for less time.
    @WholeNanoseconds public var notificationDelay: Duration = .seconds(2)
    /// The time without a sign of a device after which its record is removed.
    @WholeNanoseconds public var recordExpiry: Duration = .seconds(900)
    /// The shortest stay at a beacon that counts as a visit.
    @WholeNanoseconds public var visitMinimum: Duration = .seconds(120)
    /// The longest gap in the reception of a beacon within a visit.
    @WholeNanoseconds public var visitGap: Duration = .seconds(300)

    /// Makes the default times of a node.
    public init() {}
}

/// The limits of a node that depend on the memory that an application gives it.
public struct HeraldLimits: Hashable, Sendable {
    /// The most devices that have a record.
    public var devices = 16_384
    /// The most messages of the application in all queues.
    package var messages = 256

    /// Makes the default limits.
    public init() {}
}
