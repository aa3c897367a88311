import CommandProgram
import Determinism
import Herald
import Terminal

/// Writes the events of one device in the format of the deployed libraries, for their analysis tools.
///
/// `contacts.csv` grows as things happen. `statistics.csv` (the intervals between the readings of each payload, in
/// seconds) and `detection.csv` (one line: name, system, version, own payload, payloads seen) are written by `finish`.
/// `own-payloads.csv`, which the libraries do not have, lists each payload that the device served, because
/// `detection.csv` has room for the last alone. Payloads stand there by their short names. Source: herald-for-ios and
/// herald-for-android 2.2, loggers.
struct HeraldFormatLogWriter {
    /// The most payloads in the statistics; further ones are left out.
    static let maximumPayloads = 10_000

    private struct ReadingIntervals {
        var last: Int
        var count = 0
        var mean = 0.0
        var squares = 0.0
        var least = Double.infinity
        var greatest = 0.0

        mutating func take(_ seconds: Double) {
            count += 1
            let difference = seconds - mean
            mean += difference / Double(count)
            squares += difference * (seconds - mean)
            least = min(least, seconds)
            greatest = max(greatest, seconds)
        }
    }

    private let folder: String
    private let contacts: AppendedLineFile
    private let ownPayloads: AppendedLineFile
    private let start: WallTime
    private var payloads: [String: String] = [:]
    /// The names of all payloads that were read, also those that a device has replaced since.
    private var seen: Set<String> = []
    private var intervals: [String: ReadingIntervals] = [:]
    private var own = ""

    /// Begins the logs in `folder`, which is made when only its last part is missing.
    ///
    /// - Parameter start: the time of day at the start of the run.
    /// - Throws: `output.not-writable`.
    init(folder: String, start: WallTime) throws(CommandError) {
        try ReceivedFileWriter.makeFolder(folder)
        self.folder = folder
        self.start = start
        contacts = try AppendedLineFile(POSIXFile.join(folder, "contacts.csv"))
        try contacts.put { $0 += "\(ContactLog.header)\n".utf8 }
        ownPayloads = try AppendedLineFile(POSIXFile.join(folder, FieldPhoneLog.ownPayloadsFile))
        try ownPayloads.put { $0 += "time,payload\n".utf8 }
    }

    /// Writes an event of the device to the logs.
    ///
    /// - Throws: `output.not-writable`.
    mutating func put(_ record: ProximityRecord) throws(CommandError) {
        let time = WallTime(
            millisecondsSinceEpoch: start.millisecondsSinceEpoch.addingReportingOverflow(Int64(record.at)).partialValue)
        if record.kind == .own, let payload = record.payload {
            try ownPayloads.put {
                $0 += "\(ContactLog.timestamp(time)),\(ContactLog.field(ContactLog.shortName(of: payload)))\n".utf8
            }
        }
        note(record)
        guard let entry = Self.entry(for: record) else { return }
        try contacts.put { $0 += "\(ContactLog.line(entry, at: time))\n".utf8 }
    }

    /// Writes the buffers of the logs to their files.
    ///
    /// - Throws: `output.not-writable`.
    func flush() throws(CommandError) {
        try contacts.flush()
        try ownPayloads.flush()
    }

    /// Writes the statistics and closes the logs.
    ///
    /// - Throws: `output.not-writable`.
    func finish(name: String, system: String, version: String) throws(CommandError) {
        try flush()
        let places = 3
        var statistics = "payload,count,mean,sd,min,max\n"
        for (payload, sample) in intervals.sorted(by: { $0.key < $1.key }) where sample.count > 0 {
            let deviation = sample.count > 1 ? (sample.squares / Double(sample.count - 1)).squareRoot() : 0
            let figures = [sample.mean, deviation, sample.least, sample.greatest].map {
                NumberText.decimal($0, places: places)
            }
            statistics += "\(payload),\(sample.count),\(figures.joined(separator: ","))\n"
        }
        try ReceivedFileWriter.replace(POSIXFile.join(folder, "statistics.csv"), with: Array(statistics.utf8))
        let detection =
            ([name, system, version, own] + seen.sorted()).map(ContactLog.field).joined(separator: ",") + "\n"
        try ReceivedFileWriter.replace(POSIXFile.join(folder, "detection.csv"), with: Array(detection.utf8))
    }

    private mutating func note(_ record: ProximityRecord) {
        switch record.kind {
        case .own: own = ContactLog.shortName(of: record.payload ?? [])
        case .read:
            let name = ContactLog.shortName(of: record.payload ?? [])
            if seen.count < Self.maximumPayloads { seen.insert(name) }
            guard let peer = record.peer, payloads[peer] != nil || payloads.count < Self.maximumPayloads else { return }
            payloads[peer] = name
        case .measure:
            guard let peer = record.peer, let payload = payloads[peer] else { return }
            guard var known = intervals[payload] else {
                if intervals.count < Self.maximumPayloads { intervals[payload] = ReadingIntervals(last: record.at) }
                return
            }
            known.take(Double(record.at - known.last) / 1000)
            known.last = record.at
            intervals[payload] = known
        case .forget: if let peer = record.peer { payloads[peer] = nil }
        case .merge:
            guard let peer = record.peer, let other = record.text else { return }
            if let payload = payloads.removeValue(forKey: peer), payloads[other] == nil { payloads[other] = payload }
        default: break
        }
    }

    private static func entry(for record: ProximityRecord) -> ContactLog.ContactLogEntry? {
        let peer = record.peer ?? ""
        switch record.kind {
        case .detect: return .detect(id: peer)
        case .recognise: return .detectHerald(id: peer)
        case .read: return .read(id: peer, payload: record.payload ?? [])
        case .share: return .share(id: peer, payload: record.payload ?? [])
        case .measure: return .measure(id: peer, rssi: record.rssi ?? 0, transmitPower: record.power)
        case .visit: return record.until == nil ? .visit(place: ContactLog.shortName(of: record.payload ?? [])) : nil
        case .forget: return .delete(id: peer)
        default: return nil
        }
    }
}
