/// One device's view of another, for the figures: small, because every reading accesses one.
struct DevicePairState: Sendable {
    /// The number of the window that is being counted, from 1; 0 before the first.
    var window: UInt32 = 0
    /// The number of windows in range all the time; `heardWindows` counts those with a reading.
    var windows: UInt32 = 0
    var heardWindows: UInt32 = 0
    /// The second of the last sign of the other device.
    var lastSign: UInt32 = 0
    /// The length of a long absence before the last sign, in seconds.
    var absence: UInt32 = 0
    /// The number of looks of this window that found the two in range.
    var looks: UInt8 = 0
    /// True when there was a reading in this window.
    var isHeard = false
    /// True when the two could have noticed each other since they came into range.
    var hadChance = false
    /// True when `hadChance` was true at the start of this window.
    var counts = false
    /// True when the other's payload is known.
    var isIdentified = false
}

/// The rarely used part of a pair, for payload reads and logs.
struct DevicePairDetails: Sendable {
    /// The number of payloads that were read over a link; `identities` counts the different ones.
    var reads: UInt16 = 0
    var identities: UInt16 = 0
    var lastIdentity: UInt64 = 0
    /// The times at which the two devices came into range and were last seen in range, in nanoseconds; for a log.
    var nearSince: UInt64?
    var nearUntil: UInt64 = 0
}

/// A hash table of a device's pairs by the number of the other device: open addressing, at most half full.
struct DevicePairTable: Sendable {
    private struct Slot: Sendable {
        /// The number of the other device plus one; 0 in a free slot.
        var key: UInt32 = 0
        var index: UInt32 = 0
    }

    private var slots = [Slot](repeating: Slot(), count: 16)
    private(set) var others: [UInt32] = []
    var states: [DevicePairState] = []
    var details: [DevicePairDetails] = []

    /// Returns the index of a pair in `states` and `details`; adds the pair if needed.
    mutating func index(of other: Int) -> Int {
        let key = UInt32(other) + 1
        var slot = Self.firstSlot(key, slots.count)
        while slots[slot].key != 0 {
            if slots[slot].key == key { return Int(slots[slot].index) }
            slot = (slot + 1) & (slots.count - 1)
        }
        slots[slot] = Slot(key: key, index: UInt32(states.count))
        others.append(UInt32(other))
        states.append(DevicePairState())
        details.append(DevicePairDetails())
        if states.count * 2 > slots.count { grow() }
        return states.count - 1
    }

    /// Reads a part of a pair's memory, so that it is prefetched for several pairs at once.
    func prefetch(_ other: Int) -> UInt64 {
        let key = UInt32(other) + 1
        var slot = Self.firstSlot(key, slots.count)
        while slots[slot].key != 0 {
            if slots[slot].key == key { return UInt64(states[Int(slots[slot].index)].window) }
            slot = (slot + 1) & (slots.count - 1)
        }
        return 0
    }

    private static func firstSlot(_ key: UInt32, _ count: Int) -> Int { Int(key &* 0x9E37_79B1 >> 8) & (count - 1) }

    private mutating func grow() {
        let size = slots.count * 2
        slots = [Slot](repeating: Slot(), count: size)
        for (index, other) in others.enumerated() {
            var slot = Self.firstSlot(other + 1, size)
            while slots[slot].key != 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = Slot(key: other + 1, index: UInt32(index))
        }
    }
}
