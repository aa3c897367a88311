import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON
import Testing

/// Two people who write to each other and change their DIDs whenever they like, by seeds.
///
/// A person expects each text of the other once and in order, whatever happens: absences of days, changes of both sides
/// at once, restarts from the store, repeated deliveries, and announcements whose result is unknown.
@Suite struct RotationSimulationTests {
    @Test func `each text arrives once and in order, and both sides end with the newest DIDs, for 100 seeds`() throws {
        var visited: Set<RotationWorld.Visit> = []
        for seed in 1...100 as ClosedRange<UInt64> {
            var world = try RotationWorld(seed: seed)
            try world.run()
            #expect(world.complaints == [], "seed \(seed)")
            guard world.complaints.isEmpty else { return }
            visited.formUnion(world.visited)
        }
        #expect(Set(RotationWorld.Visit.allCases).subtracting(visited) == [], "everything is visited")
    }

    @Test func `a seed of the DID rotation simulation gives the same run each time`() throws {
        var digests: Set<[String]> = []
        for _ in 0..<2 {
            var world = try RotationWorld(seed: 7)
            try world.run()
            digests.insert(world.trace)
        }
        #expect(digests.count == 1)
    }
}

/// Two sides of a connection, each with a store, an outbox and a mailbox at a mediator.
private struct RotationWorld {
    /// The events that a run can come through.
    enum Visit: CaseIterable {
        case rotation, crossing, absence, restart, repeatedDelivery, repeatedAnnouncement, lostConfirmation
        case textWhileRotating, oldKeyAccepted, longAbsence
    }

    /// A message to send, to the present document of the other side or to a former one.
    private struct Item {
        let message: Message
        var service: PeerService?
    }

    private struct Side {
        let name: String
        var inbox: ConnectionMessageHandler
        /// The items to send, in order; announcements and their answers before all else.
        var outbox: [Item] = []
        /// The messages that the mediator keeps, oldest first.
        var mailbox: [ReceivedMessage] = []
        var isPresent = true
        var wrote = 0
        var heard: [String] = []
    }

    private var sides: [Side]
    private var random: SeededRandom
    private var now = Samples.now
    private(set) var visited: Set<Visit> = []
    private(set) var complaints: [String] = []
    private(set) var trace: [String] = []
    /// The frequency of each event, in a hundred steps of each side.
    private let rotations: UInt64
    private let absences: UInt64
    private let mishaps: UInt64

    init(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var script = try TwoSides(random.chance(1, in: 2) ? .didExchange11 : .connections10)
        let (invitee, inviter) = try script.connect()
        sides = [
            Side(name: "inviter", inbox: ConnectionMessageHandler(inviter)),
            Side(name: "invitee", inbox: ConnectionMessageHandler(invitee)),
        ]
        rotations = 2 + random.below(20)
        absences = random.below(25)
        mishaps = random.chance(1, in: 3) ? 0 : random.below(20)
        self.random = random
    }

    mutating func run() throws {
        for _ in 0..<120 {
            for index in [0, 1] { try step(index, faults: true) }
            pass()
        }
        // No more faults and no more wishes: everything under way has to arrive.
        for index in [0, 1] { sides[index].isPresent = true }
        for _ in 0..<40 {
            for index in [0, 1] { try step(index, faults: false) }
            now = WallTime(millisecondsSinceEpoch: now.millisecondsSinceEpoch + 61_000)
        }
        judge()
    }

    private mutating func pass() {
        let isLong = random.chance(1, in: 60)
        if isLong { visited.insert(.longAbsence) }
        let passed = isLong ? 3_000_000_000 : Int64(random.below(20_000))
        now = WallTime(millisecondsSinceEpoch: now.millisecondsSinceEpoch + passed)
    }

    private mutating func step(_ index: Int, faults: Bool) throws {
        if faults {
            if random.chance(absences, in: 100) {
                sides[index].isPresent.toggle()
                visited.insert(.absence)
            }
            if random.chance(mishaps, in: 100) { try restart(index) }
        }
        guard sides[index].isPresent else { return }
        if faults {
            if random.chance(30, in: 100) { write(index) }
            if random.chance(rotations, in: 100) { try rotate(index) }
        }
        // Reading and sending come in either order.
        let readsFirst = random.chance(1, in: 2)
        if readsFirst { read(index, faults: faults) }
        try send(index, faults: faults)
        if !readsFirst { read(index, faults: faults) }
    }

    private mutating func restart(_ index: Int) throws {
        visited.insert(.restart)
        sides[index].inbox = try ConnectionMessageHandler(stored: JSONValueReader(object: sides[index].inbox.state))
    }

    private mutating func write(_ index: Int) {
        let text = "\(sides[index].name) \(sides[index].wrote)"
        sides[index].wrote += 1
        if sides[index].inbox.rotation != nil { visited.insert(.textWhileRotating) }
        sides[index].outbox.append(Item(message: BasicMessage(text, sent: now).message(id: text)))
    }

