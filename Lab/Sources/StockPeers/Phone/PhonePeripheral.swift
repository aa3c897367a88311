import Air
import Bluetooth
import Determinism

/// The Bluetooth stack of a device that is the peripheral: a GATT server for each link.
struct PhonePeripheral: Sendable {
    /// A callback of the stack to the app as peripheral.
    enum Callback: Sendable {
        case connected(LinkID)
        case mtu(Int)
        case written(StockCharacteristic, [UInt8])
        case disconnected(LinkID)
    }

    private struct End {
        var server: GATTServer
        var queue: FrameQueue<Never>
    }

    let generation: StockGeneration
    let maximumMTU: Int
    private var services: [ServiceDefinition]
    private var ends: [End] = []
    private var lastID: UInt64 = 0

    init(generation: StockGeneration, maximumMTU: Int, services: [ServiceDefinition]) {
        self.generation = generation
        self.maximumMTU = maximumMTU
        self.services = services
    }

    var nextDeadline: MonotonicInstant? { ends.compactMap(\.server.nextDeadline).min() }

    mutating func handle(
        _ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand], _ callbacks: inout [Callback]
    ) {
        switch event {
        case .connected(let link, _, _, let parameters, let capacity):
            guard let database = try? GATTDatabase(services) else { return }
            let configuration = GATTServer.Configuration(maximumMTU: min(maximumMTU, parameters.maximumMTU))
            ends.append(
                End(
                    server: GATTServer(database: database, configuration: configuration),
                    queue: FrameQueue(link: link, capacity: capacity)))
            callbacks.append(.connected(link))
        case .sent(let link):
            guard let index = index(of: link) else { return }
            _ = ends[index].queue.sent(into: &commands)
        case .received(let link, let frame):
            guard let index = index(of: link), let pdu = attributePDU(in: frame) else { return }
            serve(.received(pdu), at: index, now: now, into: &commands, &callbacks)
        case .disconnected(let link, _, _):
            ends.removeAll { $0.queue.link == link }
            callbacks.append(.disconnected(link))
        case .report, .connectCancelled, .statistics: break
        }
    }

    mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand], _ callbacks: inout [Callback]) {
        for index in ends.indices { serve(.deadline, at: index, now: now, into: &commands, &callbacks) }
    }

    /// Pushes a value as a notification to any central; or, to `subscribersOnly`, as an indication.
    ///
    /// Returns whether it was sent.
    mutating func push(
        _ value: [UInt8], of characteristic: StockCharacteristic, on link: LinkID, subscribersOnly: Bool,
        at now: MonotonicInstant, into commands: inout [AirCommand]
    ) -> Bool {
        let uuid = generation.uuid(of: characteristic)
        guard let index = index(of: link), !subscribersOnly || ends[index].server.isSubscribed(to: uuid) else {
            return false
        }
        lastID += 1
        var callbacks: [Callback] = []
        serve(
            .notify(id: lastID, characteristic: uuid, value: value, confirmed: subscribersOnly), at: index, now: now,
            into: &commands, &callbacks)
        return true
    }

    /// Takes the service away; links stay up.
    mutating func close() {
        services = []
        guard let empty = try? GATTDatabase([]) else { return }
        for index in ends.indices { ends[index].server.setDatabase(empty) }
    }

    private func index(of link: LinkID) -> Int? { ends.firstIndex { $0.queue.link == link } }

    private mutating func serve(
        _ input: GATTServer.Input, at index: Int, now: MonotonicInstant, into commands: inout [AirCommand],
        _ callbacks: inout [Callback]
    ) {
        for output in ends[index].server.handle(input, at: now) {
            switch output {
            case .send(let pdu): ends[index].queue.add(pdu, into: &commands)
            case .mtuChanged(let mtu): callbacks.append(.mtu(mtu))
            case .written(let uuid, let value, _):
                if let characteristic = generation.characteristic(with: uuid) {
                    callbacks.append(.written(characteristic, value))
                }
            case .linkFailed: commands.append(.disconnect(ends[index].queue.link))
            case .subscribed, .readPassedOn, .notified, .notifyFailed, .dropped: break
            }
        }
    }
}
