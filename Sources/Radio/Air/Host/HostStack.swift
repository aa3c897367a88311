public import Bluetooth
public import Determinism

/// The Bluetooth stack of a simulated device: below the application, above the controller, in both roles and on any
/// number of links.
///
/// Real ATT PDUs in L2CAP frames cross the air, from a GATT client and a GATT server for each link.
public struct HostStack: Sendable {
    /// A request to the peer of the link.
    private enum HostLinkRequest: Sendable {
        case mtu
        case services([BluetoothUUID])
        case characteristics
        case read(BluetoothUUID)
        case write(BluetoothUUID)
        case subscribe
    }

    /// The state of one link of a host: its ATT ends, its frame queue and the requests under way.
    ///
    /// Each action on the client or the server is a function of its own: a copy of an end counts the references to all
    /// that it holds.
    private struct HostLink: Sendable {
        let link: LinkID
        let isCentral: Bool
        var queue: ATTPDUQueue<Never>
        var client: GATTClient?
        var server: GATTServer?
        /// The earliest deadline of the client and the server.
        var deadline: MonotonicInstant?
        var found: [RemoteCharacteristic] = []
        /// Services whose characteristics are still to be found.
        var services: [RemoteService] = []
        var requests: [(id: UInt64, request: HostLinkRequest)] = []

        mutating func run(
            _ input: GATTClient.Input, at now: MonotonicInstant, into outputs: inout [GATTClient.Output]
        ) {
            client?.handle(input, at: now, into: &outputs)
            deadline = client?.nextDeadline
        }

        mutating func serve(
            _ input: GATTServer.Input, at now: MonotonicInstant, into outputs: inout [GATTServer.Output]
        ) {
            server?.handle(input, at: now, into: &outputs)
            deadline = server?.nextDeadline
        }
    }

    /// The largest ATT MTU that the server agrees to.
    public let maximumMTU: Int

    private var database: GATTDatabase?
    private var ends: [HostLink] = []
    private var lastID: UInt64 = 0

    /// Makes a stack without services.
    public init(maximumMTU: Int = 185) { self.maximumMTU = maximumMTU }

    /// Reads a little of what the next event needs, so that memory fetches it for several hosts at once; changes
    /// nothing.
    ///
    /// With `depth` 0 it reads memory of the stack itself, with 1 memory that this refers to. The sum has no meaning.
    public func prefetch(_ depth: Int) -> UInt64 {
        guard depth > 0 else { return lastID &+ UInt64(ends.count) }
        var sum: UInt64 = 0
        for index in ends.indices { sum &+= ends[index].link.number &+ UInt64(ends[index].requests.count) }
        return sum
    }

    /// The time at which the caller calls `wake`; nil while no deadline is pending.
    public private(set) var nextDeadline: MonotonicInstant?

    // MARK: - What is served

    /// Serves these services in place of all others; a service with too many attributes is not served at all.
    public mutating func publish(_ services: [ServiceDefinition]) {
        database = try? GATTDatabase(services)
        for index in ends.indices where ends[index].server != nil {
            if let database { ends[index].server?.setDatabase(database) }
        }
    }

    /// Sets the value that reads of a characteristic return.
    public mutating func setValue(_ value: [UInt8], of uuid: BluetoothUUID) {
        try? database?.setValue(value, of: uuid)
        for index in ends.indices { try? ends[index].server?.setValue(value, of: uuid) }
    }

    /// True while a link is up.
    public func isUp(_ link: LinkID) -> Bool { index(of: link) != nil }

    /// True when the central of a link has subscribed to a characteristic.
    public func isSubscribed(to uuid: BluetoothUUID, on link: LinkID) -> Bool {
        index(of: link).flatMap { ends[$0].server?.isSubscribed(to: uuid) } ?? false
    }