    private mutating func rotate(_ index: Int) throws {
        guard sides[index].inbox.rotation == nil else { return }
        let address = AgentAddress(
            key: AgentKey.make(from: &random).verkey,
            endpoint: try ServiceEndpoint(parsing: "https://\(sides[index].name).example/\(random.below(1000))"))
        let form: DIDForm = random.chance(1, in: 2) ? .peer4 : .peer2
        let message = try sides[index].inbox.rotate(to: address, form: form, id: makeID(), at: now)
        visited.insert(.rotation)
        if sides[1 - index].inbox.rotation != nil { visited.insert(.crossing) }
        append(Item(message: message), index)
    }

    /// Answers to a change of DID go before what waits.
    private mutating func append(_ item: Item, _ index: Int) {
        guard DIDRotate.isExchange(item.message) else { return sides[index].outbox.append(item) }
        let place = sides[index].outbox.firstIndex { !DIDRotate.isExchange($0.message) }
        sides[index].outbox.insert(item, at: place ?? sides[index].outbox.endIndex)
    }

    /// Sends what may be sent, as the runtime does.
    private mutating func send(_ index: Int, faults: Bool) throws {
        var kept: [Item] = []
        let outbox = sides[index].outbox
        sides[index].outbox = []
        for item in outbox {
            let (message, rotation) = (item.message, sides[index].inbox.rotation)
            if DIDRotate.isRotation(message) {
                guard let rotation, rotation.threadID == message.id else { continue }
                if rotation.waitBeforePost(at: now) != nil {
                    kept.append(item)
                    continue
                }
                if rotation.posted != nil { visited.insert(.repeatedAnnouncement) }
                sides[index].inbox.notePost(at: now)
            } else if !DIDRotate.isExchange(message), rotation?.waitBeforeMessages(at: now) != nil || !kept.isEmpty {
                kept.append(item)
                continue
            }
            try carry(item, index)
            // The message has arrived, and the sender does not learn it.
            guard faults, random.chance(mishaps, in: 100) else { continue }
            visited.insert(.lostConfirmation)
            kept.append(item)
        }
        sides[index].outbox = kept
    }

    private mutating func carry(_ item: Item, _ index: Int) throws {
        let message = item.message
        let outgoing = try sides[index].inbox.connection.outgoing(message, to: item.service)
        let other = 1 - index
        let received = ReceivedMessage(
            outgoing.message, sender: .authenticated(outgoing.sender, isExclusive: true),
            recipient: outgoing.service.recipientKeys[0], arrival: now)
        sides[other].mailbox.append(received)
        trace.append("\(sides[index].name) \(message.type.name) \(message.id)")
    }

    private mutating func read(_ index: Int, faults: Bool) {
        let mailbox = sides[index].mailbox
        sides[index].mailbox = []
        for old in mailbox {
            let count = faults && random.chance(mishaps, in: 100) ? 2 : 1
            if count > 1 { visited.insert(.repeatedDelivery) }
            let received = ReceivedMessage(old.message, sender: old.sender, recipient: old.recipient, arrival: now)
            for _ in 0..<count { take(received, index) }
        }
    }

    private mutating func take(_ received: ReceivedMessage, _ index: Int) {
        if case .authenticated(let key, _) = received.sender, !sides[index].inbox.connection.theirs.owns(key) {
            visited.insert(.oldKeyAccepted)
        }
        for output in sides[index].inbox.handle(received, random: &random) {
            switch output {
            case .send(let outgoing):
                let usual = try? sides[index].inbox.connection.theirs.service()
                let service = outgoing.service == usual ? nil : outgoing.service
                append(Item(message: outgoing.message, service: service), index)
            case .event(.text(let text)): sides[index].heard.append(text.content)
            // An answer that is repeated after a week comes to a key that has ended.
            case .ignored(let error) where error.code != .replayed && received.message.type.name != "ack":
                complaints.append("\(sides[index].name) ignored \(received.message.type.name): \(error)")
            case .persist, .event, .ignored: break
            }
        }
    }

    private mutating func makeID() -> String { Message.makeID(from: &random) }

    private mutating func judge() {
        for index in [0, 1] {
            let (side, other) = (sides[index], sides[1 - index])
            let expected = (0..<other.wrote).map { "\(other.name) \($0)" }
            if side.heard != expected { complaints.append("\(side.name) heard \(side.heard), not \(expected)") }
            if side.inbox.rotation != nil { complaints.append("\(side.name)'s change is not acknowledged") }
            if side.inbox.isBroken { complaints.append("\(side.name)'s connection is broken") }
            if !side.inbox.connection.theirs.did.isSame(as: other.inbox.connection.ourDID) {
                complaints.append("\(side.name) has another DID than \(other.name)'s newest")
            }
            if !side.mailbox.isEmpty || !side.outbox.isEmpty { complaints.append("\(side.name) has work left") }
        }
    }
}
