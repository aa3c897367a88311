import ByteCoding
public import CryptoSuite
import Determinism
import Dispatch

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The source of a passphrase: never a command-line argument, which every process of the machine can read.
public enum PassphraseSource: Hashable, Sendable {
    /// The first line of a file that only this user may read.
    case file(String)
    /// The first line of an open descriptor, which is read to its end.
    case descriptor(Int32)
    /// A variable of the environment.
    case environment(String)
    /// The user at the terminal.
    case prompt

    /// The longest wait for a descriptor to give its line.
    public static let deadline = Duration.seconds(60)

    /// Reads `file:PATH`, `fd:NUMBER`, `env:NAME` or `prompt`; nil for another text.
    public init?(_ text: String) {
        guard text != "prompt" else {
            self = .prompt
            return
        }
        let parts = text.parts(at: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty, !parts[1].utf8.contains(0) else { return nil }
        let value = String(parts[1])
        switch parts[0] {
        case "file": self = .file(value)
        case "fd":
            guard let number = Int32(value), (0...65_535).contains(number) else { return nil }
            self = .descriptor(number)
        case "env": self = .environment(value)
        default: return nil
        }
    }

    /// The passphrase, without the end of its line.
    ///
    /// - Parameters:
    ///   - variables: the environment.
    ///   - ask: asks at the terminal; nil without a terminal or without an answer.
    /// - Throws: `vault.passphrase.missing`; `vault.passphrase.length`; for a file `vault.not-found`, `vault.path.*`
    ///   and `vault.storage.failed`.
    public func read(
        variables: [String: String], ask: @Sendable () async -> [UInt8]?
    ) async throws -> Secret {
        var bytes: [UInt8]
        switch self {
        case .file(let path): bytes = try PrivateFile.read(path, limit: Self.maximumLineBytes)
        case .descriptor(let number): bytes = try await Self.line(of: number)
        case .environment(let name):
            guard let value = variables[name] else { throw Self.missing("The variable of the environment is not set.") }
            bytes = Array(value.utf8)
        case .prompt:
            guard let answer = await ask() else { throw Self.missing("There was no terminal to ask on, or no answer.") }
            bytes = answer
        }
        if let end = bytes.firstIndex(of: 10) { bytes.removeSubrange(end...) }
        if bytes.last == 13 { bytes.removeLast() }
        guard (1...VaultKey.maximumPassphraseBytes).contains(bytes.count) else {
            throw VaultError(
                .passphraseLength,
                "A passphrase has 1 to \(VaultKey.maximumPassphraseBytes) bytes, not \(bytes.count).")
        }
        return Secret(consuming: &bytes)
    }

    /// A passphrase, its line end, and one byte more, by which a longer line is detected.
    private static let maximumLineBytes = VaultKey.maximumPassphraseBytes + 3

    private static func missing(_ reason: String) -> VaultError { VaultError(.passphraseMissing, reason) }

    /// Reads on a separate thread, which checks every 50 ms whether the task was cancelled.
    private static func line(of descriptor: Int32) async throws -> [UInt8] {
        let isCancelled = Lock(false)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue(label: "symbolon.passphrase").async {
                    continuation.resume(
                        with: Result { try readLine(descriptor) { isCancelled.withLock { $0 } } })
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }

    private static func readLine(_ descriptor: Int32, _ isCancelled: () -> Bool) throws -> [UInt8] {
        let end = ContinuousClock.now + deadline
        var line: [UInt8] = []
        while !line.contains(10), line.count < maximumLineBytes {
            guard !isCancelled() else { throw CancellationError() }
            guard ContinuousClock.now < end else { throw missing("The descriptor gave no line in time.") }
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&entry, 1, 50)
            if ready == 0 || (ready < 0 && errno == EINTR) { continue }
            guard ready > 0, entry.revents & Int16(POLLNVAL) == 0 else { throw missing("The descriptor is not open.") }
            guard let piece = try PrivateFileReader(descriptor).read(upTo: maximumLineBytes - line.count) else { break }
            line += piece
        }
        guard !line.isEmpty else { throw missing("The descriptor ended without a line.") }
        return line
    }
}
