import Terminal

/// The figures of the Fair Efficacy Formula and further totals of a run; shares are 0 to 1, and nil where the log lacks
/// them.
///
/// Source: The Herald project, Fair Efficacy Formula; the forms that logs allow are on the page that shows them.
struct FairEfficacyFigures: Hashable, Sendable {
    /// The share of judged pairs in which the first device learnt the payload of the second and noticed it.
    var detection: Double?
    /// The share of judged windows that have a reading.
    var continuity: Double?
    /// The share of windows within 2 m of true distance that have a reading.
    var completeness: Double?
    /// The nearness of a window's mean reading to the long-run mean at that distance.
    var accuracy: Double?
    /// 1 less the difference between the shares missed in the first and in the last hour.
    var longevity: Double?
    /// The product of the figures that are known.
    var product: Double?

    var windows = 0
    var covered = 0
    var readings = 0
    /// Reads of payloads over links for each payload that they gave, as `prox simulate` counts.
    var readsPerIdentity: Double?
    /// The time that pairs were near each other, by estimated distance.
    var near = ProximityDurations([])
    /// The mean power of the radio by `RadioEnergyModel`.
    var energyMilliwatts: Double?
    /// The longest time between two readings of a pair, in milliseconds, within range.
    var longestGap = 0
    /// Of the estimates with a known distance within the model's 3.6 m: mean absolute error in metres, and the share
    /// within the 80 % interval.
    var distanceError: Double?
    var covered80: Double?
    /// The number of estimates of devices farther away than the model's 3.6 m, for which it cannot answer.
    var estimatesBeyond = 0

    init(_ analysis: ProximityAnalysis) {
        let names = analysis.names
        let pairs = names.compactMap { analysis.pairs[$0] }
        let windows = pairs.map { analysis.windows(of: $0) }
        readings = pairs.reduce(0) { $0 + $1.readings }
        longestGap = pairs.map(\.longestGap).max() ?? 0
        detect(analysis, names, windows)
        self.windows = windows.reduce(0) { $0 + $1.count }
        covered = zip(pairs, windows).reduce(0) { sum, item in
            sum + item.1.count { item.0.cells[$0].isCovered }
        }
        continuity = Self.share(covered, of: self.windows)
        let (reads, identities) = pairs.reduce((0, 0)) { ($0.0 + $1.reads, $0.1 + $1.identities) }
        readsPerIdentity = identities == 0 ? nil : Double(reads) / Double(identities)
        near = ProximityDurations(pairs)
        energyMilliwatts = RadioEnergyModel.milliwatts(
            devices: max(1, analysis.run.devices.count), seconds: Double(analysis.duration) / 1000, reads: reads)
        longevity = Self.longevity(analysis, pairs, windows)
        compareWithTruth(pairs, windows)
        judgeDistances(pairs)
        let shares = [detection, continuity, completeness, accuracy, longevity].compactMap(\.self)
        product = shares.isEmpty ? nil : shares.reduce(1, *)
    }

    private mutating func detect(
        _ analysis: ProximityAnalysis, _ names: [ProximityAnalysis.PairName], _ windows: [ProximityAnalysis.Windows]
    ) {
        let run = Set(analysis.run.devices.map(\.id))
        let count = run.count
        guard count > 1 else { return }
        let seen = names.count { run.contains($0.peer) && analysis.pairs[$0]?.isDetected == true }
        guard analysis.hasTruth else {
            detection = Self.share(seen, of: count * (count - 1) - analysis.leftOut.count)
            return
        }
        let due = zip(names, windows).filter { run.contains($0.0.peer) && !$0.1.isEmpty }.map(\.0)
        detection = Self.share(due.count { analysis.pairs[$0]?.isDetected == true }, of: due.count)
    }

    private static func share(_ part: Int, of whole: Int) -> Double? {
        whole == 0 ? nil : Double(part) / Double(whole)
    }

    /// One minus the difference between the missed shares of the first and the last hour, or of the two halves of a run
    /// that is shorter than two hours; nil where a share is not defined.
    private static func longevity(
        _ analysis: ProximityAnalysis, _ pairs: [ProximityAnalysis.PairAnalysis], _ windows: [ProximityAnalysis.Windows]
    ) -> Double? {
        let hour = 120
        let length = analysis.windowCount >= 2 * hour ? hour : analysis.windowCount / 2
        guard length > 0 else { return nil }
        func missed(_ range: Range<Int>) -> Double? {
            var (missed, all) = (0, 0)
            for (pair, windows) in zip(pairs, windows) {
                for window in windows where range.contains(window) {
                    all += 1
                    if !pair.cells[window].isCovered { missed += 1 }
                }
            }
            return share(missed, of: all)
        }
        guard let first = missed(0..<length),
            let last = missed(analysis.windowCount - length..<analysis.windowCount)
        else { return nil }
        return 1 - abs(first - last)
    }