    /// Pushes a value to a central as a notification, or as an indication where it is `confirmed`.
    public mutating func notify(
        _ value: [UInt8], of uuid: BluetoothUUID, on link: LinkID, confirmed: Bool = false, at now: MonotonicInstant,
        into commands: inout [AirCommand]
    ) {
        guard let index = index(of: link) else { return }
        var events: [HostStackEvent] = []
        serve(
            .notify(id: 0, characteristic: uuid, value: value, confirmed: confirmed), index, at: now, into: &commands,
            &events)
        updateDeadline()
    }

    /// Answers the read that `centralReads` reported.
    public mutating func answerRead(
        _ value: [UInt8], on link: LinkID, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        guard let index = index(of: link) else { return }
        var events: [HostStackEvent] = []
        serve(.answerRead(value), index, at: now, into: &commands, &events)
    }

    // MARK: - What is asked of others

    /// Agrees on the largest ATT MTU, of `requested` bytes at most.
    public mutating func exchangeMTU(
        _ requested: Int, on link: LinkID, at now: MonotonicInstant, into commands: inout [AirCommand],
        _ events: inout [HostStackEvent]
    ) {
        ask(.exchangeMTU(requested), as: .mtu, on: link, at: now, into: &commands, &events) { .mtu(link, nil) }
    }

    /// Looks for one service by its UUID, and for its characteristics in place of those found before.
    public mutating func discover(
        only service: BluetoothUUID, on link: LinkID, at now: MonotonicInstant, into commands: inout [AirCommand],
        _ events: inout [HostStackEvent]
    ) {
        if let index = index(of: link) { ends[index].found = [] }
        ask(.discoverServices(service), as: .services([service]), on: link, at: now, into: &commands, &events) {
            .discovered(link, nil)
        }
    }

    /// Looks for the characteristics of the first of each of these services, or of all services where none is named.
    public mutating func discover(
        _ services: [BluetoothUUID], on link: LinkID, at now: MonotonicInstant, into commands: inout [AirCommand],
        _ events: inout [HostStackEvent]
    ) {
        ask(.discoverServices(nil), as: .services(services), on: link, at: now, into: &commands, &events) {
            .discovered(link, nil)
        }
    }

    /// Reads a characteristic whole.
    public mutating func read(
        _ uuid: BluetoothUUID, on link: LinkID, at now: MonotonicInstant, into commands: inout [AirCommand],
        _ events: inout [HostStackEvent]
    ) {
        guard let remote = remote(uuid, link) else { return events.append(.read(link, uuid, nil)) }
        ask(.read(handle: remote.valueHandle), as: .read(uuid), on: link, at: now, into: &commands, &events) {
            .read(link, uuid, nil)
        }
    }

    /// True when the controller takes a PDU on this link at once.
    public func hasRoom(on link: LinkID) -> Bool { index(of: link).map { ends[$0].queue.hasRoom } ?? false }

    /// Writes a characteristic.
    public mutating func write(
        _ value: [UInt8], to uuid: BluetoothUUID, on link: LinkID, withResponse: Bool = true, at now: MonotonicInstant,
        into commands: inout [AirCommand], _ events: inout [HostStackEvent]
    ) {
        guard let handle = remote(uuid, link)?.valueHandle else {
            return events.append(.wrote(link, uuid, isDone: false))
        }
        let procedure: GATTClient.Procedure =
            withResponse ? .write(value, handle: handle) : .writeCommand(value, handle: handle)
        ask(procedure, as: .write(uuid), on: link, at: now, into: &commands, &events) {
            .wrote(link, uuid, isDone: false)
        }
    }

    /// Subscribes to a characteristic.
    public mutating func subscribe(
        to uuid: BluetoothUUID, on link: LinkID, at now: MonotonicInstant, into commands: inout [AirCommand],
        _ events: inout [HostStackEvent]
    ) {
        guard let remote = remote(uuid, link) else { return events.append(.subscribed(link, isDone: false)) }
        ask(.subscribe(remote, isOn: true), as: .subscribe, on: link, at: now, into: &commands, &events) {
            .subscribed(link, isDone: false)
        }
    }

    // MARK: - What the controller says

