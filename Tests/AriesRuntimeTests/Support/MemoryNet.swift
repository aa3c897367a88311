import AriesRuntime
import DIDComm
import Determinism

/// Carries envelopes between agents of one process, and can lose what it carries.
final class MemoryNet: Sendable {
    struct Lost: Error {}

    private struct State: Sendable {
        var agents: [String: Agent] = [:]
        var carried: [[UInt8]] = []
        var refusals: [String: Int] = [:]
        var swallowed: Set<String> = []
    }

    private let state = Lock(State())

    /// Every envelope that anybody wanted to have carried, in order.
    var carried: [[UInt8]] { state.withLock { $0.carried } }

    func put(_ agent: Agent?, at endpoint: ServiceEndpoint) {
        state.withLock { $0.agents[endpoint.text] = agent }
    }

    /// Refuses the next envelopes to an address.
    func refuse(_ count: Int, at endpoint: ServiceEndpoint) { state.withLock { $0.refusals[endpoint.text] = count } }

    /// Loses all envelopes to an address without a word, or none any more.
    func swallow(_ swallows: Bool, at endpoint: ServiceEndpoint) {
        state.withLock { state in
            if swallows { state.swallowed.insert(endpoint.text) } else { state.swallowed.remove(endpoint.text) }
        }
    }

    fileprivate func isSwallowed(at endpoint: ServiceEndpoint) -> Bool {
        state.withLock { $0.swallowed.contains(endpoint.text) }
    }

    fileprivate func note(_ envelope: [UInt8], to endpoint: ServiceEndpoint) -> Agent? {
        state.withLock { state in
            state.carried.append(envelope)
            if let left = state.refusals[endpoint.text], left > 0 {
                state.refusals[endpoint.text] = left - 1
                return nil
            }
            return state.agents[endpoint.text]
        }
    }
}

/// One agent's end of the net.
final class MemoryWire: Wire {
    /// When a carrying fails, as a process does that is killed there.
    enum Fault: Hashable, Sendable {
        case before(envelope: Int)
        case after(envelope: Int)
    }

    private let net: MemoryNet
    private let fault: Fault?
    private let count = Lock(0)
    private let owner = Lock<Agent?>(nil)

    init(_ net: MemoryNet, fault: Fault? = nil) {
        self.net = net
        self.fault = fault
    }

    /// Whom a fault kills.
    func belongs(to agent: Agent) { owner.withLock { $0 = agent } }

    var carriedCount: Int { count.withLock { $0 } }

    func carry(
        _ envelope: [UInt8], to endpoint: ServiceEndpoint, answers: @escaping @Sendable ([UInt8]) -> Void
    ) async throws {
        let number = count.withLock { count in
            count += 1
            return count
        }
        if case .before(let envelope) = fault, number >= envelope { return try await die() }
        if case .after(let last) = fault, number > last { return try await die() }
        if net.isSwallowed(at: endpoint) { return }
        guard let agent = net.note(envelope, to: endpoint) else { throw MemoryNet.Lost() }
        let path = MemoryPath(answers: answers)
        try await agent.receive(envelope, path: path)
        if case .after(let last) = fault, number == last { return try await die() }
    }

    private func die() async throws {
        await owner.withLock { $0 }?.stop()
        throw MemoryNet.Lost()
    }

    func close() async {}
}

/// The answer to a request, once.
private final class MemoryPath: ReturnPath {
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
