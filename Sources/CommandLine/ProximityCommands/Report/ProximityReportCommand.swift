package import CommandProgram
import Herald
package import Terminal

/// `symbolon prox report DIR`: one page of HTML about a log.
package enum ProximityReportCommand {
    private static let folder = Operand(
        .path("FOLDER"), "The log: what prox run --log or prox simulate --log wrote.")
    private static let output = ValueOption(
        "out", .path("FILE"), "Where the page goes, or - for standard output (report.html in the log's folder).")

    package static let declaration = CommandDeclaration(
        "report", "Turns a log into one page of HTML with plots and figures.",
        discussion: [
            "Shows contacts over time, which device detected which, gaps, signal strengths and distances, and the figures of the Fair "
                + "Efficacy Formula. The page needs nothing else and asks for nothing from anywhere.",
            "With --json the figures go to standard output as one line.",
        ],
        examples: [
            .init("symbolon prox report office", "Writes office/report.html."),
            .init("symbolon prox report office --json", "Writes the page, and the figures for a script."),
        ],
        options: [output.declaration], operands: [folder.declaration])

    package static let run: Program.Body = { context in
        let logFolder = try context.arguments.required(folder)
        let (figures, page) = try await make(logFolder)
        if context.arguments[output] == "-" {
            context.console.put(bytes: page)
            return
        }
        let file = context.arguments[output] ?? POSIXFile.join(logFolder, "report.html")
        try ReceivedFileWriter.replace(file, with: page)
        context.console.say("The report is \(TerminalText.sanitised(file)), \(NumberText.bytes(page.count)).")
        if context.arguments[Options.json] { context.console.put(figures.line) }
    }

    @concurrent
    private static func make(_ logFolder: String) async throws -> (figures: JSONText, page: [UInt8]) {
        let analysis = try ProximityAnalysis(ProximityLogReader(folder: logFolder))
        let figures = ProximityFigures(analysis)
        return (figures.json(analysis), ReportPage(analysis, figures).bytes())
    }
}
