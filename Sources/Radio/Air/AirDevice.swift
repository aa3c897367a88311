import Bluetooth
import Determinism

/// The advertisement of a device.
struct AirAdvertisement: Sendable {
    /// The most bytes of legacy advertising data.
    static let maximumBytes = 31

    let data: [UInt8]
    let scanResponse: [UInt8]
    let isConnectable: Bool

    var kind: AdvertisementReport.Kind {
        isConnectable ? .connectable : scanResponse.isEmpty ? .broadcast : .scannable
    }

    var isValid: Bool { data.count <= Self.maximumBytes && scanResponse.count <= Self.maximumBytes }
}

/// The state of a device on the air, except its connections.
struct AirDevice: Sendable {
    struct AirAdvertiserState: Sendable {
        /// The number of the advertisement; nil for the one that a connection stops.
        let number: UInt8?
        var advertisement: AirAdvertisement
        var intervalMicroseconds: Int
        var ticket: UInt64
    }

    let address: DeviceAddress
    var conditions: DeviceRadioConditions
    /// The source of randomness for the delays between advertising events.
    var random: SeededRandom
    /// The advertisements, in the order in which they were started.
    var advertisers: [AirAdvertiserState] = []
    /// True for a scanner that asks for scan responses, false for a passive one; nil while the device does not scan.
    var isActiveScanner: Bool?
    /// The address of the advertiser that the device waits to connect to; nil without a pending connect.
    var target: DeviceAddress?
    /// The connections of the device, oldest first.
    var links: [LinkID] = []
    /// True when the device was detached and only waits for its last connection to end.
    var isLeaving = false
}
