import Air
import Bluetooth
import Radio
import RadioConformance
import TestSupport
import Testing

@testable import VirtualRadio

@Suite struct ConformanceTests {
    @Test(.shows("TUV-002", "TUV-004", "TUV-007", "TUV-023", "TUV-067"), arguments: RadioConformance.cases)
    func `the virtual radio in one process passes the conformance rules of radios`(_ rule: RadioConformance.Case)
        async throws
    {
        let air = VirtualAir.private(seed: 1)
        let bench = try await Bench.make(rule.settings, on: [air])
        do { try await rule.run(on: bench) } catch {
            Issue.record(error, "\(rule)")
        }
        await air.close()
    }

    @Test(arguments: RadioConformance.cases)
    func `the virtual radio between processes passes the conformance rules of radios`(_ rule: RadioConformance.Case)
        async throws
    {
        try await TemporaryFolder.with { folder in
            let host = try await VirtualAir.shared(path: "\(folder)/air.sock", seed: 1)
            let guest = try await VirtualAir.shared(path: "\(folder)/air.sock", seed: 1)
            let bench = try await Bench.make(rule.settings, on: [host, guest])
            do { try await rule.run(on: bench) } catch {
                Issue.record(error, "\(rule)")
            }
            await guest.close()
            await host.close()
        }
    }
}

enum Bench {
    /// Radios on one air that `airs` share; the peripheral is the first one's, the central the last one's.
    static func make(_ settings: RadioConformance.Settings, on airs: [VirtualAir]) async throws
        -> RadioConformance.Bench
    {
        let conditions = DeviceRadioConditions(link: LinkParameters(phy: .le2M, intervalMicroseconds: 7500))
        func radio(_ air: VirtualAir, mtu: Int = 517) async throws -> VirtualRadio {
            try await air.makeRadio(VirtualRadio.Configuration(conditions: conditions, maximumMTU: mtu))
        }
        let peripheral = try await radio(airs[0], mtu: settings.peripheralMTU)
        return RadioConformance.Bench(
            central: try await radio(airs[airs.count - 1]), peripheral: peripheral,
            peripheralAddress: peripheral.address, otherCentral: try await radio(airs[airs.count - 1]))
    }
}
