/// A TCP connection, with TLS or without; the one way in which connections move bytes.
struct StreamSocket {
    /// The result of reading from the connection.
    enum ReadResult {
        /// This number of bytes is in the buffer.
        case bytes(Int)
        /// No bytes have arrived yet.
        case nothing
        /// The peer sends nothing more.
        case end
        /// The connection is lost.
        case failed
    }

    /// The result of writing to the connection.
    enum StreamWriteResult {
        /// The system took this number of bytes.
        case taken(Int)
        /// The system takes nothing now.
        case nothing
        /// The connection is lost.
        case failed
    }

    /// The descriptor, which `close` closes.
    let descriptor: Int32

    /// TLS on the socket, if any.
    var tls: TLSSession?

    /// True when TLS has to write before it can read on.
    private(set) var readsAfterWriting = false

    init(_ descriptor: Int32, tls: TLSSession? = nil) {
        self.descriptor = descriptor
        self.tls = tls
    }

    /// Reads the bytes that have arrived, up to the buffer's size.
    mutating func read(into buffer: ReadBuffer) -> ReadResult {
        guard let tls else { return TCPSocketCalls.receive(from: descriptor, into: buffer) }
        readsAfterWriting = false
        switch unsafe tls.read(into: buffer.memory) {
        case .done(let count): return .bytes(count)
        case .waitsForReading: return .nothing
        case .waitsForWriting:
            readsAfterWriting = true
            return .nothing
        case .ended: return .end
        case .failed: return .failed
        }
    }

    /// Writes the first of the bytes.
    func write(_ bytes: ArraySlice<UInt8>) -> StreamWriteResult {
        guard let tls else { return TCPSocketCalls.send(bytes, to: descriptor) }
        if bytes.isEmpty { return .taken(0) }
        switch unsafe bytes.withUnsafeBytes({ unsafe tls.write($0) }) {
        case .done(let count): return .taken(count)
        // Without renegotiation OpenSSL reads nothing to write, but a reading connection comes back anyway.
        case .waitsForReading, .waitsForWriting: return .nothing
        case .ended, .failed: return .failed
        }
    }

    /// True when TLS holds bytes that the system does not report.
    var holdsBytes: Bool { tls?.holdsBytes ?? false }

    /// Closes the sending side: with a TLS notice first.
    func stopSending() {
        tls?.sayEnd()
        TCPSocketCalls.stopSending(descriptor)
    }

    /// Closes the socket.
    func close() { TCPSocketCalls.close(descriptor) }
}
