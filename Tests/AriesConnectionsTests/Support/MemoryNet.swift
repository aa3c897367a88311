import DIDComm
import Determinism

@testable import AriesConnections

/// A network in memory that carries envelopes between the agents of one process, and can lose them.
final class MemoryNet: Sendable {
    struct Lost: Error {}

    /// The agent or simulated peer at an address.
    fileprivate enum Target {
        case agent(Agent)
        case peer(any NetPeer)
    }

    private struct State: Sendable {
        var agents: [String: Agent] = [:]
        var peers: [String: any NetPeer] = [:]
        var carried: [[UInt8]] = []
        var refusals: [String: Int] = [:]
        var swallowed: Set<String> = []
    }

    private let state = Lock(State())

    /// Every envelope that was sent, in order, lost ones included.
    var carried: [[UInt8]] { state.withLock { $0.carried } }

    func put(_ agent: Agent?, at endpoint: ServiceEndpoint) {
        state.withLock { $0.agents[endpoint.text] = agent }
    }

    func put(_ peer: any NetPeer, at endpoint: ServiceEndpoint) { state.withLock { $0.peers[endpoint.text] = peer } }

    /// Refuses the next envelopes to an address.
    func refuse(_ count: Int, at endpoint: ServiceEndpoint) { state.withLock { $0.refusals[endpoint.text] = count } }

    /// Silently loses all envelopes to an address from now on, or stops doing so.
    func swallow(_ swallows: Bool, at endpoint: ServiceEndpoint) {
        state.withLock { state in
            if swallows { state.swallowed.insert(endpoint.text) } else { state.swallowed.remove(endpoint.text) }
        }
    }

    fileprivate func isSwallowed(at endpoint: ServiceEndpoint) -> Bool {
        state.withLock { $0.swallowed.contains(endpoint.text) }
    }

    fileprivate func peer(at endpoint: ServiceEndpoint) -> (any NetPeer)? { note(nil, to: endpoint)?.peer }

    fileprivate func note(_ envelope: [UInt8]?, to endpoint: ServiceEndpoint) -> Target? {
        state.withLock { state in
            if let envelope { state.carried.append(envelope) }
            if let left = state.refusals[endpoint.text], left > 0 {
                state.refusals[endpoint.text] = left - 1
                return nil
            }
            if let peer = state.peers[endpoint.text] { return .peer(peer) }
            return state.agents[endpoint.text].map { .agent($0) }
        }
    }
}

extension MemoryNet.Target {
    fileprivate var peer: (any NetPeer)? { if case .peer(let peer) = self { peer } else { nil } }
}

/// A simulated peer on the network in memory, such as a mediator, that is no `Agent`.
protocol NetPeer: AnyObject, Sendable {
    /// Handles an envelope, from a socket if it came on one; returns the answer, which goes the same way.
    func take(_ envelope: [UInt8], on socket: MemorySocket?) -> [UInt8]?

    /// Handles the end of a socket.
    func ended(_ socket: MemorySocket)
}

/// A WebSocket of the network in memory, as the side that opened it sees it.
final class MemorySocket: PersistentTransport {
    private let peer: any NetPeer
    private let transport: MemoryTransport
    private let incoming: AsyncStream<[UInt8]>.Continuation
    /// The reason that the socket reports when it ends.
    let end = Lock(TransportEndReason.lost)

    fileprivate init(
        _ peer: any NetPeer, _ transport: MemoryTransport, received: @escaping @Sendable ([UInt8]) async -> Void,
        ended: @escaping @Sendable (TransportEndReason) -> Void
    ) {
        self.peer = peer
        self.transport = transport
        let (stream, incoming) = AsyncStream.makeStream(of: [UInt8].self)
        self.incoming = incoming
        Task { [end] in
            for await envelope in stream { await received(envelope) }
            ended(end.withLock { $0 })
        }
    }

    /// Delivers an envelope to the side that opened the socket.
    func bring(_ envelope: [UInt8]) { incoming.yield(envelope) }

