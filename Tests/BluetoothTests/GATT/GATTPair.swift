import Bluetooth
import Determinism

/// A client and a server on one link without delay; PDUs go back and forth until both are quiet.
struct GATTPair {
    var client: GATTClient
    var server: GATTServer
    var clientOutputs: [GATTClient.Output] = []
    var serverOutputs: [GATTServer.Output] = []
    /// Every PDU that was sent by either end, in order.
    var wire: [[UInt8]] = []
    /// Into how many bytes frames are cut on their way; nil: they are not.
    var fragmentBytes: Int?
    private var reassembler = L2CAPReassembler()
    private var nextID: UInt64 = 1

    init(
        _ services: [ServiceDefinition], server: GATTServer.Configuration = .init(),
        client: GATTClient.Configuration = .init()
    ) throws {
        self.server = GATTServer(database: try GATTDatabase(services), configuration: server)
        self.client = GATTClient(configuration: client)
    }

    /// Runs one procedure to its end and returns its outcome, or nil and leaves the failure in `clientOutputs`.
    mutating func run(_ procedure: GATTClient.Procedure) throws(GATTError) -> GATTClient.GATTProcedureResult? {
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
        for case .send(let pdu) in outputs { drive(server: .received(carry(pdu))) }
    }

    mutating func drive(server input: GATTServer.Input) {
        let outputs = server.handle(input, at: .zero)
        serverOutputs += outputs
        for case .send(let pdu) in outputs { drive(client: .received(carry(pdu))) }
    }

    /// Returns the bytes of a PDU that arrive when it is sent as an L2CAP frame in fragments.
    private mutating func carry(_ pdu: [UInt8]) -> [UInt8] {
        wire.append(pdu)
        guard let fragmentBytes else { return pdu }
        var arrived: [L2CAPFrame] = []
        for (index, fragment) in L2CAPFrame(payload: pdu).fragments(of: fragmentBytes).enumerated() {
            if let frame = try? reassembler.receive(fragment, isFirst: index == 0) { arrived.append(frame) }
        }
        return arrived.count == 1 && arrived[0].channel == L2CAPFrame.attributeChannel ? arrived[0].payload : []
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
