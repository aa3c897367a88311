import Aries
import DIDComm
import Determinism
import Vault

/// Finds the messages that have come since the last call, in any process.
public struct MessageFollower: Sendable {
    /// The most messages that one call returns; older ones are skipped.
    public static let maximumMessages = 10_000

    /// The number of messages that are remembered, so that none is returned twice.
    static let rememberedMessages = 256

    private struct MessageKey: Hashable, Sendable {
        let connection: String
        let direction: ConnectionMessage.Direction
        let id: String

        init(_ message: ConnectionMessage) {
            connection = message.connection
            direction = message.direction
            id = message.message.id
        }
    }

    private let connection: String?
    /// The newest known messages, newest first; nil before the first call.
    private var known: [MessageKey]?
    /// The time of the newest message.
    private var newest: WallTime?

    /// Makes a follower of one connection's messages, or of all when `connection` is nil.
    public init(connection: String? = nil) { self.connection = connection }

    /// The messages since the last call, oldest first; the first call returns none.
    ///
    /// - Throws: `agent.*`, and errors of the store.
    public mutating func next(from agent: Agent) async throws -> [ConnectionMessage] {
        let known = self.known
        let (page, newest) = (known == nil ? Self.rememberedMessages : 100, newest?.millisecondsSinceEpoch)
        let connection = self.connection
        let limit = known == nil ? page : Self.maximumMessages
        let fresh = try await agent.perform { agent in
            try await agent.parts.messages.newest(on: connection, page: page, limit: limit) { message in
                guard let known else { return true }
                // The time prevents that messages are returned again when the known ones have been deleted; another
                // process may store one a little later than it came.
                let isRecent = newest.map { message.time.millisecondsSinceEpoch >= $0 - 60_000 } ?? true
                return isRecent && !known.contains(MessageKey(message))
            }
        }
        self.known = Array((fresh.map(MessageKey.init) + (known ?? [])).prefix(Self.rememberedMessages))
        self.newest = fresh.first?.time ?? self.newest
        return known == nil ? [] : fresh.reversed()
    }
}
