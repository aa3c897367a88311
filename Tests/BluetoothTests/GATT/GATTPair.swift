import Bluetooth
import Determinism

/// A client and a server on one link without delay; PDUs go back and forth until both are quiet.
struct GATTPair {
    var client: GATTClient
    var server: GATTServer
    var clientOutputs: [GATTClient.Output] = []
    var serverOutputs: [GATTServer.Output] = []
    /// Every PDU that was sent, in order, whoever sent it.
    var wire: [[UInt8]] = []
    private var nextID: UInt64 = 1

    init(
        _ services: [ServiceDefinition], server: GATTServer.Configuration = .init(),
        client: GATTClient.Configuration = .init()
    ) throws {
        self.server = GATTServer(database: try GATTDatabase(services), configuration: server)
        self.client = GATTClient(configuration: client)
    }

    /// Runs one procedure to its end and returns its outcome, or nil and leaves the failure in `clientOutputs`.
    mutating func run(_ procedure: GATTClient.Procedure) throws(GATTError) -> GATTClient.Outcome? {
        let id = nextID
        nextID += 1
        drive(client: .perform(id: id, procedure))
        for output in clientOutputs {
            if case .completed(id, let outcome) = output { return outcome }
            if case .failed(id, let error) = output { throw error }
        }
        return nil
    }

    mutating func drive(client input: GATTClient.Input) {
        let outputs = client.handle(input, at: .zero)
        clientOutputs += outputs
        for case .send(let pdu) in outputs {
            wire.append(pdu)
            drive(server: .received(pdu))
        }
    }

    mutating func drive(server input: GATTServer.Input) {
        let outputs = server.handle(input, at: .zero)
        serverOutputs += outputs
        for case .send(let pdu) in outputs {
            wire.append(pdu)
            drive(client: .received(pdu))
        }
    }

    /// Finds everything: each service with its characteristics.
    mutating func discover() throws -> [(service: RemoteService, characteristics: [RemoteCharacteristic])] {
        guard case .services(let services) = try run(.discoverServices(nil)) else { return [] }
        return try services.map { service in
            guard case .characteristics(let found) = try run(.discoverCharacteristics(of: service)) else {
                return (service, [])
            }
            return (service, found)
        }
    }
}
