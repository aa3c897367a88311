import CommandProgram
import Determinism
import Herald
import Terminal

/// The readings of one device about another, at known distances.
struct DistanceMeasurement {
    /// The name of the measurement: the file, or the phone that hears and the phone that is heard.
    let name: String
    /// The run of the measurement, and its two phones.
    let side: DistanceMeasurementRuns.RunSide
    /// The operating systems of the two phones.
    let pair: PhoneSystemPair
    /// The readings in the order of time.
    let readings: [DistanceReading]

    /// The measurement as a run for the fit.
    var fitRun: DistanceFit.DistanceMeasurementRun {
        DistanceFit.DistanceMeasurementRun(pair: pair, windows: DistanceTrial.windows(of: readings))
    }

    /// Reads the measurements at `path`: one for a file or each of its phones, one for each pair in a simulated log.
    ///
    /// - Parameters:
    ///   - metres: how far apart the phones of a file without distances were.
    ///   - systems: the systems of phones that no table names.
    /// - Throws: the codes of `DistanceMeasurementFile.read` and `ProximityLogReader`;
    ///   `prox.measurement-insufficient` for a log without true distances.
    static func of(
        _ path: String, _ table: DistanceMeasurementRuns, _ columns: DistanceMeasurementColumns, metres: Double?,
        systems: PhoneSystemPair?
    ) throws -> [DistanceMeasurement] {
        guard !POSIXFile.exists(POSIXFile.join(path, ProximityLog.runFile)) else { return try ofLog(in: path) }
        var side = table.side(of: path)
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let pair = side.phones == nil ? systems ?? table.pair(of: side) : table.pair(of: side)
        if side.phones == nil, let own = systems?.own, let peer = systems?.peer {
            side.phones = (own.rawValue, peer.rawValue)
        }
        return try DistanceMeasurementFile.read(path, columns, metres: metres).map { [side] phone, readings in
            DistanceMeasurement(
                name: phone.map { "\(name) \($0)" } ?? name, side: side, pair: pair, readings: readings)
        }
    }

    /// Reads the measurements of phones with the deployed libraries that were `metres` apart all the time.
    ///
    /// - Throws: the codes of `FieldStudy`; `prox.measurement-insufficient` without a distance.
    static func ofPhones(
        in folders: [String], metres: Double?, now: WallTime, on console: Console
    ) throws -> [DistanceMeasurement] {
        guard let metres else {
            throw CommandError(
                .measurementInsufficient,
                "The logs of phones do not say how far apart they were; --metres D does, for phones that stayed so.")
        }
        let study = try FieldStudy(folders: folders, period: (nil, nil), now: now)
        for remark in study.remarks { console.say(remark) }
        return folders.indices.flatMap { own in
            folders.indices.compactMap { peer in
                let readings = own == peer ? [] : study.readings(of: own, about: peer)
                guard !readings.isEmpty else { return nil }
                return measurement(
                    study.run.devices[own].id, study.run.devices[peer].id, run: "phones", study.pair(own, peer),
                    readings.map {
                        DistanceReading(seconds: Double($0.at) / 1000, rssi: Double($0.rssi), metres: metres)
                    })
            }
        }
    }

    private static func measurement(
        _ own: String, _ peer: String, run: String, _ pair: PhoneSystemPair, _ readings: [DistanceReading]
    ) -> DistanceMeasurement {
        DistanceMeasurement(
            name: "\(own) hears \(peer)", side: DistanceMeasurementRuns.RunSide(run: run, phones: (own, peer)),
            pair: pair,
            readings: readings)
    }

    /// Reads the measurements of a simulated run, with the last true distance before each reading.
    private static func ofLog(in folder: String) throws -> [DistanceMeasurement] {
        let reader = try ProximityLogReader(folder: folder)
        guard reader.hasTruth else {
            throw CommandError(
                .measurementInsufficient,
                "\(TerminalText.sanitised(folder)) has no true distances; the logs of simulated runs alone have them.")
        }
        var truths: [ProximityAnalysis.PairName: [TimedDistance]] = [:]
        var count = 0
        func check() throws(CommandError) {
            count += 1
            guard count <= maximumEntries else {
                throw CommandError(
                    .proximityLogTooLarge,
                    "\(TerminalText.sanitised(folder)) has more than \(NumberText.count(maximumEntries)) readings and "
                        + "distances.")
            }
        }
        try reader.eachTruth { truth in
            guard case .distance(let device, let peer, let at, let centimetres) = truth else { return }
            try check()
            truths[.init(device: device, peer: peer), default: []].append(
                TimedDistance(at: at, centimetres: centimetres))
        }
        var readings: [ProximityAnalysis.PairName: [DistanceReading]] = [:]
        var next: [ProximityAnalysis.PairName: Int] = [:]
        try reader.eachRecord { record in
            guard record.kind == .measure, record.via == .advertisement || record.via == .link, let peer = record.peer,
                let rssi = record.rssi
            else { return }
            let name = ProximityAnalysis.PairName(device: record.device, peer: peer)
            guard let known = truths[name] else { return }
            try check()
            var index = next[name] ?? 0
            while index < known.count, known[index].at <= record.at { index += 1 }
            next[name] = index
            guard index > 0 else { return }
            readings[name, default: []].append(
                DistanceReading(
                    seconds: Double(record.at) / 1000, rssi: Double(rssi),
                    metres: Double(known[index - 1].centimetres) / 100))
        }
        let systems = Dictionary(
            reader.run.devices.map { ($0.id, $0.system.flatMap { PhoneSystem(rawValue: $0) }) },
            uniquingKeysWith: { $1 })
        return readings.keys.sorted().map { name in
            measurement(
                name.device, name.peer, run: reader.run.scenario,
                PhoneSystemPair(own: systems[name.device] ?? nil, peer: systems[name.peer] ?? nil), readings[name] ?? []
            )
        }
    }

    /// The most readings and true distances of a log that are read.
    private static let maximumEntries = 20_000_000
}
