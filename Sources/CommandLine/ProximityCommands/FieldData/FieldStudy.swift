import ByteCoding
import CommandProgram
import Determinism
import Herald
import HeraldProximity
import Terminal

/// The logs of several phones with deployed Herald libraries, or of devices with `prox run`, that were at one place, as
/// one run.
///
/// A device that a phone heard is one of the others when the phone read a payload from it that the other served:
/// `detection.csv` names the last of them, `own-payloads.csv` and the logs of `prox run` name all, and from the secret
/// of simple payloads all are derived. Readings from before the read count too, and those from after it. The test lasts
/// from the time at which the last phone began to log to the time at which the first one ended, unless other times are
/// given. Source: herald-analysis, the analysis of formal tests.
struct FieldStudy: ProximityLogSource {
    /// A pair of phones that the figures do not count, and the reason.
    struct ExcludedPhonePair: Hashable, Sendable {
        /// The phone that listens, and the one that it might have heard.
        let pair: ProximityAnalysis.PairName
        /// The reason, as the end of a sentence.
        let reason: String
    }

    /// The most phones of a study.
    static let maximumPhones = 256

    let run: ProximityRun
    let leftOut: [ExcludedPhonePair]
    let remarks: [String]
    let judgesAllPairs = true
    let statedIntervals: (count: Double, mean: Double)?
    let batteries: [BatteryFigure]
    private let phones: [FieldPhoneLog]
    /// The index of the phone that serves a payload, by the payload's name.
    private let owners: [String: Int]
    private let start: Int
    private let end: Int

    /// The loss of a phone's battery during the test.
    struct BatteryFigure: Hashable, Sendable {
        /// The name of the phone.
        let device: String
        /// The drain of the battery; nil where the phone was charged, or too short a time on its battery.
        let drain: BatteryLog.BatteryLoss?
    }

    /// Reads the logs in `folders`, and joins them to one study.
    ///
    /// - Parameters:
    ///   - keys: the identities of devices whose simple payloads changed during the test.
    ///   - period: the beginning and the end of the test, in milliseconds since 1970; nil where the logs decide.
    ///   - now: the time of day.
    /// - Throws: the codes of `FieldPhoneLog`; `prox.log-malformed` when the logs have no time in common.
    init(
        folders: [String], keys: [SensorIdentity] = [], period: (from: Int?, until: Int?), now: WallTime
    ) throws {
        guard folders.count <= Self.maximumPhones else {
            throw CommandError(.proximityLogTooLarge, "A study has up to \(Self.maximumPhones) phones.")
        }
        let isOwn = folders.map { FieldPhoneLog.isOwnLog($0) }
        // Phones name payloads by a part of them alone.
        let naming: ([UInt8]) -> String =
            isOwn.contains(false)
            ? { String(ContactLog.shortName(of: $0).prefix(ContactLogColumns.shortNameLength)) } : { Hex.encode($0) }
        let phones = try zip(folders, isOwn).map { folder, isOwn in
            try isOwn
                ? FieldPhoneLog(ownLog: folder, naming: naming) : FieldPhoneLog(folder: folder, now: now)
        }
        let names = Self.identifiers(of: folders)
        let spans = phones.compactMap(\.span)
        let from = period.from ?? spans.map(\.lowerBound).max()
        let until = period.until ?? spans.map(\.upperBound).min()
        guard let from, let until, from < until, until - from <= ProximityLog.maximumMilliseconds else {
            throw CommandError(.proximityLogMalformed, Self.noCommonTime(phones, from: from, until: until))
        }
        self.phones = phones
        start = from
        end = until
        let served = PayloadOwners(phones, keys: keys, from: from, until: until)
        owners = served.owners
        leftOut = Self.leftOut(phones, names, served)
        run = ProximityRun(
            scenario: "\(phones.count) phones", start: WallTime(millisecondsSinceEpoch: Int64(from)),
            durationMilliseconds: until - from, seed: nil, isSimulated: false,
            devices: zip(names, phones).map { name, phone in
                ProximityRun.LoggedDevice(id: name, name: phone.model, system: phone.systemName, model: phone.model)
            })
        remarks = phones.flatMap { phone in
            phone.remarks.all.map(\.sentence)
                + (phone.span == nil ? ["\(phone.folder): \(FieldPhoneLog.contactsFile) has no line that counts."] : [])
                + (phone.copies > 0
                    ? [
                        "\(phone.folder): \(NumberText.count(phone.copies)) reads repeat a payload of a device that was near "
                            + "all the time, as libraries before 1.2 logged copies; they do not count as reads."
                    ] : [])
        }
        batteries = zip(names, phones).compactMap { name, phone in
            phone.battery.isKnown(in: from...until)
                ? BatteryFigure(device: name, drain: phone.battery.drain(in: from...until)) : nil
        }
        let stated = phones.compactMap(\.statedIntervals)
        let count = stated.reduce(0) { $0 + $1.count }
        statedIntervals = count > 0 ? (count, stated.reduce(0) { $0 + $1.count * $1.mean } / count) : nil
    }

