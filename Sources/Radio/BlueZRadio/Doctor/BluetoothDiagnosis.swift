/// The diagnosis of a machine's Bluetooth: which roles work, for which wallets, and how to fix the rest.
public struct BluetoothDiagnosis: Hashable, Sendable {
    /// The severity of a finding.
    public enum Severity: String, Hashable, Sendable, CaseIterable {
        /// The finding needs no change.
        case fine
        /// The user should know the finding, but most hand-overs work.
        case note
        /// A role or a feature does not work.
        case missing
    }

    /// One finding about Bluetooth on this machine.
    public struct Finding: Hashable, Sendable {
        /// The stable name of the finding, for scripts.
        public var name: String
        /// The severity of the finding.
        public var gravity: Severity
        /// One sentence about the finding.
        public var sentence: String
        /// The command or the configuration line that fixes it; nil where nothing is to be fixed.
        public var cure: String?

        /// Makes a finding.
        public init(name: String, gravity: Severity, sentence: String, cure: String? = nil) {
            self.name = name
            self.gravity = gravity
            self.sentence = sentence
            self.cure = cure
        }
    }

    /// The findings, from the ground up.
    public private(set) var findings: [Finding] = []
    /// True when this machine can be a wallet.
    public private(set) var isWallet = false
    /// True when an adapter that is on can advertise.
    public private(set) var isAdvertiser = false
    /// True when this machine can receive credentials.
    public private(set) var isVerifier = false
    /// True when wallets that never subscribe are served too, as stock Android wallets are.
    public private(set) var servesSilentWallets = false

    /// Derives the findings from facts.
    public init(_ facts: BluetoothFacts) {
        guard judgeDaemon(facts), judgeAdapters(facts) else { return }
        isWallet = true
        judgeRights(facts)
        judgeTraps(facts)
    }

    /// Adds a finding that was made in another way.
    public mutating func add(_ finding: Finding) { findings.append(finding) }

    private mutating func add(_ name: String, _ gravity: Severity, _ sentence: String, cure: String? = nil) {
        findings.append(Finding(name: name, gravity: gravity, sentence: sentence, cure: cure))
    }

    private mutating func judgeDaemon(_ facts: BluetoothFacts) -> Bool {
        guard facts.hasBus else {
            add("bus", .missing, "There is no system message bus.", cure: "sudo systemctl start dbus")
            return false
        }
        guard facts.daemonRuns else {
            add(
                "daemon", .missing, "bluetoothd is not running, or not installed.",
                cure: "sudo apt-get install bluez && sudo systemctl enable --now bluetooth")
            return false
        }
        add("daemon", .fine, "bluetoothd runs, version \(facts.daemonVersion ?? "unknown").")
        return true
    }

    private mutating func judgeAdapters(_ facts: BluetoothFacts) -> Bool {
        if facts.adapters.isEmpty {
            add("adapter", .missing, "There is no Bluetooth adapter, or its driver is not loaded.")
        }
        for adapter in facts.adapters {
            let title = "\(adapter.name) (\(adapter.address))"
            if adapter.isBlocked {
                add("adapter", .missing, "\(title) is blocked by a switch.", cure: "rfkill unblock bluetooth")
            } else if !adapter.isPowered {
                add("adapter", .missing, "\(title) is off.", cure: "bluetoothctl power on")
            } else if !adapter.isPeripheral {
                add("adapter", .note, "\(title) is on; it cannot advertise, so it serves a wallet only.")
            } else {
                add("adapter", .fine, "\(title) is on.")
            }
        }
        return facts.adapters.contains(where: \.isPowered)
    }

    private mutating func judgeRights(_ facts: BluetoothFacts) {
        let setcap = "sudo setcap cap_net_admin,cap_net_raw+p \(facts.program)"
        let isRecent = facts.version.map { $0 >= .hasScanResponse } ?? false
        isAdvertiser = facts.adapters.contains { $0.isPowered && $0.isPeripheral }
        isVerifier = isAdvertiser && (facts.mayAdminister || isRecent)
        servesSilentWallets = isVerifier && facts.maySendRaw
        if facts.mayAdminister {
            add("scan-response", .fine, "This program may fill the scan response (CAP_NET_ADMIN).")
        } else if isRecent {
            add(
                "scan-response", .note, "bluetoothd fills the scan response; links take longer to come up.",
                cure: setcap)
        } else {
            add(
                "scan-response", .missing,
                "A verifier needs a scan response, which before BlueZ 5.80 takes CAP_NET_ADMIN; no wallet can find it.",
                cure: setcap)
        }
        if facts.maySendRaw {
            add("silent-wallets", .fine, "Wallets that never subscribe are served (CAP_NET_RAW).")
        } else {
            add(
                "silent-wallets", .missing,
                "Without CAP_NET_RAW wallets that never subscribe hear no answer; stock Android wallets are such.",
                cure: setcap)
        }
    }

    private mutating func judgeTraps(_ facts: BluetoothFacts) {
        if BluetoothFacts.losesLongWrites(facts.version, facts.settings) {
            add(
                "long-writes", .missing,
                "bluetoothd before 5.69 discards writes of 511 and 512 bytes, which iOS wallets and phones with mobile documents send.",
                cure: "ExchangeMTU = 513 under [GATT] in /etc/bluetooth/main.conf, then systemctl restart bluetooth")
        }
        if facts.settings["Channels"] != "1" {
            add(
                "channels", .note,
                "Two machines with BlueZ may spread GATT over several channels (EATT), which phones do not.",
                cure: "Channels = 1 under [GATT] in /etc/bluetooth/main.conf")
        }
        if facts.settings["ReverseServiceDiscovery"] != "false" {
            add(
                "reverse-discovery", .note, "bluetoothd looks at the services of every wallet that connects.",
                cure: "ReverseServiceDiscovery = false under [General] in /etc/bluetooth/main.conf")
        }
        for adapter in facts.adapters where adapter.isPowered && adapter.isPairable {
            add(
                "pairing", .note,
                "Any nearby device can ask to pair with \(adapter.name), and is remembered if this machine's user agrees; nothing here needs it.",
                cure: "bluetoothctl pairable off")
        }
        add(
            "flags", .fine,
            "The advertisement says that BR/EDR is not supported, so that other BlueZ machines connect over LE.")
    }
}
