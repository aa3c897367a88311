import Bluetooth
import FoundationEssentials
import Radio
import RadioConformance
import Testing

@testable import BlueZRadio

/// Runs on real adapters, where SYMBOLON_BLUEZ names two or three of them: the peripheral's, the central's, another's.
///
/// `Scripts/interop-ble.sh conformance` does, in a machine with software controllers.
@Suite(.serialized) struct ConformanceTests {
    static let adapters =
        ProcessInfo.processInfo.environment["SYMBOLON_BLUEZ"].map { $0.split(separator: ",").map(String.init) } ?? []

    /// Capabilities that BlueZ does not have; Documentation/Manual/Bluetooth.md gives the reasons.
    private static let lacking: Set<RadioConformance.Capability> = [
        .separateScanResponse, .exchangeMTU, .peripheralMTU, .packetCounters, .chosenDescriptors, .extremeWrites,
    ]

    /// All that BlueZ can do, or those whose sentence holds SYMBOLON_BLUEZ_CASE.
    private static var cases: [RadioConformance.Case] {
        let wanted = ProcessInfo.processInfo.environment["SYMBOLON_BLUEZ_CASE"] ?? ""
        return RadioConformance.cases.filter { rule in
            (wanted.isEmpty || rule.name.contains(wanted)) && rule.needs.isDisjoint(with: lacking)
                && (adapters.count > 2 || !rule.needs.contains(.twoCentrals))
        }
    }

    @Test(.enabled(if: ConformanceTests.adapters.count > 1, "SYMBOLON_BLUEZ names no adapters"), arguments: cases)
    func `the BlueZNames radio passes the conformance rules of radios`(_ rule: RadioConformance.Case) async throws {
        var radios: [BlueZRadio] = []
        for adapter in Self.adapters.prefix(3) {
            radios.append(try await BlueZRadio.open(BlueZRadio.Configuration(adapter: adapter)))
        }
        let bench = RadioConformance.Bench(
            central: radios[1], peripheral: radios[0], peripheralAddress: radios[0].address,
            otherCentral: radios.count > 2 ? radios[2] : nil)
        do { try await rule.run(on: bench, deadline: .seconds(150)) } catch {
            Issue.record(error, "\(rule)")
        }
        for radio in radios.reversed() { await radio.close() }
    }
}
