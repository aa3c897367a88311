/// What is known about one device's view of another, for the figures.
struct PairState: Sendable {
    /// The window that is being counted, from 1; 0 before the first.
    var window: UInt32 = 0
    /// How many looks of this window found the two in range.
    var looks: UInt8 = 0
    /// Whether there was a reading in this window.
    var isHeard = false
    /// Whether the two could have noticed each other since they came into range.
    var hadChance = false
    /// Whether that was so when this window began.
    var counts = false
    /// Windows in range all the time, and those of them with a reading.
    var windows: UInt32 = 0
    var heardWindows: UInt32 = 0
    /// Whether the other's payload is known.
    var isIdentified = false
    /// How often a payload was read over a link, and how many different ones.
    var reads: UInt16 = 0
    var identities: UInt16 = 0
    var lastIdentity: UInt64 = 0
    /// The second of the last sign of the other.
    var lastSign: UInt32 = 0
    /// For how many seconds there was none before that, where it was long.
    var absence: UInt32 = 0
    /// Since when the two have been in range, and when that was seen last, in nanoseconds; for a log.
    var nearSince: UInt64?
    var nearUntil: UInt64 = 0
}

/// Pairs of one device by the number of the other: open addressing, at most half full.
struct PairTable: Sendable {
    private var keys = [UInt32](repeating: 0, count: 16)
    private var places = [UInt32](repeating: 0, count: 16)
    private(set) var others: [UInt32] = []
    var states: [PairState] = []

    /// The place of a pair in `states`; opens one where there is none.
    mutating func place(of other: Int) -> Int {
        let key = UInt32(other) + 1
        var slot = Int(key &* 0x9E37_79B1 >> 8) & (keys.count - 1)
        while keys[slot] != 0 {
            if keys[slot] == key { return Int(places[slot]) }
            slot = (slot + 1) & (keys.count - 1)
        }
        keys[slot] = key
        places[slot] = UInt32(states.count)
        others.append(UInt32(other))
        states.append(PairState())
        if states.count * 2 > keys.count { grow() }
        return states.count - 1
    }

    private mutating func grow() {
        let size = keys.count * 2
        keys = [UInt32](repeating: 0, count: size)
        places = [UInt32](repeating: 0, count: size)
        for (place, other) in others.enumerated() {
            let key = other + 1
            var slot = Int(key &* 0x9E37_79B1 >> 8) & (size - 1)
            while keys[slot] != 0 { slot = (slot + 1) & (size - 1) }
            keys[slot] = key
            places[slot] = UInt32(place)
        }
    }
}
