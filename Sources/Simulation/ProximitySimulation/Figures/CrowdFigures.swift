/// The detection of a crowd's devices by each other: the Fair Efficacy Formula's figures and a few more.
///
/// All are of honest devices about honest devices. A pair is two devices in one direction; a window is 30 s in which
/// the two were in range all the time and could notice each other. Source: the field tests of the Herald project.
public struct CrowdFigures: Hashable, Sendable {
    /// The number of honest devices.
    public internal(set) var devices = 0
    /// The length of the run, in virtual seconds.
    public internal(set) var seconds = 0.0
    /// The number of pairs that were in range for at least one whole window.
    public internal(set) var pairs = 0
    /// The number of pairs of which the first device learnt the payload of the second.
    public internal(set) var detectedPairs = 0
    /// The number of windows of all pairs.
    public internal(set) var windows = 0
    /// The number of windows with at least one reading.
    public internal(set) var heardWindows = 0
    /// The number of windows, by the hour of the run.
    public internal(set) var hourWindows: [Int] = []
    /// The number of windows with a reading, by the hour of the run.
    public internal(set) var hourHeardWindows: [Int] = []
    /// The number of payloads that were read over links.
    public internal(set) var payloadReads = 0
    /// The number of different payloads of others that each device read, summed over the devices.
    public internal(set) var identities = 0
    /// The longest time in which one device did not scan, in seconds.
    public internal(set) var longestScanGap = 0.0
    /// The time for which links were open, in seconds.
    public internal(set) var linkSeconds = 0.0
    /// The number of links that were opened.
    public internal(set) var links = 0
    /// The number of bytes of frames on links.
    public internal(set) var linkBytes = 0
    /// The number of readings that were reported.
    public internal(set) var readings = 0
    /// The number of readings that were reported for the wrong device.
    public internal(set) var misattributed = 0
    /// The number of advertisements that were heard.
    public internal(set) var advertisements = 0
    /// The most records of other devices that one device kept.
    public internal(set) var mostRecords = 0
    /// The number of messages of applications that arrived.
    public internal(set) var messages = 0
    /// The number of acts of attackers.
    ///
    /// An act is a written frame, an occupied link, a copied advertisement or payload, a changed identity, or a
    /// reception under a false address.
    public internal(set) var misdeeds = 0

    /// The share of pairs that were detected, 0 to 1; 1 without any.
    public var detection: Double { pairs == 0 ? 1 : Double(detectedPairs) / Double(pairs) }

    /// The share of windows with a reading, 0 to 1; 1 without any.
    public var continuity: Double { windows == 0 ? 1 : Double(heardWindows) / Double(windows) }

    /// The mean number of times that each payload was read: 1 when none was read twice.
    public var readsPerIdentity: Double { identities == 0 ? 0 : Double(payloadReads) / Double(identities) }

    /// One minus the difference between the shares of windows missed in the first hour and in the last; nil for runs of
    /// less than two hours.
    public var longevity: Double? {
        guard hourWindows.count > 1, let first = missed(0), let last = missed(hourWindows.count - 1) else { return nil }
        return 1 - abs(first - last)
    }

    /// The mean number of other devices in range of a device, from whole windows.
    public var meanInRange: Double {
        let slots = Double(devices) * (seconds / 30).rounded(.down)
        return slots == 0 ? 0 : Double(windows) / slots
    }

    private func missed(_ hour: Int) -> Double? {
        guard hour < hourWindows.count, hourWindows[hour] > 0 else { return nil }
        return 1 - Double(hourHeardWindows[hour]) / Double(hourWindows[hour])
    }

    /// Adds the figures of one device about the other devices for which `counts` is true.
    mutating func add(_ figures: CrowdDeviceFigures, counts: [Bool]) {
        devices += 1
        for (pairIndex, other) in figures.pairs.others.enumerated() where counts[Int(other)] {
            let state = figures.pairs.states[pairIndex]
            identities += Int(figures.pairs.details[pairIndex].identities)
            payloadReads += Int(figures.pairs.details[pairIndex].reads)
            guard state.windows > 0 else { continue }
            pairs += 1
            detectedPairs += state.isIdentified ? 1 : 0
            windows += Int(state.windows)
            heardWindows += Int(state.heardWindows)
        }
        for hour in figures.hourWindows.indices {
            while hourWindows.count <= hour {
                hourWindows.append(0)
                hourHeardWindows.append(0)
            }
            hourWindows[hour] += Int(figures.hourWindows[hour])
            hourHeardWindows[hour] += Int(figures.hourHeard[hour])
        }
        longestScanGap = max(longestScanGap, Double(figures.longestScanGap) / 1e9)
        mostRecords = max(mostRecords, figures.mostRecords)
        linkSeconds += Double(figures.linkNanoseconds) / 1e9
        links += figures.linksOpened
        linkBytes += figures.linkBytes
        readings += figures.readings
        misattributed += figures.misattributed
        advertisements += figures.advertisementsHeard
        messages += figures.messagesReceived
        misdeeds += figures.phantomsHeard
    }
}
