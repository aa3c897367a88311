import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON

/// A simulated client that fetches its messages by one of the protocols, over one connection or many.
///
/// It is away for a while, and when it is restarted it forgets what it did not store.
final class Recipient: @unchecked Sendable {
    // Invariant: used by the one thread of the process alone.

    /// The protocol and channel by which the client fetches its messages.
    enum Habit: String, CaseIterable {
        /// Pickup 2.0, one request after the other.
        case asking = "pickup 2.0"
        /// Pickup 2.0, live on a WebSocket.
        case live = "live"
        /// Pickup 2.0, live on a WebSocket, with a delivery request after each status that counts messages.
        case eager = "live with requests"
        /// Pickup 1.0, one request after the other, or on a WebSocket.
        case old = "pickup 1.0"
        case oldLine = "pickup 1.0 on a line"
        /// Return-route: one envelope for each message, or without a request on a WebSocket.
        case carried = "return route"
        case carriedLine = "return route on a line"
        /// No fetching: the agent posts to the client's own address.
        case home = "address"

        /// True when the agent deletes a message once it delivers it, because the protocol has no acknowledgement.
        var isForgetful: Bool { [.old, .oldLine, .carried, .carriedLine].contains(self) }
        var hasSocket: Bool { [.live, .eager, .oldLine, .carriedLine].contains(self) }
        var flavour: PickupClient.PickupProtocol {
            switch self {
            case .asking, .live, .eager, .home: .pickup2
            case .old, .oldLine: .pickup1
            case .carried, .carriedLine: .implicit
            }
        }
    }

    let name: String
    let habit: Habit
    let wallet: Wallet
    let world: World
    let network: Network
    let books: Books
    let hosts: [Host]
    /// The client is restarted at one in so many messages, before or after it stores the message; 0 for never.
    var restartsOneIn: UInt64 = 0
    /// The pause of the client between two visits, in milliseconds.
    var absence = 100...3000
    /// The time that a WebSocket stays open, in milliseconds.
    var visit = 2000...60_000
    /// One in so many visits begins before the previous one ends; 0 for none.
    var overlapsOneIn: UInt64 = 0
    /// The client reads one in so many frames slowly; 0 for none.
    var dawdlesOneIn: UInt64 = 0
    var isOver = false
    /// The wallet that handles envelopes from the client's correspondent; nil without one.
    var correspondent: Correspondent?
    private var visits = 0

    init(
        _ name: String, _ habit: Habit, _ wallet: Wallet, _ world: World, _ network: Network, _ books: Books,
        _ hosts: [Host]
    ) {
        (self.name, self.habit, self.wallet) = (name, habit, wallet)
        (self.world, self.network, self.books, self.hosts) = (world, network, books, hosts)
        if habit == .home { network.homes["http://\(name).example"] = { [weak self] in self?.takeHome($0) ?? false } }
    }

    /// Visits the agent repeatedly, until the run ends.
    func run() async {
        guard habit != .home else { return }
        while !isOver {
            if habit == .live || habit == .eager, overlapsOneIn > 0, world.random.chance(1, in: overlapsOneIn) {
                world.note("second-line", name, visit: true)
                Task.detached { await self.visitOnce() }
                await world.pause(world.milliseconds(1...4000))
            }
            await visitOnce()
            await world.pause(world.milliseconds(absence))
        }
    }

    private func visitOnce() async {
        let host = hosts[world.random.within(0...(hosts.count - 1))]
        visits += 1
        if habit.hasSocket { await Visit(self, host).byLine() } else { await Visit(self, host).byRequests() }
    }

    /// Stores a message; false when the client is restarted at that moment, before or after storing.
    func store(_ envelope: [UInt8], id: String?) -> Bool {
        guard let text = Books.text(of: envelope) else { return correspondent?.take(envelope) ?? true }
        let mishap = restartsOneIn > 0 ? world.random.below(restartsOneIn * 2) : 2
        if mishap == 0 {
            world.note("restart-before-storing", name, visit: true)
            if habit.isForgetful { books.lost([text], of: name) }
            return false
        }
        books.received(text, by: name, id: id)
        if mishap == 1 { world.note("restart-after-storing", name, visit: true) }
        return mishap != 1
    }

    private func takeHome(_ envelope: [UInt8]) -> Bool {
        if restartsOneIn > 0, world.random.chance(1, in: restartsOneIn * 2) {
            world.note("home-is-down", name, visit: true)
            return false
        }
        if let text = Books.text(of: envelope) { books.received(text, by: name, id: nil) }
        return true
    }

    /// Records as lost the messages in an answer or a frame that never arrived.
    func lost(_ bytes: [UInt8]) {
        guard habit.isForgetful, !bytes.isEmpty else { return }
        if let text = Books.text(of: bytes) { return books.lost([text], of: name) }
        if let message = wallet.open(bytes)?.message { lost(message) }
    }

    /// Records as lost the messages in an answer that the client did not process.
    func lost(_ message: Message) {
        guard habit.isForgetful else { return }
        let entries = message.object["messages~attach"]?.array ?? []
        let texts = entries.compactMap { $0["message"]?["text"]?.string }
        if !texts.isEmpty { books.lost(texts, of: name) }
    }
}