    func offer(_ envelope: [UInt8]) -> Bool {
        switch transport.step() {
        case .dies: return false
        case .goesOn, .diesAfterwards:
            if let answer = peer.take(envelope, on: self) { bring(answer) }
            return true
        }
    }

    func close() {
        incoming.finish()
        peer.ended(self)
    }
}

/// The transport of one agent on the network in memory.
final class MemoryTransport: MessageTransport {
    /// The envelope before or after which sending fails and the agent is killed.
    enum Fault: Hashable, Sendable {
        case before(envelope: Int)
        case after(envelope: Int)
    }

    private let net: MemoryNet
    private let fault: Fault?
    private let count = Lock(0)
    /// Reports to the agent that a socket has ended, one closure for each socket, for tests of a late report.
    let socketEnds = Lock<[@Sendable () -> Void]>([])
    private let owner = Lock<Agent?>(nil)
    private let awaited = Lock<Agent?>(nil)

    init(_ net: MemoryNet, fault: Fault? = nil) {
        self.net = net
        self.fault = fault
    }

    /// Sets the agent that a fault kills.
    func belongs(to agent: Agent) { owner.withLock { $0 = agent } }

    /// Delays the return of each sending until `agent` is idle, so that answers arrive before it.
    func returnsLate(after agent: Agent) { awaited.withLock { $0 = agent } }

    var carriedCount: Int { count.withLock { $0 } }

    func carry(
        _ envelope: [UInt8], to endpoint: ServiceEndpoint, answers: @escaping @Sendable ([UInt8]) -> Void
    ) async throws {
        let step = step()
        if step == .dies { return try await die() }
        if net.isSwallowed(at: endpoint) { return }
        switch net.note(envelope, to: endpoint) {
        case nil: throw MemoryNet.Lost()
        case .agent(let agent):
            try await agent.receive(envelope, path: MemoryPath(answers: answers))
            while awaited.withLock({ $0 === agent }), await !agent.isIdle, await agent.isRunning { await Task.yield() }
        case .peer(let peer): if let answer = peer.take(envelope, on: nil) { answers(answer) }
        }
        if step == .diesAfterwards { return try await die() }
    }

    func connect(
        to endpoint: ServiceEndpoint, received: @escaping @Sendable ([UInt8]) async -> Void,
        ended: @escaping @Sendable (TransportEndReason) -> Void
    ) async throws -> any PersistentTransport {
        guard endpoint.text.hasPrefix("ws"), let peer = net.peer(at: endpoint) else { throw MemoryNet.Lost() }
        socketEnds.withLock { $0.append { ended(.lost) } }
        return MemorySocket(peer, self, received: received, ended: ended)
    }

    fileprivate enum Step {
        case goesOn
        case dies
        case diesAfterwards
    }

    /// Counts an envelope, and returns the effect of the fault on it; on a socket the agent dies a little later.
    fileprivate func step() -> Step {
        let number = count.withLock { count in
            count += 1
            return count
        }
        var step = Step.goesOn
        if case .before(let envelope) = fault, number >= envelope { step = .dies }
        if case .after(let last) = fault, number > last { step = .dies }
        if case .after(let last) = fault, number == last { step = .diesAfterwards }
        if step != .goesOn { Task { await owner.withLock { $0 }?.stop() } }
        return step
    }

    private func die() async throws {
        await owner.withLock { $0 }?.stop()
        throw MemoryNet.Lost()
    }

    func close() async {}
}

/// The return route of a request, which carries one answer.
private final class MemoryPath: ReturnRoute {
    private let answers: @Sendable ([UInt8]) -> Void
    private let isUsed = Lock(false)

    init(answers: @escaping @Sendable ([UInt8]) -> Void) { self.answers = answers }

    func offer(_ envelope: [UInt8]) -> Bool {
        let isFirst = isUsed.withLock { used in
            defer { used = true }
            return !used
        }
        if isFirst { answers(envelope) }
        return isFirst
    }
}
