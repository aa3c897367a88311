import CommandProgram
import Terminal

/// One measurement of a bench: a row of its table, and an object of its JSON Lines.
struct BenchLine: Sendable {
    let row: [String]
    let json: JSONText

    /// Makes the line of a bench; its members stand behind the schema, its version and the name of the bench.
    init(_ row: [String] = [], of bench: String, _ members: [JSONText.Member]) {
        self.row = row
        json = .object(
            [.init("schema", .string("symbolon.bench")), .init("version", .integer(1)), .init("bench", .string(bench))]
                + members)
    }
}

/// Writes the lines of a bench: as JSON Lines at once, or as a table at the end.
struct BenchReport: Sendable {
    private let context: CommandContext
    private var table: TextTable

    init(_ context: CommandContext, _ columns: [TextTable.Column]) {
        self.context = context
        table = TextTable(columns)
    }

    private var isJSON: Bool { context.arguments[Options.json] }

    mutating func add(_ line: BenchLine) {
        if isJSON { context.console.put(line.json.line) } else { table.add(line.row) }
    }

    func finish() {
        guard !isJSON else { return }
        for line in table.lines(palette: context.console.palette) { context.console.put(line) }
    }
}
