import CommandProgram
import Determinism
import Herald
import Terminal

/// The log of one phone with a deployed Herald library: its `contacts.csv`, with `detection.csv`, `statistics.csv` and
/// `battery.csv` where they lie beside; or the log of one device that `prox run` wrote.
///
/// Source: herald-for-android and herald-for-ios 1.0 to 2.2, loggers; herald-analysis reads the same files.
struct FieldPhoneLog: Sendable {
    /// The limits of one phone's log.
    struct Limits: Sendable {
        var lines = 20_000_000
        var identifiers = 1_000_000
        /// The largest `detection.csv` or `statistics.csv`, in bytes.
        var smallFileBytes = 4 << 20
    }

    /// One event of the log: a read, a reading or a share.
    struct FieldPhoneEvent: Sendable {
        /// The kinds of events in a phone's log.
        enum Kind: UInt8, Sendable {
            /// A payload was read over a link.
            case read
            /// A payload is known without a read: the device wrote it, or the library logged a copy that it kept.
            case known
            case measure, share
        }

        /// The time of the event in milliseconds since 1970.
        var at: Int
        /// The index of the device in `identifiers`; for a share, that of the payload in `payloads`.
        var subject: Int32
        /// The index in `payloads` of the payload that is read or known.
        var payload: Int32
        var kind: Kind
        var rssi: Int8
    }

    static let contactsFile = "contacts.csv"
    static let detectionFile = "detection.csv"
    static let statisticsFile = "statistics.csv"
    static let batteryFile = "battery.csv"
    /// The name of the file that lists the payloads that a device of this package served, one after the other.
    static let ownPayloadsFile = "own-payloads.csv"
    /// The earliest time that is accepted: the beginning of 2010, before the deployed libraries.
    private static let earliest = 1_262_304_000_000
    private static let dayMilliseconds = 86_400_000
    /// The least backward step of the clock that is remarked on, in milliseconds; threads may swap lines.
    private static let jump = 2000

    /// The path of the log's folder, as the user named it, safe to show.
    let folder: String
    private(set) var model: String?
    /// The operating system as `detection.csv` names it.
    private(set) var systemName: String?
    /// The names of the payloads that the phone itself served; empty when no file lists them.
    private(set) var ownPayloads: Set<String> = []
    private(set) var battery = BatteryLog()
    /// The number of lines that repeat a payload which the phone had read before.
    private(set) var copies = 0
    private(set) var identifiers: [String] = []
    private(set) var payloads: [String] = []
    /// The events of the log, in the order of time.
    private(set) var entries: [FieldPhoneEvent] = []
    /// The times of the first and the last line, in milliseconds since 1970; nil without any.
    private(set) var span: ClosedRange<Int>?
    /// The intervals between readings that `statistics.csv` states: their number, and their mean in seconds.
    private(set) var statedIntervals: (count: Double, mean: Double)?
    private(set) var remarks = FieldLogRemarks()
    private let limits: Limits
    private var identifierIndices: [String: Int32] = [:]
    private var payloadIndices: [String: Int32] = [:]

    /// Reads the log files of the deployed libraries in the folder `path`.
    ///
    /// - Parameter now: the time of day; lines more than a day later are ignored.
    /// - Throws: `input.not-found`, `input.not-readable`, `input.too-large`, `prox.log-malformed`,
    ///   `prox.log-too-large`; cancellation.
    init(folder path: String, now: WallTime, limits: Limits = Limits()) throws {
        folder = TerminalText.sanitised(path)
        self.limits = limits
        try readContacts(POSIXFile.join(path, Self.contactsFile), now: Int(now.millisecondsSinceEpoch))
        let detection = POSIXFile.join(path, Self.detectionFile)
        if POSIXFile.exists(detection) { try readDetection(detection) }
        let statistics = POSIXFile.join(path, Self.statisticsFile)
        if POSIXFile.exists(statistics) { try readStatistics(statistics) }
        let ownPayloads = POSIXFile.join(path, Self.ownPayloadsFile)
        if POSIXFile.exists(ownPayloads) { try readOwnPayloads(ownPayloads) }
        let battery = POSIXFile.join(path, Self.batteryFile)
        if POSIXFile.exists(battery) {
            self.battery = try BatteryLog(battery, remarks: &remarks)
        }
        if system == .iOS { noteCopies() }
    }

