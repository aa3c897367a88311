import CommandProgram
import Herald
import Terminal

/// The analysis of a log in windows of 30 s, for each pair of a device that hears and one that is heard.
struct ProximityAnalysis: Sendable {
    /// The length of a window, in milliseconds.
    static let windowMilliseconds = 30_000
    /// The time for which a device without a reading is remembered; a payload read after it counts anew.
    static let memoryMilliseconds = 900_000
    /// The limits of a report, which bound its memory to about three gigabytes.
    struct AnalysisLimits: Sendable {
        /// The most windows with a reading, of all pairs together.
        var cells = 32 << 20
        /// The most distances, true ones and estimates, and times in range, of all pairs together.
        var moments = 48 << 20
        var pairs = 1 << 20
    }

    /// The upper bounds of the classes of gaps, in milliseconds; longer gaps are a class of their own.
    static let gapBorders = [1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000]

    /// Windows in order, by their numbers from 0; as ranges, because a long run has many.
    typealias Windows = FlattenSequence<[Range<Int>]>

    /// The name of an ordered pair of devices: the one that hears, then the one that is heard.
    struct PairName: Hashable, Comparable, Sendable {
        var device: String
        var peer: String

        static func < (left: PairName, right: PairName) -> Bool {
            left.device == right.device ? left.peer < right.peer : left.device < right.device
        }
    }

    /// The readings and distances of a pair.
    struct PairAnalysis: Sendable {
        var cells = PairWindows()
        var readings = 0
        var first: Int?
        var last: Int?
        /// The number of reads of the payload over a link.
        var reads = 0
        /// The number of different payloads that those reads gave; after a long absence a payload counts anew.
        var identities = 0
        var isIdentified = false
        /// The number of times that a third device shared the payload.
        var shares = 0
        var longestGap = 0
        var longestGapEnd = 0
        var estimates: [TimedDistance] = []
        var truth: [TimedDistance] = []
        /// The times in range according to the truth, in order, ends not included.
        var near: [Range<Int>] = []
        /// The index of the first time in range that has not ended.
        var nearIndex = 0
        private var lastPayload: [UInt8]?
        private var absence = 0

        /// True when the first device learnt the payload of the second and noticed it at least once.
        var isDetected: Bool { isIdentified && readings + shares > 0 }

        /// Returns true when the two were in range all the time from one reading to the next.
        ///
        /// The calls must be in the order of time.
        mutating func stayedNear(from last: Int, to now: Int) -> Bool {
            while nearIndex < near.count, near[nearIndex].upperBound < now { nearIndex += 1 }
            return nearIndex < near.count && near[nearIndex].lowerBound <= last
        }

        /// Counts a payload that was read over a link.
        mutating func noteRead(_ payload: [UInt8]) {
            reads += 1
            if absence >= ProximityAnalysis.memoryMilliseconds { lastPayload = nil }
            absence = 0
            if lastPayload != payload { identities += 1 }
            lastPayload = payload
        }

        /// Notes the time without a reading before this one.
        mutating func noteAbsence(before now: Int) {
            guard let last else { return }
            absence = max(absence, now - last)
        }
    }

    let run: ProximityRun
    /// The duration of the run in milliseconds; the time of the last event where the run has none.
    private(set) var duration: Int
    private(set) var windowCount: Int
    private(set) var pairs: [PairName: PairAnalysis] = [:]
    /// The pairs in the order of their devices.
    private(set) var names: [PairName] = []
    /// The devices of the run, and those that only events name.
    private(set) var devices: [String]
    /// The number of gaps between readings in each class; where the truth is known, only gaps in which the pair stayed
    /// in range.
    private(set) var gaps = [Int](repeating: 0, count: gapBorders.count + 1)
    private(set) var hasTruth = false
    /// The names of payloads, for people.
    private(set) var identities: [String: String] = [:]
    private(set) var messages = 0
    private var known: Set<String>
    /// The pairs that are not judged, with the reason.
    let leftOut: [FieldStudy.ExcludedPhonePair]
    /// The ignored or doubtful parts of the log, as sentences.
    let remarks: [String]
    /// The intervals between readings that the devices state themselves: their number, and their mean in seconds.
    let statedIntervals: (count: Double, mean: Double)?
    /// The losses of the devices' batteries, of those that logged them.
    let batteries: [FieldStudy.BatteryFigure]
    /// True when every ordered pair of the run's devices is judged over the whole run.
    let judgesAllPairs: Bool
    private let limits: AnalysisLimits
    private var cellCount = 0
    private var momentCount = 0

