/// The facts about Bluetooth on this machine that can be read without changing anything.
public struct BluetoothFacts: Hashable, Sendable {
    /// A Bluetooth adapter of this machine.
    public struct Adapter: Hashable, Sendable {
        /// The name of the adapter, such as `hci0`.
        public var name: String
        /// The address of the adapter, in pairs of digits.
        public var address: String
        /// True when the adapter is on.
        public var isPowered: Bool
        /// True when a switch (rfkill) holds the adapter off.
        public var isBlocked: Bool
        /// True when the adapter can advertise.
        public var isPeripheral: Bool
        /// True when bluetoothd keeps the keys of devices that pair with the adapter.
        public var isPairable: Bool

        /// Makes an adapter.
        public init(
            name: String, address: String, isPowered: Bool, isBlocked: Bool = false, isPeripheral: Bool = true,
            isPairable: Bool = false
        ) {
            self.name = name
            self.address = address
            self.isPowered = isPowered
            self.isBlocked = isBlocked
            self.isPeripheral = isPeripheral
            self.isPairable = isPairable
        }
    }

    /// True when the machine has a D-Bus system bus.
    public var hasBus: Bool
    /// True when bluetoothd is on the system bus.
    public var daemonRuns: Bool
    /// The version of bluetoothd, major and minor; nil when it is not known.
    public var daemonVersion: String?
    /// All Bluetooth adapters of this machine.
    public var adapters: [Adapter]
    /// True when this process may have CAP_NET_ADMIN.
    public var mayAdminister: Bool
    /// True when this process may have CAP_NET_RAW.
    public var maySendRaw: Bool
    /// The settings of bluetoothd's main.conf by key; without sections, because no key appears in two.
    public var settings: [String: String]
    /// The path of this program.
    public var program: String

    /// Makes facts; the defaults are a machine without anything.
    public init(
        hasBus: Bool = false, daemonRuns: Bool = false, daemonVersion: String? = nil, adapters: [Adapter] = [],
        mayAdminister: Bool = false, maySendRaw: Bool = false, settings: [String: String] = [:],
        program: String = "symbolon"
    ) {
        self.hasBus = hasBus
        self.daemonRuns = daemonRuns
        self.daemonVersion = daemonVersion
        self.adapters = adapters
        self.mayAdminister = mayAdminister
        self.maySendRaw = maySendRaw
        self.settings = settings
        self.program = program
    }

    /// The keys and values of a configuration file like bluetoothd's; comments and sections are left out, and at most
    /// 200 keys are taken.
    public static func settings(in text: String) -> [String: String] {
        var settings: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: "=", maxSplits: 1).map { $0.filter { !$0.isWhitespace } }
            guard parts.count == 2, let first = parts[0].first, first != "#", settings.count < 200 else { continue }
            settings[parts[0]] = parts[1]
        }
        return settings
    }

    /// Returns true when bluetoothd loses values of 511 and 512 bytes that centrals write.
    ///
    /// Before 5.69 its limit of 512 bytes includes the header of the write; a central writes that much at once where
    /// the ATT MTU that bluetoothd asks for, 517 unless `ExchangeMTU` is less, leaves room for it.
    static func losesLongWrites(_ version: BluetoothdVersion?, _ settings: [String: String]) -> Bool {
        let largest = settings["ExchangeMTU"].flatMap { Int($0) } ?? 517
        return version.map { $0 < .takesLongWrites } ?? false && largest > 513
    }

    var version: BluetoothdVersion? {
        let parts = (daemonVersion ?? "").split(separator: ".").compactMap { Int($0) }
        return parts.count == 2 ? BluetoothdVersion(parts[0], parts[1]) : nil
    }
}
