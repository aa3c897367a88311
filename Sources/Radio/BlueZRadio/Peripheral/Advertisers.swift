import Radio

/// The advertisements of the radio: one without a number, and those with numbers beside it.
final class Advertisers {
    /// The most advertisements at one time; an adapter may have room for fewer.
    static let maximumCount = 16

    private let daemon: BluetoothdConnection
    private let management: BluetoothManagementSocket
    private let claim: AdapterClaim
    private var all: [UInt8?: Advertiser] = [:]

    init(_ daemon: BluetoothdConnection, management: BluetoothManagementSocket, claim: AdapterClaim) {
        self.daemon = daemon
        self.management = management
        self.claim = claim
    }

    /// Starts or replaces the advertisement of a number, or the one without a number.
    func start(
        _ advertisement: Advertisement, number: UInt8?, isolation: isolated any Actor = #isolation
    ) async throws(RadioError) {
        let advertiser = all[number] ?? Advertiser(Self.path(number), daemon, management: management, claim: claim)
        guard advertiser.isActive || all.values.filter(\.isActive).count < Self.maximumCount else {
            throw RadioError(.tooLarge, "a radio has at most \(Self.maximumCount) advertisements")
        }
        all[number] = advertiser
        try await advertiser.start(advertisement)
    }

    /// Stops one advertisement.
    func stop(number: UInt8?, isolation: isolated any Actor = #isolation) async { await all[number]?.stop() }

    /// Stops all advertisements.
    func stopAll(isolation: isolated any Actor = #isolation) async {
        for advertiser in ordered { await advertiser.stop() }
    }

    /// Restores the advertisements that were up before the adapter went away.
    func restore(isolation: isolated any Actor = #isolation) async {
        for advertiser in ordered { await advertiser.restore() }
    }

    /// Records that the kernel took an advertising instance off the air.
    func removed(_ instance: UInt8) {
        for advertiser in all.values { advertiser.removed(instance) }
    }

    /// The properties of the advertisement object at a D-Bus path; nil when there is none.
    func properties(at path: String) -> [(name: String, value: DBusValue)]? {
        all.values.first { $0.path == path }?.properties
    }

    private var ordered: [Advertiser] { all.values.sorted { $0.path < $1.path } }

    private static func path(_ number: UInt8?) -> String {
        "/org/symbolon/advertisement" + (number.map(String.init) ?? "")
    }
}