    /// Reads and analyses a log.
    ///
    /// - Throws: what reading the log throws; `prox.log-too-large` for more than `limits`, before the events are read
    ///   where a survey of parts of them shows it.
    init(_ reader: some ProximityLogSource, limits: AnalysisLimits = AnalysisLimits()) throws {
        self.limits = limits
        leftOut = reader.leftOut
        remarks = reader.remarks
        statedIntervals = reader.statedIntervals
        batteries = reader.batteries
        judgesAllPairs = reader.judgesAllPairs
        run = reader.run
        devices = run.devices.map(\.id)
        known = Set(devices)
        try Self.check(reader.survey(), limits)
        var end = 0
        if run.durationMilliseconds == nil { try reader.eachRecord { end = $0.at } }
        duration = max(1, run.durationMilliseconds ?? end)
        windowCount = (duration + Self.windowMilliseconds - 1) / Self.windowMilliseconds
        if judgesAllPairs { try addAllPairs() }
        try reader.eachTruth { try take($0) }
        try reader.eachRecord { try take($0) }
        names = sortedNames()
    }

    /// Adds every ordered pair of the run's devices that is judged, so that those without a reading count too.
    private mutating func addAllPairs() throws(CommandError) {
        let skipped = Set(leftOut.map(\.pair))
        for device in run.devices {
            for peer in run.devices where peer.id != device.id {
                let name = PairName(device: device.id, peer: peer.id)
                if !skipped.contains(name) { try change(name.device, name.peer) { _ in } }
            }
        }
    }

    private func sortedNames() -> [PairName] {
        let indices = Dictionary(uniqueKeysWithValues: devices.enumerated().map { ($1, $0) })
        return pairs.keys.map { name in
            (device: indices[name.device] ?? .max, peer: indices[name.peer] ?? .max, name: name)
        }.sorted { ($0.device, $0.peer) < ($1.device, $1.peer) }.map(\.name)
    }

    /// The windows of a pair that count: those in which the two were in range all the time; without a truth all of the
    /// run where all pairs are judged, and else those from the first reading to the last.
    func windows(of pair: PairAnalysis) -> Windows {
        let length = Self.windowMilliseconds
        if judgesAllPairs { return [0..<windowCount].joined() }
        guard hasTruth else {
            guard let first = pair.first, let last = pair.last else { return [Range<Int>]().joined() }
            // Readings may be later than the stated end of the run.
            let end = windowCount - 1
            return [min(first / length, end)..<min(last / length, end) + 1].joined()
        }
        return pair.near.compactMap { range -> Range<Int>? in
            let first = (range.lowerBound + length - 1) / length
            let last = min(range.upperBound, duration) / length
            return first < last ? first..<min(last, windowCount) : nil
        }.joined()
    }

    // MARK: - Gathering

    private mutating func take(_ truth: TruePositions) throws(CommandError) {
        hasTruth = true
        try countMoment()
        switch truth {
        case .near(let device, let peer, let from, let until):
            try change(device, peer) { $0.near.append(from..<until) }
        case .distance(let device, let peer, let at, let centimetres):
            try change(device, peer) { $0.truth.append(TimedDistance(at: at, centimetres: centimetres)) }
        }
    }

    private mutating func take(_ record: ProximityRecord) throws(CommandError) {
        guard let peer = record.peer else { return }
        let device = record.device
        switch record.kind {
        case .measure: try measure(record, device, peer)
        case .read:
            identities[peer] = ContactLog.shortName(of: record.payload ?? [])
            try change(device, peer) {
                $0.isIdentified = true
                if record.via == .link { $0.noteRead(record.payload ?? []) }
            }
        case .distance:
            try countMoment()
            let distance = TimedDistance(
                at: record.at, centimetres: record.centimetres ?? 0, low: record.low, high: record.high)
            try change(device, peer) { $0.estimates.append(distance) }
        case .share where judgesAllPairs:
            let window = window(at: record.at)
            try change(device, peer) {
                $0.shares += 1
                $0.cells.noteShare(in: window)
            }
        case .receive: messages += 1
        case .merge: try merge(device, peer, record.text)
        default: break
        }
    }

