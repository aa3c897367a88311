package import CommandProgram
import Determinism
import Herald
import HeraldProximity
package import Terminal

/// `symbolon prox report DIR`: writes an HTML page about a log.
package enum ProximityReportCommand {
    private static let folders = Operand(
        .path("FOLDER"),
        "A log of prox run or prox simulate; or several logs of prox run, the folders of phones with contacts.csv, a study that "
            + "holds such folders, or a ZIP archive of one.", arity: .many)
    private static let output = ValueOption(
        "out", .path("FILE"),
        "Where the page goes, or - for standard output (report.html in the log's folder; of several folders, here).")
    private static let keys = ValueOption(
        "keys", .path("FILE"),
        "The keys of a device of prox run --keys, from which the payloads that it served are derived; may be repeated.",
        isRepeatable: true)
    private static let from = ValueOption(
        "from", .fieldTime("TIME"), "Where the test of several phones begins (when the last of them began).")
    private static let until = ValueOption(
        "until", .fieldTime("TIME"), "Where it ends (when the first of them ended).")

    package static let declaration = CommandDeclaration(
        "report", "Makes an HTML page with plots and figures from a log.",
        discussion: [
            "Shows contacts over time, which device detected which, gaps, signal strengths and distances, and the figures of the Fair "
                + "Efficacy Formula. The page needs nothing else and asks for nothing from anywhere.",
            "Given the folders of phones with the deployed Herald libraries, each with contacts.csv and detection.csv, or several "
                + "logs of prox run, it joins them: the devices are told apart by the payloads that each served. All ordered pairs "
                + "count over the whole test, as in Herald's own analysis. What is no phone in a study is passed over. Lines that do "
                + "not follow the format are ignored and listed.",
            "With --json the figures go to standard output as one line.",
        ],
        examples: [
            .init("symbolon prox report office", "Writes office/report.html."),
            .init("symbolon prox report study.zip --out test.html", "Joins the logs of phones in the field."),
            .init("symbolon prox report one two", "Joins the logs of two devices with prox run --log."),
            .init("symbolon prox report office --json", "Writes the page, and the figures for a script."),
        ],
        options: [output.declaration, keys.declaration, from.declaration, until.declaration],
        operands: [folders.declaration])

    package static let run: Program.Body = { context in
        let source = try source(context)
        try write(try await make(source), of: source, context)
    }

    /// Writes the HTML page and the figures of a log.
    ///
    /// Not inlined, because the compiler (6.3.1) crashes on these calls behind the one that is waited for in a release
    /// build.
    @inline(never)
    private static func write(
        _ report: (figures: JSONText, page: [UInt8]), of source: any ProximityLogSource, _ context: CommandContext
    ) throws {
        let arguments = context.arguments
        let paths = arguments.all(folders)
        for remark in source.remarks { context.console.say(remark) }
        for item in source.leftOut {
            context.console.say("Left out: \(item.pair.device) hearing \(item.pair.peer): \(item.reason).")
        }
        if arguments[output] == "-" {
            context.console.put(bytes: report.page)
            return
        }
        let isFolder = paths.count == 1 && POSIXFile.isFolder(paths[0])
        let place = isFolder ? POSIXFile.join(paths[0], "report.html") : "report.html"
        let file = arguments[output] ?? place
        try ReceivedFileWriter.replace(file, with: report.page)
        context.console.say("The report is \(TerminalText.sanitised(file)), \(NumberText.bytes(report.page.count)).")
        if arguments[Options.json] { context.console.put(report.figures.line) }
    }

    @inline(never)
    private static func source(_ context: CommandContext) throws -> any ProximityLogSource {
        let arguments = context.arguments
        let paths = arguments.all(folders)
        if let path = paths.first, paths.count == 1, FieldPhoneLog.isOwnLog(path) {
            return try ProximityLogReader(folder: path)
        }
        let identities = try arguments.all(keys).map { try identity(in: $0) }
        let found = try PhoneLogFolders(paths, context.console.variables)
        for remark in found.remarks { context.console.say(remark) }
        return try FieldStudy(
            folders: found.folders, keys: identities, period: (arguments[from], arguments[until]),
            now: context.environment.wallTime())
    }

    private static func identity(in path: String) throws(CommandError) -> SensorIdentity {
        guard let identity = SensorIdentity(parsing: try BoundedFile.read(path, limit: 1 << 16)) else {
            throw CommandError(.sensorKeysMalformed, "\(TerminalText.sanitised(path)) holds something else.")
        }
        return identity
    }

    @concurrent
    private static func make(
        _ source: some ProximityLogSource
    ) async throws -> (figures: JSONText, page: [UInt8]) {
        let analysis = try ProximityAnalysis(source)
        let figures = FairEfficacyFigures(analysis)
        return (figures.json(analysis), ProximityReportPage(analysis, figures).bytes())
    }
}

extension ValueKind where Value == Int {
    /// The kind of option values that are a time as in the deployed libraries' logs, in milliseconds since 1970.
    fileprivate static func fieldTime(_ placeholder: String) -> ValueKind {
        ValueKind(placeholder) { (text) throws(InvalidValue) in
            guard let time = FieldLogTime.milliseconds(Array(text.utf8)[...]) else {
                throw InvalidValue("is not a time", advice: "Write 2022-11-29 22:30:00, with +0100 for a zone but UTC")
            }
            return time
        }
    }
}
