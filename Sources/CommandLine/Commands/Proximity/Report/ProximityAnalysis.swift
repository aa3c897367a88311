import Herald

/// What a log says, gathered in windows of 30 s for each pair of a device that hears and one that is heard.
struct ProximityAnalysis: Sendable {
    /// The length of a window, in milliseconds.
    static let windowMilliseconds = 30_000
    /// The most windows of all pairs together.
    static let maximumCells = 16 << 20
    /// The most distances, true ones and estimates, and times in range, of all pairs together.
    static let maximumMoments = 8 << 20
    /// The borders between which gaps are counted, in milliseconds; those beyond the last count for themselves.
    static let gapBorders = [1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000]

    /// The readings of one window.
    struct Cell: Hashable, Sendable {
        var count: UInt32 = 0
        var sum: Int32 = 0
        var least = Int8.max
        var greatest = Int8.min

        var mean: Double? { count == 0 ? nil : Double(sum) / Double(count) }

        mutating func take(_ rssi: Int) {
            let value = Int8(clamping: rssi)
            count &+= 1
            sum &+= Int32(value)
            least = min(least, value)
            greatest = max(greatest, value)
        }

        mutating func merge(_ other: Cell) {
            count &+= other.count
            sum &+= other.sum
            least = min(least, other.least)
            greatest = max(greatest, other.greatest)
        }
    }

    /// A distance at a time.
    struct Distance: Hashable, Sendable {
        var at: Int
        var centimetres: Int
        var low: Int?
        var high: Int?
    }

    /// A device that hears and one that is heard.
    struct PairName: Hashable, Comparable, Sendable {
        var device: String
        var peer: String

        static func < (left: PairName, right: PairName) -> Bool {
            left.device == right.device ? left.peer < right.peer : left.device < right.device
        }
    }

    /// What is known of a pair.
    struct Pair: Sendable {
        var cells: [Cell]
        var readings = 0
        var first: Int?
        var last: Int?
        /// How often the payload was read over a link.
        var reads = 0
        var isIdentified = false
        var longestGap = 0
        var longestGapEnd = 0
        var estimates: [Distance] = []
        var truth: [Distance] = []
        /// When the two were really in range, in order, ends not included.
        var near: [Range<Int>] = []
        /// The first of them that is not over.
        var nearPlace = 0

        /// Whether the two were in range all the time from one reading to the next; asked in the order of time.
        mutating func stayedNear(from last: Int, to now: Int) -> Bool {
            while nearPlace < near.count, near[nearPlace].upperBound < now { nearPlace += 1 }
            return nearPlace < near.count && near[nearPlace].lowerBound <= last
        }
    }

    let run: ProximityRun
    /// In milliseconds; that of the last event where the run tells none.
    private(set) var duration: Int
    private(set) var windowCount: Int
    private(set) var pairs: [PairName: Pair] = [:]
    /// The devices of the run, and those that they noticed and the run does not list.
    private(set) var devices: [String]
    /// How many gaps between readings were how long; where the truth is known, of those in which a pair stayed in range.
    private(set) var gaps = [Int](repeating: 0, count: gapBorders.count + 1)
    private(set) var hasTruth = false
    /// The names of payloads, for people.
    private(set) var identities: [String: String] = [:]
    private(set) var messages = 0
    private var known: Set<String>
    private var momentsLeft: Int

    /// Gathers what a log says.
    ///
    /// - Throws: what reading the log throws; `input.too-large` for more pairs and windows, or moments, than a report holds.
    init(_ reader: ProximityLogReader, maximumMoments: Int = Self.maximumMoments) throws {
        momentsLeft = maximumMoments
        run = reader.run
        devices = run.devices.map(\.id)
        known = Set(devices)
        var end = 0
        if run.durationMilliseconds == nil { try reader.eachRecord { end = $0.at } }
        duration = max(1, run.durationMilliseconds ?? end)
        windowCount = (duration + Self.windowMilliseconds - 1) / Self.windowMilliseconds
        try reader.eachTruth { try take($0) }
        try reader.eachRecord { try take($0) }
    }

    /// The pairs in the order of their devices.
    var names: [PairName] {
        let places = Dictionary(uniqueKeysWithValues: devices.enumerated().map { ($1, $0) })
        return pairs.keys.sorted { left, right in
            let (one, other) = (places[left.device] ?? .max, places[right.device] ?? .max)
            if one != other { return one < other }
            return (places[left.peer] ?? .max) < (places[right.peer] ?? .max)
        }
    }

