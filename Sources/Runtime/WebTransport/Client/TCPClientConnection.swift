import Determinism

/// A connection of a client: connects, goes through the TLS handshake, then writes what its subclass gives it and
/// passes on what comes.
class TCPClientConnection: EventLoopSocket, @unchecked Sendable {
    // Invariant: touched on the loop's thread alone.

    private enum Phase {
        case connecting
        case handshaking
        case open
    }

    private let target: WebConnectionTarget
    private var phase = Phase.connecting
    private var output: ArraySlice<UInt8> = []

    init(_ target: WebConnectionTarget, loop: SocketEventLoop) {
        self.target = target
        super.init(loop: loop)
    }

    /// Handles an error that ends the connection; called at most once, before `ended`.
    func fail(_ error: WebError) {}

    /// Called once the connection, and TLS if any, is established and the peer can be written to.
    func opened() {}

    /// Handles bytes from the peer.
    func receive(_ bytes: [UInt8]) {}

    /// Handles the end of the peer's bytes; ends the connection by default.
    func peerEnded() { end() }

    /// Begins to connect; called once.
    ///
    /// - Throws: `web.connections.too-many`, `web.connect.failed`, `web.tls.configuration`.
    final func connect() throws(WebError) {
        try loop.count(self, to: target.address)
        do throws(WebError) {
            if case .tls(let roots) = target.security { _ = try loop.clientContext(roots) }
            let descriptor = try TCPSocketCalls.connect(to: SocketAddress(target.address, target.port))
            guard begin(StreamSocket(descriptor), .writing) else {
                throw WebError(.connectFailed, "The system has no room for a connection.")
            }
        } catch {
            loop.discount(self)
            throw error
        }
    }

    /// Writes bytes behind those that wait.
    final func write(_ bytes: [UInt8]) {
        output = output.isEmpty ? bytes[...] : output + bytes
        writeOutput()
    }

    override func writable() {
        switch phase {
        case .connecting:
            guard let socket else { return }
            if let fault = TCPSocketCalls.connectFault(of: socket.descriptor) { return give(up: fault) }
            begin()
        case .handshaking: handshake()
        case .open: writeOutput()
        }
    }

    override func readable() {
        switch phase {
        case .connecting: break
        case .handshaking: handshake()
        case .open:
            switch read() {
            case .bytes(let count):
                receive(loop.readBuffer.bytes(count))
                if socket?.holdsBytes == true { loop.readAgain(serial) }
            case .nothing: break
            case .end: peerEnded()
            case .failed: end()
            }
        }
    }

    override func hungUp() {
        guard case .connecting = phase, let socket else { return end() }
        give(up: TCPSocketCalls.connectFault(of: socket.descriptor) ?? WebError(.connectFailed, "No server answers."))
    }

    private func begin() {
        guard case .tls(let roots) = target.security, let socket else { return open() }
        do throws(WebError) {
            let context = try loop.clientContext(roots)
            secure(by: try TLSSession(client: context, on: socket.descriptor, to: target.host))
        } catch { return give(up: error) }
        phase = .handshaking
        handshake()
    }

    private func handshake() {
        guard let tls = socket?.tls else { return }
        switch tls.handshake() {
        case .done: open()
        case .waitsForReading: wait(for: .reading)
        case .waitsForWriting: wait(for: .writing)
        case .ended, .failed:
            if let fault = tls.certificateFault {
                let words = TLSSession.words(forCertificateFault: fault)
                let reason = "The certificate of \(target.host) is not trusted: \(words)."
                give(up: WebError(.tlsUntrusted, reason, wireCode: fault))
            } else {
                give(up: WebError(.tlsFailed, "The TLS handshake failed."))
            }
        }
    }

    private func open() {
        phase = .open
        wait(for: .reading)
        opened()
    }

    private func give(up error: WebError) {
        fail(error)
        end()
    }

    private func writeOutput() {
        while let socket, !output.isEmpty {
            switch socket.write(output) {
            case .taken(let count): output = output.dropFirst(count)
            case .nothing: return wait(for: [.reading, .writing])
            // Bytes that the peer sent before it ended the connection may still be read.
            case .failed:
                output = []
                return wait(for: .reading)
            }
        }
        output = []
        wait(for: .reading)
    }
}
