import DataStructures

/// When a record must be looked at: the earliest comes first, of several at one time the lowest slot.
///
/// It is never moved in its queue: a record whose deadline changes gets another one, and the old one is ignored when it
/// is due.
struct DeviceDeadline: Prioritized, Sendable {
    /// Nanoseconds of the node's clock.
    let at: UInt64
    let token: SlotToken

    @inline(__always)
    func precedes(_ other: Self) -> Bool {
        at != other.at ? at < other.at : token.order < other.token.order
    }
}
