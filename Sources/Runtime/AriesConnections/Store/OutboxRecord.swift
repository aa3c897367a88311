import Aries
import DIDComm
import JSON
import Vault

/// A message to send on a connection, stored until it was handed over.
struct OutboxRecord: Sendable {
    let id: String
    let connection: String
    let message: Message
    /// The service of a former document of the other side that the message goes to; nil for the present one.
    private(set) var service: PeerService?

    init(connection: String, message: Message, service: PeerService? = nil) {
        id = connection + "/" + message.id
        self.connection = connection
        self.message = message
        self.service = service
    }

    init(_ record: StoredRecord) throws {
        guard let tag = record.tags.first(where: { $0.name == "connection" }) else {
            throw AgentError(.recordMalformed, "A message to be sent belongs to no connection.")
        }
        id = record.id
        connection = tag.value
        do {
            let reader = JSONValueReader(try JSONValue(parsing: record.value, limits: Self.limits))
            guard reader.value["@type"] == nil else {
                message = try Message(parsing: record.value)
                return
            }
            message = try Message(reader.object("message"))
            service = try PeerService(storedService: reader.member("service"))
        } catch {
            throw AgentError(.recordMalformed, "A message to be sent cannot be read: \(error).")
        }
    }

    private static let limits = JSONLimits(
        maximumBytes: RecordLimits.valueBytes, maximumDepth: JSONLimits.standard.maximumDepth + 1)

    /// The same message, addressed to the present address of the other side.
    var toPresentAddress: OutboxRecord {
        var record = self
        record.service = nil
        return record
    }

    func insert(into store: any RecordWriting) throws {
        let value = service.map { service in
            ["message": .object(message.object), "service": .object(service.stored)] as JSONObject
        }
        try store.insert(
            id, in: AgentCategories.outbox, tags: [RecordTag("connection", connection)],
            value: value?.encoded ?? message.encoded)
    }
}
