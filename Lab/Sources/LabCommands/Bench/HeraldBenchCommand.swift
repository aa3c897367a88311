package import CommandProgram
package import Terminal

/// `symbolon-lab bench herald`: readings, advertisements and identifiers a second, beside the C++ library's.
package enum HeraldBenchCommand {
    private static let rounds = ValueOption(
        "rounds", .integer("N", in: 1...101), "Measures so many rounds of each, and tells the median (5).")

    package static let declaration = CommandDeclaration(
        "herald", "Measures readings, advertisements and identifiers a second.",
        discussion: [
            "One thread, its own time on the processor. Where the C++ library of Herald was measured on a like machine, its "
                + "figure stands beside. The calibration tells how fast the machine is: SHA-256 of 64 bytes by libcrypto."
        ],
        examples: [.init("symbolon-lab bench herald --json", "Writes a JSON line for each measurement.")],
        options: [rounds.declaration])

    package static let run: Program.Body = { context in
        let rounds = context.arguments[rounds] ?? 5
        var report = BenchReport(
            context,
            [
                .init("operation"), .init("a second", alignsRight: true), .init("C++", alignsRight: true),
                .init("times", alignsRight: true),
            ])
        for operation in HeraldBenchOperation.all {
            try Task.checkCancellation()
            report.add(line(operation, perSecond: try await measure(operation, rounds), rounds))
        }
        report.finish()
    }

    @concurrent
    private static func measure(_ operation: HeraldBenchOperation, _ rounds: Int) async throws -> Double {
        let round = try operation.prepare()
        var figures: [Double] = []
        for _ in 0..<rounds {
            try Task.checkCancellation()
            let start = ThreadCPUTime.seconds
            let count = round()
            figures.append(Double(count) / max(1e-9, ThreadCPUTime.seconds - start))
        }
        return TransferBenchCommand.median(figures)
    }

    private static func line(_ operation: HeraldBenchOperation, perSecond: Double, _ rounds: Int) -> BenchLine {
        let times = operation.foreignPerSecond.map { perSecond / $0 }
        let row = [
            operation.name, NumberText.count(Int(perSecond)),
            operation.foreignPerSecond.map { NumberText.count(Int($0)) } ?? "",
            times.map { NumberText.decimal($0, places: 2) + " ×" } ?? "",
        ]
        return BenchLine(
            row, of: "herald",
            [
                .init("operation", .string(operation.name)), .init("unit", .string(operation.unit)),
                .init("rounds", .integer(rounds)), .init("perSecond", .number(perSecond, places: 0)),
                .init("cppPerSecond", .number(operation.foreignPerSecond, places: 0)),
                .init("times", .number(times, places: 3)), .init("goal", .number(operation.goal, places: 0)),
            ])
    }
}
