public import DIDComm
import JSON

/// How a client that is away is woken when messages wait: a post to an address of its own with a token that says nothing to
/// others.
public struct WakeCall: Hashable, Sendable {
    /// The longest token in bytes.
    public static let maximumTokenBytes = 1024

    /// What the client chose to know by that it is meant; 1 to `maximumTokenBytes` bytes without characters for machines.
    public let token: String

    /// Where to: an address of HTTP.
    public let webhook: ServiceEndpoint

    /// Describes a wake-up.
    ///
    /// - Throws: `aries.message.malformed` for a token that is empty, too long or holds characters for machines, and for an
    ///   address of another kind.
    public init(token: String, webhook: ServiceEndpoint) throws(AriesError) {
        guard (1...Self.maximumTokenBytes).contains(token.utf8.count),
            token.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else {
            throw AriesError(
                .messageMalformed,
                "The token of a wake-up has 1 to \(Self.maximumTokenBytes) bytes without characters for machines.")
        }
        guard [.http, .https].contains(webhook.transport) else {
            throw AriesError(.messageMalformed, "A wake-up goes to an address that begins with https or http.")
        }
        self.token = token
        self.webhook = webhook
    }

    /// What a message of the protocol sets; nil when it takes everything back.
    static func reading(_ message: Message) throws(AriesError) -> WakeCall? {
        let (token, webhook) = try AriesError.reading(.messageMalformed) { () throws(JSONError) in
            (try message.reader.optionalString("device_token"), try message.reader.optionalString("webhook"))
        }
        switch (token, webhook) {
        case (nil, nil): return nil
        case (let token?, let webhook?):
            let endpoint = try AriesError.checking(.messageMalformed) { () throws(DIDCommError) in
                try ServiceEndpoint(parsing: webhook)
            }
            return try WakeCall(token: token, webhook: endpoint)
        default: throw AriesError(.messageMalformed, "A token or an address is missing.")
        }
    }
}

/// What an agent says of how it wakes a client.
public struct WakeState: Hashable, Sendable {
    /// How.
    public let call: WakeCall

    /// By which the receiver of the post knows that it comes from the agent: `whsec_` and base 64, as Standard Webhooks has it.
    public let secret: String

    /// Describes it.
    public init(call: WakeCall, secret: String) {
        self.call = call
        self.secret = secret
    }
}

extension MessageProtocol {
    /// As RFC 0734 for another service, with an address of the client's own in place of a platform: `set-device-info` and
    /// `get-device-info`, both answered by `device-info`.
    public static let pushWebhook10 = MessageProtocol("push-notifications-webhook", 1, 0)
}