    /// Handles an event of the controller, and reports it to the application.
    public mutating func handle(
        _ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand], _ events: inout [HostStackEvent]
    ) {
        switch event {
        case .report(let report): events.append(.heard(report))
        case .connected(let link, let peer, let isCentral, let parameters, let capacity):
            connected(link, isCentral, parameters, capacity)
            events.append(.connected(link, peer: peer, isCentral: isCentral))
        case .connectCancelled: events.append(.connectCancelled)
        case .sent(let link):
            guard let index = index(of: link) else { return }
            ends[index].queue.sent(into: &commands)
        case .received(let link, let frame): receive(frame, link, at: now, into: &commands, &events)
        case .statistics(let link, let statistics): events.append(.rssi(link, statistics.rssi))
        case .disconnected(let link, _, _):
            if let index = index(of: link) { ends.remove(at: index) }
            events.append(.disconnected(link))
        }
        updateDeadline()
    }

    /// Takes note that `nextDeadline` has come.
    public mutating func wake(
        at now: MonotonicInstant, into commands: inout [AirCommand], _ events: inout [HostStackEvent]
    ) {
        for index in ends.indices {
            guard let deadline = ends[index].deadline, deadline <= now else { continue }
            if ends[index].isCentral {
                run(.deadline, index, at: now, into: &commands, &events)
            } else {
                serve(.deadline, index, at: now, into: &commands, &events)
            }
        }
        updateDeadline()
    }

    private mutating func connected(
        _ link: LinkID, _ isCentral: Bool, _ parameters: LinkParameters, _ capacity: Int
    ) {
        var end = HostLink(link: link, isCentral: isCentral, queue: ATTPDUQueue(link: link, capacity: capacity))
        if isCentral { end.client = GATTClient() }
        if let database, !isCentral {
            end.server = GATTServer(
                database: database,
                configuration: GATTServer.Configuration(maximumMTU: min(maximumMTU, parameters.maximumMTU)))
        }
        ends.append(end)
    }

    private mutating func receive(
        _ frame: [UInt8], _ link: LinkID, at now: MonotonicInstant, into commands: inout [AirCommand],
        _ events: inout [HostStackEvent]
    ) {
        guard let index = index(of: link), let pdu = attributePDU(in: frame) else { return }
        if ends[index].isCentral {
            run(.received(pdu), index, at: now, into: &commands, &events)
        } else {
            serve(.received(pdu), index, at: now, into: &commands, &events)
        }
    }

    private func index(of link: LinkID) -> Int? {
        for index in ends.indices where ends[index].link == link { return index }
        return nil
    }

    private func remote(_ uuid: BluetoothUUID, _ link: LinkID) -> RemoteCharacteristic? {
        index(of: link).flatMap { ends[$0].found.first { $0.uuid == uuid } }
    }

    private mutating func updateDeadline() {
        var next: MonotonicInstant?
        for index in ends.indices {
            if let deadline = ends[index].deadline { next = min(next ?? deadline, deadline) }
        }
        nextDeadline = next
    }

    private mutating func send(_ pdu: [UInt8], _ index: Int, into commands: inout [AirCommand]) {
        ends[index].queue.add(pdu, into: &commands)
    }

    // MARK: - Client

    private mutating func ask(
        _ procedure: GATTClient.Procedure, as request: HostLinkRequest, on link: LinkID, at now: MonotonicInstant,
        into commands: inout [AirCommand], _ events: inout [HostStackEvent], orSay failure: () -> HostStackEvent
    ) {
        guard let index = index(of: link), ends[index].isCentral else { return events.append(failure()) }
        begin(procedure, as: request, index, at: now, into: &commands, &events)
        updateDeadline()
    }

    private mutating func begin(
        _ procedure: GATTClient.Procedure, as request: HostLinkRequest, _ index: Int, at now: MonotonicInstant,
        into commands: inout [AirCommand], _ events: inout [HostStackEvent]
    ) {
        lastID += 1
        ends[index].requests.append((lastID, request))
        run(.perform(id: lastID, procedure), index, at: now, into: &commands, &events)
    }

    private mutating func run(
        _ input: GATTClient.Input, _ index: Int, at now: MonotonicInstant, into commands: inout [AirCommand],
        _ events: inout [HostStackEvent]
    ) {
        var outputs: [GATTClient.Output] = []
        ends[index].run(input, at: now, into: &outputs)
        for output in outputs {
            switch output {
            case .send(let pdu): send(pdu, index, into: &commands)
            case .completed(let id, let outcome): finish(id, outcome, index, at: now, into: &commands, &events)
            case .failed(let id, _): finish(id, nil, index, at: now, into: &commands, &events)
            case .value(let value, let handle, _):
                guard let uuid = ends[index].found.first(where: { $0.valueHandle == handle })?.uuid else { continue }
                events.append(.pushed(ends[index].link, uuid, value))
            case .linkFailed: commands.append(.disconnect(ends[index].link))
            case .mtuChanged(let mtu): events.append(.mtu(ends[index].link, mtu))
            case .dropped: break
            }
        }
    }

    private mutating func finish(
        _ id: UInt64, _ outcome: GATTClient.GATTProcedureResult?, _ index: Int, at now: MonotonicInstant,
        into commands: inout [AirCommand], _ events: inout [HostStackEvent]
    ) {
        guard let position = ends[index].requests.firstIndex(where: { $0.id == id }) else { return }
        let link = ends[index].link
        switch (ends[index].requests.remove(at: position).request, outcome) {
        case (.mtu, .mtu(let mtu)?): events.append(.mtu(link, mtu))
        case (.mtu, _): events.append(.mtu(link, nil))
        case (.services(let wanted), .services(let found)?):
            ends[index].services = HostStack.chosen(wanted, of: found)
            findNext(index, at: now, into: &commands, &events)
        case (.characteristics, .characteristics(let found)?):
            ends[index].found += found
            findNext(index, at: now, into: &commands, &events)
        case (.services, _), (.characteristics, _): events.append(.discovered(link, nil))
        case (.read(let uuid), .value(let value)?): events.append(.read(link, uuid, value))
        case (.read(let uuid), _): events.append(.read(link, uuid, nil))
        case (.write(let uuid), _): events.append(.wrote(link, uuid, isDone: outcome != nil))
        case (.subscribe, _): events.append(.subscribed(link, isDone: outcome != nil))
        }
    }

    private static func chosen(_ wanted: [BluetoothUUID], of found: [RemoteService]) -> [RemoteService] {
        guard !wanted.isEmpty else { return found.filter { $0.uuid.short.map { $0 < 0x1800 || $0 > 0x1801 } ?? true } }
        return wanted.compactMap { uuid in found.first { $0.uuid == uuid } }
    }

    private mutating func findNext(
        _ index: Int, at now: MonotonicInstant, into commands: inout [AirCommand], _ events: inout [HostStackEvent]
    ) {
        guard !ends[index].services.isEmpty else {
            return events.append(.discovered(ends[index].link, ends[index].found))
        }
        let service = ends[index].services.removeFirst()
        begin(.discoverCharacteristics(of: service), as: .characteristics, index, at: now, into: &commands, &events)
    }

    // MARK: - Server

    private mutating func serve(
        _ input: GATTServer.Input, _ index: Int, at now: MonotonicInstant, into commands: inout [AirCommand],
        _ events: inout [HostStackEvent]
    ) {
        var outputs: [GATTServer.Output] = []
        ends[index].serve(input, at: now, into: &outputs)
        let link = ends[index].link
        for output in outputs {
            switch output {
            case .send(let pdu): send(pdu, index, into: &commands)
            case .written(let uuid, let value, let isCommand):
                events.append(.centralWrote(link, uuid, value, isCommand: isCommand))
            case .subscribed(let uuid, let isSubscribed):
                events.append(.centralSubscribed(link, uuid, isSubscribed))
            case .linkFailed: commands.append(.disconnect(link))
            case .mtuChanged(let mtu): events.append(.mtu(link, mtu))
            case .readPassedOn(let uuid, let offset): events.append(.centralReads(link, uuid, offset: offset))
            case .notified, .notifyFailed, .dropped: break
            }
        }
    }
}
