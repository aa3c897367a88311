import AriesConnections
import DIDComm

/// A transport that sends nothing: messages given to it wait until the agent stops.
package struct NonSendingTransport: MessageTransport {
    package init() {}

    func carry(
        _ envelope: [UInt8], to endpoint: ServiceEndpoint, answers: @escaping @Sendable ([UInt8]) -> Void
    ) async throws {
        throw AgentError(.deliveryWaits, "This command sends nothing.")
    }

    package func close() async {}
}