    /// Reads the log in `path` that `prox run` wrote.
    ///
    /// - Parameter name: the name of a payload, by which the devices of the study are told apart.
    /// - Throws: the codes of `ProximityLogReader`; `prox.log-malformed` for the log of a simulation,
    ///   `prox.log-too-large`; cancellation.
    init(ownLog path: String, limits: Limits = Limits(), naming name: ([UInt8]) -> String) throws {
        folder = TerminalText.sanitised(path)
        self.limits = limits
        let reader = try ProximityLogReader(folder: path)
        guard !reader.run.isSimulated, reader.run.devices.count == 1 else {
            throw CommandError(
                .proximityLogMalformed,
                "\(folder) is the log of a simulation, which holds all of its devices; give it alone.")
        }
        systemName = reader.run.devices.first?.system
        model = reader.run.devices.first?.model
        let start = Int(reader.run.start.millisecondsSinceEpoch)
        var last = 0
        var merged: [Int32: Int32] = [:]
        try reader.eachRecord { record in
            last = record.at
            guard entries.count < limits.lines else {
                throw CommandError(
                    .proximityLogTooLarge, "\(folder) has more than \(NumberText.count(limits.lines)) lines.")
            }
            if record.kind == .own, let payload = record.payload { ownPayloads.insert(name(payload)) }
            guard let peer = record.peer else { return }
            let subject = try identifier(peer, folder)
            let payload = try record.payload.map { try self.payload(name($0), folder) } ?? -1
            switch record.kind {
            case .read where record.via != .relayed && payload >= 0:
                entries.append(
                    FieldPhoneEvent(
                        at: start + record.at, subject: subject, payload: payload,
                        kind: record.via == .link ? .read : .known, rssi: 0))
            case .measure where record.via != .relayed:
                entries.append(
                    FieldPhoneEvent(
                        at: start + record.at, subject: subject, payload: -1, kind: .measure,
                        rssi: Int8(clamping: record.rssi ?? 0)))
            case .share where payload >= 0:
                entries.append(
                    FieldPhoneEvent(at: start + record.at, subject: payload, payload: payload, kind: .share, rssi: 0))
            case .merge:
                if let other = record.text, ProximityLog.isIdentifier(other), other != peer {
                    merged[subject] = try identifier(other, folder)
                }
            default: break
            }
        }
        span = start...start + (reader.run.durationMilliseconds ?? last)
        join(merged)
    }

    /// Renames devices in the entries: from the name that was merged to the name that replaced it.
    private mutating func join(_ merged: [Int32: Int32]) {
        guard !merged.isEmpty else { return }
        for index in entries.indices where entries[index].kind != .share {
            var steps = 0
            while let next = merged[entries[index].subject], steps < merged.count {
                entries[index].subject = next
                steps += 1
            }
        }
    }

    /// True when a folder has the log of a phone.
    static func isLog(_ folder: String) -> Bool { POSIXFile.exists(POSIXFile.join(folder, contactsFile)) }

    /// True when a folder has a log of `prox run` or `prox simulate`.
    static func isOwnLog(_ folder: String) -> Bool {
        POSIXFile.exists(POSIXFile.join(folder, ProximityLog.runFile))
    }

    /// Counts reads that an iPhone repeats within fifteen minutes of hearing the device as copies.
    ///
    /// Libraries before 1.2 logged a read for each copy of a payload that they had kept.
    private mutating func noteCopies() {
        var heard: [Int32: Int] = [:]
        var known: [Int32: Int32] = [:]
        for index in entries.indices where entries[index].kind == .read || entries[index].kind == .measure {
            let entry = entries[index]
            if entry.kind == .read {
                if known[entry.subject] == entry.payload,
                    let last = heard[entry.subject], entry.at - last < ProximityAnalysis.memoryMilliseconds
                {
                    entries[index].kind = .known
                    copies += 1
                }
                known[entry.subject] = entry.payload
            }
            heard[entry.subject] = entry.at
        }
    }

    /// The operating system of the phone, where it is one that the distance model knows.
    var system: PhoneSystem? { systemName.flatMap { PhoneSystem(rawValue: $0.lowercased()) ?? Self.system(of: $0) } }

    private static func system(of name: String) -> PhoneSystem? {
        switch name.lowercased() {
        case "ios", "iphone os", "ipados": .iOS
        case "android": .android
        default: nil
        }
    }

    // MARK: - contacts.csv

    private mutating func readContacts(_ path: String, now: Int) throws {
        let name = TerminalText.sanitised(path)
        var lines = try LineFileReader(path, maximumLineBytes: ProximityLog.maximumLineBytes)
        var columns: ContactLogColumns?
        var last = 0
        while let bytes = try lines.next() {
            if lines.number % 10_000 == 0 { try Task.checkCancellation() }
            guard lines.number <= limits.lines else {
                throw CommandError(
                    .proximityLogTooLarge, "\(name) has more than \(NumberText.count(limits.lines)) lines.")
            }
            var reader = CSVLines(bytes)
            guard let fields = reader.next() else { continue }
            guard let known = columns else {
                columns = ContactLogColumns(header: fields)
                guard columns != nil else {
                    throw CommandError(
                        .proximityLogMalformed,
                        "Line \(lines.number) of \(name) does not name the columns time, id, read, measure and data.")
                }
                continue
            }
            switch Self.line(bytes, fields, known, now: now) {
            case .failure(let fault): remarks.note(fault.rawValue, line: lines.number, of: name)
            case .success(let (at, content)):
                if at < last - Self.jump {
                    remarks.note("earlier than the line before: the clock was set back", line: lines.number, of: name)
                }
                last = at
                span = span.map { min($0.lowerBound, at)...max($0.upperBound, at) } ?? at...at
                try take(content, at: at, name)
            }
        }
        guard columns != nil else { throw CommandError(.proximityLogMalformed, "\(name) is empty.") }
        sortEntries()
    }