    /// The windows of a pair that count: those in which the two were in range all the time, or without a truth, those from
    /// the first reading to the last.
    func windows(of pair: Pair) -> [Int] {
        let length = Self.windowMilliseconds
        guard hasTruth else {
            guard let first = pair.first, let last = pair.last else { return [] }
            // Readings may lie behind the end that the run tells.
            let end = windowCount - 1
            return Array(min(first / length, end)...min(last / length, end))
        }
        return pair.near.flatMap { range -> [Int] in
            let first = (range.lowerBound + length - 1) / length
            let last = min(range.upperBound, duration) / length
            return first < last ? Array(first..<min(last, windowCount)) : []
        }
    }

    // MARK: - Gathering

    private mutating func take(_ truth: ProximityTruth) throws(CommandError) {
        hasTruth = true
        try countMoment()
        switch truth {
        case .near(let device, let peer, let from, let until):
            try change(device, peer) { $0.near.append(from..<until) }
        case .distance(let device, let peer, let at, let centimetres):
            try change(device, peer) { $0.truth.append(Distance(at: at, centimetres: centimetres)) }
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
                if record.via == .link { $0.reads += 1 }
            }
        case .distance:
            try countMoment()
            let distance = Distance(
                at: record.at, centimetres: record.centimetres ?? 0, low: record.low, high: record.high)
            try change(device, peer) { $0.estimates.append(distance) }
        case .receive: messages += 1
        case .merge: try merge(device, peer, record.text)
        default: break
        }
    }

    private mutating func countMoment() throws(CommandError) {
        guard momentsLeft > 0 else {
            throw CommandError(
                .inputTooLarge, "The log has more distances and times in range than a report holds.")
        }
        momentsLeft -= 1
    }

    private mutating func measure(_ record: ProximityRecord, _ device: String, _ peer: String) throws(CommandError) {
        guard let rssi = record.rssi else { return }
        let window = min(record.at / Self.windowMilliseconds, windowCount - 1)
        let hasTruth = hasTruth
        var gap: Int?
        try change(device, peer) { pair in
            pair.cells[window].take(rssi)
            pair.readings += 1
            // Without a truth nobody knows whether they parted, and they count as if they had not.
            if let last = pair.last, !hasTruth || pair.stayedNear(from: last, to: record.at) {
                let length = record.at - last
                gap = length
                if length > pair.longestGap { (pair.longestGap, pair.longestGapEnd) = (length, record.at) }
            }
            pair.first = pair.first ?? record.at
            pair.last = record.at
        }
        guard let gap else { return }
        gaps[Self.gapBorders.firstIndex { gap < $0 } ?? Self.gapBorders.count] += 1
    }

    /// Two names turn out to be one device.
    private mutating func merge(_ device: String, _ peer: String, _ other: String?) throws(CommandError) {
        guard let other, ProximityLog.isIdentifier(other), other != peer,
            let old = pairs.removeValue(forKey: PairName(device: device, peer: peer))
        else { return }
        let isListed = run.devices.contains { $0.id == peer }
        if !isListed, !pairs.keys.contains(where: { $0.device == peer || $0.peer == peer }) {
            devices.removeAll { $0 == peer }
            known.remove(peer)
        }
        try change(device, other) { pair in
            for index in pair.cells.indices { pair.cells[index].merge(old.cells[index]) }
            pair.readings += old.readings
            pair.first = [pair.first, old.first].compactMap(\.self).min()
            pair.last = [pair.last, old.last].compactMap(\.self).max()
            pair.reads += old.reads
            if old.longestGap > pair.longestGap {
                (pair.longestGap, pair.longestGapEnd) = (old.longestGap, old.longestGapEnd)
            }
            pair.isIdentified = pair.isIdentified || old.isIdentified
            pair.estimates = (pair.estimates + old.estimates).sorted { $0.at < $1.at }
        }
    }

    private mutating func change(
        _ device: String, _ peer: String, _ change: (inout Pair) -> Void
    ) throws(CommandError) {
        let name = PairName(device: device, peer: peer)
        if pairs[name] == nil {
            guard (pairs.count + 1) * windowCount <= Self.maximumCells, devices.count < ProximityLog.maximumDevices
            else { throw CommandError(.inputTooLarge, "The log has more pairs of devices than a report holds.") }
            pairs[name] = Pair(cells: [Cell](repeating: Cell(), count: windowCount))
            for id in [device, peer] where known.insert(id).inserted { devices.append(id) }
        }
        change(&pairs[name, default: Pair(cells: [])])
    }
}
