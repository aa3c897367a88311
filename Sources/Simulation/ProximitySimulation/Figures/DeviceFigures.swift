/// The figures counted for one device of a crowd.
struct DeviceFigures: Sendable {
    /// The length of a window, in seconds.
    static let windowSeconds: UInt64 = 30
    /// How long a device is remembered without a sign of it, in seconds.
    static let memorySeconds: UInt32 = 900

    var pairs = PairTable()
    /// Windows in range, and those with a reading, by the hour.
    var hourWindows: [UInt32] = []
    var hourHeard: [UInt32] = []
    var readings = 0
    var misattributed = 0
    var advertisementsHeard = 0
    var phantomsHeard = 0
    var messagesReceived = 0
    var linksOpened = 0
    var linkNanoseconds: UInt64 = 0
    var linkBytes = 0
    var longestScanGap: UInt64 = 0
    var mostRecords = 0
    var looksPerWindow: UInt8 = 30

    /// Notes that a look found the two of a pair in range.
    mutating func noteInRange(_ place: Int, at seconds: UInt64, canNotice: Bool) {
        enter(place, at: seconds)
        if pairs.states[place].looks == 0 { pairs.states[place].counts = pairs.states[place].hadChance || canNotice }
        pairs.states[place].looks += pairs.states[place].looks < .max ? 1 : 0
        if canNotice { pairs.states[place].hadChance = true }
    }

    /// Notes that the device reported a reading of another.
    mutating func noteReading(of other: Int, at seconds: UInt64) {
        readings += 1
        let place = pairs.place(of: other)
        enter(place, at: seconds)
        noteSign(place, at: seconds)
        pairs.states[place].isHeard = true
    }

    /// Notes how long there was no sign of the other before this one.
    private mutating func noteSign(_ place: Int, at seconds: UInt64) {
        let (now, last) = (UInt32(clamping: seconds), pairs.states[place].lastSign)
        if now > last + 60 { pairs.states[place].absence = max(pairs.states[place].absence, now - last) }
        pairs.states[place].lastSign = now
    }

    /// Notes that the device knows the payload of another.
    mutating func noteIdentity(of other: Int) { pairs.states[pairs.place(of: other)].isIdentified = true }

    /// Notes that the device read a payload of another over a link; after an absence longer than a record lasts it
    /// counts anew.
    mutating func noteRead(of other: Int, payload: [UInt8], at seconds: UInt64) {
        let place = pairs.place(of: other)
        if pairs.states[place].absence >= Self.memorySeconds { pairs.details[place].lastIdentity = 0 }
        pairs.details[place].reads += pairs.details[place].reads < .max ? 1 : 0
        let identity = payload.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        pairs.states[place].absence = 0
        guard pairs.details[place].lastIdentity != identity else { return }
        pairs.details[place].lastIdentity = identity
        pairs.details[place].identities += pairs.details[place].identities < .max ? 1 : 0
    }

    /// Closes the window that a pair was in before, if that is over.
    private mutating func enter(_ place: Int, at seconds: UInt64) {
        let window = UInt32(seconds / Self.windowSeconds) + 1
        let last = pairs.states[place].window
        guard last != window else { return }
        close(place)
        if last + 1 != window { pairs.states[place].hadChance = false }
        pairs.states[place].window = window
        pairs.states[place].looks = 0
        pairs.states[place].isHeard = false
        pairs.states[place].counts = pairs.states[place].hadChance
    }

    private mutating func close(_ place: Int) {
        let state = pairs.states[place]
        guard state.window > 0, state.counts, state.looks >= looksPerWindow else { return }
        let hour = Int((UInt64(state.window) - 1) * Self.windowSeconds / 3600)
        while hourWindows.count <= hour {
            hourWindows.append(0)
            hourHeard.append(0)
        }
        pairs.states[place].windows += 1
        hourWindows[hour] += 1
        guard state.isHeard else { return }
        pairs.states[place].heardWindows += 1
        hourHeard[hour] += 1
    }

    /// Closes all windows that are over at the end.
    mutating func finish(at seconds: UInt64) {
        for place in pairs.states.indices {
            let window = UInt64(pairs.states[place].window)
            if window > 0, window * Self.windowSeconds <= seconds { close(place) }
        }
    }
}
