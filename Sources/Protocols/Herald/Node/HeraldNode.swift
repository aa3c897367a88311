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

    /// The settings.
    public let configuration: HeraldConfiguration

    var supplier: any PayloadSupplier
    var random: any RandomSource

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
        self.supplier = supplier
        self.random = random
        self.configuration = configuration
    }

    /// When `tick` must come at the latest; nil: nothing is due by itself.
    public var nextDeadline: MonotonicInstant? { nil }

    /// Takes what happened, and appends what to do and to know.
    public mutating func handle(_ input: Input, at now: MonotonicInstant, into outputs: inout [Output]) {
    }

    /// As `handle(_:at:into:)`, with the outputs returned.
    public mutating func handle(_ input: Input, at now: MonotonicInstant) -> [Output] {
        var outputs: [Output] = []
        handle(input, at: now, into: &outputs)
        return outputs
    }

    /// Takes an advertisement or a scan response: what `heard` does, without an array.
    ///
    /// - Parameter rssi: in dBm; nil when the radio did not tell.
    public mutating func hear(
        _ address: DeviceAddress, kind: AdvertisementReport.Kind, rssi: Int?, data: Span<UInt8>,
        at now: MonotonicInstant, into outputs: inout [Output]
    ) {
    }

    /// Takes a message of the application; its fate is told by `sent` and `notSent`.
    ///
    /// It is the next thing that is done with each of its targets (HP-50).
    ///
    /// - Parameter message: 1 to 510 bytes; 1 to 509 for devices that are not compliant.
    /// - Throws: `herald.send.too-large`, `herald.send.unknown-target`, `herald.send.queue-full`; nothing is sent then.
    public mutating func send(
        _ message: [UInt8], to recipients: Recipients, at now: MonotonicInstant, into outputs: inout [Output]
    ) throws(HeraldError) -> Dispatch {
        throw HeraldError(.sendUnknownTarget, "Nobody is near.")
    }

    /// What is known of a device; nil when it has no record.
    public func device(_ target: TargetID) -> DeviceSnapshot? { nil }

    /// What is known of all devices, in the order in which they were noticed.
    public var devices: [DeviceSnapshot] { [] }
}
