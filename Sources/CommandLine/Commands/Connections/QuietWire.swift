import AriesRuntime
import DIDComm

/// Carries nothing: whatever is given to it waits until the agent stops.
struct QuietWire: Wire {
    func carry(
        _ envelope: [UInt8], to endpoint: ServiceEndpoint, answers: @escaping @Sendable ([UInt8]) -> Void
    ) async throws {
        throw AgentError(.deliveryWaits, "This command sends nothing.")
    }

    func close() async {}
}
