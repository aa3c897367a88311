import Determinism

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A destination of bytes: a descriptor, or memory in a test.
public protocol ByteSink: Sendable {
    /// Writes all of `bytes`, in order; drops them once the other end is gone.
    func write(_ bytes: [UInt8])

    /// True when the other end is gone, as after `| head`.
    var isClosed: Bool { get }

    /// True when bytes were lost for another reason than that the other end is gone, such as a full disk.
    var isBroken: Bool { get }
}

extension ByteSink {
    /// False, because memory accepts all bytes.
    public var isBroken: Bool { false }
}

/// An open descriptor, written with `write(2)` so that nothing lingers in a buffer.
///
/// Interrupted and short writes are continued; one that would block waits up to 10 s for room; after any error the sink
/// counts as closed. SIGPIPE must be ignored by the process.
public final class DescriptorSink: ByteSink {
    private let descriptor: Int32
    /// The error number of the write that failed; nil while none has failed.
    private let fault = Lock<Int32?>(nil)

    /// Makes a sink on an open descriptor, which stays open for as long as the process lives.
    public init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// True once a write has failed.
    public var isClosed: Bool { fault.withLock { $0 != nil } }

    /// True once a write has failed because of the disk or the device.
    public var isBroken: Bool { fault.withLock { $0 != nil && $0 != EPIPE } }

    /// Writes all of `bytes` at once: two tasks never mix their lines.
    public func write(_ bytes: [UInt8]) {
        fault.withLock { fault in
            if fault == nil { fault = writeAll(bytes) }
        }
    }

    /// Returns the error number of a write that failed; nil when all was written.
    private func writeAll(_ bytes: [UInt8]) -> Int32? {
        var written = 0
        while written < bytes.count {
            let result = bytes[written...].withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            let fault = errno
            if result > 0 {
                written += result
            } else if result < 0, fault == EINTR {
                continue
            } else if result < 0, fault == EAGAIN {
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                // A reader that takes nothing for so long counts as gone.
                if poll(&entry, 1, 10_000) <= 0 { return EPIPE }
            } else {
                return result < 0 ? fault : EIO
            }
        }
        return nil
    }
}

private func systemWrite(_ descriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Darwin)
        Darwin.write(descriptor, start, count)
    #else
        Glibc.write(descriptor, start, count)
    #endif
}

/// Memory that keeps the written bytes, for tests.
public final class MemorySink: ByteSink {
    private let bytes = Lock<[UInt8]>([])
    private let capacity: Int

    /// Makes an empty sink that counts as closed once `capacity` bytes have been written.
    public init(capacity: Int = .max) { self.capacity = capacity }

    /// True when the sink's capacity is used up.
    public var isClosed: Bool { bytes.withLock { $0.count >= capacity } }

    /// Keeps the bytes of `new` up to the sink's capacity.
    public func write(_ new: [UInt8]) {
        bytes.withLock { $0 += new.prefix(capacity - $0.count) }
    }

    /// The bytes written so far, as text.
    public var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }
}