    private mutating func countMoment() throws(CommandError) {
        momentCount += 1
        guard momentCount <= limits.moments else { throw Self.tooLarge("distances and times in range", limits.moments) }
    }

    private mutating func measure(_ record: ProximityRecord, _ device: String, _ peer: String) throws(CommandError) {
        guard let rssi = record.rssi else { return }
        let window = window(at: record.at)
        let hasTruth = hasTruth
        var gap: Int?
        var isNewCell = false
        try change(device, peer) { pair in
            isNewCell = pair.cells.take(rssi, in: window)
            pair.readings += 1
            pair.noteAbsence(before: record.at)
            // Without a truth a pair counts as in range all the time.
            if let last = pair.last, !hasTruth || pair.stayedNear(from: last, to: record.at) {
                let length = record.at - last
                gap = length
                if length > pair.longestGap { (pair.longestGap, pair.longestGapEnd) = (length, record.at) }
            }
            pair.first = pair.first ?? record.at
            pair.last = record.at
        }
        if isNewCell { cellCount += 1 }
        guard cellCount <= limits.cells else { throw Self.tooLarge("windows with a reading", limits.cells) }
        guard let gap else { return }
        gaps[Self.gapBorders.firstIndex { gap < $0 } ?? Self.gapBorders.count] += 1
    }

    private func window(at time: Int) -> Int { min(time / Self.windowMilliseconds, windowCount - 1) }

    /// Merges two names that turned out to be one device.
    private mutating func merge(_ device: String, _ peer: String, _ other: String?) throws(CommandError) {
        guard let other, ProximityLog.isIdentifier(other), other != peer,
            let old = pairs.removeValue(forKey: PairName(device: device, peer: peer))
        else { return }
        let isListed = run.devices.contains { $0.id == peer }
        if !isListed, !pairs.keys.contains(where: { $0.device == peer || $0.peer == peer }) {
            devices.removeAll { $0 == peer }
            known.remove(peer)
        }
        var cellsLess = 0
        try change(device, other) { pair in
            cellsLess = pair.cells.merge(old.cells)
            pair.readings += old.readings
            pair.first = [pair.first, old.first].compactMap(\.self).min()
            pair.last = [pair.last, old.last].compactMap(\.self).max()
            pair.reads += old.reads
            pair.identities = max(pair.identities, old.identities)
            pair.shares += old.shares
            if old.longestGap > pair.longestGap {
                pair.longestGap = old.longestGap
                pair.longestGapEnd = old.longestGapEnd
            }
            pair.isIdentified = pair.isIdentified || old.isIdentified
            pair.estimates = (pair.estimates + old.estimates).sorted { $0.at < $1.at }
        }
        cellCount -= cellsLess
    }

    private mutating func change(
        _ device: String, _ peer: String, _ change: (inout PairAnalysis) -> Void
    ) throws(CommandError) {
        let name = PairName(device: device, peer: peer)
        if let index = pairs.index(forKey: name) { return change(&pairs.values[index]) }
        guard pairs.count < limits.pairs else { throw Self.tooLarge("pairs of devices", limits.pairs) }
        for id in [device, peer] where !known.contains(id) {
            guard devices.count < ProximityLog.maximumDevices else {
                throw Self.tooLarge("devices", ProximityLog.maximumDevices)
            }
            known.insert(id)
            devices.append(id)
        }
        change(&pairs[name, default: PairAnalysis()])
    }

    // MARK: - Limits

    private static func tooLarge(_ what: String, _ limit: Int) -> CommandError {
        CommandError(
            .proximityLogTooLarge, "The log has more than the \(NumberText.count(limit)) \(what) that a report holds.")
    }

    /// Refuses a log that is too large by more than the sampling error of the survey.
    private static func check(_ survey: ProximityLogReader.LogSizeEstimate, _ limits: AnalysisLimits)
        throws(CommandError)
    {
        func isBeyond(_ count: Int, _ limit: Int) -> Bool { count / 5 * 4 > limit }
        if isBeyond(survey.lines, ProximityLog.maximumLines) { throw tooLarge("lines", ProximityLog.maximumLines) }
        if isBeyond(survey.truths + survey.estimates, limits.moments) {
            throw tooLarge("distances and times in range", limits.moments)
        }
        // Where distances are estimated, a window with readings has one.
        if isBeyond(survey.estimates, limits.cells) { throw tooLarge("windows with a reading", limits.cells) }
    }
}
