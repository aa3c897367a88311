package import BlueZRadio
package import CommandProgram
import Commands
import CryptoSuite
package import Determinism
import Foundation
import LabCommands
import Radio
package import Terminal
package import VirtualRadio

/// The result of a command line that was run in this process: its exit status and output.
package struct CommandRun {
    package let status: Int32
    package let output: String
    package let talk: String

    /// The code of the reported error; nil without one.
    package var code: String? {
        talk.split(separator: "\n").last { $0.hasPrefix("code:  ") }?.dropFirst(7).split(separator: " ").first.map(
            String.init)
    }

    /// The words of standard error with one blank between them, wherever lines were broken.
    package var words: String { talk.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

    /// The lines of standard output.
    package var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// The input and the environment of a command's run; change them before `run`.
    package struct Setup {
        package var input: [UInt8]
        /// Standard input instead of `input`.
        package var source: (any ByteSource)?
        package var isTerminal = false
        package var answers: [String] = []
        /// The source of the user's answers, instead of `answers`.
        package var lineSource: (any LineSource)?
        package var window: WindowSize?
        package var variables: [String: String]
        package var clock: any MonotonicClock = SystemMonotonicClock()
        package var makeRandom: @Sendable () -> any RandomSource = { SystemRandom() }
        package var bluetooth: BluetoothFacts
        /// The virtual air of the adapters in `bluetooth`.
        package var adapters: VirtualAir?
        /// Makes the radio of a simulated adapter: see `DelayedRadio`.
        package var delay: @Sendable (VirtualRadio) -> any ClosableRadio = { $0 }
        /// Yields each time that the command is to read its files again.
        package var rereads: @Sendable () -> AsyncStream<Void> = { AsyncStream { $0.finish() } }
        package var output = MemorySink()
        package var talk = MemorySink()

        package init(
            input: [UInt8] = [], variables: [String: String] = ["TERM": "xterm-256color"],
            bluetooth: BluetoothFacts = BluetoothFacts(), adapters: VirtualAir? = nil
        ) {
            self.input = input
            self.variables = variables
            self.bluetooth = bluetooth
            self.adapters = adapters
        }
    }

    /// Returns the environment of a run of `arguments`.
    package static func environment(_ arguments: [String], _ setup: Setup = Setup()) -> CommandEnvironment {
        let window = setup.window
        let surroundings = Console.Environment(
            output: setup.output, talk: setup.talk, outputIsTerminal: setup.isTerminal,
            talkIsTerminal: setup.isTerminal,
            answers: setup.isTerminal ? setup.lineSource ?? MemoryLineSource(setup.answers) : nil,
            window: { window }, variables: setup.variables)
        var environment = CommandEnvironment(
            arguments: arguments, surroundings: surroundings, input: setup.source ?? MemorySource(setup.input),
            inputIsTerminal: setup.isTerminal, clock: setup.clock, makeRandom: setup.makeRandom,
            openAir: { (request) async throws(RadioError) in
                switch request {
                case .private(let seed): return VirtualAir.private(seed: seed)
                case .shared(let path?): return try await VirtualAir.shared(path: path)
                case .shared(nil): throw RadioError(.unavailable, "Tests name the place of their air.")
                }
            },
            openAdapter: { (_) async throws(RadioError) in
                guard let air = setup.adapters else { throw RadioError(.unavailable, "The adapter is gone.") }
                return setup.delay(try await air.makeRadio())
            }, examineBluetooth: { setup.bluetooth })
        environment.fetchDeadline = .seconds(100)
        environment.rereads = setup.rereads
        return environment
    }

    /// Runs `arguments` as a command line of `program`.
    package static func run(
        _ arguments: [String], _ setup: Setup = Setup(), of program: Program = .symbolon
    ) async -> CommandRun {
        let status = await program.run(environment(arguments, setup))
        return CommandRun(status: status, output: setup.output.text, talk: setup.talk.text)
    }

    /// Runs a command line of `symbolon` in the default environment.
    package static func run(_ arguments: String...) async -> CommandRun { await run(arguments) }

    /// Runs a command line of `symbolon-lab`.
    package static func lab(_ arguments: [String], _ setup: Setup = Setup()) async -> CommandRun {
        await run(arguments, setup, of: .lab)
    }

    /// Runs a command line of `symbolon-lab` with `input` on standard input.
    package static func lab(_ arguments: String..., input: String = "") async -> CommandRun {
        await lab(arguments, Setup(input: Array(input.utf8)))
    }

    /// Runs a command line with `input` on standard input.
    package static func run(_ arguments: String..., input: String) async -> CommandRun {
        await run(arguments, Setup(input: Array(input.utf8)))
    }
}

/// A temporary folder of one test, removed with its owner.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "symbolon-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.path()
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file and returns its path.
    package func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let file = "\(path)/\(name)"
        try Data(bytes).write(to: URL(filePath: file))
        return file
    }

    /// Writes a file of mode 0600 and returns its path.
    package func writeSecret(_ name: String, _ text: String) throws -> String {
        let file = try write(name, text)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        return file
    }

    /// Writes a text file and returns its path.
    package func write(_ name: String, _ text: String) throws -> String { try write(name, Array(text.utf8)) }

    /// The names of the files in the folder or in one below it, hidden ones included, sorted.
    package func names(in name: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(name)").sorted()
    }

    /// Reads the bytes of a file in the folder.
    package func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: "\(path)/\(name)")))
    }
}

/// A source of answers whose user never answers.
package struct SilentLineSource: LineSource {
    package init() {}

    package func nextLine() async -> String? {
        try? await Task.sleep(for: .seconds(600))
        return nil
    }
}

/// The error that a run did not write an expected text in time.
package struct NotWritten: Error {
    package let text: String
}

extension MemorySink {
    /// Waits until output contains `part`; gives up after a minute.
    package func text(containing part: String) async throws -> String {
        for _ in 0..<6000 {
            if text.contains(part) { return text }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw NotWritten(text: part)
    }

    /// Waits until output has a line that begins with `prefix`; gives up after a minute.
    package func line(beginningWith prefix: String) async throws -> String {
        for _ in 0..<6000 {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            if let line = lines.first(where: { $0.hasPrefix(prefix) }) { return String(line) }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw NotWritten(text: prefix)
    }
}

/// A standard input of bytes in memory.
private struct MemorySource: ByteSource {
    let bytes: [UInt8]
    /// The bytes that `readLine` has not returned yet.
    private let rest: Lock<ArraySlice<UInt8>>

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        rest = Lock(bytes[...])
    }

    func readAll(limit: Int) async -> [UInt8]? { bytes.count <= limit ? bytes : nil }

    func readLine(limit: Int) async -> [UInt8]? {
        rest.withLock { rest in
            let line = rest.prefix { $0 != 10 }
            guard !rest.isEmpty, line.count <= limit else { return nil }
            rest = rest.dropFirst(line.count + 1)
            return Array(line)
        }
    }
}
