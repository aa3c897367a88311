import DIDComm
import JSON

/// How the client is woken.
extension MediatorSession {
    mutating func takeWake(_ message: Message, into outputs: inout [Output]) throws(AriesError) {
        guard features.contains(.pushWebhook10) else {
            return refuse("not-supported", "Nobody is woken by this agent.", into: &outputs)
        }
        guard isGranted else { return refuse("not_granted", "Ask for mediation first.", into: &outputs) }
        switch message.type.name {
        case "set-device-info":
            do throws(AriesError) {
                askOnce(.wake(try WakeCall.reading(message)), .wake, into: &outputs)
            } catch {
                refuse("missing-value", error.reason, into: &outputs)
            }
        case "get-device-info": ask(.wake, .wake, into: &outputs)
        default: throw .unexpected(message)
        }
    }

    /// - Parameter state: nil when the client is not woken.
    mutating func waking(_ state: WakeState?, into outputs: inout [Output]) {
        let body: JSONObject = [
            "device_token": state.map { .string($0.call.token) } ?? .null,
            "webhook": state.map { .string($0.call.webhook.text) } ?? .null,
            "secret": state.map { .string($0.secret) } ?? .null,
        ]
        reply(MessageType(.pushWebhook10, "device-info"), body, into: &outputs)
    }
}
