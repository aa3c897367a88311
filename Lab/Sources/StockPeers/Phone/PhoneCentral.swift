import Air
import Bluetooth
import Determinism

/// The Bluetooth stack of a phone that is the central: everything below the app's callbacks.
///
/// The callback of a write without response comes when the controller has sent it and the peer's link layer has it.
struct PhoneCentral: Sendable {
    /// A callback of the stack to the app as central.
    enum Callback: Sendable {
        case heard(DeviceAddress, AdvertisingData)
        case connected
        case mtu(Int)
        case mtuFailed
        case services([RemoteService])
        case characteristics([RemoteCharacteristic])
        case discoveryFailed
        case written(StockCharacteristic, isDone: Bool)
        case pushed(StockCharacteristic, [UInt8])
        case disconnected
    }

    /// The purpose of a procedure that the app started.
    enum ProcedurePurpose: Sendable {
        case mtu, services, characteristics, subscription
        case write(StockCharacteristic)
    }

    /// PDUs that may wait behind the controller's queue before the stack drops writes without response.
    static let writeLimit = 16

    let generation: StockGeneration
    private(set) var mtu = 23
    private(set) var found: [RemoteCharacteristic] = []
    private var client = GATTClient()
    private var queue: ATTPDUQueue<StockCharacteristic>?
    private var memory = ScanMemory()
    private var purposes: [UInt64: ProcedurePurpose] = [:]
    private var lastID: UInt64 = 0

    init(generation: StockGeneration) {
        self.generation = generation
    }

    var nextDeadline: MonotonicInstant? { client.nextDeadline }

    /// True when the stack takes another write without response.
    var canWrite: Bool { (queue?.waitingCount ?? .max) < Self.writeLimit }

    mutating func handle(
        _ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand], _ callbacks: inout [Callback]
    ) {
        switch event {
        case .report(let report):
            if let data = memory.take(report) { callbacks.append(.heard(report.address, data)) }
        case .connected(let link, _, _, _, let capacity):
            client = GATTClient(configuration: GATTClient.Configuration(maximumQueuedProcedures: 1024))
            queue = ATTPDUQueue(link: link, capacity: capacity)
            mtu = 23
            callbacks.append(.connected)
        case .sent:
            if let characteristic = queue?.sent(into: &commands) {
                callbacks.append(.written(characteristic, isDone: true))
            }
        case .received(_, let frame):
            if let pdu = attributePDU(in: frame) { ask(.received(pdu), at: now, into: &commands, &callbacks) }
        case .disconnected:
            queue = nil
            ask(.linkDown, at: now, into: &commands, &callbacks)
            callbacks.append(.disconnected)
        case .connectCancelled, .statistics: break
        }
    }

    mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand], _ callbacks: inout [Callback]) {
        guard let deadline = client.nextDeadline, now >= deadline else { return }
        ask(.deadline, at: now, into: &commands, &callbacks)
    }

    /// Starts a procedure; returns the callbacks that follow at once.
    mutating func perform(
        _ procedure: GATTClient.Procedure, as purpose: ProcedurePurpose, at now: MonotonicInstant,
        into commands: inout [AirCommand]
    ) -> [Callback] {
        lastID += 1
        purposes[lastID] = purpose
        var callbacks: [Callback] = []
        ask(.perform(id: lastID, procedure), at: now, into: &commands, &callbacks)
        return callbacks
    }

    /// Writes a characteristic; returns a failed `written` at once when the characteristic or the MTU does not permit
    /// it.
    mutating func write(
        _ value: [UInt8], to characteristic: StockCharacteristic, withResponse: Bool, at now: MonotonicInstant,
        into commands: inout [AirCommand]
    ) -> [Callback] {
        let needed: CharacteristicProperties = withResponse ? .write : .writeWithoutResponse
        guard let target = remote(characteristic), target.properties.contains(needed), value.count <= mtu - 3 else {
            return [.written(characteristic, isDone: false)]
        }
        if withResponse {
            return perform(
                .write(value, handle: target.valueHandle), as: .write(characteristic), at: now, into: &commands)
        }
        let pdu = ATTPDU.writeCommand(handle: target.valueHandle, value: value).bytes
        queue?.add(pdu, tag: characteristic, into: &commands)
        return []
    }

    /// Asks for the link to be taken down.
    func disconnect(into commands: inout [AirCommand]) {
        if let link = queue?.link { commands.append(.disconnect(link)) }
    }

    func remote(_ characteristic: StockCharacteristic) -> RemoteCharacteristic? {
        found.first { $0.uuid == generation.uuid(of: characteristic) }
    }

    private mutating func ask(
        _ input: GATTClient.Input, at now: MonotonicInstant, into commands: inout [AirCommand],
        _ callbacks: inout [Callback]
    ) {
        for output in client.handle(input, at: now) {
            switch output {
            case .send(let pdu): queue?.add(pdu, into: &commands)
            case .mtuChanged(let value): mtu = value
            case .completed(let id, let outcome): completed(id, outcome, &callbacks)
            case .failed(let id, _): failed(id, &callbacks)
            case .value(let value, let handle, _):
                let uuid = found.first { $0.valueHandle == handle }?.uuid
                if let uuid, let characteristic = generation.characteristic(with: uuid) {
                    callbacks.append(.pushed(characteristic, value))
                }
            case .dropped: break
            case .linkFailed: disconnect(into: &commands)
            }
        }
    }

    private mutating func completed(
        _ id: UInt64, _ outcome: GATTClient.GATTProcedureResult, _ callbacks: inout [Callback]
    ) {
        switch (purposes.removeValue(forKey: id), outcome) {
        case (.mtu, .mtu(let value)):
            mtu = value
            callbacks.append(.mtu(value))
        case (.services, .services(let services)): callbacks.append(.services(services))
        case (.characteristics, .characteristics(let characteristics)):
            found += characteristics
            callbacks.append(.characteristics(characteristics))
        case (.write(let characteristic), _): callbacks.append(.written(characteristic, isDone: true))
        default: break
        }
    }

    private mutating func failed(_ id: UInt64, _ callbacks: inout [Callback]) {
        guard queue != nil else { return }
        switch purposes.removeValue(forKey: id) {
        case .mtu: callbacks.append(.mtuFailed)
        case .services, .characteristics: callbacks.append(.discoveryFailed)
        case .write(let characteristic): callbacks.append(.written(characteristic, isDone: false))
        case .subscription, nil: break
        }
    }
}