    /// Computes completeness and accuracy, which need the true distances.
    private mutating func compareWithTruth(
        _ pairs: [ProximityAnalysis.PairAnalysis], _ windows: [ProximityAnalysis.Windows]
    ) {
        var (close, closeCovered) = (0, 0)
        // Means of windows by half metres.
        var levels: [Int: [Double]] = [:]
        for (pair, windows) in zip(pairs, windows) where !pair.truth.isEmpty {
            for window in windows {
                let middle = window * ProximityAnalysis.windowMilliseconds + ProximityAnalysis.windowMilliseconds / 2
                guard let distance = Self.distance(of: pair, at: middle) else { continue }
                if distance <= 200 { close += 1 }
                guard let mean = pair.cells[window].mean else { continue }
                if distance <= 200 { closeCovered += 1 }
                levels[min(Int(distance) / 50, 200), default: []].append(mean)
            }
        }
        completeness = Self.share(closeCovered, of: close)
        var (sum, count) = (0.0, 0)
        for key in levels.keys.sorted() {
            guard let means = levels[key], means.count >= 10 else { continue }
            let longRun = means.reduce(0, +) / Double(means.count)
            guard longRun < -1 else { continue }
            sum += means.reduce(0) { $0 + max(0, 1 - abs($1 - longRun) / abs(longRun)) }
            count += means.count
        }
        accuracy = count == 0 ? nil : sum / Double(count)
    }

    /// The true distance of a pair at a time, from the last line of the truth before it, in centimetres.
    static func distance(of pair: ProximityAnalysis.PairAnalysis, at time: Int) -> Double? {
        var (low, high) = (0, pair.truth.count)
        while low < high {
            let middle = (low + high) / 2
            if pair.truth[middle].at <= time { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : Double(pair.truth[low - 1].centimetres)
    }

    /// The greatest distance that the distance model knows.
    private static let modelCentimetres = 360.0

    private mutating func judgeDistances(_ pairs: [ProximityAnalysis.PairAnalysis]) {
        var (sum, count, inside) = (0.0, 0, 0)
        for pair in pairs where !pair.truth.isEmpty {
            for estimate in pair.estimates {
                // An estimate stands for the window that ended with it.
                let middle = max(0, estimate.at - ProximityAnalysis.windowMilliseconds / 2)
                guard let truth = Self.distance(of: pair, at: middle) else { continue }
                guard truth <= Self.modelCentimetres else {
                    estimatesBeyond += 1
                    continue
                }
                sum += abs(Double(estimate.centimetres) - truth) / 100
                count += 1
                if let low = estimate.low, let high = estimate.high, truth >= Double(low), truth <= Double(high) {
                    inside += 1
                }
            }
        }
        guard count > 0 else { return }
        distanceError = sum / Double(count)
        covered80 = Double(inside) / Double(count)
    }

    /// The figures of the run as one line of JSON.
    func json(_ analysis: ProximityAnalysis) -> JSONText {
        let bounds = ProximityDurations.bounds
        return .object([
            .init("schema", .string("symbolon.prox.report")), .init("version", .integer(1)),
            .init("scenario", .string(analysis.run.scenario)), .init("devices", .integer(analysis.devices.count)),
            .init("pairs", .integer(analysis.pairs.count)), .init("readings", .integer(readings)),
            .init("windows", .integer(windows)), .init("covered", .integer(covered)),
            .init("detection", .number(detection, places: 6)), .init("continuity", .number(continuity, places: 6)),
            .init("completeness", .number(completeness, places: 6)), .init("accuracy", .number(accuracy, places: 6)),
            .init("longevity", .number(longevity, places: 6)), .init("product", .number(product, places: 6)),
            .init("readsPerIdentity", .number(readsPerIdentity, places: 3)),
            .init("longestGapSeconds", .number(Double(longestGap) / 1000, places: 3)),
            .init("distanceError", .number(distanceError, places: 3)),
            .init("covered80", .number(covered80, places: 4)),
            .init("estimatesBeyond", .integer(estimatesBeyond)),
            .init(
                "nearSeconds",
                .array(
                    near.seconds.indices.map { index in
                        .object([
                            .init("below", .integer(index < bounds.count ? bounds[index] : nil)),
                            .init("seconds", .integer(near.seconds[index])),
                        ])
                    })),
            .init("energyMilliwatts", .number(energyMilliwatts, places: 3)),
            .init(
                "batteries",
                .array(
                    analysis.batteries.map { battery in
                        .object([
                            .init("device", .string(battery.device)),
                            .init("percentPerHour", .number(battery.drain?.perHour, places: 2)),
                            .init("hours", .number(battery.drain?.hours, places: 2)),
                        ])
                    })),
            .init("statedIntervalSeconds", .number(analysis.statedIntervals?.mean, places: 3)),
            .init(
                "leftOut",
                .array(
                    analysis.leftOut.map { item in
                        .object([
                            .init("device", .string(item.pair.device)), .init("peer", .string(item.pair.peer)),
                            .init("reason", .string(item.reason)),
                        ])
                    })),
        ])
    }
}
