import Aries
import CryptoSuite
import DIDComm
import Determinism
import WebTransport

/// Accounts with a key each, at the measured agent.
struct BenchAccounts: Sendable {
    /// A key that mail can be sent to.
    struct RecipientKey: Sendable {
        let recipient: Verkey
        let routing: Verkey
    }

    let clients: [BenchClient]
    let addresses: [RecipientKey]

    /// Opens accounts, `width` at a time, in the order in which they finish.
    ///
    /// ACA-Py's mediator takes one at a time.
    static func open(
        _ count: Int, by invitation: Aries.Invitation, _ service: WebService, width: Int = 1
    ) async throws -> BenchAccounts {
        try await withThrowingTaskGroup(of: (BenchClient, RecipientKey).self) { group in
            var (clients, addresses): ([BenchClient], [RecipientKey]) = ([], [])
            for number in 0..<count {
                if number >= width, let (client, address) = try await group.next() {
                    clients.append(client)
                    addresses.append(address)
                }
                group.addTask { try await account(invitation, service) }
            }
            for try await (client, address) in group {
                clients.append(client)
                addresses.append(address)
            }
            return BenchAccounts(clients: clients, addresses: addresses)
        }
    }

    private static func account(
        _ invitation: Aries.Invitation, _ service: WebService
    ) async throws -> (BenchClient, RecipientKey) {
        var random = SystemRandom()
        let client = try await BenchClient.connect(invitation, service: service)
        let routing = try await client.requestMediation()
        let recipient = AgentKey.make(from: &random).verkey
        try await client.change([recipient], "add")
        return (client, RecipientKey(recipient: recipient, routing: routing))
    }

    /// A message that contains its number.
    static func message(_ number: Int) -> [UInt8] {
        var text = Array("{\"number\":\(number),\"text\":\"".utf8)
        text += [UInt8](repeating: UInt8(ascii: "x"), count: max(0, CloudAgentBench.messageBytes - text.count - 2))
        return text + Array("\"}".utf8)
    }

    /// The number in a message.
    static func number(in envelope: [UInt8]) -> Int? {
        guard envelope.starts(with: "{\"number\":".utf8) else { return nil }
        return Int(String(decoding: envelope.dropFirst(10).prefix { (48...57).contains($0) }, as: UTF8.self))
    }

    /// A load of `count` messages, packed for the accounts in turn.
    func load(of count: Int) throws -> ForwardLoadGenerator {
        guard let endpoint = clients.first?.endpoint else { throw BenchClient.refused }
        return ForwardLoadGenerator(try envelopes(of: count), to: endpoint)
    }

    /// So many messages, packed for the accounts in turn.
    func envelopes(of count: Int) throws -> [[UInt8]] {
        var (codec, random) = (EnvelopeCodec(), SystemRandom())
        return try (0..<count).map { number in
            let address = addresses[number % addresses.count]
            return try codec.wrap(
                Self.message(number), for: address.recipient, via: [address.routing], random: &random)
        }
    }
}
