import Aries
import CommandProgram
import JSON
import WebTransport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The system's `kill`, under a name of its own.
private func sendSignal(_ process: pid_t, _ signal: Int32) { _ = kill(process, signal) }

/// The measured cloud agent, in a separate process.
final class MeasuredProcess {
    /// The invitation that opens accounts there.
    let invitation: Aries.Invitation
    private let identifier: pid_t
    private let output: Int32
    private var hasEnded = false

    /// Starts `symbolon agent run` with quotas that a measurement does not reach.
    ///
    /// - Throws: `web.connect.failed` when it does not begin.
    init(program: String, store: String, folder: String, options: [String] = []) throws {
        let words =
            [
                program, "agent", "run", "--json", "--listen", "127.0.0.1:0", "--data", folder, "--store", store,
                "--account-messages", "10000000", "--account-bytes", "1024GiB", "--key-messages", "10000000",
                "--key-bytes", "1024GiB", "--connections", "20000", "--connections-per-host", "20000",
                "--report-interval", "24h",
            ] + options
        guard let (child, reading) = ChildProcess.start(words) else { throw Self.silent }
        (identifier, output) = (child, reading)
        do {
            let event = try JSONValue(parsing: try Self.line(reading))
            guard let link = event["link"]?.string, case .invitation(let found) = try InvitationText(parsing: link)
            else {
                throw Self.silent
            }
            invitation = found
        } catch {
            sendSignal(child, SIGKILL)
            var status: Int32 = 0
            waitpid(child, &status, 0)
            close(reading)
            throw error
        }
    }

    private static var silent: WebError { WebError(.connectFailed, "The measured agent did not begin.") }

    /// The first line of its output, within half a minute.
    private static func line(_ descriptor: Int32) throws -> [UInt8] {
        var (line, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 4096))
        while !line.contains(10), line.count < 65_536 {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 30_000) > 0 else { throw silent }
            let count = POSIXFile.read(descriptor, into: &buffer)
            guard count > 0 else { throw silent }
            line += buffer[..<count]
        }
        return Array(line.prefix { $0 != 10 })
    }

    /// Interrupts it and waits for its end.
    func stop() { end(by: SIGINT) }

    /// Interrupts it and waits for its end, without holding a thread meanwhile.
    func interruptAndWait() async throws {
        guard !hasEnded else { return }
        hasEnded = true
        sendSignal(identifier, SIGINT)
        var status: Int32 = 0
        while waitpid(identifier, &status, WNOHANG) == 0 { try await Task.sleep(for: .milliseconds(10)) }
        close(output)
    }

    /// Ends it at once, as a power cut does, and waits for its end.
    func kill() { end(by: SIGKILL) }

    private func end(by signal: Int32) {
        guard !hasEnded else { return }
        hasEnded = true
        sendSignal(identifier, signal)
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        close(output)
    }

    deinit { stop() }

    /// The resident memory of the process in bytes; nil where the system does not report it.
    var residentBytes: Int? {
        let line = Self.text("/proc/\(identifier)/status").split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { $0.split(separator: " ").dropLast().last }.flatMap { Int($0) }.map { $0 * 1024 }
    }

    /// The processor time of the process in seconds; nil where the system does not report it.
    var processorSeconds: Double? {
        // The program's name, in brackets, may hold blanks.
        guard let rest = Self.text("/proc/\(identifier)/stat").split(separator: ")").last else { return nil }
        let fields = rest.split(separator: " ")
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return nil }
        return (user + system) / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
    }

    private static func text(_ path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = POSIXFile.read(descriptor, into: &buffer)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : ""
    }
}
