import CodedErrors
import CommandTestSupport
import Foundation
import TestSupport
import Testing

@testable import CommandProgram

/// Each class of exit status, produced by a command line.
@Suite struct ExitStatusTests {
    @Test func `every class of exit status is produced by some command line`() async throws {
        var produced: [ExitClass: Int32] = [:]
        for exitClass in ExitClass.allCases { produced[exitClass] = try await run(exitClass) }
        for exitClass in ExitClass.allCases { #expect(produced[exitClass] == exitClass.rawValue, "\(exitClass)") }
    }

    @Test func `the manual lists every class of exit status with its meaning`() throws {
        let file = OutsideVectors.packageRoot.appending(path: "Documentation/Manual/Commands.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        for exitClass in ExitClass.allCases {
            #expect(text.contains("| \(exitClass.rawValue) | \(exitClass.meaning) |"), "\(exitClass)")
        }
    }

    private func run(_ exitClass: ExitClass) async throws -> Int32 {
        let handOver = try HandOver()
        let recordings = SampleRecordings.folder.appending(path: "symbolon")
        func replay(_ name: String) async throws -> Int32 {
            let text = try String(contentsOf: recordings.appending(path: name), encoding: .utf8)
            // Without what it foresees, the recording ends with the status of the failure itself.
            let lines = text.split(separator: "\n").filter { !$0.contains("\"expect\"") }
            return await CommandRun.lab("tuvali", "replay", "-", input: lines.joined(separator: "\n")).status
        }
        switch exitClass {
        case .done: return await CommandRun.run("--version").status
        case .usage: return await CommandRun.run("demo", "--no-such-option").status
        case .notFound: return await CommandRun.lab("tuvali", "replay", "/no/such/file").status
        case .refused: return try await rejected(handOver).wallet
        case .authentication: return try await replay("verifier-altered-payload.jsonl")
        case .timeout:
            return await CommandRun.run(
                "receive", "--out", handOver.folder.path, "--air", handOver.airPath, "--timeout", "100ms"
            ).status
        case .linkLost: return try await replay("wallet-told-to-go.jsonl")
        case .limit: return try await replay("verifier-size-huge.jsonl")
        case .permission: return await CommandRun.lab("tuvali", "replay", handOver.folder.path).status
        case .dataInvalid: return await CommandRun.run("inspect", "this is nothing").status
        case .undecided: return try await undecided(handOver)
        case .credentialRefused: return try await verify("e30.e30.AAAA", handOver)
        case .credentialNotChecked: return try await verify("hello", handOver)
        case .credentialRejected: return try await rejected(handOver).verifier
        case .diagnosisFailed: return await CommandRun.run("doctor").status
        case .interrupted:
            let (_, receiving) = try await handOver.receive()
            receiving.cancel()
            return await receiving.value.status
        }
    }

    private func verify(_ text: String, _ handOver: HandOver) async throws -> Int32 {
        let file = URL(filePath: handOver.folder.path).appending(path: "credential")
        try Data(text.utf8).write(to: file)
        return await CommandRun.run("verify", file.path()).status
    }

    /// A verifier whose operator is interrupted while it decides.
    private func undecided(_ handOver: HandOver) async throws -> Int32 {
        let file = try handOver.file()
        var setup = CommandRun.Setup()
        setup.isTerminal = true
        setup.lineSource = SilentLineSource()
        let (uri, receiving) = try await handOver.receive([], setup)
        async let sent = handOver.send(file.path, to: uri)
        _ = try await setup.talk.text(containing: "Accept it?")
        receiving.cancel()
        _ = await receiving.value
        return await sent.status
    }

    private func rejected(_ handOver: HandOver) async throws -> (wallet: Int32, verifier: Int32) {
        let file = try handOver.file()
        let (uri, receiving) = try await handOver.receive(["--accept", "never"])
        let status = await handOver.send(file.path, to: uri).status
        return (status, await receiving.value.status)
    }
}
