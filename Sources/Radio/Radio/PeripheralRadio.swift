public import Bluetooth

/// The peripheral role: advertises, and serves one GATT database to every central that connects.
public protocol PeripheralRadio: Sendable {
    /// True when services can be added and removed while something is connected: false, unless a radio says otherwise.
    var addsServices: Bool { get }

    /// True when several advertisements can be on the air at once: false, unless a radio says otherwise.
    var advertisesSeveral: Bool { get }

    /// True when values of 511 and 512 bytes that centrals write are lost: false, unless a radio says otherwise.
    ///
    /// A central whose ATT MTU is 514 or more then has to be asked for shorter ones, or to be the peripheral itself.
    var losesLongWrites: Bool { get async }

    /// True when notifications arrive for sure only if they are two bytes shorter than the ATT MTU allows: false,
    /// unless a radio says otherwise.
    var cutsLongNotifications: Bool { get }

    /// Replaces the published services. Allowed only while nothing is connected.
    ///
    /// - Throws: `unavailable`, `notPermitted`, `unsupported` while connected, `tooLarge`.
    func publish(_ services: [ServiceDefinition]) async throws(RadioError)

    /// Adds a service beside those that are published, also while something is connected.
    ///
    /// Centrals that are connected are not told of it; one that looks afterwards finds it, one whose system looks at
    /// that moment may not. So add it before it is advertised. Services that are there stay as they are, with their
    /// handles and subscriptions. The next `publish` replaces it like the others.
    ///
    /// - Throws: `unavailable`, `notPermitted`, `tooLarge`, `unsupported` when a service with this UUID is published or
    ///   the radio does not add services.
    func addService(_ service: ServiceDefinition) async throws(RadioError)

    /// Removes the service that `addService` added under a UUID, also while something is connected; does nothing when
    /// there is none.
    ///
    /// Links stay up. What a central asks of the service afterwards is refused or ignored, as for one that never was.
    func removeService(_ uuid: BluetoothUUID) async

    /// Starts legacy connectable advertising, or replaces the advertisement.
    ///
    /// A connection may end it, as it does in a controller; start it again for another central.
    ///
    /// - Throws: `unavailable`, `notPermitted`, `tooLarge` when either data is longer than 31 bytes.
    func startAdvertising(_ advertisement: Advertisement) async throws(RadioError)

    /// Stops the advertisement without a number; links stay up.
    func stopAdvertising() async

    /// Starts legacy advertising under a number, beside the advertisement without one and those of other numbers, or
    /// replaces the one of this number.
    ///
    /// A connection does not end it, through whichever advertisement it came.
    ///
    /// - Throws: `unavailable`, `notPermitted`, `tooLarge` when either data is longer than 31 bytes or the radio takes
    ///   no further advertisement, `unsupported` where `advertisesSeveral` is false.
    func startAdvertising(_ advertisement: Advertisement, number: UInt8) async throws(RadioError)

    /// Stops the advertisement with a number alone; links stay up.
    func stopAdvertising(number: UInt8) async

    /// The events that centrals cause, for one consumer at a time; ends when the radio is closed or lost.
    ///
    /// A consumer that stops or is cancelled may be followed by another, which gets what has not been taken.
    /// Values are never dropped by the stream itself: it holds at most 4,096 events, and what does not fit then is
    /// counted as dropped by the host.
    var events: AsyncStream<PeripheralEvent> { get }

    /// Pushes a value: as a notification, or as an indication when `confirmed`, returning when the central confirmed.
    ///
    /// A notification returns when the host's queue has taken it, which it does only while there is room; the order of
    /// the calls is that of the values, and two equal values in a row are two. It is sent whether or not the central
    /// subscribed. Of several characteristics with one UUID that in the service which the central wrote to last is
    /// meant, else the first.
    ///
    /// - Throws: `tooLarge` above MTU − 3 or 512 bytes, `linkLost`, `requestTimeout` when no confirmation came,
    ///   `notFound`, `unsupported` where the radio can only serve subscribers.
    func notify(
        _ value: [UInt8], of characteristic: BluetoothUUID, on link: LinkID, confirmed: Bool
    ) async throws(RadioError)