    private static func line(
        _ bytes: [UInt8], _ fields: [ArraySlice<UInt8>], _ columns: ContactLogColumns, now: Int
    ) -> Result<(Int, ContactLogColumns.Content), FieldLogFault> {
        guard !bytes.contains(0) else { return .failure(.zeroByte) }
        return columns.line(fields).flatMap { content in
            guard let at = columns.milliseconds(fields) else { return .failure(.noTime) }
            if at < earliest { return .failure(.tooEarly) }
            return at > now + dayMilliseconds ? .failure(.future) : .success((at, content))
        }
    }

    private mutating func take(_ line: ContactLogColumns.Content, at: Int, _ name: String) throws(CommandError) {
        switch line {
        case .read(let id, let payload):
            entries.append(
                FieldPhoneEvent(
                    at: at, subject: try identifier(id, name), payload: try self.payload(payload, name), kind: .read,
                    rssi: 0))
        case .measure(let id, let rssi):
            entries.append(
                FieldPhoneEvent(
                    at: at, subject: try identifier(id, name), payload: -1, kind: .measure, rssi: Int8(clamping: rssi)))
        case .share(let payload):
            let index = try self.payload(payload, name)
            entries.append(FieldPhoneEvent(at: at, subject: index, payload: index, kind: .share, rssi: 0))
        case .other: break
        }
    }

    private mutating func identifier(_ id: String, _ name: String) throws(CommandError) -> Int32 {
        try Self.index(id, &identifiers, &identifierIndices, limits, "\(name) names more than", "devices")
    }

    private mutating func payload(_ text: String, _ name: String) throws(CommandError) -> Int32 {
        try Self.index(text, &payloads, &payloadIndices, limits, "\(name) names more than", "payloads")
    }

    private static func index(
        _ text: String, _ list: inout [String], _ indices: inout [String: Int32], _ limits: Limits, _ lead: String,
        _ noun: String
    ) throws(CommandError) -> Int32 {
        if let index = indices[text] { return index }
        guard list.count < limits.identifiers else {
            throw CommandError(.proximityLogTooLarge, "\(lead) \(NumberText.count(limits.identifiers)) \(noun).")
        }
        let index = Int32(list.count)
        indices[text] = index
        list.append(text)
        return index
    }

    /// Orders the entries by time; those of one time stay in the order of their lines.
    private mutating func sortEntries() {
        guard !zip(entries, entries.dropFirst()).allSatisfy({ $0.at <= $1.at }) else { return }
        entries = entries.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }

    // MARK: - The small files

    private mutating func readDetection(_ path: String) throws(CommandError) {
        var lines = CSVLines(try BoundedFile.read(path, limit: limits.smallFileBytes))
        guard let fields = lines.next(), fields.count >= 4, !fields[3].contains(0) else {
            let name = TerminalText.sanitised(path)
            return remarks.note("ignored: not model, system, version and payload", line: 1, of: name)
        }
        func label(_ field: ArraySlice<UInt8>) -> String? {
            let text = TerminalText.sanitised(DistanceMeasurementFile.text(field), limit: ProximityLog.maximumLabel)
            return text.isEmpty ? nil : text
        }
        model = label(fields[0])
        systemName = label(fields[1])
        if let own = ContactLogColumns.payload(fields[3]) { ownPayloads.insert(own) }
    }

    private mutating func readOwnPayloads(_ path: String) throws(CommandError) {
        var lines = CSVLines(try BoundedFile.read(path, limit: limits.smallFileBytes))
        _ = lines.next()
        while let fields = lines.next() {
            guard fields.count >= 2, let own = ContactLogColumns.payload(fields[1]) else {
                remarks.note("ignored: not time and payload", line: lines.number, of: TerminalText.sanitised(path))
                continue
            }
            ownPayloads.insert(own)
        }
    }

    private mutating func readStatistics(_ path: String) throws(CommandError) {
        let name = TerminalText.sanitised(path)
        var lines = CSVLines(try BoundedFile.read(path, limit: limits.smallFileBytes))
        let header = (lines.next() ?? []).map { DistanceMeasurementFile.text($0).lowercased() }
        guard let countColumn = header.firstIndex(of: "count"), let meanColumn = header.firstIndex(of: "mean") else {
            return remarks.note("ignored: not the columns count and mean", line: 1, of: name)
        }
        var (count, sum) = (0.0, 0.0)
        while let fields = lines.next() {
            // Without an interval the libraries write a hyphen for the mean.
            if fields.count > meanColumn, fields[meanColumn].elementsEqual("-".utf8) { continue }
            guard fields.count > max(countColumn, meanColumn),
                let number = DistanceMeasurementFile.number(fields[countColumn]), (0...1e12).contains(number),
                let mean = DistanceMeasurementFile.number(fields[meanColumn]), (0...1e9).contains(mean)
            else {
                remarks.note("ignored: no count and mean", line: lines.number, of: name)
                continue
            }
            count += number
            sum += number * mean
        }
        statedIntervals = count > 0 ? (count, sum / count) : nil
    }
}
