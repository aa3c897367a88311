import DataStructures
import Determinism

/// An entry in the loop's queue of deadlines; a connection whose deadline has moved later is queued again when its
/// entry is due.
struct ConnectionDeadline: Prioritized {
    let instant: MonotonicInstant
    let serial: UInt64

    func precedes(_ other: ConnectionDeadline) -> Bool { (instant, serial) < (other.instant, other.serial) }
}
