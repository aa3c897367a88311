import Determinism
import Dispatch

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Standard input, or a stand-in for tests.
public protocol ByteSource: Sendable {
    /// Reads all bytes to the end of the input.
    ///
    /// - Returns: nil when there are more than `limit` bytes, or the task was cancelled.
    func readAll(limit: Int) async -> [UInt8]?

    /// Reads one line, and no byte after it.
    ///
    /// - Returns: the line without its end; nil when it has more than `limit` bytes, there is none, or the task was
    ///   cancelled.
    func readLine(limit: Int) async -> [UInt8]?
}

/// A source that reads an open file descriptor.
public final class DescriptorSource: ByteSource {
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "symbolon.standard-input")

    /// Makes a source on an open descriptor, which stays open for as long as the process lives.
    public init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Reads to the end; checks every 50 ms whether the task was cancelled.
    public func readAll(limit: Int) async -> [UInt8]? {
        await read(limit: limit, step: 65_536, isComplete: { _ in false })
    }

    /// Reads byte by byte, so that nothing after the line is taken.
    public func readLine(limit: Int) async -> [UInt8]? {
        let line = await read(limit: limit + 1, step: 1) { $0.last == 10 }
        guard var line, !line.isEmpty else { return nil }
        if line.last == 10 { line.removeLast() }
        return line.count <= limit ? line : nil
    }

    private func read(
        limit: Int, step: Int, isComplete: @escaping @Sendable ([UInt8]) -> Bool
    ) async -> [UInt8]? {
        let isCancelled = Lock(false)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async {
                    continuation.resume(
                        returning: self.read(limit, step, isComplete) { isCancelled.withLock { $0 } })
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }

    private func read(
        _ limit: Int, _ step: Int, _ isComplete: ([UInt8]) -> Bool, _ isCancelled: () -> Bool
    ) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: step)
        while !isCancelled() {
            if isComplete(bytes) { return bytes }
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&entry, 1, 50)
            if ready < 0, errno != EINTR { return bytes }
            guard ready > 0 else { continue }
            let count = POSIXFile.read(descriptor, into: &buffer)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            if count <= 0 { return bytes }
            bytes += buffer[..<count]
            if bytes.count > limit { return nil }
        }
        return nil
    }
}
