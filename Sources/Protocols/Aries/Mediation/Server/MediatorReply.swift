import DIDComm
import Determinism
import JSON

/// The type and the body of a mediator's answer.
struct MediatorReply {
    let type: MessageType
    let body: JSONObject

    private init(_ version: MessageProtocol, _ name: String, body: JSONObject) {
        type = MessageType(version, name)
        self.body = body
    }

    // Coordinate mediation.

    static var denied: MediatorReply { MediatorReply(.mediation10, "mediate-deny", body: [:]) }

    static func granted(_ grant: MediationGrant, for key: Verkey?) -> MediatorReply {
        MediatorReply(
            .mediation10, "mediate-grant",
            body: JSONObject(present: [
                "endpoint": .string(grant.endpoint.text), "routing_keys": .strings(grant.routingKeys.map(\.didKey)),
                "recipient_key": key.map { .string($0.didKey) },
                "recipient_key_grants": grant.offersKeyGrants ? true : nil,
            ]))
    }

    /// Makes the answer with the results of key changes.
    ///
    /// - Parameter results: of the changes that could be read, in their order; nil when the store failed.
    static func changed(_ requested: [RequestedKeylistUpdate], _ results: [KeylistUpdate.Result]?) -> MediatorReply {
        var rest = (results ?? [])[...]
        let updated = requested.map { entry in
            guard entry.change != nil else { return entry.answer(.clientError) }
            return entry.answer(rest.popFirst() ?? .serverError)
        }
        return MediatorReply(.mediation10, "keylist-update-response", body: ["updated": .array(updated)])
    }

    static func listed(_ page: KeylistPage, offset: Int) -> MediatorReply {
        let remaining = max(0, page.total - page.keys.count - min(offset, page.total))
        let body: JSONObject = [
            "keys": .array(page.keys.map { ["recipient_key": .string($0.didKey)] }),
            "pagination": [
                "count": .int(page.keys.count), "offset": .int(offset), "remaining": .int(remaining),
            ],
        ]
        return MediatorReply(.mediation10, "keylist", body: body)
    }

    // Pickup 2.0 and 1.0.

    static func status(_ status: QueueStatus, of key: Verkey?, isLive: Bool, at now: WallTime) -> MediatorReply {
        MediatorReply(
            .pickup20, "status",
            body: JSONObject(present: [
                "recipient_key": key.map { .string($0.didKey) }, "message_count": .int(status.count),
                "longest_waited_seconds": status.secondsWaited(at: now).map { .int($0) },
                "newest_received_time": status.newest.map { .string($0.messageText) },
                "oldest_received_time": status.oldest.map { .string($0.messageText) },
                "total_bytes": .int(status.bytes), "live_delivery": .bool(isLive),
            ]))
    }

    static func delivery(_ messages: [QueuedMessage], key: Verkey?) -> MediatorReply {
        let entries = messages.map { MessageAttachment(id: $0.id, bytes: $0.envelope).value }
        return MediatorReply(
            .pickup20, "delivery",
            body: JSONObject(present: ["recipient_key": key.map { .string($0.didKey) }, "~attach": .array(entries)]))
    }

    static func oldStatus(_ status: QueueStatus, at now: WallTime) -> MediatorReply {
        MediatorReply(
            .pickup10, "status",
            body: JSONObject(present: [
                "message_count": .int(status.count), "duration_waited": .int(status.secondsWaited(at: now) ?? 0),
                "last_added_time": status.newest.map { .string($0.messageText) }, "total_size": .int(status.bytes),
            ]))
    }

    /// Makes an answer of pickup 1.0 with messages, under the given message name.
    static func handOut(_ messages: [QueuedMessage], as name: String) -> MediatorReply {
        let entries = messages.map { message -> JSONValue in
            // A message that is no object cannot be in a forward, and would be null.
            let envelope = (try? JSONValue(parsing: message.envelope, limits: Message.limits)) ?? .null
            return ["@id": .string(message.id), "message": envelope]
        }
        return MediatorReply(.pickup10, name, body: ["messages~attach": .array(entries)])
    }

    // Short links.

    static func shortLink(_ link: ShortLink) -> MediatorReply {
        MediatorReply(
            .shortenURL10, "shortened-url",
            body: JSONObject(present: [
                "shortened_url": .string(link.address), "expires_time": link.expires.map { .string($0.messageText) },
            ]))
    }

    static var acknowledged: MediatorReply { MediatorReply(.notification10, "ack", body: ["status": "OK"]) }

    // Wake-ups.

    /// Makes the answer with the state of the client's webhook.
    ///
    /// - Parameter state: nil when the client is not woken.
    static func waking(_ state: WebhookState?) -> MediatorReply {
        let body: JSONObject = [
            "device_token": state.map { .string($0.call.token) } ?? .null,
            "webhook": state.map { .string($0.call.webhook.text) } ?? .null,
            "secret": state.map { .string($0.secret) } ?? .null,
        ]
        return MediatorReply(.pushWebhook10, "device-info", body: body)
    }
}
