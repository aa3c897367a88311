import DataStructures
import Determinism

/// When a link must be looked at; a link whose deadline has moved finds out when its entry comes up.
struct LinkDeadline: Prioritized {
    let instant: MonotonicInstant
    let serial: UInt64

    func precedes(_ other: LinkDeadline) -> Bool { (instant, serial) < (other.instant, other.serial) }
}
