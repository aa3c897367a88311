import Determinism
public import Herald
public import Simulation
import StockPeers

/// Who lives on a device of a crowd.
public protocol CrowdHost: ProximityHost {
    /// Hands over what a core told its user since the last call, oldest first.
    mutating func drainEvents(into events: inout [HeraldEvent])

    /// How often it did what it should not; 0 of an honest host.
    var misdeeds: Int { get }

    /// When something is due by itself, in nanoseconds; `.max`: never.
    ///
    /// What `nextDeadline` says. It is asked after everything that happens, and a mutating function is not handed a copy of a large
    /// host.
    mutating func dueInstant() -> UInt64
}

extension CrowdHost {
    /// Has no core.
    public mutating func drainEvents(into events: inout [HeraldEvent]) {}

    /// Is honest.
    public var misdeeds: Int { 0 }

    /// What `nextDeadline` says.
    public mutating func dueInstant() -> UInt64 { nextDeadline?.nanoseconds ?? .max }
}

extension StockAndroidHerald: CrowdHost {}
