public import Herald
public import Simulation
import StockPeers

/// Who lives on a device of a crowd.
public protocol CrowdHost: ProximityHost {
    /// Hands over what a core told its user since the last call, oldest first.
    mutating func drainEvents(into events: inout [HeraldEvent])
}

extension CrowdHost {
    /// Has no core.
    public mutating func drainEvents(into events: inout [HeraldEvent]) {}
}

extension StockAndroidHerald: CrowdHost {}
