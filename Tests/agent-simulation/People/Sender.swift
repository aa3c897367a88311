import CryptoSuite
import DIDComm
import Determinism
import WebTransport

/// A simulated sender of numbered messages to one key of one recipient; each is sent when the last was answered.
final class Sender: @unchecked Sendable {
    // Invariant: used by the one thread of the process alone.
    private let name: String
    private let recipient: Recipient
    private let key: Verkey
    private let count: Int
    private let pause: ClosedRange<Int>
    private(set) var isOver = false

    init(_ name: String, to recipient: Recipient, _ key: Verkey, count: Int, pause: ClosedRange<Int>) {
        (self.name, self.recipient, self.key) = (name, recipient, key)
        (self.count, self.pause) = (count, pause)
    }

    func run() async {
        let (world, network, books) = (recipient.world, recipient.network, recipient.books)
        var (codec, random) = (EnvelopeCodec(), SystemRandom())
        for number in 0..<count {
            await world.pause(world.milliseconds(pause))
            let text = "\(name) \(number)"
            let filling = String(
                repeating: "x", count: world.random.chance(1, in: 8) ? world.random.within(0...6000) : 0)
            let envelope = Array("{\"text\":\"\(text)\",\"filling\":\"\(filling)\"}".utf8)
            guard let forward = try? codec.wrap(envelope, for: key, via: [recipient.wallet.routing], random: &random)
            else { continue }
            books.posted(text, to: recipient.name)
            let host = recipient.hosts[world.random.within(0...(recipient.hosts.count - 1))]
            switch await network.post(forward, to: host, lost: { _ in }) {
            case .answered(let response) where response.status == 202: books.answered(text, .accepted)
            case .answered(let response) where response.status < 500: books.answered(text, .refused)
            case .answered(let response):
                world.note("come-again", "\(response.status)", visit: true)
                books.answered(text, .unknown)
            case .lost: books.answered(text, .unknown)
            }
        }
        isOver = true
    }
}
