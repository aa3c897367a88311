import Air
import Bluetooth
import CoreBluetooth
import CoreBluetoothRadio
import Radio
import RadioConformance
import Testing
import VirtualRadio

/// The rules of radios for the central role on Core Bluetooth; the peripheral is a virtual radio.
@Suite(.serialized) struct ConformanceTests {
    /// Capabilities that Core Bluetooth does not have; the page On Apple gives the reasons.
    private static let lacking: Set<RadioConformance.Capability> = [
        .separateScanResponse, .exchangeMTU, .peripheralMTU, .packetCounters, .chosenDescriptors,
    ]

    private static let cases = RadioConformance.cases.filter { $0.needs.isDisjoint(with: lacking) }

    /// The rules that cannot be shown, each of which needs something that the system does not have.
    private static let left = [
        "a scan response arrives as a report of its own",
        "a filter that the advertisement meets passes the scan response too",
        "a filter that only the scan response meets passes the advertisement too",
        "an exchange settles on the central's MTU where that is smaller",
        "an exchange settles on the peripheral's MTU where that is smaller",
        "characteristics are found with their descriptors",
        "a writer is held back while the queue is full",
        "a notifier is held back while the queue is full",
        "a write command has at most 512 bytes where the MTU has room for more",
        "a notification has at most 512 bytes where the MTU has room for more",
        "advertisements are stopped each alone",
    ]

    @Test func `the radio rules that Core Bluetooth cannot meet are the eleven that the manual lists`() {
        let others = RadioConformance.cases.filter { !$0.needs.isDisjoint(with: Self.lacking) }
        #expect(others.map(\.name).sorted() == Self.left.sorted())
        print("conformance: \(Self.cases.count) rules run, \(others.count) cannot be shown")
    }

    @Test(arguments: cases)
    func `the radio on Core Bluetooth passes the conformance rules of radios`(_ rule: RadioConformance.Case)
        async throws
    {
        let air = VirtualAir.private(seed: 1)
        let conditions = DeviceRadioConditions(link: Apple.link)
        let configuration = VirtualRadio.Configuration(conditions: conditions)
        let peripheral = try await air.makeRadio(configuration)
        let (_, central) = try await Apple.wallet(on: air, conditions: conditions)
        let bench = RadioConformance.Bench(
            central: central, peripheral: peripheral, peripheralAddress: Apple.address(of: peripheral.address),
            otherCentral: nil)
        let other = try await Apple.wallet(on: air, conditions: conditions).radio
        let whole = RadioConformance.Bench(
            central: bench.central, peripheral: bench.peripheral, peripheralAddress: bench.peripheralAddress,
            otherCentral: other)
        do { try await rule.run(on: whole) } catch {
            Issue.record(error, "\(rule)")
        }
        await central.close()
        await other.close()
        await air.close()
    }
}
