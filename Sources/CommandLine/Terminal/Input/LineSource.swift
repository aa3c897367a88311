import Determinism
import Dispatch

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A source of lines that the user types.
public protocol LineSource: Sendable {
    /// Reads the next line, without its line end; nil at the end of the input and when the task is cancelled.
    func nextLine() async -> String?

    /// Reads the next line, which a terminal does not show while it is typed; nil as `nextLine` says.
    func nextHiddenLine() async -> [UInt8]?
}

extension LineSource {
    /// Reads the next line in the usual way, for a source that shows nothing.
    public func nextHiddenLine() async -> [UInt8]? { await nextLine().map { Array($0.utf8) } }
}

/// An open descriptor, read line by line; lines beyond 4,096 bytes are cut there.
public final class DescriptorLineSource: LineSource {
    private static let maximumBytes = 4096

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "symbolon.input")

    /// Makes a source on an open descriptor, which stays open for as long as the process lives.
    public init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// The controlling terminal, also when standard input is not a terminal; nil when there is none.
    public static func controllingTerminal() -> DescriptorLineSource? {
        let descriptor = open("/dev/tty", O_RDONLY | O_CLOEXEC)
        return descriptor < 0 ? nil : DescriptorLineSource(descriptor)
    }

    /// Waits for the next line, looking every 50 ms whether the task has been cancelled.
    public func nextLine() async -> String? {
        let isCancelled = Lock(false)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: self.read { isCancelled.withLock { $0 } }) }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }

    /// Waits for the next line with the terminal's echo turned off, and turns it on again.
    public func nextHiddenLine() async -> [UInt8]? {
        var shown = termios()
        guard tcgetattr(descriptor, &shown) == 0 else { return await nextLine().map { Array($0.utf8) } }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(descriptor, TCSAFLUSH, &hidden)
        let line = await nextLine()
        tcsetattr(descriptor, TCSAFLUSH, &shown)
        return line.map { Array($0.utf8) }
    }

    private func read(isCancelled: () -> Bool) -> String? {
        var line: [UInt8] = []
        while !isCancelled() {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&entry, 1, 50)
            if ready < 0, errno != EINTR { return nil }
            guard ready > 0 else { continue }
            var byte: UInt8 = 0
            let count = systemRead(descriptor, &byte)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            if count <= 0 { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
            if byte == 10 { return String(decoding: line, as: UTF8.self) }
            if line.count < Self.maximumBytes { line.append(byte) }
        }
        return nil
    }
}

private func systemRead(_ descriptor: Int32, _ byte: inout UInt8) -> Int {
    #if canImport(Darwin)
        Darwin.read(descriptor, &byte, 1)
    #else
        Glibc.read(descriptor, &byte, 1)
    #endif
}

/// A source of prepared lines, for tests.
public final class MemoryLineSource: LineSource {
    private let lines: Lock<[String]>

    /// Makes a source that gives `lines` in order and then ends.
    public init(_ lines: [String]) { self.lines = Lock(lines) }

    /// Returns the next of the prepared lines; nil after the last.
    public func nextLine() async -> String? {
        lines.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}
