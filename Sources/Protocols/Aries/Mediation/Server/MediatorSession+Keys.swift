import DIDComm
import JSON

/// Coordinate mediation.
extension MediatorSession {
    mutating func takeMediation(_ message: Message, into outputs: inout [Output]) throws(AriesError) {
        switch message.type.name {
        case "mediate-request":
            let key = try Self.key(message, "recipient_key")
            askOnce(.grant(for: key), .grant(key), into: &outputs)
        case "keylist-update", "keylist-query":
            guard isGranted else {
                return refuse("not_granted", "Ask for mediation first.", into: &outputs)
            }
            if message.type.name == "keylist-update" { return try update(message, into: &outputs) }
            try list(message, into: &outputs)
        default: throw .unexpected(message)
        }
    }

    /// An optional key of a message.
    static func key(_ message: Message, _ name: String) throws(AriesError) -> Verkey? {
        let text = try AriesError.reading(.messageMalformed) { () throws(JSONError) in
            try message.reader.optionalString(name)
        }
        guard let text else { return nil }
        return try AriesError.checking(.messageMalformed) { () throws(DIDCommError) in
            let key = try Verkey(parsing: text)
            try key.checkSafety()
            return key
        }
    }

    private mutating func update(_ message: Message, into outputs: inout [Output]) throws(AriesError) {
        let entries = try AriesError.reading(.messageMalformed) { () throws(JSONError) in
            try message.reader.elements("updates")
        }
        guard entries.count <= KeyChange.maximumCount else {
            let text = "At most \(KeyChange.maximumCount) keys are changed by one message."
            return refuse("too_many_updates", text, into: &outputs)
        }
        let requested = entries.map { RequestedChange($0.value) }
        askOnce(.keys(requested.compactMap(\.change)), .update(requested), into: &outputs)
    }

    private mutating func list(_ message: Message, into outputs: inout [Output]) throws(AriesError) {
        let (limit, offset) = try AriesError.reading(.messageMalformed) { () throws(JSONError) in
            let page = try message.reader.optional("paginate")
            return (try page?.optionalInt("limit"), try page?.optionalInt("offset"))
        }
        let offsetOfPage = max(0, offset ?? 0)
        let count = min(max(1, limit ?? KeyPage.maximumCount), KeyPage.maximumCount)
        ask(.list(offset: offsetOfPage, limit: count), .list(offset: offsetOfPage), into: &outputs)
    }

    mutating func granted(_ grant: MediationGrant, for key: Verkey?, into outputs: inout [Output]) {
        if key == nil { isGranted = true }
        let body = JSONObject(present: [
            "endpoint": .string(grant.endpoint.text), "routing_keys": .strings(grant.routingKeys.map(\.didKey)),
            "recipient_key": key.map { .string($0.didKey) },
            "recipient_key_grants": grant.offersPlaces ? true : nil,
        ])
        reply(MessageType(.mediation10, "mediate-grant"), body, into: &outputs)
    }

    /// - Parameter results: of the changes that could be read, in their order; nil when the store failed.
    mutating func changed(
        _ requested: [RequestedChange], _ results: [KeyChange.Result]?, into outputs: inout [Output]
    ) {
        var rest = (results ?? [])[...]
        let updated = requested.map { entry in
            guard entry.change != nil else { return entry.answer(.clientError) }
            return entry.answer(rest.popFirst() ?? .serverError)
        }
        reply(MessageType(.mediation10, "keylist-update-response"), ["updated": .array(updated)], into: &outputs)
    }

    mutating func listed(_ page: KeyPage, offset: Int, into outputs: inout [Output]) {
        let remaining = max(0, page.total - page.keys.count - min(offset, page.total))
        let body: JSONObject = [
            "keys": .array(page.keys.map { ["recipient_key": .string($0.didKey)] }),
            "pagination": [
                "count": .int(page.keys.count), "offset": .int(offset), "remaining": .int(remaining),
            ],
        ]
        reply(MessageType(.mediation10, "keylist"), body, into: &outputs)
    }
}
