public import Bluetooth

/// The central role: looks for advertisers and connects to them.
public protocol CentralRadio: Sendable {
    /// True when the system exchanges the MTU unasked once a link is up: false, unless a radio says otherwise.
    ///
    /// `exchangeMTU` then throws `unsupported`, once the system is through with it and with finding services, which
    /// takes seconds with a phone.
    var exchangesMTUUnasked: Bool { get }

    /// True when links of the radio can read their signal strength: false, unless a radio says otherwise.
    var readsLinkRSSI: Bool { get }

    /// Starts scanning and returns the reports until the consumer stops iterating or the radio is lost.
    ///
    /// Advertisement and scan response come as two reports where the radio tells them apart; duplicates are delivered.
    /// The stream buffers at most 256 reports and then drops the oldest. `services` is a filter by UUID (in the list of
    /// services or in service data of the advertisement or its scan response); empty hears everything. A filtered radio
    /// delivers both reports of a matching device.
    ///
    /// - Throws: `unavailable`, `notPermitted`.
    func scan(services: [BluetoothUUID]) async throws(RadioError) -> AsyncThrowingStream<AdvertisementReport, any Error>

    /// Connects to an advertiser.
    ///
    /// - Throws: `connectTimeout` after `timeout`, `unavailable`, `notPermitted`, `cancelled`.
    func connect(to address: DeviceAddress, timeout: Duration) async throws(RadioError) -> any CentralLink
}

extension CentralRadio {
    /// False: by default, the system does not exchange the MTU unasked.
    public var exchangesMTUUnasked: Bool { false }
    /// False: by default, links cannot read their signal strength.
    public var readsLinkRSSI: Bool { false }
}

/// A connection, seen from the central.
///
/// When it ends, every operation under way throws `linkLost`.
public protocol CentralLink: Sendable {
    /// The device at the other end.
    var peer: DeviceAddress { get }

    /// The ATT MTU in force: 23 until an exchange has succeeded.
    var mtu: Int { get async }

    /// The events that the peer causes: values of the subscribed characteristics, and of no others.
    ///
    /// A value of another characteristic is not delivered. One consumer at a time, which may be followed by another
    /// when it stops or is cancelled; ends after `disconnected`, which comes exactly once. Values are never dropped:
    /// the stream holds at most 4,096 and a peer that sends faster is disconnected with `protocolFailure`.
    var events: AsyncStream<CentralLinkEvent> { get }

    /// Exchanges the ATT MTU once and returns the value in force, the smaller of both ends' requests.
    ///
    /// - Parameter requested: 23 to 517.
    /// - Throws: `attError`, `requestTimeout`, `linkLost`, `unsupported` where the system does it unasked and the
    ///   result can only be read from `mtu`.
    func exchangeMTU(_ requested: Int) async throws(RadioError) -> Int

    /// Finds the primary services with `uuid` that the peer's first answer names (one, but for odd peers), or all.
    ///
    /// - Throws: `attError`, `requestTimeout`, `badAnswer`, `linkLost`; finding none is not an error.
    func discoverServices(_ uuid: BluetoothUUID?) async throws(RadioError) -> [RemoteService]

    /// Finds the characteristics of a service, with their descriptors.
    func discoverCharacteristics(of service: RemoteService) async throws(RadioError) -> [RemoteCharacteristic]

    /// Reads a whole value, with Read Blob where it is longer than MTU − 1; at most 512 bytes.
    func read(_ characteristic: RemoteCharacteristic) async throws(RadioError) -> [UInt8]

    /// Writes with response; a value longer than MTU − 3 goes as a prepared write, at most 512 bytes.
    func write(_ value: [UInt8], to characteristic: RemoteCharacteristic) async throws(RadioError)

    /// Writes without response: returns when the host's queue has taken it, which it does only while there is room.
    ///
    /// The value has at most MTU − 3 bytes, and at most 512.
    ///
    /// - Throws: `tooLarge`, `linkLost`.
    func writeWithoutResponse(_ value: [UInt8], to characteristic: RemoteCharacteristic) async throws(RadioError)

    /// Asks for the values of a characteristic in `events`; without it they are not delivered. Where it has no client
    /// configuration descriptor nothing is written and what the peer sends is delivered all the same; that is not an
    /// error.
    func subscribe(to characteristic: RemoteCharacteristic) async throws(RadioError)

    /// Ends the subscription that `subscribe` made.
    func unsubscribe(from characteristic: RemoteCharacteristic) async throws(RadioError)

    /// Reads the signal strength at which the peer is heard, in dBm.
    ///
    /// - Throws: `unsupported` where the radio cannot.
    func readRSSI() async throws(RadioError) -> Int

    /// Ends the connection; returns when it is down. Ending one that is down does nothing.
    func disconnect() async

    /// The radio's counters of the link, for the link report; nil fields where it has none.
    func statistics() async -> LinkStatistics
}

extension CentralLink {
    /// Refuses: this radio cannot read the signal strength of a link.
    public func readRSSI() async throws(RadioError) -> Int {
        throw RadioError(.unsupported, "this radio cannot read the signal strength of a link")
    }
}

/// An event that a central receives on a link without a request of its own.
public enum CentralLinkEvent: Hashable, Sendable {
    /// A notification or an indication; the latter has been confirmed.
    case value([UInt8], of: RemoteCharacteristic, isIndication: Bool)
    /// The ATT MTU changed.
    case mtu(Int)
    /// The link is down; nothing follows.
    case disconnected(DisconnectReason)
}
