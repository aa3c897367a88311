import TestSupport
import Testing

@testable import BlueZRadio

@Suite struct DiagnosisTests {
    private static let usual = BluetoothFacts(
        hasBus: true, daemonRuns: true, daemonVersion: "5.66",
        adapters: [.init(name: "hci0", address: "00:AA:01:00:00:00", isPowered: true)])

    private func finding(_ name: String, _ change: (inout BluetoothFacts) -> Void) -> BluetoothDiagnosis.Finding? {
        var facts = Self.usual
        change(&facts)
        return BluetoothDiagnosis(facts).findings.first { $0.name == name }
    }

    @Test func `without D-Bus, bluetoothd or an adapter the diagnosis reports only that`() {
        #expect(BluetoothDiagnosis(BluetoothFacts()).findings.map(\.name) == ["bus"])
        #expect(BluetoothDiagnosis(BluetoothFacts(hasBus: true)).findings.map(\.name) == ["daemon"])
        let bare = BluetoothDiagnosis(BluetoothFacts(hasBus: true, daemonRuns: true))
        #expect(bare.findings.map(\.name) == ["daemon", "adapter"])
        #expect(!bare.isWallet && !bare.isVerifier)
    }

    @Test func `an adapter that is blocked or powered off is reported with the remedy`() {
        let adapter = BluetoothFacts.Adapter(name: "hci0", address: "", isPowered: false)
        #expect(finding("adapter") { $0.adapters = [adapter] }?.cure == "bluetoothctl power on")
        var blocked = adapter
        blocked.isBlocked = true
        #expect(finding("adapter") { $0.adapters = [blocked] }?.cure == "rfkill unblock bluetooth")
    }

    @Test(
        arguments: [
            ("5.66", false, false, false, false), ("5.66", true, false, true, false), ("5.66", true, true, true, true),
            ("5.79", false, true, false, false), ("5.80", false, false, true, false), ("5.80", false, true, true, true),
            (nil, false, true, false, false), ("odd", false, true, false, false),
        ] as [(String?, Bool, Bool, Bool, Bool)])
    func `the bluetoothd version and the user's rights decide which verifier features are reported`(
        version: String?, mayAdminister: Bool, maySendRaw: Bool, isVerifier: Bool, servesSilent: Bool
    ) {
        var facts = Self.usual
        facts.daemonVersion = version
        facts.mayAdminister = mayAdminister
        facts.maySendRaw = maySendRaw
        let diagnosis = BluetoothDiagnosis(facts)
        #expect(diagnosis.isWallet)
        #expect(diagnosis.isVerifier == isVerifier)
        #expect(diagnosis.servesSilentWallets == servesSilent)
    }

    @Test func `an adapter that cannot advertise serves a wallet only`() {
        var facts = Self.usual
        facts.adapters[0].isPeripheral = false
        facts.mayAdminister = true
        #expect(!BluetoothDiagnosis(facts).isVerifier)
        #expect(BluetoothDiagnosis(facts).isWallet)
    }

    @Test func `the limit of 510 bytes is reported before 5.69 unless the MTU keeps below it`() {
        #expect(finding("long-writes") { _ in } != nil)
        #expect(finding("long-writes") { $0.settings["ExchangeMTU"] = "513" } == nil)
        #expect(finding("long-writes") { $0.settings["ExchangeMTU"] = "514" } != nil)
        #expect(finding("long-writes") { $0.daemonVersion = "5.68" } != nil)
        #expect(finding("long-writes") { $0.daemonVersion = "5.69" } == nil)
    }

    @Test func `correct Bluetooth settings are not reported`() {
        #expect(finding("channels") { _ in } != nil)
        #expect(finding("channels") { $0.settings["Channels"] = "1" } == nil)
        #expect(finding("reverse-discovery") { _ in } != nil)
        #expect(finding("reverse-discovery") { $0.settings["ReverseServiceDiscovery"] = "false" } == nil)
    }

    @Test(.shows("N10"))
    func `an adapter that stores the keys of paired devices is reported with the remedy`() {
        #expect(finding("pairing") { _ in } == nil)
        #expect(finding("pairing") { $0.adapters[0].isPairable = true }?.cure == "bluetoothctl pairable off")
        let other = BluetoothFacts.Adapter(name: "hci1", address: "", isPowered: false, isPairable: true)
        #expect(finding("pairing") { $0.adapters.append(other) } == nil)
    }

    @Test func `Bluetooth settings are read without comments, sections and blanks`() {
        let text = "[GATT]\n#Cache = always\n Channels = 1\nExchangeMTU=513\nno value\n"
        #expect(BluetoothFacts.settings(in: text) == ["Channels": "1", "ExchangeMTU": "513"])
        let many = (0..<201).map { "k\($0)=1" }.joined(separator: "\n")
        #expect(BluetoothFacts.settings(in: many).count == 200)
    }
}
