public import Bluetooth
public import Radio

/// The rules of the radio seam, as cases that every back end must pass.
///
/// A test target makes one test per back end that runs each case of `cases` on a fresh `Bench`. A back end that cannot
/// do something by its nature leaves the capability out and says why in its documentation; the cases that need it are
/// then skipped.
public enum RadioConformance {
    /// A capability that a radio back end may lack.
    public enum Capability: String, Hashable, Sendable, CaseIterable {
        /// Advertisement and scan response are distinguished.
        case separateScanResponse
        /// The central decides when the MTU is exchanged.
        case exchangeMTU
        /// The peripheral's largest MTU can be set for the bench.
        case peripheralMTU
        /// Values can be pushed to a central that wrote no descriptor.
        case pushToAnyone
        /// The reason of a disconnect is exact at both ends.
        case disconnectReasons
        /// Two centrals can be connected to the peripheral at once.
        case twoCentrals
        /// The radio counts link-layer packets.
        case packetCounters
        /// The peripheral publishes the descriptors that were asked for and no others.
        case chosenDescriptors
        /// Writes of no bytes, and of more than 508, reach the application.
        case extremeWrites
        /// Services are added and removed while something is connected.
        case addedServices
        /// Several advertisements are on the air at once.
        case severalAdvertisements
        /// Published services cannot be replaced while something is connected.
        case fixedServices
    }

    /// The settings of the radios for a case.
    public struct Settings: Hashable, Sendable {
        /// The largest ATT MTU that the peripheral agrees to.
        public var peripheralMTU = 517

        /// Makes the default settings.
        public init() {}
    }

    /// Two or three radios within reach of each other, for one case.
    public struct Bench: Sendable {
        /// The radio that scans and connects.
        public let central: any CentralRadio
        /// The radio that advertises.
        public let peripheral: any PeripheralRadio
        /// The address at which the central finds the peripheral.
        public let peripheralAddress: DeviceAddress
        /// A second radio that connects; nil where there is none.
        public let otherCentral: (any CentralRadio)?

        /// Makes a bench of radios for one case.
        public init(
            central: any CentralRadio, peripheral: any PeripheralRadio, peripheralAddress: DeviceAddress,
            otherCentral: (any CentralRadio)? = nil
        ) {
            self.central = central
            self.peripheral = peripheral
            self.peripheralAddress = peripheralAddress
            self.otherCentral = otherCentral
        }
    }

    /// One rule for radios, as a case that a test runs.
    public struct Case: Sendable, CustomStringConvertible {
        /// The rule that the case checks, as a sentence.
        public let name: String
        /// The capabilities that a back end needs for the case.
        public let needs: Set<Capability>
        /// The settings of the radios for the case.
        public let settings: Settings

        private let body: @Sendable (Bench) async throws -> Void

        init(
            _ name: String, needs: Set<Capability> = [], settings: Settings = Settings(),
            _ body: @escaping @Sendable (Bench) async throws -> Void
        ) {
            self.name = name
            self.needs = needs
            self.settings = settings
            self.body = body
        }

        /// The rule that the case checks, as a sentence.
        public var description: String { name }

        /// Runs the case; throws when the radio breaks the rule.
        ///
        /// - Parameter deadline: Generous: it ends a case that hangs, it measures nothing.
        /// - Throws: `ConformanceFailure`, or the error of a radio that should not have failed.
        public func run(on bench: Bench, deadline: Duration = .seconds(60)) async throws {
            try await withThrowingTaskGroup { group in
                group.addTask { try await body(bench) }
                group.addTask {
                    try await Task.sleep(for: deadline)
                    throw ConformanceFailure("the case did not end within \(deadline)")
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    /// The cases of all rules for radios.
    public static let cases =
        advertisingCases + numberedAdvertisingCases + linkCases + discoveryCases + serviceCases + valueCases + pushCases
}

/// The error of a case whose rule a radio breaks.
public struct ConformanceFailure: Error, CustomStringConvertible {
    /// The expected and the actual behaviour of the radio, as a sentence.
    public let description: String

    init(_ description: String) { self.description = description }
}
