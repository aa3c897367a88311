import DataStructures

/// When which record must be looked at; the earliest comes first, of several at one time the lowest slot.
///
/// An entry is never moved: a record whose deadline changes gets another entry, and the old one is ignored when it is
/// due.
struct RecordDeadline: Prioritized, Sendable {
    let at: UInt64
    let token: SlotToken

    @inline(__always)
    func precedes(_ other: RecordDeadline) -> Bool {
        if at != other.at { return at < other.at }
        return (token.slot, token.generation) < (other.token.slot, other.token.generation)
    }
}
