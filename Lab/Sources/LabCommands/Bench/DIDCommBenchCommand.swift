import BareSodium
package import CommandProgram
import CryptoSuite
import DIDComm
import Determinism
package import Terminal

/// `symbolon-lab bench didcomm`: envelopes compared with the bare operations that they consist of, and with ACA-Py.
package enum DIDCommBenchCommand {
    private static let rounds = ValueOption(
        "rounds", .integer("N", in: 3...1001), "Measures so many rounds of each (151 if not given).")
    private static let python = ValueOption(
        "acapy", .text("PYTHON"),
        "The Python that has ACA-Py (\(ACAPyEnvelopeBench.usualPython) if not given).")

    package static let declaration = CommandDeclaration(
        "didcomm", "Measures packing and unpacking envelopes beside bare libsodium, in this process.",
        discussion: [
            "The ceiling is one sealed box, or the opening of one, and the content's cipher: what is left when the "
                + "agreement with a peer is known. Both are run in turn, round by round, and the median of the ratios is "
                + "told. ACA-Py's own functions are measured before, without its look-up of keys, where its Python is "
                + "found."
        ],
        examples: [.init("symbolon-lab bench didcomm --json", "Writes a JSON line for each measurement.")],
        options: [rounds.declaration, python.declaration])

    /// One measurement: direction, kind and size of envelopes.
    private struct Measurement {
        let operation: String
        let bytes: Int
        let seconds: [Double]
        let bareSeconds: [Double]
        let acapyPerSecond: Double?

        var perSecond: Double { 1 / TransferBenchCommand.median(seconds) }
        var ceilingPerSecond: Double { 1 / TransferBenchCommand.median(bareSeconds) }
        var ceilingShare: Double { TransferBenchCommand.median(zip(bareSeconds, seconds).map { $0 / $1 }) }
    }

    package static let run: Program.Body = { context in
        var report = BenchReport(
            context,
            [
                .init("operation"), .init("bytes", alignsRight: true), .init("a second", alignsRight: true),
                .init("ceiling", alignsRight: true), .init("of ceiling", alignsRight: true),
                .init("ACA-Py", alignsRight: true),
            ])
        let foreign = await ACAPyEnvelopeBench.measure(python: context.arguments[python])
        for bytes in [1024, 65_536] {
            for isAuthenticated in [true, false] {
                for measurement in try await measure(
                    bytes, isAuthenticated, rounds: context.arguments[rounds] ?? 151, foreign)
                { report.add(line(measurement)) }
            }
        }
        report.finish()
    }

    /// Two agents with each other's keys.
    private struct AgentPair {
        let sender: AgentKey
        let recipient: AgentKey
        let isAuthenticated: Bool
        var codec = EnvelopeCodec()
        var random = SystemRandom()

        init(isAuthenticated: Bool) {
            sender = AgentKey.make(from: &random)
            recipient = AgentKey.make(from: &random)
            self.isAuthenticated = isAuthenticated
        }

        mutating func pack(_ message: [UInt8]) throws -> [UInt8] {
            guard isAuthenticated else {
                return try codec.packAnonymously(message, to: [recipient.verkey], random: &random)
            }
            return try codec.pack(message, from: sender, to: [recipient.verkey], random: &random)
        }

        mutating func unpack(_ envelope: [UInt8]) throws -> [UInt8] {
            let own = recipient
            return try codec.unpack(envelope) { $0 == own.verkey ? own : nil }.plaintext
        }
    }

    @concurrent
    private static func measure(
        _ bytes: Int, _ isAuthenticated: Bool, rounds: Int, _ foreign: [String: Double]
    ) async throws -> [Measurement] {
        let message =
            Array("{\"content\":\"".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: bytes - 14) + [34, 125]
        var pair = AgentPair(isAuthenticated: isAuthenticated)
        let envelope = try pair.pack(message)
        var bare = try SodiumEnvelopeBaseline(
            messageCount: bytes, boxedCount: isAuthenticated ? 44 : 32, headerCount: isAuthenticated ? 628 : 392)
        let count = bytes < 10_000 ? 20 : 10
        var times: [[Double]] = [[], [], [], []]
        for round in 0...rounds {
            try Task.checkCancellation()
            // The order alternates between rounds; the first round warms up and is not counted.
            for isOurs in [round % 2 == 0, round % 2 == 1] {
                let packing = try seconds(count) {
                    if isOurs { _ = try pair.pack(message) } else { try require(bare.seal()) }
                }
                let unpacking = try seconds(count) {
                    if isOurs { try require(pair.unpack(envelope).count == bytes) } else { try require(bare.open()) }
                }
                guard round > 0 else { continue }
                times[isOurs ? 0 : 1].append(packing)
                times[isOurs ? 2 : 3].append(unpacking)
            }
        }
        let kind = isAuthenticated ? "authcrypt" : "anoncrypt"
        return [("pack", 0), ("unpack", 2)].map { verb, index in
            let operation = "\(verb).\(kind)"
            return Measurement(
                operation: operation, bytes: bytes, seconds: times[index], bareSeconds: times[index + 1],
                acapyPerSecond: foreign["\(operation) \(bytes)"])
        }
    }

    private static func require(_ holds: Bool) throws {
        guard holds else { throw DIDCommError(.envelopeNotOpened, "A measured envelope did not open.") }
    }

    /// The seconds of a core that `body` takes once, from `count` times; other threads' time does not count.
    private static func seconds(_ count: Int, _ body: () throws -> Void) rethrows -> Double {
        let start = ThreadCPUTime.seconds
        for _ in 0..<count { try body() }
        return (ThreadCPUTime.seconds - start) / Double(count)
    }

    private static func line(_ measurement: Measurement) -> BenchLine {
        let row = [
            measurement.operation, NumberText.bytes(measurement.bytes),
            NumberText.decimal(measurement.perSecond, places: 0),
            NumberText.decimal(measurement.ceilingPerSecond, places: 0), NumberText.percent(measurement.ceilingShare),
            measurement.acapyPerSecond.map { NumberText.decimal($0, places: 0) } ?? "–",
        ]
        return BenchLine(
            row, of: "didcomm",
            [
                .init("operation", .string(measurement.operation)), .init("bytes", .integer(measurement.bytes)),
                .init("perSecond", .number(measurement.perSecond, places: 1)),
                .init("ceilingPerSecond", .number(measurement.ceilingPerSecond, places: 1)),
                .init("ceilingShare", .number(measurement.ceilingShare, places: 4)),
                .init("acapyPerSecond", .number(measurement.acapyPerSecond, places: 1)),
            ])
    }
}
