import Terminal

/// The figures of one operation of a cloud agent.
struct CloudAgentFigures: Sendable {
    let operation: String
    let store: String
    var connections: Int?
    var perSecond: Double?
    /// The rate at which requests were due while times were measured.
    var offeredPerSecond: Double?
    /// The 50th, 95th and 99th percentile, in seconds.
    var quantiles: [Double] = []
    var acapyPerSecond: Double?
    var sockets: Int?
    var isTLS: Bool?
    var residentBytes: Int?
    var bytesEach: Int?
    var queued: Int?
    var processorMicroseconds: Double?
    /// The time until the last of the clients had its message.
    var longestSeconds: Double?
    /// The number of accepted messages that no client got.
    var lost: Int?
    /// The ratio to ACA-Py's figure, or to the line with the shortest queue.
    var ratio: Double?

    init(_ operation: String, _ store: String) { (self.operation, self.store) = (operation, store) }

    mutating func take(_ result: ForwardLoadGenerator.Result) { quantiles = [0.5, 0.95, 0.99].map(result.quantile) }

    private func milliseconds(_ index: Int) -> Double? { quantiles.count > index ? quantiles[index] * 1000 : nil }

    var line: BenchLine { BenchLine(row, of: "agent", members) }

    private var members: [JSONText.Member] {
        [
            .init("operation", .string(operation)), .init("store", .string(store)),
            .init("connections", .integer(connections)), .init("perSecond", .number(perSecond, places: 1)),
            .init("offeredPerSecond", .number(offeredPerSecond, places: 1)),
            .init("p50Milliseconds", .number(milliseconds(0), places: 3)),
            .init("p95Milliseconds", .number(milliseconds(1), places: 3)),
            .init("p99Milliseconds", .number(milliseconds(2), places: 3)),
            .init("acapyPerSecond", .number(acapyPerSecond, places: 1)), .init("sockets", .integer(sockets)),
            .init("isTLS", isTLS.map { .bool($0) } ?? .null), .init("residentBytes", .integer(residentBytes)),
            .init("bytesEach", .integer(bytesEach)), .init("queued", .integer(queued)),
            .init("longestSeconds", .number(longestSeconds, places: 3)),
            .init("lost", .integer(lost)),
            .init("processorMicroseconds", .number(processorMicroseconds, places: 1)),
            .init("ratio", .number(ratio, places: 3)),
            .init("client", .string("the same machine; messages packed before")),
        ]
    }

    static let columns: [TextTable.Column] = [
        .init("operation"), .init("store"), .init("how many", alignsRight: true), .init("a second", alignsRight: true),
        .init("50 %", alignsRight: true), .init("95 %", alignsRight: true), .init("99 %", alignsRight: true),
        .init("bytes each", alignsRight: true), .init("µs of a core", alignsRight: true),
        .init("times", alignsRight: true),
    ]

    private var row: [String] {
        [
            operation, store, (connections ?? sockets ?? queued).map(NumberText.count) ?? "",
            perSecond.map { NumberText.decimal($0, places: 0) } ?? "",
        ] + (0..<3).map { milliseconds($0).map { NumberText.decimal($0, places: 2) + " ms" } ?? "" } + [
            bytesEach.map(NumberText.count) ?? "",
            processorMicroseconds.map { NumberText.decimal($0, places: 0) } ?? "",
            ratio.map { NumberText.decimal($0, places: 2) + " ×" } ?? "",
        ]
    }
}
