package import CommandProgram
import Herald
package import Terminal

/// `symbolon prox distance FILE…`: how well distances are estimated from signal strengths, on measurements with known
/// distances.
package enum ProximityDistanceCommand {
    private static let files = Operand(
        .path("FILE"), "CSV files of readings, zipped or not; or folders with logs.", arity: .many)
    private static let metres = ValueOption(
        "metres", .metres("D"),
        "How far apart the phones of files without distances, or of folders with contacts.csv, were, all the time.")
    private static let columns = ValueOption(
        "columns", DistanceMeasurementColumns.kind,
        "The columns of the files and their units, such as time=elapsed:s,rssi=rss,distance=dist:cm,phone=device.")
    private static let systems = ValueOption(
        "systems", .systems("OWN/PEER"),
        "The systems of phones that no table names, android or ios: first the one that listened.")
    private static let plot = ValueOption("plot", .path("FILE"), "Draws estimates against true distances, as SVG.")
    private static let runs = ValueOption(
        "runs", .path("FILE"), "The table that says which phones took part in which run.")
    private static let leavesOneOut = FlagOption(
        "leave-one-out", "Judges each run by a model that was fitted on the others.")
    private static let fits = FlagOption(
        "fit", "Judges nothing, and tells the model that the files decide.")

    package static let declaration = CommandDeclaration(
        "distance", "Compares distance models on measurements whose distances are known.",
        discussion: [
            "A file has the columns time (dates such as 2021-03-06 18:03:00, or seconds), rssi (dBm) and distance "
                + "(centimetres), and is named after its run and the phone that listened: RUN-A.csv or RUN-B.csv. The "
                + "windows of 30 s with at least three readings are judged. --columns reads files with other names and units; "
                + "without times each line counts as a second. The logs of PACT's range and angle protocol are read as they are.",
            "Instead of files it takes the log of a simulated run, which has the true distances, or with --metres the "
                + "folders of phones with contacts.csv and detection.csv.",
            "The models see the readings and the systems of the two phones, nothing else: an iPhone that is heard is some 19 dB "
                + "stronger than an Android phone, and one that listens 5 dB. --runs or --systems tells the systems; one that is "
                + "unknown counts half. Beside ours stand the two of "
                + "the reference libraries, one straight line for all phones, and a constant.",
        ],
        examples: [
            .init("symbolon prox distance *-B.csv.gz --runs runs.csv", "Judges the model as it is shipped."),
            .init(
                "symbolon prox distance f.csv --columns time=elapsed,rssi=rss,distance=dist",
                "Judges it on a file with other columns."),
            .init(
                "symbolon prox distance *-[AB].csv.gz --runs runs.csv --leave-one-out --json",
                "Judges each run by a model that has not seen it."),
        ],
        options: [
            runs.declaration, columns.declaration, metres.declaration, systems.declaration, plot.declaration,
            leavesOneOut.declaration, fits.declaration,
        ],
        operands: [files.declaration])

    /// The distance predictions for one file of measurements.
    private struct FilePredictions {
        let name: String
        let side: DistanceMeasurementRuns.RunSide
        let answers: [DistancePrediction]
    }

    package static let run: Program.Body = { context in
        let arguments = context.arguments
        let table = try arguments[runs].map { try DistanceMeasurementRuns(path: $0) } ?? DistanceMeasurementRuns()
        let paths = arguments.all(files)
        let phones = paths.filter { FieldPhoneLog.isLog($0) }
        var measurements =
            try phones.isEmpty
            ? []
            : DistanceMeasurement.ofPhones(
                in: phones, metres: arguments[metres], now: context.environment.wallTime(), on: context.console)
        for path in paths where !phones.contains(path) {
            try Task.checkCancellation()
            measurements += try DistanceMeasurement.of(
                path, table, arguments[columns] ?? .published, metres: arguments[metres], systems: arguments[systems])
        }
        guard !arguments[fits] else { return context.console.put(try fitted(measurements).line) }
        let outcomes = try judge(measurements, leavesOneOut: arguments[leavesOneOut])
        if let path = arguments[plot] {
            try ReceivedFileWriter.replace(path, with: DistancePlot.bytes(outcomes.flatMap(\.answers)))
        }
        if arguments[Options.json] {
            for outcome in outcomes { context.console.put(json(outcome.name, outcome.answers).line) }
            context.console.put(json("all", outcomes.flatMap(\.answers)).line)
        } else {
            report(outcomes, on: context.console)
            explainPhones(measurements, on: context.console)
        }
    }

    private static func judge(_ measurements: [DistanceMeasurement], leavesOneOut: Bool) throws -> [FilePredictions] {
        let fits = leavesOneOut ? measurements.map(\.fitRun) : []
        return try measurements.map { measurement in
            try Task.checkCancellation()
            var model = DistanceModel.shipped
            if leavesOneOut {
                let others = zip(measurements, fits).filter { $0.0.side.run != measurement.side.run }.map(\.1)
                guard let fitted = DistanceFit.fit(others) else {
                    throw CommandError(
                        .measurementInsufficient,
                        "Without the run \(TerminalText.sanitised(measurement.side.run)) "
                            + "nothing is left that decides a model.")
                }
                model = fitted
            }
            return FilePredictions(
                name: measurement.name, side: measurement.side,
                answers: DistanceTrial.answers(to: measurement.readings, pair: measurement.pair, model: model))
        }
    }

    private static func fitted(_ measurements: [DistanceMeasurement]) throws -> JSONText {
        guard let model = DistanceFit.fit(measurements.map(\.fitRun)) else {
            throw CommandError(.measurementInsufficient, "The files decide no model.")
        }
        return .object([
            .init("level", number(model.level)), .init("slope", number(model.slope)),
            .init("ownIOS", number(model.ownIOS)), .init("peerIOS", number(model.peerIOS)),
        ])
    }

    // MARK: - Telling

    private static func json(_ name: String, _ answers: [DistancePrediction]) -> JSONText {
        let score = DistanceScore(estimatesOf: answers)
        return .object(
            [
                .init("file", .string(name)), .init("windows", .integer(score.windows)),
                .init("mae", number(score.meanAbsoluteError)), .init("p95", number(score.percentile95)),
                .init("answered", answers.isEmpty ? .null : number(score.answered)),
                .init("covered80", number(score.covered80)),
            ]
                + rivals.flatMap { rival -> [JSONText.Member] in
                    let score = DistanceScore(answers, of: rival.answer)
                    return [
                        .init("\(rival.key)Mae", number(score.meanAbsoluteError)),
                        .init("\(rival.key)Answered", answers.isEmpty ? .null : number(score.answered)),
                    ]
                })
    }

    private static func number(_ value: Double?) -> JSONText { value.map { .number($0, places: 4) } ?? .null }

    /// The reference models with which our distance model is compared.
    private static let rivals: [(key: String, title: String, answer: @Sendable (DistancePrediction) -> Double?)] = [
        ("smoothedLinear", "smoothed", { $0.smoothedLinear }), ("fowlerBasic", "Fowler", { $0.fowlerBasic }),
        ("straightLine", "line", { $0.straightLine }),
        ("constant", "constant", { _ in ReferenceDistanceModel.constantMetres }),
    ]

    private static func report(_ outcomes: [FilePredictions], on console: Console) {
        var table = TextTable(
            [
                .init("file"), .init("phones"), .init("windows", alignsRight: true), .init("error", alignsRight: true),
                .init("p95", alignsRight: true), .init("answered", alignsRight: true),
                .init("in 80 %", alignsRight: true),
            ] + rivals.map { .init($0.title, alignsRight: true) })
        for outcome in outcomes { table.add(row(outcome.name, outcome.side.label, outcome.answers)) }
        var pairs: [String] = []
        for outcome in outcomes where !pairs.contains(outcome.side.label) { pairs.append(outcome.side.label) }
        // Sums are rows of their own only where they join several rows, and not all.
        for pair in pairs where pairs.count > 1 && pairs.count < outcomes.count {
            table.add(row("", pair, outcomes.filter { $0.side.label == pair }.flatMap(\.answers)))
        }
        if outcomes.count > 1 { table.add(row("all", "", outcomes.flatMap(\.answers))) }
        for line in table.lines(palette: console.palette) { console.put(line) }
    }

    /// Prints the number of phones whose systems the model knew, and the consequence.
    private static func explainPhones(_ measurements: [DistanceMeasurement], on console: Console) {
        let unknown = measurements.count { $0.pair.own == nil || $0.pair.peer == nil }
        guard unknown > 0 else { return }
        console.say(
            "Of \(unknown) of \(measurements.count) the systems of the phones are unknown, and each counts half as an iPhone; "
                + "--runs FILE or --systems OWN/PEER tells them.")
    }

    private static func row(_ name: String, _ phones: String, _ answers: [DistancePrediction]) -> [String] {
        let score = DistanceScore(estimatesOf: answers)
        return [
            TerminalText.sanitised(name), TerminalText.sanitised(phones), String(score.windows),
            metres(score.meanAbsoluteError), metres(score.percentile95), share(answers.isEmpty ? nil : score.answered),
            share(score.covered80),
        ] + rivals.map { metres(DistanceScore(answers, of: $0.answer).meanAbsoluteError) }
    }

    private static func metres(_ value: Double?) -> String {
        value.map { NumberText.decimal($0, places: 2) + " m" } ?? "–"
    }

    private static func share(_ value: Double?) -> String {
        value.map { NumberText.decimal($0 * 100, places: 1) + " %" } ?? "–"
    }
}

extension ValueKind where Value == PhoneSystemPair {
    /// The kind of option values that name two systems of phones, with a slash between.
    fileprivate static func systems(_ placeholder: String) -> ValueKind {
        ValueKind(placeholder) { (text) throws(InvalidValue) in
            let systems = text.split(separator: "/", omittingEmptySubsequences: false)
                .compactMap { PhoneSystem(rawValue: $0.lowercased()) }
            guard systems.count == 2 else {
                throw InvalidValue("does not name two systems", advice: "Write android/ios, or another pair of the two")
            }
            return PhoneSystemPair(own: systems[0], peer: systems[1])
        }
    }
}

extension ValueKind where Value == Double {
    /// The kind of option values that are metres, from a centimetre to a thousand metres.
    fileprivate static func metres(_ placeholder: String) -> ValueKind {
        ValueKind(placeholder) { (text) throws(InvalidValue) in
            guard let value = DistanceMeasurementFile.number(Array(text.utf8)[...]), (0.01...1000).contains(value)
            else {
                throw InvalidValue("is not a distance in metres from 0.01 to 1000", advice: "Write 1.5 or 2")
            }
            return value
        }
    }
}
