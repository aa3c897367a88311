import ByteCoding
import Determinism
import Dispatch

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A connected stream socket that carries bodies, each after its length in four bytes, least significant first.
///
/// Frames are delivered in order on `queue`; sending is possible from any thread and keeps the order of the calls. A
/// body longer than `maximumBodyBytes` or more than `maximumBufferedBytes` waiting to be sent ends the stream.
final class LengthPrefixedStream: Sendable {
    /// The longest body in either direction.
    static let maximumBodyBytes = 4096
    /// The most bytes that may wait for a peer that does not read.
    static let maximumBufferedBytes = 1 << 20

    private struct GuardedState {
        var descriptor: Int32
        var source: (any DispatchSourceRead)?
        var outgoing: [UInt8] = []
        var isFlushing = false
        var isFinishing = false
        var isOver = false
        var incoming: [UInt8] = []
        var onFrame: (@Sendable (ArraySlice<UInt8>) -> Bool)?
        var onEnd: (@Sendable () -> Void)?
    }

    private let queue: DispatchQueue
    private let state: Lock<GuardedState>

    /// Takes over `descriptor`, which must not block.
    init(_ descriptor: Int32, queue: DispatchQueue) {
        self.queue = queue
        state = Lock(GuardedState(descriptor: descriptor))
    }

    /// Starts reading.
    ///
    /// - Parameters:
    ///   - onFrame: Is given each body; false ends the stream.
    ///   - onEnd: Runs once, after the last frame, however the stream ends.
    func start(
        onFrame: @escaping @Sendable (ArraySlice<UInt8>) -> Bool, onEnd: @escaping @Sendable () -> Void
    ) {
        let isOver = state.withLock { state in
            if state.isOver { return true }
            let descriptor = state.descriptor
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            source.setEventHandler { @Sendable in self.read() }
            source.setCancelHandler { @Sendable in close(descriptor) }
            state.onFrame = onFrame
            state.onEnd = onEnd
            state.source = source
            source.activate()
            return false
        }
        if isOver { queue.async { onEnd() } }
    }

    /// Queues the body of one frame.
    func send(_ body: [UInt8]) {
        let needsFlush = state.withLock { state in
            guard !state.isOver, !state.isFinishing else { return false }
            state.outgoing.appendLittleEndian(UInt32(body.count))
            state.outgoing += body
            if state.isFlushing { return false }
            state.isFlushing = true
            return true
        }
        if needsFlush { queue.async { self.flush() } }
    }

    /// Sends the queued bodies, then ends the stream.
    func finish() {
        let needsFlush = state.withLock { state in
            state.isFinishing = true
            if state.isFlushing || state.isOver { return false }
            state.isFlushing = true
            return true
        }
        if needsFlush { queue.async { self.flush() } }
    }

    /// Ends the stream at once.
    func abandon() {
        let onEnd: (@Sendable () -> Void)? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.isOver = true
            state.outgoing = []
            state.incoming = []
            state.onFrame = nil
            if let source = state.source { source.cancel() } else { close(state.descriptor) }
            state.source = nil
            defer { state.onEnd = nil }
            return state.onEnd
        }
        if let onEnd { queue.async { onEnd() } }
    }

    private func flush() {
        let isWaiting: Bool? = state.withLock { state in
            while !state.isOver, !state.outgoing.isEmpty {
                guard state.outgoing.count <= Self.maximumBufferedBytes,
                    let count = UnixSocket.send(state.outgoing[...], to: state.descriptor)
                else { return nil }
                if count == 0 { return true }
                state.outgoing.removeFirst(count)
            }
            state.isFlushing = false
            return state.isFinishing ? nil : false
        }
        switch isWaiting {
        case nil: abandon()
        // The peer's socket is full: try again soon, instead of a second dispatch source.
        case true?: queue.asyncAfter(deadline: .now() + .milliseconds(2)) { self.flush() }
        case false?: break
        }
    }

    private func read() {
        let (onFrame, descriptor) = state.withLock { ($0.onFrame, $0.descriptor) }
        guard let onFrame else { return }
        guard let bytes = UnixSocket.receive(from: descriptor) else { return abandon() }
        for frame in split(bytes) {
            guard let frame, onFrame(frame) else { return abandon() }
        }
    }

    /// Cuts the bytes that have arrived into bodies; a nil stands for a length that is not allowed.
    private func split(_ bytes: [UInt8]) -> [ArraySlice<UInt8>?] {
        state.withLock { state in
            state.incoming += bytes
            var frames: [ArraySlice<UInt8>?] = []
            var reader = ByteReader(state.incoming)
            var used = 0
            while let length = reader.littleEndian(UInt32.self) {
                guard (1...UInt32(Self.maximumBodyBytes)).contains(length) else { return frames + [nil] }
                guard let body = reader.bytes(Int(length)) else { break }
                frames.append(body)
                used += 4 + body.count
            }
            state.incoming.removeFirst(used)
            return frames
        }
    }
}
