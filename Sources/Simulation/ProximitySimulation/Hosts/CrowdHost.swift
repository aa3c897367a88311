public import Bluetooth
public import Determinism
public import Herald
public import Simulation
import StockHeralds

/// The software on a device of a crowd.
public protocol CrowdHost: ProximityHost {
    /// Returns the events of a core since the last call, oldest first.
    mutating func drainEvents(into events: inout [HeraldEvent])

    /// Hears an advertisement.
    ///
    /// The same as `handle` with a report, without an array for each.
    mutating func hear(
        _ address: DeviceAddress, kind: AdvertisementReport.Kind, rssi: Int, data: Span<UInt8>,
        at now: MonotonicInstant, into commands: inout [AirCommand])

    /// How often it did what it should not; 0 of an honest host.
    var misdeeds: Int { get }

    /// How many others it remembers: `recordCount`, mutating for the same reason as `dueInstant`.
    mutating func countRecords() -> Int

    /// Reads a little of what the next event needs, so that memory fetches it for many hosts at once; changes nothing.
    ///
    /// What lies in the host itself (`depth` 0), and what that refers to (1); each depth needs the one before.
    mutating func prefetch(_ depth: Int) -> UInt64

    /// Reads a little of what is known of these devices, which are heard next.
    mutating func prefetch(_ addresses: Span<DeviceAddress>) -> UInt64

    /// Takes these lists for the time in which it deals with an event, and gives its own; the second call gives them back, with what
    /// it noticed and was not asked for yet.
    mutating func exchange(_ scratch: inout HostScratch)

    /// When something is due without anything happening, in nanoseconds; `.max`: never.
    ///
    /// What `nextDeadline` says. It is asked after everything that happens, and a mutating function is not handed a copy of a large
    /// host.
    mutating func dueInstant() -> UInt64
}

extension CrowdHost {
    /// Is handed a report.
    public mutating func hear(
        _ address: DeviceAddress, kind: AdvertisementReport.Kind, rssi: Int, data: Span<UInt8>,
        at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        var bytes: [UInt8] = []
        for index in data.indices { bytes.append(data[index]) }
        handle(
            .report(AdvertisementReport(address: address, kind: kind, rssi: rssi, data: bytes)), at: now,
            into: &commands)
    }

    /// Has no core.
    public mutating func drainEvents(into events: inout [HeraldEvent]) {}

    /// What `recordCount` says.
    public mutating func countRecords() -> Int { recordCount }

    /// Is honest.
    public var misdeeds: Int { 0 }

    /// Keeps its own.
    public mutating func exchange(_ scratch: inout HostScratch) {}

    /// Reads nothing.
    public mutating func prefetch(_ depth: Int) -> UInt64 { 0 }

    /// Reads nothing.
    public mutating func prefetch(_ addresses: Span<DeviceAddress>) -> UInt64 { 0 }

    /// What `nextDeadline` says.
    public mutating func dueInstant() -> UInt64 { nextDeadline?.nanoseconds ?? .max }
}

extension StockAndroidHerald: CrowdHost {}
