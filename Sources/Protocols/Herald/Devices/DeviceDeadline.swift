import DataStructures

/// The time at which a device record must be checked; entries are ordered by time, then by slot.
///
/// An entry is never moved in its queue: a record whose deadline changes gets another entry, and the old one is ignored
/// when it is due.
struct DeviceDeadline: Prioritized, Sendable {
    /// The time at which the record must be checked, in nanoseconds of the node's clock.
    let at: UInt64
    let token: DeviceRecordToken

    @inline(__always)
    func precedes(_ other: Self) -> Bool {
        at != other.at ? at < other.at : token.order < other.token.order
    }
}
