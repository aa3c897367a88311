import CommandProgram
import Determinism
import Terminal

/// One line of figures: the times of repeated runs of an operation, or a size.
struct BenchFigures {
    let operation: String
    /// Seconds, sorted; empty for a size.
    let seconds: [Double]
    var bytes: Int?

    init(operation: String, seconds: [Double], bytes: Int? = nil) {
        self.operation = operation
        self.seconds = seconds
        self.bytes = bytes
    }

    /// Runs `body` with the numbers from 0 on, and measures each.
    init(_ operation: String, samples: Int, _ body: (Int) async throws -> Void) async throws {
        let clock = ContinuousClock()
        var seconds: [Double] = []
        for number in 0..<samples {
            try Task.checkCancellation()
            let start = clock.now
            try await body(number)
            seconds.append((clock.now - start).inSeconds)
        }
        self.init(operation: operation, seconds: seconds.sorted())
    }

    private func quantile(_ share: Double) -> Double {
        seconds.isEmpty ? 0 : seconds[min(seconds.count - 1, Int(Double(seconds.count) * share))]
    }

    private var row: [String] {
        if let bytes { return [operation, NumberText.bytes(bytes), "", "", ""] }
        return [operation] + [0.5, 0.95, 0.99, 1].map { NumberText.decimal(quantile($0) * 1000, places: 3) + " ms" }
    }

    private var members: [JSONText.Member] {
        if let bytes { return [.init("bytes", .integer(bytes))] }
        return [
            .init("samples", .integer(seconds.count)),
            .init("medianSeconds", .number(quantile(0.5), places: 6)),
            .init("p95Seconds", .number(quantile(0.95), places: 6)),
            .init("p99Seconds", .number(quantile(0.99), places: 6)),
            .init("slowestSeconds", .number(quantile(1), places: 6)),
        ]
    }

    /// Writes lines as a table or, when asked to, as JSON Lines.
    ///
    /// - Parameter size: the size of the measured store, a member of every JSON line.
    static func show(_ lines: [BenchFigures], of bench: String, _ size: JSONText.Member, _ context: CommandContext) {
        var report = BenchReport(
            context,
            [
                .init("operation"), .init("median", alignsRight: true), .init("95 %", alignsRight: true),
                .init("99 %", alignsRight: true), .init("slowest", alignsRight: true),
            ])
        for line in lines {
            report.add(
                BenchLine(line.row, of: bench, [.init("operation", .string(line.operation)), size] + line.members))
        }
        report.finish()
    }
}
