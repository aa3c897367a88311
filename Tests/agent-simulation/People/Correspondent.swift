import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON
import WebTransport

/// One of two wallets that write to each other through the agent.
///
/// It changes the DID of the connection at any time, is away, and sends again messages that may not have arrived.
final class Correspondent: @unchecked Sendable {
    // Invariant: used by the one thread of the process alone.

    /// A message to send, to the current document of the other side or to a former one.
    private struct Item {
        let message: Message
        var service: PeerService?
    }

    let name: String
    let recipient: Recipient
    /// The first key at which the wallet receives messages.
    let firstKey: Verkey
    private let endpoint: ServiceEndpoint
    private let count: Int
    private let plan: CorrespondencePlan
    private let forgetsKeys: Bool
    private var inbox: ConnectionMessageHandler
    private var keys: [Verkey: AgentKey]
    /// The key for the next change of DID, which the agent may have registered already.
    private var nextKey: AgentKey?
    /// The messages to send, in order; changes of DID and their answers come first.
    private var outbox: [Item] = []
    private var codec = EnvelopeCodec(limits: EnvelopeLimits(maximumBytes: 4 << 20))
    private var random = SystemRandom()
    private(set) var wrote = 0
    private(set) var heard: [String] = []
    private(set) var complaints: [String] = []
    /// True once faults have ended; the wallet then begins nothing new.
    var isCalm = false
    weak var other: Correspondent?

    init(
        _ name: String, _ recipient: Recipient, _ connection: Connection, _ key: AgentKey, _ plan: CorrespondencePlan,
        planted: PlantedBug?
    ) {
        (self.name, self.recipient, self.plan) = (name, recipient, plan)
        (endpoint, count) = (connection.ours.endpoint, plan.texts)
        inbox = ConnectionMessageHandler(connection)
        (keys, firstKey) = ([key.verkey: key], key.verkey)
        forgetsKeys = planted == .forgetsFormerKeys
    }

    private var world: World { recipient.world }
    private var isRotating: Bool { inbox.rotation != nil }

    private func anyHost() -> Host { recipient.hosts[world.random.within(0...(recipient.hosts.count - 1))] }

    /// Writes texts, changes the DID and sends messages, until the run ends.
    func run() async {
        while !recipient.isOver {
            await world.pause(world.milliseconds(plan.pause))
            if !isCalm {
                if plan.absencesOneIn > 0, world.random.chance(1, in: plan.absencesOneIn) {
                    world.note("correspondent-away", name, visit: true)
                    await world.pause(world.milliseconds(20_000...300_000))
                }
                if world.random.chance(1, in: plan.rotationsOneIn) { await rotate() }
            }
            if wrote < count { write() }
            await send()
        }
    }

    private func write() {
        let text = "\(name) \(wrote)"
        wrote += 1
        if isRotating { world.note("text-while-rotating", name, visit: true) }
        outbox.append(Item(message: BasicMessage(text, sent: world.wallTime).message(id: text)))
    }

    private func rotate() async {
        guard !isRotating else { return }
        let key = nextKey ?? AgentKey.make(from: &random)
        nextKey = key
        // Without an answer the same key is made known again at the next attempt.
        guard await recipient.wallet.register(key.verkey, at: anyHost()), !isRotating else { return }
        (nextKey, keys[key.verkey]) = (nil, key)
        let address = AgentAddress(key: key.verkey, routingKeys: [recipient.wallet.routing], endpoint: endpoint)
        let form: DIDForm = world.random.chance(1, in: 2) ? .peer4 : .peer2
        do {
            let id = Message.makeID(from: &random)
            append(Item(message: try inbox.rotate(to: address, form: form, id: id, at: world.wallTime)))
        } catch {
            return complaints.append("\(name) cannot change the DID: \(error)")
        }
        world.note("rotation", name, visit: true)
        if other?.isRotating == true { world.note("crossing-rotations", name, visit: true) }
    }

    // Sending.

    /// Queues a message; changes of DID and their answers go before the others.
    private func append(_ item: Item) {
        guard DIDRotate.isExchange(item.message) else { return outbox.append(item) }
        outbox.insert(item, at: outbox.firstIndex { !DIDRotate.isExchange($0.message) } ?? outbox.endIndex)
    }

    /// Sends the queued messages that may be sent now, until one may not have arrived.
    private func send() async {
        while let item = takeNext() {
            guard await post(item) else { return outbox.insert(item, at: 0) }
        }
    }

