public import Bluetooth
import Determinism
import Herald

/// The settings of all sensor arrays, which the next `SensorArray.start()` reads.
///
/// As in the deployed libraries they are set on the type: `BLESensorConfiguration.concurrentConnectionQuota = 6`.
@dynamicMemberLookup
public enum BLESensorConfiguration {
    /// The settings, under the names of the deployed libraries; intervals in seconds.
    public struct Settings: Sendable {
        /// True when the service of libraries from 2.1 on is detected.
        public var standardHeraldServiceDetectionEnabled = true
        /// True when the service of libraries from 2.1 on is advertised.
        public var standardHeraldServiceAdvertisingEnabled = true
        /// True when the service of libraries up to 2.0 is detected.
        public var legacyHeraldServiceDetectionEnabled = true
        /// True when the service of libraries up to 2.0 is advertised beside the standard one.
        public var legacyHeraldServiceAdvertisingEnabled = true
        /// A service of the application's own; nil for none.
        public var customServiceUUID: BluetoothUUID?
        /// True when the application's own service is detected.
        public var customServiceDetectionEnabled = false
        /// True when the application's own service is advertised in place of the others.
        public var customServiceAdvertisingEnabled = false
        /// Further services that are detected with the application's own.
        public var customAdditionalServiceUUIDs: [BluetoothUUID] = []
        /// The company number before the pseudo address; 0 for the usual one.
        public var customManufacturerIdForSensor: UInt16 = 0
        /// True when the characteristic of OpenTrace is served and read beside Herald's.
        public var interopOpenTraceEnabled = false
        /// True when devices that show nothing but Apple's messages are connected to.
        public var deviceIntrospectionEnabled = true
        /// The most connections that are open at a time.
        public var concurrentConnectionQuota = 12
        /// The longest wait for a connection to come up, in seconds.
        public var connectionAttemptTimeout = 12.0
        /// The delay before a wake is answered, in seconds.
        public var notificationDelay = 2.0
        /// The interval at which a payload is read again, in seconds; infinity for never.
        public var payloadDataUpdateTimeInterval = Double.infinity
        /// The time without a sign of a device after which its record is removed.
        public var peripheralCleanInterval = 1800.0
        /// The least length of a stay at a beacon that is reported, in seconds.
        public var venueCheckInTimeLimit = 120.0
        /// The longest time for which a beacon may be unheard within a stay, in seconds.
        public var venueCheckOutTimeLimit = 300.0
    }

    /// The service of libraries from 2.1 on.
    public static let linuxFoundationServiceUUID = HeraldUUIDs.service
    /// The service of libraries up to 2.0.
    public static let legacyHeraldServiceUUID = HeraldUUIDs.documentedService
    /// The company number before the pseudo address, from 2.1 on.
    public static let linuxFoundationManufacturerIdForSensor = HeraldCompany.current
    /// The company number before the pseudo address, up to 2.0.
    public static let legacyHeraldManufacturerIdForSensor = HeraldCompany.documented
    /// The signal characteristic of Android phones.
    public static let androidSignalCharacteristicUUID = HeraldUUIDs.compliantSignal
    /// The signal characteristic of iPhones.
    public static let iosSignalCharacteristicUUID = HeraldUUIDs.nonCompliantSignal
    /// The characteristic with the payload.
    public static let payloadCharacteristicUUID = HeraldUUIDs.payload
    /// The service of OpenTrace; it cannot be changed here.
    public static let interopOpenTraceServiceUUID = HeraldUUIDs.openTraceService
    /// The characteristic of OpenTrace; it cannot be changed here.
    public static let interopOpenTracePayloadCharacteristicUUID = HeraldUUIDs.openTracePayload

    private static let settings = Lock(Settings())

    /// One setting of `Settings`, read and set on the type.
    public static subscript<Value: Sendable>(dynamicMember member: WritableKeyPath<Settings, Value>) -> Value {
        get { settings.withLock { $0[keyPath: member] } }
        set { settings.withLock { $0[keyPath: member] = newValue } }
    }

    /// All settings as they are now.
    static var current: Settings { settings.withLock { $0 } }
}

extension HeraldConfiguration {
    /// The configuration of a node for settings of the deployed libraries.
    init(_ settings: BLESensorConfiguration.Settings, openTracePayload: [UInt8]?) {
        self.init()
        detection.findsCurrent = settings.standardHeraldServiceDetectionEnabled
        detection.findsDocumented = settings.legacyHeraldServiceDetectionEnabled
        if settings.customServiceDetectionEnabled {
            detection.services =
                (settings.customServiceUUID.map { [$0] } ?? []) + settings.customAdditionalServiceUUIDs
        }
        if settings.customServiceAdvertisingEnabled, let service = settings.customServiceUUID {
            advertisement.services = [service]
        } else if !settings.standardHeraldServiceAdvertisingEnabled {
            advertisement.services = [HeraldUUIDs.documentedService]
        } else if !settings.legacyHeraldServiceAdvertisingEnabled {
            advertisement.services = [HeraldUUIDs.service]
        }
        if settings.customManufacturerIdForSensor != 0 {
            advertisement.company = settings.customManufacturerIdForSensor
        }
        if settings.interopOpenTraceEnabled, let openTracePayload {
            legacy = .openTrace(payload: openTracePayload)
        }
        introspection = settings.deviceIntrospectionEnabled ? .connect : .off
        platform.linkLimit = settings.concurrentConnectionQuota
        timing.connectTimeout = .seconds(settings.connectionAttemptTimeout)
        timing.notificationDelay = .seconds(settings.notificationDelay)
        timing.payloadReread =
            settings.payloadDataUpdateTimeInterval.isFinite ? .seconds(settings.payloadDataUpdateTimeInterval) : nil
        timing.recordExpiry = .seconds(settings.peripheralCleanInterval)
        timing.visitMinimum = .seconds(settings.venueCheckInTimeLimit)
        timing.visitGap = .seconds(settings.venueCheckOutTimeLimit)
    }
}
