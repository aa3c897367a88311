import Air
import Bluetooth
import ByteCoding
package import CommandProgram
import Determinism
import StockPeers
package import Terminal
import TransferSimulation
import Tuvali

/// `symbolon-lab bench transfer`: the speed of hand-overs on named links, in virtual time.
package enum TransferBenchCommand {
    /// One cell of the grid: the same for every seed.
    struct BenchGridCell: Hashable, Sendable {
        let bytes: Int
        let link: String
        let loss: Double
        /// Bytes of the verifier's request, read before the payload is sent; 0 for none.
        var requestBytes = 0
    }

    /// The result of a cell: medians over the seeds.
    struct Measurement: Sendable {
        let cell: BenchGridCell
        let sealedBytes: Int
        let setupSeconds: Double
        let setupIntervals: Double
        /// The intervals that the request adds to the set-up; 0 without one.
        let requestIntervals: Double
        let transferSeconds: Double
        let airBytes: Int
        let limitSeconds: Double
        let failedRuns: Int
        let stockAndroidSeconds: Double
        let stockIOSSeconds: Double

        var limitShare: Double { limitSeconds / transferSeconds }
    }

    /// The payloads, in bytes.
    static let payloads = [2000, 10_000, 60_000, 150_000, 550_000]

    /// The requests of the cells with one, in bytes, and the payload of these cells.
    static let requests = [1000, 20_000, 65_536]
    private static let answerBytes = 2000

    /// The ATT MTU that iOS usually asks for.
    private static let usualIOSMTU = 185

    /// The shares of write commands that the receiving host drops.
    static let losses = [0, 0.01, 0.05, 0.20]

    private static let seeds = ValueOption(
        "seeds", .integer("N", in: 1...1001), "Runs each cell with so many seeds (101 if not given).")
    private static let payload = ValueOption(
        "payload", .integer("BYTES", in: 400...4_000_000), "Measures this payload alone.")
    private static let loss = ValueOption("loss", .share("SHARE"), "Measures this loss alone.")
    private static let request = ValueOption(
        "request", .integer("BYTES", in: 0...VerifierRequestMessage.maximumContentBytes),
        "Measures with a request of so many bytes alone, or with none: 0.")

    package static let declaration = CommandDeclaration(
        "transfer", "Measures hand-overs in virtual time: payloads, links and losses.",
        discussion: [
            "Every figure is the same on every machine. A line is the median over the seeds. The limit is what whole "
                + "link-layer packets can carry at the best ATT MTU; the transfer runs from the first chunk to the success "
                + "report. The last columns say how many times as long the senders of the deployed libraries take, by "
                + "models of them: Android 14 and later, and iOS with its usual ATT MTU of 185. A run that fails "
                + "counts as 1e9 seconds, ours too: of a few chunks, a loss of one in five can take more than the share "
                + "that the protocol puts up with.",
            "After the cells without a request come, unless --payload or --loss choose, those in which the verifier asks: "
                + "letters that shrink to three quarters, as a token does, and an answer of 2,000 bytes. `adds` is how "
                + "many connection intervals longer the set-up takes than without the request, as a median over the seeds.",
        ],
        examples: [
            .init("symbolon-lab bench transfer", "Measures everything; takes a minute or two."),
            .init(
                "symbolon-lab bench transfer --link phone-5 --payload 60000 --json", "Measures one payload on one link."
            ),
            .init(
                "symbolon-lab bench transfer --request 20000",
                "Measures what a request adds to the set-up on each link."
            ),
        ],
        options: [
            Options.link.declaration, payload.declaration, loss.declaration, request.declaration, seeds.declaration,
        ])

    package static let run: Program.Body = { context in
        let arguments = context.arguments
        let cells = cells(
            payload: arguments[payload], link: arguments[Options.link], loss: arguments[loss],
            request: arguments[request])
        let seedCount = arguments[seeds] ?? 101
        var report = BenchReport(
            context,
            [
                .init("payload", alignsRight: true), .init("link"), .init("loss", alignsRight: true),
                .init("request", alignsRight: true), .init("set-up", alignsRight: true),
                .init("intervals", alignsRight: true), .init("adds", alignsRight: true),
                .init("transfer", alignsRight: true), .init("of limit", alignsRight: true),
                .init("Android", alignsRight: true), .init("iOS", alignsRight: true),
            ])
        // Two at a time keep two cores busy; lines are written in the order of the grid.
        for pair in stride(from: 0, to: cells.count, by: 2) {
            try Task.checkCancellation()
            async let first = measure(cells[pair], seedCount: seedCount)
            async let second = pair + 1 < cells.count ? measure(cells[pair + 1], seedCount: seedCount) : nil
            for measurement in try await [first, second] { if let measurement { report.add(line(measurement)) } }
        }
        report.finish()
    }

    /// The cells of the grid that are wanted: those without a request, then those with one.
    static func cells(payload: Int?, link: String?, loss: Double?, request: Int?) -> [BenchGridCell] {
        let links = link.map { [$0] } ?? LinkParameters.named.map(\.name)
        let plain = (payload.map { [$0] } ?? payloads).flatMap { bytes in
            links.flatMap { link in
                (loss.map { [$0] } ?? losses).map { BenchGridCell(bytes: bytes, link: link, loss: $0) }
            }
        }
        let asked = (request.map { [$0] } ?? requests).flatMap { count in
            links.map { BenchGridCell(bytes: payload ?? answerBytes, link: $0, loss: loss ?? 0, requestBytes: count) }
        }
        if let request { return request == 0 ? plain : asked }
        return payload == nil && loss == nil ? plain + asked : plain
    }

    /// Runs one cell with the seeds 1 to `seedCount`, which all cells share.
    @concurrent
    private static func measure(_ cell: BenchGridCell, seedCount: Int) async throws -> Measurement? {
        guard let link = LinkParameters.named.first(where: { $0.name == cell.link })?.parameters else { return nil }
        let payload = BenchmarkCredential.make(count: cell.bytes, seed: 1)
        let request = try request(count: cell.requestBytes)
        var timings: [HandOverTiming] = []
        var added: [Double] = []
        var failedRuns = 0
        var stock: (android: [Double], iOS: [Double]) = ([], [])
        for seed in 1...UInt64(seedCount) {
            try Task.checkCancellation()
            var scenario = HandOverScenario(seed: seed, payload: payload)
            scenario.conditions.link = link
            scenario.conditions.writeCommandDropShare = cell.loss
            let plain = request == nil ? nil : HandOverTiming(try scenario.run(trace: nil))
            scenario.request = request
            if let timing = HandOverTiming(try scenario.run(trace: nil)) {
                timings.append(timing)
                if let plain { added.append(timing.setupIntervals(on: link) - plain.setupIntervals(on: link)) }
            } else {
                failedRuns += 1
            }
            guard request == nil else { continue }
            stock.android.append(
                StockRun.transferSeconds(
                    of: payload, from: .android(.v05, .from14), conditions: scenario.conditions, seed: seed))
            stock.iOS.append(
                StockRun.transferSeconds(
                    of: payload, from: .iOS(systemMTU: usualIOSMTU), conditions: scenario.conditions, seed: seed))
        }
        guard let first = timings.first else {
            throw TuvaliError(.sessionInternal, "No seed of \(cell.bytes) bytes on \(cell.link) arrived.")
        }
        let failures = [Double](repeating: StockRun.failureSeconds, count: failedRuns)
        return Measurement(
            cell: cell, sealedBytes: first.sealedBytes, setupSeconds: median(timings.map(\.setupSeconds)),
            setupIntervals: median(timings.map { $0.setupIntervals(on: link) }), requestIntervals: median(added),
            transferSeconds: median(timings.map(\.transferSeconds) + failures),
            airBytes: Int(median(timings.map { Double($0.airBytes) })), limitSeconds: first.limitSeconds(on: link),
            failedRuns: failedRuns, stockAndroidSeconds: median(stock.android), stockIOSSeconds: median(stock.iOS))
    }

    /// A request of random letters, which shrink as those of a token do; nil for none.
    private static func request(count: Int) throws -> VerifierRequestMessage? {
        guard count > 0 else { return nil }
        var random = SeededRandom(seed: 1)
        let letters = Base64URL.encode(random.bytes(count: count)).utf8.prefix(count)
        return try VerifierRequestMessage(mediaType: VerifierRequestMessage.signedRequestType, content: Array(letters))
    }

    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }

    private static func line(_ measurement: Measurement) -> BenchLine {
        let asks = measurement.cell.requestBytes > 0
        let row = [
            NumberText.bytes(measurement.cell.bytes), measurement.cell.link,
            NumberText.decimal(measurement.cell.loss * 100, places: 0) + " %",
            asks ? NumberText.bytes(measurement.cell.requestBytes) : "–",
            NumberText.decimal(measurement.setupSeconds, places: 3) + " s",
            NumberText.decimal(measurement.setupIntervals, places: 1),
            asks ? NumberText.decimal(measurement.requestIntervals, places: 1) : "–",
            NumberText.decimal(measurement.transferSeconds, places: 3) + " s",
            NumberText.decimal(measurement.limitShare * 100, places: 1) + " %",
            asks ? "–" : times(measurement.stockAndroidSeconds, measurement),
            asks ? "–" : times(measurement.stockIOSSeconds, measurement),
        ]
        return BenchLine(row, of: "transfer", members(measurement))
    }

    /// The time of a stock sender as a multiple of ours.
    private static func times(_ seconds: Double, _ measurement: Measurement) -> String {
        seconds >= StockRun.failureSeconds
            ? "fails" : NumberText.decimal(seconds / measurement.transferSeconds, places: 1) + " ×"
    }

    private static func members(_ measurement: Measurement) -> [JSONText.Member] {
        // Deployed peers have no requests.
        let stock: [JSONText.Member] =
            measurement.cell.requestBytes > 0
            ? [
                .init("requestBytes", .integer(measurement.cell.requestBytes)),
                .init("requestIntervals", .number(measurement.requestIntervals, places: 3)),
            ]
            : [
                .init("stockAndroidSeconds", .number(measurement.stockAndroidSeconds, places: 6)),
                .init("stockIOSSeconds", .number(measurement.stockIOSSeconds, places: 6)),
            ]
        return [
            .init("payloadBytes", .integer(measurement.cell.bytes)),
            .init("sealedBytes", .integer(measurement.sealedBytes)), .init("link", .string(measurement.cell.link)),
            .init("loss", .number(measurement.cell.loss, places: 3)),
            .init("setupSeconds", .number(measurement.setupSeconds, places: 6)),
            .init("setupIntervals", .number(measurement.setupIntervals, places: 3)),
            .init("transferSeconds", .number(measurement.transferSeconds, places: 6)),
            .init("airBytes", .integer(measurement.airBytes)),
            .init("limitSeconds", .number(measurement.limitSeconds, places: 6)),
            .init("limitShare", .number(measurement.limitShare, places: 4)),
            .init("failedRuns", .integer(measurement.failedRuns)),
        ] + stock
    }
}
