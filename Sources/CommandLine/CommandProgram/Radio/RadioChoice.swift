import BlueZRadio
package import Terminal

/// The radio that a command uses.
package enum RadioChoice: Hashable, Sendable {
    /// A real adapter if one is usable, else the virtual air, if a person permits that.
    case auto
    /// The command uses the virtual air.
    case virtual
    /// A real Bluetooth adapter: the named one, or the first that is on.
    case bluez(adapter: String?)

    /// The option `--radio`, which chooses a virtual or a real radio.
    package static let option = ValueOption(
        "radio", ValueKind<RadioChoice>("RADIO", choices: ["auto", "virtual", "bluez"], read: RadioChoice.read),
        "The radio: virtual, bluez or bluez:hci0; auto takes a real one if it can (auto).")

    private static func read(_ text: String) throws(InvalidValue) -> RadioChoice {
        switch text {
        case "auto": return .auto
        case "virtual": return .virtual
        case "bluez": return .bluez(adapter: nil)
        default: break
        }
        let adapter = text.dropFirst("bluez:".count)
        guard text.hasPrefix("bluez:hci"), let number = UInt16(adapter.dropFirst(3)), "hci\(number)" == adapter else {
            throw InvalidValue("is not a radio", advice: "Write auto, virtual, bluez or bluez:hci0")
        }
        return .bluez(adapter: String(adapter))
    }

    /// The task for which a command uses the radio; it decides which Bluetooth functions are required.
    package enum RadioTask: Hashable, Sendable {
        case wallet
        case verifier
        /// A proximity sensor, which scans, connects, advertises and serves at once.
        case sensor
        /// A listener, which scans and connects only.
        case listener

        /// True when the machine's Bluetooth supports the role.
        func isPlayable(_ found: BluetoothDiagnosis) -> Bool {
            switch self {
            // A sensor that cannot advertise writes its payload to others, so it needs no more than a wallet.
            case .wallet, .listener, .sensor: found.isWallet
            case .verifier: found.isWallet && found.isVerifier
            }
        }
    }

    /// The chosen radio: the virtual air or a real adapter.
    package enum ChosenRadio: Hashable, Sendable {
        /// The virtual air; with the reason, where it was not requested and a person must permit it.
        case virtual(because: String?)
        /// A real Bluetooth adapter, with a warning about its limits.
        case real(adapter: String?, warning: String?)
    }

    /// Chooses the virtual air or a real adapter by the state of the machine's Bluetooth.
    ///
    /// - Parameters:
    ///   - isAirNamed: whether an option configures a simulated air.
    ///   - diagnosis: called only where the decision depends on it.
    func outcome(
        _ role: RadioTask, isAirNamed: Bool, diagnosis: () async -> BluetoothDiagnosis
    ) async -> ChosenRadio {
        switch self {
        case .virtual: return .virtual(because: nil)
        case .auto where isAirNamed: return .virtual(because: nil)
        case .auto:
            let found = await diagnosis()
            if role.isPlayable(found) { return Self.real(nil, role, found) }
            let cause = found.findings.first { $0.gravity == .missing }?.sentence
            return .virtual(because: cause ?? "No adapter is usable.")
        case .bluez(let adapter): return Self.real(adapter, role, await diagnosis())
        }
    }

    private static func real(_ adapter: String?, _ role: RadioTask, _ found: BluetoothDiagnosis) -> ChosenRadio {
        if role == .sensor, found.isWallet, !found.isAdvertiser {
            return .real(
                adapter: adapter,
                warning: "No adapter that is on can advertise, so this device writes its payload to those that do.")
        }
        let isLimited = role == .verifier && found.isVerifier && !found.servesSilentWallets
        let sentence = found.findings.first { $0.name == "silent-wallets" }?.sentence
        let cure = " symbolon doctor --fix shows how to change that."
        return .real(adapter: adapter, warning: isLimited ? sentence.map { $0 + cure } : nil)
    }
}
