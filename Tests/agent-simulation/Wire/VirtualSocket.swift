import Aries
import CloudAgent
import Determinism
import WebTransport

/// A simulated WebSocket between a client and an agent: frames arrive in order, after a delay; any may cut it.
final class VirtualSocket: ReplyChannel, @unchecked Sendable {
    // Invariant: used by the one thread of the process alone.

    /// The error of reading or writing on a broken connection.
    struct Broken: Error {}

    /// The most frames that an agent may have in flight to a client.
    static let capacity = 8

    private enum End {
        case closed(WebSocketCloseCode)
        case broken
    }

    /// One direction of the WebSocket, with the frames that have arrived.
    private final class Way: @unchecked Sendable {
        // Invariant: as that of the WebSocket.
        var arrived: [[UInt8]] = []
        var underway = 0
        var lastArrival = MonotonicInstant.zero
        var end: End?
        var reader: CheckedContinuation<Void, Never>?

        func wake() {
            reader?.resume()
            reader = nil
        }
    }

    private let world: World
    private let toAgent = Way()
    private let toClient = Way()
    private var writers: [CheckedContinuation<Void, Never>] = []
    private var framesLeft: Int?
    private(set) var isCut = false
    private var isBrokenForAgent = false
    private var isClosedByAgent = false
    /// Called with every frame to the client that is lost.
    var lost: ([UInt8]) -> Void = { _ in }

    /// Makes an open WebSocket.
    ///
    /// - Parameter framesLeft: The number of frames after which it is cut; nil for never.
    init(_ world: World, cutAfter framesLeft: Int?) {
        self.world = world
        self.framesLeft = framesLeft
    }

    var channel: IncomingChannel { .persistent }

    var isClosed: Bool { isClosedByAgent }

    private func transmit(_ frame: [UInt8], _ way: Way) {
        if let left = framesLeft {
            framesLeft = left - 1
            if left <= 0, !isCut {
                world.note("line-cut", visit: true)
                cut(agentNoticesWithin: 40_000, clientNoticesWithin: 40_000)
            }
        }
        guard !isCut else { return way === toClient ? lost(frame) : () }
        way.underway += 1
        way.lastArrival = max(way.lastArrival, world.now + world.milliseconds(1...40))
        world.at(way.lastArrival) { [self] in
            way.underway -= 1
            guard !isCut, way !== toClient || toClient.end == nil else { return way === toClient ? lost(frame) : () }
            way.arrived.append(frame)
            way.wake()
        }
    }

    /// Cuts the WebSocket: no frame arrives after that, and each end notices within its time, in milliseconds.
    func cut(agentNoticesWithin agent: Int, clientNoticesWithin client: Int) {
        guard !isCut else { return }
        isCut = true
        world.after(world.milliseconds(0...agent)) { [self] in breakForAgent() }
        world.after(world.milliseconds(0...client)) { [self] in
            toClient.end = toClient.end ?? .broken
            toClient.wake()
        }
    }

    private func breakForAgent() {
        isBrokenForAgent = true
        toAgent.end = toAgent.end ?? .broken
        toAgent.wake()
        wakeWriters()
    }

    private func wakeWriters() {
        let waiting = writers
        writers = []
        for writer in waiting { writer.resume() }
    }

    private func read(_ way: Way) async throws -> [UInt8]? {
        while true {
            if !way.arrived.isEmpty { return way.arrived.removeFirst() }
            switch way.end {
            case .broken: throw Broken()
            case .closed: return nil
            case nil: await withCheckedContinuation { way.reader = $0 }
            }
        }
    }

    // The agent's end.

    func next() async throws -> [UInt8]? { try await read(toAgent) }

    private func offer(_ envelope: [UInt8]) -> Bool {
        guard !isBrokenForAgent, !isClosedByAgent, toClient.end == nil || isCut,
            toClient.underway + toClient.arrived.count < Self.capacity
        else { return false }
        transmit(envelope, toClient)
        return true
    }

    func send(_ envelope: [UInt8]) async -> Bool {
        while !offer(envelope) {
            guard !isBrokenForAgent, !isClosedByAgent, toClient.end == nil || isCut else { return false }
            world.note("slow-reader", visit: true)
            await withCheckedContinuation { writers.append($0) }
        }
        return true
    }

    func handOver(_ envelope: [UInt8]) async -> Bool { await send(envelope) }

    func close(_ code: WebSocketCloseCode, _ reason: String) {
        guard !isClosedByAgent else { return }
        isClosedByAgent = true
        wakeWriters()
        let instant = max(toClient.lastArrival, world.now + world.milliseconds(1...40))
        world.at(instant) { [self] in
            if !isCut {
                toClient.end = toClient.end ?? .closed(code)
                toClient.wake()
            }
            toAgent.end = toAgent.end ?? .closed(code)
            toAgent.wake()
        }
    }

    /// Breaks the WebSocket because the agent's process has died.
    func die() {
        cut(agentNoticesWithin: 0, clientNoticesWithin: 2000)
        breakForAgent()
    }

    // The client's end.

    /// Waits for the next frame to the client; nil when the agent closed the WebSocket.
    func nextForClient() async throws -> [UInt8]? {
        let frame = try await read(toClient)
        wakeWriters()
        return frame
    }

    /// The code with which the agent closed the WebSocket; nil while it has not.
    var closeCode: WebSocketCloseCode? {
        if case .closed(let code) = toClient.end { return code }
        return nil
    }

    func sendFromClient(_ frame: [UInt8]) { if toClient.end == nil { transmit(frame, toAgent) } }

    func closeFromClient() {
        let instant = max(toAgent.lastArrival, world.now + world.milliseconds(1...40))
        // Frames that the client does not read any more are lost, as they are to an agent whose frames cross its close.
        for frame in toClient.arrived { lost(frame) }
        toClient.arrived = []
        toClient.end = toClient.end ?? .closed(.normal)
        toClient.wake()
        world.at(instant) { [self] in
            isCut = true
            breakForAgent()
        }
    }
}
