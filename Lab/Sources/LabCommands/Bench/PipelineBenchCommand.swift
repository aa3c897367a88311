import Bluetooth
package import CommandProgram
import Compression
import CryptoSuite
import Determinism
package import Terminal
import TransferSimulation
import Tuvali

/// `symbolon-lab bench pipeline`: measures the cores on a payload, and the bare libraries on the same bytes.
package enum PipelineBenchCommand {
    private static let rounds = ValueOption(
        "rounds", .integer("N", in: 3...1001), "Measures so many rounds of each (51 if not given).")

    package static let declaration = CommandDeclaration(
        "pipeline", "Measures sealing and opening beside bare zlib and AES-GCM, in this process.",
        discussion: [
            "Both are run in turn, round by round, and the median of the ratios is told: seconds differ between machines, "
                + "ratios hardly."
        ],
        examples: [.init("symbolon-lab bench pipeline --json", "Writes a JSON line for each measurement.")],
        options: [rounds.declaration])

    /// One direction of one payload.
    private struct Measurement {
        let operation: String
        let payloadBytes: Int
        let seconds: [Double]
        let bareSeconds: [Double]

        var megabytesPerSecond: Double { Double(payloadBytes) / 1e6 / TransferBenchCommand.median(seconds) }
        var bareMegabytesPerSecond: Double { Double(payloadBytes) / 1e6 / TransferBenchCommand.median(bareSeconds) }
        var shareOfBare: Double { TransferBenchCommand.median(zip(bareSeconds, seconds).map { $0 / $1 }) }
    }

    package static let run: Program.Body = { context in
        var report = BenchReport(
            context,
            [
                .init("operation"), .init("payload", alignsRight: true), .init("MB/s", alignsRight: true),
                .init("bare MB/s", alignsRight: true), .init("of bare", alignsRight: true),
            ])
        for bytes in [60_000, 550_000] {
            for measurement in try await measure(bytes, rounds: context.arguments[rounds] ?? 51) {
                report.add(line(measurement))
            }
        }
        report.finish()
    }

    /// The bare libraries' side of a measurement: the same bytes, another key.
    private struct BareLibraries {
        let key: Secret
        let nonce: [UInt8]
        let limits = VerifierConfiguration.unzipLimits

        init() {
            var random = SeededRandom(seed: 1)
            key = Secret(copying: random.bytes(count: 32))
            nonce = random.bytes(count: 12)
        }

        func seal(_ payload: [UInt8]) throws -> [UInt8] {
            try AuthenticatedCipher.aesGCM.seal(Gzip.compress(payload), key: key, nonce: nonce)
        }

        func open(_ sealed: [UInt8]) throws -> [UInt8] {
            try Gzip.decompress(AuthenticatedCipher.aesGCM.open(sealed, key: key, nonce: nonce), limits: limits)
        }
    }

    @concurrent
    private static func measure(_ bytes: Int, rounds: Int) async throws -> [Measurement] {
        let payload = BenchmarkCredential.make(count: bytes, seed: 1)
        let bare = BareLibraries()
        let sealed = try bare.seal(payload)
        var times: [[Double]] = [[], [], [], []]
        // The first round warms up and is not counted. Each round runs both sides twice, in both orders, because the
        // second one reuses memory that the first has just released.
        for round in 0...rounds {
            try Task.checkCancellation()
            var sums = [0.0, 0.0, 0.0, 0.0]
            for isFirst in [true, false] {
                var pipeline = try DirectTransfer(seed: UInt64(round))
                var writes: [DirectTransfer.Write] = []
                for isOurs in [isFirst, !isFirst] {
                    sums[isOurs ? 0 : 1] += try seconds {
                        if isOurs { writes = try pipeline.send(payload) } else { _ = try bare.seal(payload) }
                    }
                }
                for isOurs in [isFirst, !isFirst] {
                    var opened: [UInt8]? = nil
                    sums[isOurs ? 2 : 3] += try seconds {
                        opened = isOurs ? pipeline.receive(writes) : try bare.open(sealed)
                    }
                    guard opened == payload else {
                        throw TuvaliError(.sessionInternal, "The payload of a measurement did not arrive.")
                    }
                }
            }
            if round > 0 { for index in times.indices { times[index].append(sums[index] / 2) } }
        }
        return [
            Measurement(operation: "seal+chunk", payloadBytes: bytes, seconds: times[0], bareSeconds: times[1]),
            Measurement(operation: "assemble+open", payloadBytes: bytes, seconds: times[2], bareSeconds: times[3]),
        ]
    }

    private static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        try body()
        return (clock.now - start).inSeconds
    }

    private static func line(_ measurement: Measurement) -> BenchLine {
        let row = [
            measurement.operation, NumberText.bytes(measurement.payloadBytes),
            NumberText.decimal(measurement.megabytesPerSecond, places: 1),
            NumberText.decimal(measurement.bareMegabytesPerSecond, places: 1),
            NumberText.decimal(measurement.shareOfBare * 100, places: 1) + " %",
        ]
        return BenchLine(
            row, of: "pipeline",
            [
                .init("operation", .string(measurement.operation)),
                .init("payloadBytes", .integer(measurement.payloadBytes)),
                .init("megabytesPerSecond", .number(measurement.megabytesPerSecond, places: 3)),
                .init("bareMegabytesPerSecond", .number(measurement.bareMegabytesPerSecond, places: 3)),
                .init("shareOfBare", .number(measurement.shareOfBare, places: 4)),
            ])
    }
}
