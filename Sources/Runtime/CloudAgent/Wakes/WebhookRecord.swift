import Aries
import DIDComm
import JSON

/// The webhook of a client and its token, as the store keeps them, sealed.
struct WebhookRecord: Sendable {
    static let version = 1

    /// The routing key of the account, from which the signing key is derived.
    let routing: Verkey
    let call: ClientWebhook

    init(routing: Verkey, call: ClientWebhook) {
        self.routing = routing
        self.call = call
    }

    func sealed(by secret: MediatorSecret) -> [UInt8] {
        let object: JSONObject = [
            "version": .int(Self.version), "routing": .string(routing.base58), "token": .string(call.token),
            "webhook": .string(call.webhook.text),
        ]
        return secret.seal(object.encoded, as: .wake)
    }

    /// Decrypts and reads a stored webhook.
    ///
    /// - Throws: `cloud.store.damaged`, `cloud.store.schema`.
    init(_ sealed: [UInt8], by secret: MediatorSecret) throws(CloudAgentError) {
        let bytes = try secret.open(sealed, as: .wake)
        do {
            let reader = JSONValueReader(try JSONValue(parsing: bytes))
            guard try reader.int("version") == Self.version else {
                throw CloudAgentError(.schema, "A wake-up in the store is of another version.")
            }
            routing = try Verkey(parsing: reader.string("routing"))
            call = try ClientWebhook(
                token: reader.string("token"), webhook: ServiceEndpoint(parsing: reader.string("webhook")))
        } catch let error as CloudAgentError {
            throw error
        } catch {
            throw CloudAgentError(.damaged, "A wake-up in the store cannot be read: \(error)")
        }
    }
}