    /// Removes the next message that may be sent now.
    private func takeNext() -> Item? {
        var isBlocked = false
        for (place, item) in outbox.enumerated() {
            if DIDRotate.isRotation(item.message) {
                guard let rotation = inbox.rotation, rotation.threadID == item.message.id else {
                    // It was acknowledged although its post had no answer.
                    outbox.remove(at: place)
                    return takeNext()
                }
                guard rotation.waitBeforePost(at: world.wallTime) == nil else {
                    isBlocked = true
                    continue
                }
                if rotation.posted != nil { world.note("announced-again", name, visit: true) }
            } else if !DIDRotate.isExchange(item.message) {
                guard !isBlocked, inbox.rotation?.waitBeforeMessages(at: world.wallTime) == nil else { return nil }
            }
            return outbox.remove(at: place)
        }
        return nil
    }

    /// Posts a message; false when it may not have arrived.
    private func post(_ item: Item) async -> Bool {
        if DIDRotate.isRotation(item.message) { inbox.notePost(at: world.wallTime) }
        let forward: [UInt8]
        do {
            let outgoing = try inbox.connection.outgoing(item.message, to: item.service)
            guard let key = keys[outgoing.sender], let recipient = outgoing.service.recipientKeys.first else {
                complaints.append("\(name) has no key for \(item.message.type.name)")
                return true
            }
            let envelope = try codec.pack(outgoing.message.encoded, from: key, to: [recipient], random: &random)
            forward = try codec.wrap(envelope, for: recipient, via: outgoing.service.routingKeys, random: &random)
        } catch {
            complaints.append("\(name) cannot pack \(item.message.type.name): \(error)")
            return true
        }
        switch await recipient.network.post(forward, to: anyHost(), lost: { _ in }) {
        case .answered(let response) where response.status == 202: return true
        case .answered(let response) where response.status < 500:
            complaints.append("\(item.message.type.name) of \(name) was answered with \(response.status)")
            return true
        case .answered, .lost: return false
        }
    }

    // Receiving.

    /// Handles an envelope; false when the wallet is restarted at that moment, before or after it stores the message.
    func take(_ envelope: [UInt8]) -> Bool {
        let chance = recipient.restartsOneIn
        let mishap = chance > 0 ? world.random.below(chance * 2) : 2
        if mishap == 0 {
            world.note("restart-before-storing", name, visit: true)
            return false
        }
        let known = keys
        guard case .authenticated(let opened)? = try? codec.unpack(envelope, ownKey: { known[$0] }),
            let message = try? Message(parsing: opened.plaintext)
        else {
            complaints.append("\(name) cannot open an envelope")
            return true
        }
        if !inbox.connection.theirs.owns(opened.sender) { world.note("former-key", name, visit: true) }
        hear(
            ReceivedMessage(
                message, sender: .authenticated(opened.sender, isExclusive: opened.isSenderExclusive),
                recipient: opened.recipient, arrival: world.wallTime))
        if mishap == 1 || forgetsKeys { restart() }
        return mishap != 1
    }

    private func hear(_ received: ReceivedMessage) {
        for output in inbox.handle(received, random: &random) {
            switch output {
            case .send(let outgoing):
                let usual = try? inbox.connection.theirs.service()
                append(
                    Item(message: outgoing.message, service: outgoing.service == usual ? nil : outgoing.service))
            case .event(.text(let text)):
                world.note("heard", "\(name): \(text.content)")
                heard.append(text.content)
            case .ignored(let error) where error.code == .replayed: world.note("heard-again", name, visit: true)
            case .ignored(let error):
                complaints.append("\(name) ignored \(received.message.type.name): \(error)")
            case .persist, .event: break
            }
        }
    }

    /// Restores the wallet's state from its store.
    private func restart() {
        var state = inbox.state
        if forgetsKeys, var connection = state["connection"]?.object {
            connection["former"] = nil
            state["connection"] = .object(connection)
        }
        guard let stored = try? ConnectionMessageHandler(stored: JSONValueReader(object: state)) else {
            return complaints.append("the connection of \(name) cannot be read from its store")
        }
        inbox = stored
    }

    // The end.

    /// True when the wallet has no message left to write, send or acknowledge.
    var isSettled: Bool {
        wrote == count && outbox.isEmpty && !isRotating && heard.count >= (other?.wrote ?? 0)
    }

    /// Returns the violations that the wallet has seen, at the end of the run.
    func judge() -> [String] {
        guard let other else { return ["\(name) has lost the other one"] }
        var found = complaints
        let expected = (0..<other.wrote).map { "\(other.name) \($0)" }
        if heard != expected { found.append("\(name) heard \(heard), not \(expected)") }
        if isRotating { found.append("the change of \(name) is not acknowledged") }
        if inbox.isBroken { found.append("the connection of \(name) is broken") }
        if !inbox.connection.theirs.did.isSame(as: other.inbox.connection.ourDID) {
            found.append("\(name) has another DID than the newest of \(other.name)")
        }
        if !outbox.isEmpty { found.append("\(name) has messages left to send") }
        return found
    }
}
