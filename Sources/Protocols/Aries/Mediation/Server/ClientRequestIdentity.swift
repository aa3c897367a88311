import CryptoSuite
public import DIDComm
public import Determinism
import JSON

/// The identity by which a repeated request of a client is recognised.
///
/// The client repeats it when it had no answer, and an attacker may replay it.
public struct ClientRequestIdentity: Hashable, Sendable {
    /// The `@id` of the request.
    public let id: String

    /// The sending time that the client states, at the latest the arrival; nil when it states none.
    ///
    /// It is `out_time` of `~timing`, RFC 0032.
    public let sent: WallTime?

    /// Makes the identity of a request from its identifier and the time at which it was sent.
    public init(id: String, sent: WallTime? = nil) { (self.id, self.sent) = (id, sent) }

    /// Reads the identity of a request; an unreadable time counts as none.
    public init(_ message: Message, arrival: WallTime) {
        id = message.id
        sent = message.object["~timing"]?["out_time"]?.string.flatMap { WallTime(message: $0) }.map { min($0, arrival) }
    }
}

/// The identifiers of the answers to one message, the same for each repetition of the message.
///
/// By them a client recognises a repeated answer.
struct AnswerMessageIdentifiers: RandomSource {
    private let seed: [UInt8]
    private var count: UInt8 = 0

    /// Makes the identifiers of the answers to one message.
    ///
    /// - Parameter key: the key to which the message came.
    init(to id: String, at key: Verkey) { seed = key.bytes + Array(id.utf8) }

    mutating func bytes(count wanted: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < wanted {
            count &+= 1
            bytes += SHA256.hash([count] + seed)
        }
        return Array(bytes.prefix(wanted))
    }
}
