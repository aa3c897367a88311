import Aries
import CloudAgent
import CryptoSuite
import DIDComm
import Determinism
import JSON
import WebTransport

/// One visit of a client at the agent, with the same `PickupClient` that the wallet's agent uses.
final class Visit: @unchecked Sendable {
    // Invariant: used by the one thread of the process alone.
    private let who: Recipient
    private let host: Host
    private var pickup: PickupClient
    private var inputs: [PickupClient.Input] = []
    private var isOver = false
    /// The continuation of the task that waits for an input.
    private var waiter: CheckedContinuation<Void, Never>?
    private var wait = 0
    /// True once the agent has confirmed live mode.
    private var isLive = false
    /// The identifiers of messages that came on the WebSocket, except those whose acknowledgement failed.
    private var cameOnLine: Set<String> = []

    init(_ who: Recipient, _ host: Host) {
        self.who = who
        self.host = host
        pickup = PickupClient(who.wallet.connection, flavour: who.habit.flavour, random: SystemRandom())
    }

    private var world: World { who.world }

    private func put(_ input: PickupClient.Input) {
        inputs.append(input)
        wake()
    }

    private func wake() {
        waiter?.resume()
        waiter = nil
    }

    private func end() {
        isOver = true
        wake()
    }

    /// Carries out the outputs of the pickup client until the visit is over.
    private func work(_ transmit: ([UInt8], String) async -> Void) async {
        while !isOver {
            guard !inputs.isEmpty else {
                guard await rest() else { return }
                continue
            }
            for output in pickup.handle(inputs.removeFirst(), at: world.now) { await follow(output, transmit) }
        }
        // Messages that arrived and were not looked at before the end of the visit are lost.
        for case .received(let received) in inputs { who.lost(received.message) }
    }

    private func follow(_ output: PickupClient.Output, _ transmit: ([UInt8], String) async -> Void) async {
        switch output {
        case .deliver(let envelope, _) where isOver: who.lost(envelope)
        case _ where isOver: break
        case .send(let outgoing):
            guard let envelope = try? who.wallet.pack(outgoing.message) else { return end() }
            await transmit(envelope, outgoing.message.id)
        case .deliver(let envelope, let id):
            guard who.store(envelope, id: id) else { return end() }
            if let id { inputs.append(.stored(ids: [id])) }
        case .caughtUp: if !who.habit.hasSocket { end() }
        case .failed, .refused, .fellBack: end()
        case .ignored(let error): world.note("passed-over", "\(who.name) \(error.code)")
        case .quarantine: world.note("unreadable", who.name)
        }
    }

    /// Waits for an input or the pickup client's deadline; false when there is neither.
    private func rest() async -> Bool {
        let deadline = pickup.nextDeadline
        guard deadline != nil || who.habit.hasSocket else { return false }
        if let deadline, deadline <= world.now {
            inputs.append(.timeReached)
            return true
        }
        wait += 1
        let wait = wait
        await withCheckedContinuation { continuation in
            waiter = continuation
            if let deadline { world.at(deadline) { [self] in if self.wait == wait { wake() } } }
        }
        return true
    }

    private func take(_ envelope: [UInt8], on line: VirtualSocket? = nil) {
        guard !isOver else { return who.lost(envelope) }
        if let received = who.wallet.open(envelope) {
            if let line { follow(received.message, on: line) }
            return put(.received(received))
        }
        guard who.store(envelope, id: nil) else { return end() }
        put(.envelopeArrived)
    }

    // Visits by HTTP requests.

    func byRequests() async {
        world.after(.seconds(120)) { [weak self] in self?.end() }
        inputs = [.start(isLive: false)]
        await work { [self] envelope, id in
            let answer = await who.network.post(envelope, to: host) { [who] in who.lost($0) }
            switch answer {
            case .answered(let response) where response.status == 200:
                take(response.body)
                put(.sent(id: id))
            case .answered(let response) where response.status == 202: put(.sent(id: id))
            case .answered, .lost:
                // A new visit asks anew.
                end()
            }
        }
    }

    // Visits on a WebSocket.

    func byLine() async {
        guard let line = await who.network.line(to: host) else { return }
        line.lost = { [who] in who.lost($0) }
        world.after(world.milliseconds(who.visit)) { [weak self] in self?.end() }
        let reading = Task.detached { [self] in await read(line) }
        inputs = [.start(isLive: true)]
        await work { [self] envelope, id in
            line.sendFromClient(envelope)
            put(.sent(id: id))
        }
        line.closeFromClient()
        await reading.value
        if line.closeCode?.rawValue == 4001 { world.note("replaced", who.name, visit: true) }
        if line.closeCode == .tryAgainLater { world.note("try-again-later", who.name, visit: true) }
    }

    /// Checks that each message comes once on a live WebSocket; an eager client requests what a status counts.
    private func follow(_ message: Message, on line: VirtualSocket) {
        switch message.type.name {
        case "problem-report": cameOnLine = []
        case "delivery":
            for id in (message.object["~attach"]?.array ?? []).compactMap({ $0["@id"]?.string }) {
                let isNew = cameOnLine.insert(id).inserted
                if isLive, !isNew { who.books.cameTwice(id, on: who.name) }
            }
        case "status":
            if message.object["live_delivery"]?.bool == true { isLive = true }
            guard who.habit == .eager, isLive, let count = message.object["message_count"]?.int, count > 0 else {
                return
            }
            world.note("asked-at-status", who.name, visit: true)
            let type = MessageType(.pickup20, "delivery-request")
            var random = SystemRandom()
            let request = Message(type, id: Message.makeID(from: &random), body: ["limit": .int(10)])
            if let envelope = try? who.wallet.pack(request.askingForReturnRoute) { line.sendFromClient(envelope) }
        default: break
        }
    }

    private func read(_ line: VirtualSocket) async {
        while !isOver, let frame = try? await line.nextForClient() {
            if who.dawdlesOneIn > 0, world.random.chance(1, in: who.dawdlesOneIn) {
                await world.pause(world.milliseconds(1000...45_000))
            }
            take(frame, on: line)
        }
        end()
    }
}
