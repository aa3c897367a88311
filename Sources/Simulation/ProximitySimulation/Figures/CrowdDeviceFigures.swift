/// The figures counted for one device of a crowd.
struct CrowdDeviceFigures: Sendable {
    /// The length of a window, in seconds.
    static let windowSeconds: UInt64 = 30
    /// The seconds without a sign of a device after which its payload counts anew.
    static let memorySeconds: UInt32 = 900

    var pairs = DevicePairTable()
    /// The number of windows in range, by the hour; `hourHeard` counts those with a reading.
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
    mutating func noteInRange(_ pairIndex: Int, at seconds: UInt64, canNotice: Bool) {
        enter(pairIndex, at: seconds)
        if pairs.states[pairIndex].looks == 0 {
            pairs.states[pairIndex].counts = pairs.states[pairIndex].hadChance || canNotice
        }
        pairs.states[pairIndex].looks += pairs.states[pairIndex].looks < .max ? 1 : 0
        if canNotice { pairs.states[pairIndex].hadChance = true }
    }

    /// Notes that the device reported a reading of another.
    mutating func noteReading(of other: Int, at seconds: UInt64) {
        readings += 1
        let pairIndex = pairs.index(of: other)
        enter(pairIndex, at: seconds)
        noteSign(pairIndex, at: seconds)
        pairs.states[pairIndex].isHeard = true
    }

    /// Notes the time without a sign of the other device before this one.
    private mutating func noteSign(_ pairIndex: Int, at seconds: UInt64) {
        let (now, last) = (UInt32(clamping: seconds), pairs.states[pairIndex].lastSign)
        if now > last + 60 { pairs.states[pairIndex].absence = max(pairs.states[pairIndex].absence, now - last) }
        pairs.states[pairIndex].lastSign = now
    }

    /// Notes that the device knows the payload of another.
    mutating func noteIdentity(of other: Int) { pairs.states[pairs.index(of: other)].isIdentified = true }

    /// Notes that the device read a payload of another over a link; after an absence longer than a record lasts it
    /// counts anew.
    mutating func noteRead(of other: Int, payload: [UInt8], at seconds: UInt64) {
        let pairIndex = pairs.index(of: other)
        if pairs.states[pairIndex].absence >= Self.memorySeconds { pairs.details[pairIndex].lastIdentity = 0 }
        pairs.details[pairIndex].reads += pairs.details[pairIndex].reads < .max ? 1 : 0
        let identity = payload.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        pairs.states[pairIndex].absence = 0
        guard pairs.details[pairIndex].lastIdentity != identity else { return }
        pairs.details[pairIndex].lastIdentity = identity
        pairs.details[pairIndex].identities += pairs.details[pairIndex].identities < .max ? 1 : 0
    }

    /// Closes the previous window of a pair when a new window has begun.
    private mutating func enter(_ pairIndex: Int, at seconds: UInt64) {
        let window = UInt32(seconds / Self.windowSeconds) + 1
        let last = pairs.states[pairIndex].window
        guard last != window else { return }
        close(pairIndex)
        if last + 1 != window { pairs.states[pairIndex].hadChance = false }
        pairs.states[pairIndex].window = window
        pairs.states[pairIndex].looks = 0
        pairs.states[pairIndex].isHeard = false
        pairs.states[pairIndex].counts = pairs.states[pairIndex].hadChance
    }

    private mutating func close(_ pairIndex: Int) {
        let state = pairs.states[pairIndex]
        guard state.window > 0, state.counts, state.looks >= looksPerWindow else { return }
        let hour = Int((UInt64(state.window) - 1) * Self.windowSeconds / 3600)
        while hourWindows.count <= hour {
            hourWindows.append(0)
            hourHeard.append(0)
        }
        pairs.states[pairIndex].windows += 1
        hourWindows[hour] += 1
        guard state.isHeard else { return }
        pairs.states[pairIndex].heardWindows += 1
        hourHeard[hour] += 1
    }

    /// Closes all windows that are over at the end of the run.
    mutating func finish(at seconds: UInt64) {
        for pairIndex in pairs.states.indices {
            let window = UInt64(pairs.states[pairIndex].window)
            if window > 0, window * Self.windowSeconds <= seconds { close(pairIndex) }
        }
    }
}
