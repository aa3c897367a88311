public import DIDComm
import JSON

/// The webhook of an offline client, to which the mediator posts a token when messages wait.
///
/// The token has a meaning only to the client.
public struct ClientWebhook: Hashable, Sendable {
    /// The longest token in bytes.
    public static let maximumTokenBytes = 1024

    /// The token that the client chose; 1 to `maximumTokenBytes` bytes without control characters.
    public let token: String

    /// The HTTP address of the webhook.
    public let webhook: ServiceEndpoint

    /// Makes a webhook from its token and address.
    ///
    /// - Throws: `aries.message.malformed` for a token that is empty, too long or holds characters for machines, and
    ///   for an address of another kind.
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

    /// Reads the webhook that a message of the protocol sets; nil when it removes it.
    static func reading(_ message: Message) throws(AriesError) -> ClientWebhook? {
        let (token, webhook) = try AriesError.reading(.messageMalformed) { () throws(JSONError) in
            (try message.reader.optionalString("device_token"), try message.reader.optionalString("webhook"))
        }
        switch (token, webhook) {
        case (nil, nil): return nil
        case (let token?, let webhook?):
            let endpoint = try AriesError.checking(.messageMalformed) { () throws(DIDCommError) in
                try ServiceEndpoint(parsing: webhook)
            }
            return try ClientWebhook(token: token, webhook: endpoint)
        default: throw AriesError(.messageMalformed, "A token or an address is missing.")
        }
    }
}

/// The webhook that the mediator has for its client, as it reports it.
public struct WebhookState: Hashable, Sendable {
    /// The webhook that is set at the mediator.
    public let call: ClientWebhook

    /// The secret that authenticates the mediator's posts: `whsec_` and base64, as in Standard Webhooks.
    public let secret: String

    /// Makes a webhook state from its parts.
    public init(call: ClientWebhook, secret: String) {
        self.call = call
        self.secret = secret
    }
}

extension MessageProtocol {
    /// The protocol by which a client sets its webhook, modelled on RFC 0734 push notifications.
    ///
    /// A webhook URL of the client takes the place of a platform's service.
    ///
    /// Its messages are `set-device-info` and `get-device-info`, both answered by `device-info`.
    public static let pushWebhook10 = MessageProtocol("push-notifications-webhook", 1, 0)
}
