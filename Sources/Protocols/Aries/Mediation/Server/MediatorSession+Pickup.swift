import ByteCoding
import DIDComm
import JSON

/// What the client fetches by pickup 2.0 and 1.0.
extension MediatorSession {
    mutating func takePickup2(_ message: Message, into outputs: inout [Output]) throws(AriesError) {
        hasAskedForPickup = true
        if live == .implicit { setLive(nil, into: &outputs) }
        switch message.type.name {
        case "status-request":
            let key = try Self.key(message, "recipient_key")
            ask(.status(key), .status(key), into: &outputs)
        case "delivery-request":
            let key = try Self.key(message, "recipient_key")
            let limit = try number(message, "limit", default: 1, upTo: limits.deliveryCount)
            fetch(.after(0, recipient: key), limit, .delivery(key), into: &outputs)
        case "messages-received":
            let ids = try Self.ids(message, "message_id_list")
            ask(.remove(ids), .acknowledgement(ids), into: &outputs)
        case "live-delivery-change": try changeLive(message, into: &outputs)
        default: throw .unexpected(message)
        }
    }

    mutating func takePickup1(_ message: Message, into outputs: inout [Output]) throws(AriesError) {
        hasAskedForPickup = true
        switch message.type.name {
        case "status-request": ask(.status(nil), .oldStatus, into: &outputs)
        case "batch-pickup":
            let limit = try number(message, "batch_size", default: 1, upTo: limits.deliveryCount)
            fetch(.after(0, recipient: nil), limit, .batch, claim: request, into: &outputs)
        case "list-pickup":
            let ids = try Self.ids(message, "message_ids")
            fetch(.ids(ids), limits.deliveryCount, .chosen, claim: request, into: &outputs)
        case "noop": fetch(.after(0, recipient: nil), 1, .carrier, claim: request, into: &outputs)
        default: throw .unexpected(message)
        }
    }

    mutating func fetch(
        _ selection: MediatorCommand.Selection, _ limit: Int, _ pending: Pending, claim: RequestIdentity? = nil,
        into outputs: inout [Output]
    ) {
        let command = MediatorCommand.fetch(
            selection, limit: limit, maximumBytes: limits.deliveryBytes, claim: claim)
        ask(command, pending, into: &outputs)
    }

    private func number(
        _ message: Message, _ name: String, default usual: Int, upTo most: Int
    ) throws(AriesError) -> Int {
        let number = try AriesError.reading(.messageMalformed) { () throws(JSONError) in
            try message.reader.optionalInt(name)
        }
        return min(max(1, number ?? usual), most)
    }

    /// Identifiers, each once; too many, or longer ones than are given out, are refused.
    private static func ids(_ message: Message, _ name: String) throws(AriesError) -> [String] {
        let ids = try AriesError.reading(.messageMalformed) { () throws(JSONError) in
            try message.reader.strings(name)
        }
        guard ids.count <= maximumIDs, ids.allSatisfy({ (1...Message.maximumIDBytes).contains($0.utf8.count) }) else {
            throw AriesError(.messageMalformed, "More identifiers, or longer ones, came than are given out.")
        }
        var seen: Set<String> = []
        return ids.filter { seen.insert($0).inserted }
    }

    // Answers of pickup 2.0.

    mutating func tell(_ status: QueueStatus, of key: Verkey?, into outputs: inout [Output]) {
        // What was counted and not handed out goes out by itself in live mode, so that it stays in its order.
        if key == nil { known = known ?? 0 }
        let body = JSONObject(present: [
            "recipient_key": key.map { .string($0.didKey) }, "message_count": .int(status.count),
            "longest_waited_seconds": status.secondsWaited(at: arrival).map { .int($0) },
            "newest_received_time": status.newest.map { .string($0.messageText) },
            "oldest_received_time": status.oldest.map { .string($0.messageText) },
            "total_bytes": .int(status.bytes), "live_delivery": .bool(live == .acknowledged),
        ])
        reply(MessageType(.pickup20, "status"), body, into: &outputs)
    }

    /// Hands out what was asked for, or says that there is nothing.
    mutating func deliver(_ messages: [QueuedMessage], key: Verkey?, into outputs: inout [Output]) {
        guard let last = messages.last else { return tell(.empty, of: key, into: &outputs) }
        if key == nil { known = max(known ?? 0, last.position) }
        let body = JSONObject(present: [
            "recipient_key": key.map { .string($0.didKey) }, "~attach": Self.attachments(messages),
        ])
        reply(MessageType(.pickup20, "delivery"), body, into: &outputs)
    }

    static func attachments(_ messages: [QueuedMessage]) -> JSONValue {
        .array(messages.map { MessageAttachment(id: $0.id, bytes: $0.envelope).value })
    }

    // Answers of pickup 1.0.

    mutating func tellOld(_ status: QueueStatus, into outputs: inout [Output]) {
        let body = JSONObject(present: [
            "message_count": .int(status.count), "duration_waited": .int(status.secondsWaited(at: arrival) ?? 0),
            "last_added_time": status.newest.map { .string($0.messageText) }, "total_size": .int(status.bytes),
        ])
        reply(MessageType(.pickup10, "status"), body, into: &outputs)
    }

    /// Hands messages out for good: they are forgotten when the channel took the answer.
    mutating func handOut(_ messages: [QueuedMessage], as name: String, into outputs: inout [Output]) {
        let entries = messages.map { message -> JSONValue in
            // What is no object, which a forward cannot hold, would be null.
            let envelope = (try? JSONValue(parsing: message.envelope, limits: Message.limits)) ?? .null
            return ["@id": .string(message.id), "message": envelope]
        }
        guard let current else { return }
        let answer = Message(
            MessageType(.pickup10, name), id: Message.makeID(from: &random),
            thread: MessageThread(id: current.threadID), body: ["messages~attach": .array(entries)])
        do throws(AriesError) {
            let outgoing = try connection.outgoing(answer)
            if !messages.isEmpty { unconfirmed[answer.id] = messages.map(\.id) }
            send(outgoing, into: &outputs)
        } catch {
            outputs.append(.ignored(error))
        }
    }
}
