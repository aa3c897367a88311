import DIDComm
import Determinism
import JSON
import Testing

/// The answers that senders got, and the messages that their recipient got.
final class Ledger: Sendable {
    private struct State: Sendable {
        var accepted: Set<String> = []
        /// The texts received, in the order of arrival, each once by its identifier.
        var received: [String] = []
        var seen: Set<String> = []
        /// The position of the message that was received last.
        var place = 0
        var disorders = 0
        var isOver = false
        var senders = 0
    }

    private let state = Lock(State())

    /// The number of messages that an agent accepted with status 202.
    var acceptedCount: Int { state.withLock { $0.accepted.count } }

    /// Lets senders end, until it is begun anew.
    var isOver: Bool {
        get { state.withLock { $0.isOver } }
        set { state.withLock { $0.isOver = newValue } }
    }

    /// The number of senders at work.
    var senders: Int { state.withLock { $0.senders } }

    /// Sends numbered messages until the agent is dead, or the ledger says that it is over.
    func send(_ sender: String, through poster: Poster, to key: Verkey, _ routing: Verkey) async {
        state.withLock { $0.senders += 1 }
        defer { state.withLock { $0.senders -= 1 } }
        for number in 0..<10_000 where !isOver {
            let text = "\(sender) \(number)"
            guard let status = try? await poster.forward(text, to: key, through: routing) else { return }
            if status == 202 { accepted(text) }
            // The queue is full; what was refused is not counted.
            if status == 503 { return }
        }
    }

    /// A message was answered as taken.
    func accepted(_ text: String) { state.withLock { _ = $0.accepted.insert(text) } }

    /// Takes messages as an application does that takes each identifier once; returns the texts of new ones.
    @discardableResult
    func take(_ messages: [(id: String, envelope: [UInt8])]) -> [String] {
        state.withLock { state in
            var texts: [String] = []
            for message in messages where state.seen.insert(message.id).inserted {
                let text = (try? JSONValue(parsing: message.envelope)["text"]?.string) ?? "?"
                let place = message.id.split(separator: "-").first.flatMap { Int($0) } ?? 0
                if place <= state.place { state.disorders += 1 }
                state.place = place
                state.received.append(text)
                texts.append(text)
            }
            return texts
        }
    }

    /// Fetches all that waits.
    func drain(_ client: RawClient) async throws {
        while true {
            let messages = try await client.deliver()
            guard !messages.isEmpty else { return }
            take(messages)
            _ = try await client.acknowledge(messages.map(\.id))
        }
    }

    /// Checks that all accepted messages came, once and in order, and no others.
    func judge() {
        let state = state.withLock { $0 }
        #expect(state.accepted.subtracting(state.received) == [], "what was answered as taken is delivered")
        #expect(Set(state.received).count == state.received.count, "and comes once")
        #expect(state.disorders == 0, "in the order in which it was accepted")
        var last: [Substring: Int] = [:]
        for text in state.received {
            let parts = text.split(separator: " ")
            guard parts.count == 2, let number = Int(parts[1]) else {
                Issue.record("\(text) was never sent")
                continue
            }
            #expect(number > last[parts[0], default: -1], "in its order")
            last[parts[0]] = number
        }
    }
}