    private static func noCommonTime(_ phones: [FieldPhoneLog], from: Int?, until: Int?) -> String {
        guard from != nil, until != nil else { return "The logs have no line that counts." }
        let spans = phones.prefix(8).compactMap { phone in
            phone.span.map { span in
                let (first, last) = (span.lowerBound, span.upperBound)
                let (begin, end) = (
                    ContactLog.timestamp(WallTime(millisecondsSinceEpoch: Int64(first))),
                    ContactLog.timestamp(WallTime(millisecondsSinceEpoch: Int64(last)))
                )
                return "\(phone.folder) has \(begin) to \(end)"
            }
        }
        return "The logs have no time in common, or the times given leave none: \(spans.joined(separator: "; ")) (UTC)."
    }

    /// Returns a unique device name for each folder: the last part of its path.
    private static func identifiers(of folders: [String]) -> [String] {
        var taken: Set<String> = []
        return folders.map { folder in
            let last = folder.split(separator: "/").last.map(Array.init) ?? []
            let bytes = last.flatMap { $0.utf8 }.map { ProximityLog.isOfIdentifier($0) ? $0 : UInt8(ascii: "-") }
            let text = String(decoding: bytes.prefix(ProximityLog.maximumIdentifier - 4), as: UTF8.self)
            let base = ProximityLog.isIdentifier(text) ? text : "phone"
            var name = base
            var number = 2
            while !taken.insert(name).inserted { (name, number) = ("\(base)-\(number)", number + 1) }
            return name
        }
    }

    private static func leftOut(
        _ phones: [FieldPhoneLog], _ names: [String], _ served: PayloadOwners
    ) -> [ExcludedPhonePair] {
        phones.indices.flatMap { heard -> [ExcludedPhonePair] in
            let (phone, name) = (phones[heard], names[heard])
            let reason: String
            if phone.ownPayloads.isEmpty {
                reason = "no payload of \(name) is known, because its detection.csv names none"
            } else if !served.isDistinct(heard) {
                let own = phone.ownPayloads.sorted().first ?? ""
                reason = "another phone has the payload \(TerminalText.sanitised(own)) of \(name) too"
            } else if served.mayHaveChanged(heard) {
                reason =
                    "no phone read a payload that \(name) names as its own, but \(served.unknownCount) payloads were read "
                    + "that no phone names: those of \(name) may have changed during the test; --keys FILE tells which were its"
            } else {
                return []
            }
            return phones.indices.filter { $0 != heard }.map { listener in
                ExcludedPhonePair(pair: .init(device: names[listener], peer: name), reason: reason)
            }
        }
    }

    // MARK: - Records

