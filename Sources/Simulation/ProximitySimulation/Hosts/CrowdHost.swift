public import Air
public import Bluetooth
public import Determinism
public import Herald
import StockHeralds

/// The software on a device of a crowd.
public protocol CrowdHost: ProximityHost {
    /// Appends the core's events since the last call to `events`, oldest first.
    mutating func drainEvents(into events: inout [HeraldEvent])

    /// Handles an advertisement that the device received.
    ///
    /// Handles an advertising report like `handle`, without allocating an array for its data.
    mutating func hear(
        _ address: DeviceAddress, kind: AdvertisementReport.Kind, rssi: Int, data: Span<UInt8>,
        at now: MonotonicInstant, into commands: inout [AirCommand])

    /// The number of acts as an attacker; 0 for an honest host.
    var misdeeds: Int { get }

    /// Counts the records of other devices: `recordCount`, mutating for the same reason as `dueInstant`.
    mutating func countRecords() -> Int

    /// Reads a part of the memory that the next event needs, so that it is prefetched for many hosts at once; changes
    /// nothing.
    ///
    /// `depth` 0 reads the host's own memory, 1 the memory that it refers to; each depth needs the one before.
    mutating func prefetch(_ depth: Int) -> UInt64

    /// Reads a part of the memory about these devices, so that it is prefetched: their advertisements come next.
    mutating func prefetch(_ addresses: Span<DeviceAddress>) -> UInt64

    /// Swaps the host's lists for `scratch` while it handles an event; the second call swaps them back, with the events
    /// that were not drained yet.
    mutating func exchange(_ scratch: inout HostEventBuffers)

    /// The next deadline in nanoseconds; `.max` for none.
    ///
    /// The same as `nextDeadline`. It is called after every event, and a mutating function does not copy a large host.
    mutating func dueInstant() -> UInt64
}

extension CrowdHost {
    /// Handles an advertising report.
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

    /// Appends nothing: this host has no sensor core.
    public mutating func drainEvents(into events: inout [HeraldEvent]) {}

    /// Returns the number of records, as `recordCount` does.
    public mutating func countRecords() -> Int { recordCount }

    /// The number of acts as an attacker: zero, because this host is honest.
    public var misdeeds: Int { 0 }

    /// Does nothing: this host keeps its own lists.
    public mutating func exchange(_ scratch: inout HostEventBuffers) {}

    /// Reads nothing: this host has no memory to prefetch.
    public mutating func prefetch(_ depth: Int) -> UInt64 { 0 }

    /// Reads nothing: this host has no records to prefetch.
    public mutating func prefetch(_ addresses: Span<DeviceAddress>) -> UInt64 { 0 }

    /// The next deadline in nanoseconds, as `nextDeadline`; `.max` for none.
    public mutating func dueInstant() -> UInt64 { nextDeadline?.nanoseconds ?? .max }
}

extension StockAndroidHerald: CrowdHost {}