    /// Sets the value that reads of a characteristic return; at most 512 bytes.
    func setValue(_ value: [UInt8], of characteristic: BluetoothUUID) async throws(RadioError)

    /// Answers the read of a characteristic that passes reads on, after its `read` event; the part that was read is
    /// sent. At most 512 bytes. Without effect when no read of this link waits.
    ///
    /// - Throws: `unsupported` where the radio answers all reads itself.
    func answerRead(_ value: [UInt8], on link: LinkID) async throws(RadioError)

    /// Ends the link; returns when it is down. Ending one that is down does nothing.
    func disconnect(_ link: LinkID) async

    /// The radio's counters of a link, for the link report.
    func statistics(of link: LinkID) async -> LinkStatistics
}

extension PeripheralRadio {
    /// False: by default, services are published all at once.
    public var addsServices: Bool { false }
    /// False: by default, one advertisement is on the air at a time.
    public var advertisesSeveral: Bool { false }
    /// False: by default, every value that a central may write arrives.
    public var losesLongWrites: Bool { get async { false } }
    /// False: by default, every value that may be notified arrives whole.
    public var cutsLongNotifications: Bool { false }

    /// Refuses: this radio publishes its services all at once.
    public func addService(_ service: ServiceDefinition) async throws(RadioError) {
        throw RadioError(.unsupported, "this radio adds no services to those that are published")
    }

    /// Does nothing: this radio has no services that were added.
    public func removeService(_ uuid: BluetoothUUID) async {}

    /// Refuses: this radio has one advertisement at a time.
    public func startAdvertising(_ advertisement: Advertisement, number: UInt8) async throws(RadioError) {
        throw RadioError(.unsupported, "this radio has one advertisement at a time")
    }

    /// Does nothing: this radio has no advertisement with a number.
    public func stopAdvertising(number: UInt8) async {}

    /// Refuses: this radio answers all reads itself.
    public func answerRead(_ value: [UInt8], on link: LinkID) async throws(RadioError) {
        throw RadioError(.unsupported, "this radio answers all reads itself")
    }
}

/// An event that a central caused on this peripheral.
public enum PeripheralEvent: Hashable, Sendable {
    /// A central connected; its ATT MTU is 23 until it is exchanged.
    case connected(LinkID, peer: DeviceAddress)
    /// The ATT MTU of a link is now this.
    case mtu(LinkID, Int)
    /// A characteristic was written, whole; `isCommand` when without response. Writes with response have been answered.
    case written(LinkID, characteristic: BluetoothUUID, value: [UInt8], isCommand: Bool)
    /// A central reads a characteristic that passes reads on, from `offset`, and waits for `answerRead`.
    case read(LinkID, characteristic: BluetoothUUID, offset: Int)
    /// The client configuration of a characteristic on this link changed.
    case subscribed(LinkID, characteristic: BluetoothUUID, isSubscribed: Bool)
    /// The link is down.
    case disconnected(LinkID, DisconnectReason)
}

/// A legacy advertisement: its data, its scan response and whether it is connectable.
public struct Advertisement: Hashable, Sendable {
    /// The advertising data, 0 to 31 bytes, flags included.
    public var data: [UInt8]
    /// The scan response data, 0 to 31 bytes.
    public var scanResponse: [UInt8]
    /// The advertising interval, 20 ms to 10.24 s; each event adds 0 to 10 ms of its own.
    public var interval: Duration
    /// True when centrals may connect.
    public var isConnectable: Bool

    /// Makes an advertisement; lengths are checked when it is started.
    public init(
        data: [UInt8], scanResponse: [UInt8], interval: Duration = .milliseconds(100), isConnectable: Bool = true
    ) {
        self.data = data
        self.scanResponse = scanResponse
        self.interval = interval
        self.isConnectable = isConnectable
    }

    /// Refuses data that is longer than legacy advertising carries.
    package func checkLengths() throws(RadioError) {
        guard data.count <= 31, scanResponse.count <= 31 else {
            throw RadioError(.tooLarge, "advertising data and scan response have at most 31 bytes each")
        }
    }
}