    func survey() -> ProximityLogReader.LogSizeEstimate {
        ProximityLogReader.LogSizeEstimate(lines: phones.reduce(0) { $0 + $1.entries.count }, estimates: 0, truths: 0)
    }

    func eachTruth(_ take: (TruePositions) throws -> Void) throws {}

    func eachRecord(_ take: (ProximityRecord) throws -> Void) throws {
        for index in phones.indices {
            try Task.checkCancellation()
            try eachRecord(of: index, take)
        }
    }

    /// The readings of the phone `device` about the phone `peer`, in milliseconds since the start of the test.
    func readings(of device: Int, about peer: Int) -> [(at: Int, rssi: Int)] {
        let subjects = self.subjects(of: phones[device], except: device)
        return phones[device].entries.compactMap { entry in
            guard entry.kind == .measure, start...end ~= entry.at,
                subjects[Int(entry.subject)]?.contains(peer) == true
            else { return nil }
            return (entry.at - start, Int(entry.rssi))
        }
    }

    /// Returns the operating systems of two phones.
    func pair(_ device: Int, _ peer: Int) -> PhoneSystemPair {
        PhoneSystemPair(own: phones[device].system, peer: phones[peer].system)
    }

    /// The phones that each device identifier of a log stands for, in the order of their first reads.
    private func subjects(of phone: FieldPhoneLog, except own: Int) -> [Int: [Int]] {
        var subjects: [Int: [Int]] = [:]
        for entry in phone.entries where entry.kind == .read || entry.kind == .known {
            guard let owner = owners[phone.payloads[Int(entry.payload)]], owner != own else { continue }
            if subjects[Int(entry.subject)]?.contains(owner) != true {
                subjects[Int(entry.subject), default: []].append(owner)
            }
        }
        return subjects
    }

    private func eachRecord(of index: Int, _ take: (ProximityRecord) throws -> Void) throws {
        let phone = phones[index]
        let device = run.devices[index].id
        let subjects = subjects(of: phone, except: index)
        let read = Set(subjects.values.joined())
        var estimators = phones.indices.map { DistanceEstimator(pair: pair(index, $0)) }
        func put(_ estimate: DistanceEstimate?, _ peer: Int) throws {
            guard let estimate else { return }
            let at = min(Int(estimate.at.nanoseconds / 1_000_000), end - start)
            try take(ProximityRecord(estimate, of: run.devices[peer].id, at: at, device: device))
        }
        for entry in phone.entries {
            // A read tells who a device is, whenever it was; it counts at the edge of the test.
            let at = min(max(entry.at, start), end) - start
            switch entry.kind {
            case .read, .known:
                guard let peer = owners[phone.payloads[Int(entry.payload)]], peer != index else { continue }
                var record = ProximityRecord(at: at, device: device, kind: .read, peer: run.devices[peer].id)
                record.payload = Array(phone.payloads[Int(entry.payload)].utf8)
                record.via = entry.kind == .read ? .link : .writtenByPeer
                try take(record)
            case .measure where start...end ~= entry.at:
                for peer in subjects[Int(entry.subject)] ?? [] {
                    var record = ProximityRecord(at: at, device: device, kind: .measure, peer: run.devices[peer].id)
                    record.rssi = Int(entry.rssi)
                    record.via = .advertisement
                    let now = MonotonicInstant(nanoseconds: UInt64(at) * 1_000_000)
                    try put(estimators[peer].take(rssi: Double(entry.rssi), at: now), peer)
                    try take(record)
                }
            case .share where start...end ~= entry.at:
                guard let peer = owners[phone.payloads[Int(entry.payload)]], read.contains(peer) else { continue }
                try take(ProximityRecord(at: at, device: device, kind: .share, peer: run.devices[peer].id))
            case .measure, .share: break
            }
        }
        for peer in phones.indices {
            let last = estimators[peer].nextDeadline ?? .zero
            try put(estimators[peer].advance(to: last), peer)
        }
    }
}
