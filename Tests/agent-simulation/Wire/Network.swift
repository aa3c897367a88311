import AriesConnections
import CloudAgent
import DIDComm
import Determinism
import WebTransport

/// The simulated network, which carries all messages, and loses those that a seed decides.
final class Network: MessageTransport, @unchecked Sendable {
    // Invariant: used by the one thread of the process alone.

    /// The outcome of an HTTP request.
    enum Answer {
        case answered(HTTPResponse)
        /// The connection broke, and the client cannot know if the agent handled the request.
        case lost
    }

    /// An HTTP request under way, which ends once.
    final class Exchange: @unchecked Sendable {
        // Invariant: as that of the network.
        private var continuation: CheckedContinuation<Answer, Never>?
        init(_ continuation: CheckedContinuation<Answer, Never>) { self.continuation = continuation }
        var isOver: Bool { continuation == nil }
        func end(_ answer: Answer) {
            continuation?.resume(returning: answer)
            continuation = nil
        }
    }

    private struct Unreachable: Error {}

    private let world: World
    /// One in so many requests, answers and WebSockets breaks; 0 for none.
    var lossOneIn: UInt64 = 0
    /// The handlers of the recipients with addresses of their own, by address; false means refused.
    var homes: [String: @Sendable ([UInt8]) -> Bool] = [:]

    init(_ world: World) { self.world = world }

    private func breaks() -> Bool { lossOneIn > 0 && world.random.chance(1, in: lossOneIn) }

    /// Posts an envelope to an agent.
    ///
    /// - Parameter lost: takes the answer when it is lost.
    func post(_ envelope: [UInt8], to host: Host, lost: @escaping @Sendable ([UInt8]) -> Void) async -> Answer {
        await world.pause(world.milliseconds(1...30))
        if breaks() {
            world.note("request-lost", visit: true)
            await world.pause(world.milliseconds(1...5000))
            return .lost
        }
        guard let service = host.open, let target = try? RequestTarget(parsing: "/") else {
            world.note("nobody-there", visit: true)
            return .lost
        }
        let life = host.life
        return await withCheckedContinuation { continuation in
            let exchange = Exchange(continuation)
            host.exchanges.append(exchange)
            Task.detached { [self] in
                let response = await service.answer(HTTPRequest(.post, target, body: envelope))
                guard host.life == life else { return lost(response.body) }
                let isLost = breaks()
                if isLost { world.note("answer-lost", visit: true) }
                world.after(world.milliseconds(1...30)) {
                    if isLost || exchange.isOver { lost(response.body) }
                    exchange.end(isLost ? .lost : .answered(response))
                }
            }
            world.after(.seconds(60)) { exchange.end(.lost) }
        }
    }

    /// Opens a WebSocket to an agent's process; nil when it is down.
    func line(to host: Host) async -> VirtualSocket? {
        await world.pause(world.milliseconds(1...60))
        guard let service = host.open else { return nil }
        let line = VirtualSocket(world, cutAfter: breaks() ? world.random.within(0...20) : nil)
        host.lines.append(line)
        Task.detached {
            let served = service.begin(line, from: nil)
            // The connection was lost where it throws.
            while let envelope = try? await line.next() { await served.take(envelope) }
            await served.ended()
        }
        return line
    }

    // Delivery to the addresses of clients.

    func carry(
        _ envelope: [UInt8], to endpoint: ServiceEndpoint, answers: @escaping @Sendable ([UInt8]) -> Void
    ) async throws {
        await world.pause(world.milliseconds(1...30))
        guard let home = homes[endpoint.text], !breaks(), home(envelope) else { throw Unreachable() }
        await world.pause(world.milliseconds(1...30))
        if breaks() {
            world.note("receipt-lost", visit: true)
            throw Unreachable()
        }
    }

    func close() async {}
}
