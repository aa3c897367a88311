import Air
import Bluetooth
import Determinism
import Dispatch

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Lets other processes put their devices on the air that this process hosts.
///
/// One connection is one device. A client of another user, one client too many, one that breaks the protocol, says
/// nothing for five seconds or does not read is dropped, and its device leaves the air; the others do not notice.
final class SharedAirServer: Sendable {
    /// The most connections at a time.
    static let maximumClients = 64

    private struct GuardedState {
        var source: (any DispatchSourceRead)?
        var clients: [UInt64: SharedAirClient] = [:]
        var lastNumber: UInt64 = 0
        var isClosed = false
        /// True while `source` is suspended; a suspended source must not be released.
        var isResting = false
    }

    private let host: RealTimeAir
    private let queue = DispatchQueue(label: "symbolon.air.server", qos: .userInteractive)
    private let state = Lock(GuardedState())

    /// Starts taking connections from `listener`, which it closes in the end.
    init(host: RealTimeAir, listener: Int32) {
        self.host = host
        let source = DispatchSource.makeReadSource(fileDescriptor: listener, queue: queue)
        source.setEventHandler { @Sendable [weak self] in self?.takeConnections(from: listener) }
        source.setCancelHandler { @Sendable in UnixSocket.end(listener) }
        source.activate()
        state.withLock { $0.source = source }
    }

    /// Drops every client and takes no more connections.
    func close() {
        goOn()
        let clients = state.withLock { state in
            state.isClosed = true
            state.source?.cancel()
            state.source = nil
            defer { state.clients = [:] }
            return Array(state.clients.values)
        }
        for client in clients { client.drop() }
    }

    private func takeConnections(from listener: Int32) {
        while true {
            switch UnixSocket.accept(from: listener) {
            case .success(let descriptor): check(descriptor)
            case .failure(let failure):
                if failure.isOutOfResources { rest() }
                return
            }
        }
    }

    private func check(_ descriptor: Int32) {
        let stream = LengthPrefixedStream(descriptor, queue: queue)
        if UnixSocket.peerUser(of: descriptor) == geteuid() { admit(stream) } else { stream.abandon() }
    }

    /// Stops watching the listener for 100 ms while no descriptor is free, because it would stay ready.
    private func rest() {
        state.withLock { state in
            guard let source = state.source, !state.isResting else { return }
            state.isResting = true
            source.suspend()
        }
        queue.asyncAfter(deadline: .now() + .milliseconds(100)) { self.goOn() }
    }

    private func goOn() {
        state.withLock { state in
            if state.isResting { state.source?.resume() }
            state.isResting = false
        }
    }

    private func admit(_ stream: LengthPrefixedStream) {
        let client: SharedAirClient? = state.withLock { state in
            guard !state.isClosed, state.clients.count < Self.maximumClients else { return nil }
            state.lastNumber += 1
            let client = SharedAirClient(stream: stream, host: host)
            state.clients[state.lastNumber] = client
            client.start(queue: queue) { [weak self, number = state.lastNumber] in self?.forget(number) }
            return client
        }
        if client == nil {
            stream.send(SharedAirMessage.refused(.full).encoded)
            stream.finish()
        }
    }

    private func forget(_ number: UInt64) {
        state.withLock { $0.clients[number] = nil }
    }
}

/// One connection at the host.
final class SharedAirClient: Sendable {
    private enum Phase {
        /// The client's hello has not arrived yet.
        case new
        /// The client's device is attached to the air.
        case attached(any AirAttachment)
        /// The connection of the client has ended.
        case over
    }

    private let stream: LengthPrefixedStream
    private let host: RealTimeAir
    private let phase = Lock(Phase.new)

    init(stream: LengthPrefixedStream, host: RealTimeAir) {
        self.stream = stream
        self.host = host
    }

    /// Starts reading; `onEnd` runs once.
    func start(queue: DispatchQueue, onEnd: @escaping @Sendable () -> Void) {
        stream.start { [weak self] body in
            self?.take(body) ?? false
        } onEnd: { [self] in
            leave()
            onEnd()
        }
        queue.asyncAfter(deadline: .now() + .seconds(5)) { [weak self] in self?.dropIfSilent() }
    }

    /// Ends the connection at once.
    func drop() {
        leave()
        stream.abandon()
    }

    private func take(_ body: ArraySlice<UInt8>) -> Bool {
        let port: (any AirAttachment)?
        switch phase.withLock({ $0 }) {
        case .new: return greet(body)
        case .attached(let attached): port = attached
        case .over: port = nil
        }
        guard let port, case .command(let command) = SharedAirMessage(decoding: body) else { return false }
        port.perform(command)
        return true
    }

    private func greet(_ body: ArraySlice<UInt8>) -> Bool {
        if SharedAirMessage.isOfOtherVersion(body) { return refuse(.version) }
        guard case .hello(let address, let conditions) = SharedAirMessage(decoding: body) else { return false }
        let outcome = host.attach(address, conditions: conditions) { [stream] event in
            switch event {
            case .air(let event): stream.send(SharedAirMessage.event(event).encoded)
            case .lost: stream.finish()
            }
        }
        switch outcome {
        case .success(let port):
            // No event can precede the welcome: the device has sent no command yet.
            stream.send(SharedAirMessage.welcome.encoded)
            return settle(port)
        case .failure(let refusal): return refuse(refusal)
        }
    }

    private func settle(_ port: any AirAttachment) -> Bool {
        let isWanted = phase.withLock { phase in
            guard case .new = phase else { return false }
            phase = .attached(port)
            return true
        }
        if !isWanted { port.detach(gracefully: false) }
        return isWanted
    }

    private func refuse(_ refusal: SharedAirMessage.AirJoinRefusal) -> Bool {
        stream.send(SharedAirMessage.refused(refusal).encoded)
        stream.finish()
        phase.withLock { $0 = .over }
        return true
    }

    private func dropIfSilent() {
        let isSilent = phase.withLock { phase in
            if case .new = phase { true } else { false }
        }
        if isSilent { stream.abandon() }
    }

    private func leave() {
        let port: (any AirAttachment)? = phase.withLock { phase in
            defer { phase = .over }
            if case .attached(let port) = phase { return port }
            return nil
        }
        port?.detach(gracefully: false)
    }
}
