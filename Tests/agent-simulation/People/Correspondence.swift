import Aries
import CryptoSuite
import DIDComm
import Determinism

/// The part of a plan about two wallets that write to each other through the agent.
struct CorrespondencePlan {
    let texts: Int
    let pause: ClosedRange<Int>
    let rotationsOneIn: UInt64
    /// The mean number of steps between absences; 0 for none.
    let absencesOneIn: UInt64
    let habits: [Recipient.Habit]

    /// Draws the plan of the two wallets; nil for a run without them.
    ///
    /// It is drawn apart from the rest, so that the runs of other seeds stay as they are. A run has no such wallets
    /// when accepted messages may be gone: by their age, by a set clock, or by a store that goes back or splits.
    init?(seed: UInt64, _ plan: Plan) {
        var random = SeededRandom(seed: seed ^ 0xC044_E590_4D)
        let mayLose = plan.faults.contains { fault in
            switch fault.kind {
            case .clock, .goesBack, .split: true
            default: false
            }
        }
        guard random.chance(1, in: 3), plan.age >= .seconds(604_800), !mayLose else { return nil }
        texts = random.within(4...20)
        pause = random.chance(1, in: 2) ? 20...800 : 500...20_000
        rotationsOneIn = UInt64(random.within(2...10))
        absencesOneIn = random.chance(1, in: 2) ? UInt64(random.within(3...12)) : 0
        let kinds: [Recipient.Habit] = [.asking, .live, .eager]
        habits = (0..<2).map { _ in kinds[random.within(0...2)] }
    }
}

/// Two wallets that write to each other through the agent; each expects the texts of the other once and in order.
final class Correspondence: @unchecked Sendable {
    // Invariant: used by the one thread of the process alone.
    let sides: [Correspondent]

    /// Makes two wallets of clients and connects them with each other, before any fault.
    init(_ recipients: [Recipient], _ plan: CorrespondencePlan, planted: PlantedBug?) throws {
        let endpoint = try ServiceEndpoint(parsing: "http://agent.example")
        var random = SystemRandom()
        let keys = recipients.map { _ in AgentKey.make(from: &random) }
        let addresses = zip(recipients, keys).map { recipient, key in
            AgentAddress(key: key.verkey, routingKeys: [recipient.wallet.routing], endpoint: endpoint)
        }
        let connections = try Self.connect(addresses, keys, at: recipients[0].world.wallTime)
        sides = recipients.indices.map { index in
            Correspondent(
                "p\(index)", recipients[index], connections[index], keys[index], plan, planted: planted)
        }
        for (side, other) in zip(sides, sides.reversed()) {
            side.other = other
            side.recipient.correspondent = side
        }
    }

    /// The first key of each wallet, which the agent must register.
    var firstKeys: [(recipient: Recipient, key: Verkey)] {
        sides.map { ($0.recipient, $0.firstKey) }
    }

    private struct Unconnected: Error {}

    /// Runs a handshake without a network, in which the first wallet invites the second.
    private static func connect(
        _ addresses: [AgentAddress], _ keys: [AgentKey], at now: WallTime
    ) throws -> [Connection] {
        var random = SystemRandom()
        let invitationKey = AgentKey.make(from: &random)
        let inviting = AgentAddress(key: invitationKey.verkey, endpoint: addresses[0].endpoint)
        let invitation = try InvitationDraft(.outOfBand, label: "p0").invitation(id: "invitation", address: inviting)
        var issued = IssuedInvitation(invitation, address: inviting, isMultiUse: false)
        guard case .resolved(let document) = try invitation.services[0].resolution.progress() else {
            throw Unconnected()
        }
        var requester = try HandshakeRequester(
            .init(
                connectionID: "p1", handshake: .didExchange11, invitation: invitation, inviter: document.service(),
                address: addresses[1], label: "p1"), key: keys[1], random: &random)
        var responder: HandshakeResponder?
        var connections: [Connection?] = [nil, nil]
        var toInviter = requester.handle(.start, at: .zero)
        while !toInviter.isEmpty {
            var toInvitee: [HandshakeOutput] = []
            for output in toInviter {
                if case .completed(let connection) = output { connections[1] = connection }
                guard case .send(let outgoing) = output else { continue }
                let received = carried(outgoing, at: now)
                if responder == nil {
                    _ = try issued.admit(received)
                    responder = try HandshakeResponder(
                        .init(connectionID: "p0", issued: issued, address: addresses[0]), answering: received,
                        key: invitationKey, random: &random)
                    toInvitee += responder?.handle(.start, at: .zero) ?? []
                } else {
                    toInvitee += responder?.handle(.received(received), at: .zero) ?? []
                }
            }
            toInviter = []
            for output in toInvitee {
                if case .completed(let connection) = output { connections[0] = connection }
                guard case .send(let outgoing) = output else { continue }
                toInviter += requester.handle(.received(carried(outgoing, at: now)), at: .zero)
            }
        }
        let made = connections.compactMap(\.self)
        guard made.count == 2 else { throw Unconnected() }
        return made
    }

    private static func carried(_ outgoing: OutgoingMessage, at now: WallTime) -> ReceivedMessage {
        ReceivedMessage(
            outgoing.message, sender: .authenticated(outgoing.sender, isExclusive: true),
            recipient: outgoing.service.recipientKeys[0], arrival: now)
    }

    // The course of a run.

    func begin() { for side in sides { Task.detached { await side.run() } } }

    /// Ends the faults of both wallets.
    func behave() { for side in sides { side.isCalm = true } }

    var isSettled: Bool { sides.allSatisfy(\.isSettled) }

    func judge() -> [String] { sides.flatMap { $0.judge() } }
}
