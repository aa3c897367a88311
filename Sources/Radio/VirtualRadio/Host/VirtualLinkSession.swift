import Air
import Bluetooth
import Determinism
import Radio

/// The result of an operation on a link.
enum VirtualLinkResult: Sendable {
    case outcome(GATTClient.GATTProcedureResult)
    case done
    case statistics
}

/// The operations on a link.
enum VirtualLinkOperation: Sendable {
    case procedure(GATTClient.Procedure)
    case notify([UInt8], of: BluetoothUUID, confirmed: Bool)
    case statistics

    /// True when the operation is over as soon as the controller's queue has taken it.
    var endsWhenQueued: Bool {
        switch self {
        case .procedure(.writeCommand): true
        case .notify(_, _, let confirmed): !confirmed
        case .procedure, .statistics: false
        }
    }
}

/// Both ATT ends of one link, with the PDUs that wait and the operations under way; belongs to one radio.
///
/// Nothing here waits between a core's answer and its queueing, so the order on the wire is the order of the calls.
final class VirtualLinkSession {
    /// The most operations that may be under way.
    static let maximumOperations = 1024

    /// A continuation that is resumed when an operation ends.
    typealias Waiter = CheckedContinuation<Result<VirtualLinkResult, RadioError>, Never>

    /// The parts of the radio that a session uses.
    struct LinkDependencies {
        let controller: VirtualController
        let clock: any MonotonicClock
        let recorder: HCIPacketRecorder
        /// The events of the peripheral role.
        let peripheralEvents: SingleConsumerQueue<PeripheralEvent>
    }

    /// The facts about a link that do not change.
    struct LinkDescription {
        /// The number that the radio gave the link.
        let id: LinkID
        /// The number that the air gave the link.
        let air: LinkID
        let peer: DeviceAddress
        let isCentral: Bool
        let parameters: LinkParameters
        /// The number of frames that the controller queues.
        let queueCapacity: Int
    }

    /// The end of the link, from its start on this side.
    private struct LinkClosure {
        /// The reason for which this side ends the link, so that nothing more is sent; nil while it does not.
        var reason: DisconnectReason?
        /// The instant at which the link counts as ended although the air has not reported it.
        var deadline: MonotonicInstant?
        /// Callers that wait for the end.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let details: LinkDescription
    private let surroundings: LinkDependencies
    /// The events for a central's consumer; nil on a peripheral's link.
    let events: SingleConsumerQueue<CentralLinkEvent>?
    private var client: GATTClient
    private var server: GATTServer
    private var outbox: LinkOutbox
    private var operations = VirtualLinkOperations()
    /// The characteristics whose values the consumer asked for, by handle.
    private var subscriptions: [UInt16: RemoteCharacteristic] = [:]
    private var counters = LinkCounters()
    private var end = LinkClosure()

    init(_ details: LinkDescription, client: GATTClient, server: GATTServer, in surroundings: LinkDependencies) {
        self.details = details
        self.client = client
        self.server = server
        self.surroundings = surroundings
        outbox = LinkOutbox(capacity: details.queueCapacity)
        events = details.isCentral ? SingleConsumerQueue<CentralLinkEvent>() : nil
        surroundings.recorder.record(
            .connected(isCentral: details.isCentral, parameters: parameters), .received, link: id.number, peer: peer)
    }

    var id: LinkID { details.id }

    /// The number that the air gave the link.
    var air: LinkID { details.air }

    var peer: DeviceAddress { details.peer }

    var parameters: LinkParameters { details.parameters }

    /// The reason for which this side ends the link; nil while it does not.
    var closing: DisconnectReason? { end.reason }

    var isCentral: Bool { events != nil }

    /// The earliest deadline of the session.
    var nextDeadline: MonotonicInstant? {
        [client.nextDeadline, server.nextDeadline, end.deadline, operations.nextDeadline]
            .compactMap { $0 }.min()
    }

    /// The number of operations that are under way.
    var operationCount: Int { operations.count }

    /// The counters of the link.
    var statistics: LinkStatistics { counters.statistics(of: parameters) }

    private var now: MonotonicInstant { surroundings.clock.now() }

    // MARK: - Operations

    /// Begins an operation, whose end resumes `waiter`.
    func begin(_ request: VirtualLinkOperation, _ number: UInt64, _ waiter: Waiter) {
        operations.begin(number, endsWhenQueued: request.endsWhenQueued, waiter)
        switch request {
        case .procedure(let procedure): feedClient(.perform(id: number, procedure))
        case .notify(let value, let characteristic, let confirmed):
            feedServer(.notify(id: number, characteristic: characteristic, value: value, confirmed: confirmed))
        case .statistics:
            operations.awaitCounters(number, until: now + .seconds(1))
            surroundings.controller.perform(.readStatistics(air))
        }
    }

    /// Takes an operation back; does nothing when it has ended.
    func cancel(_ number: UInt64) {
        guard operations.contains(number) else { return }
        outbox.remove(of: number)
        operations.end(number, with: .failure(RadioError(.cancelled, "the operation was cancelled")))
        feedClient(.cancel(id: number))
    }

    /// Delivers the values of a characteristic from now on.
    func deliver(_ characteristic: RemoteCharacteristic) { subscriptions[characteristic.valueHandle] = characteristic }

    /// Stops delivering the values of a characteristic.
    func ignore(_ characteristic: RemoteCharacteristic) { subscriptions[characteristic.valueHandle] = nil }

    /// Sets the value that reads of a published characteristic return.
    func setValue(_ value: [UInt8], of characteristic: BluetoothUUID) throws(GATTError) {
        try server.setValue(value, of: characteristic)
    }

    /// Serves the services of another database, to which some were added or from which some were removed.
    func setDatabase(_ database: GATTDatabase) { server.setDatabase(database) }

    /// Answers the read that the central waits for.
    func answerRead(_ value: [UInt8]) { feedServer(.answerRead(value)) }

    /// Ends all operations, in the order in which they began.
    private func endAll(with error: RadioError) {
        outbox.removeAll()
        operations.endAll(with: error)
    }

    /// Completes an operation; one that ends when queued waits until the controller has taken the last PDU.
    private func complete(_ number: UInt64, _ reply: VirtualLinkResult) {
        if operations.endsWhenQueued(number), !outbox.isEmpty {
            outbox.awaitLast(number)
        } else {
            operations.end(number, with: .success(reply))
        }
    }

    // MARK: - The end

    /// Starts the end of the link, and resumes `waiter` when it is down.
    func beginClosing(_ waiter: CheckedContinuation<Void, Never>) {
        end.waiters.append(waiter)
        beginClosing(.local)
    }

    /// Starts the end of the link: only PDUs that the controller has queued are still sent.
    func beginClosing(_ reason: DisconnectReason) {
        guard closing == nil else { return }
        end.reason = reason
        endAll(with: RadioError(.linkLost, "this side ended the link"))
        let patience = Duration.milliseconds(parameters.supervisionTimeoutMilliseconds) + .seconds(2)
        end.deadline = now + patience
        surroundings.controller.perform(.disconnect(air))
    }

    /// Ends the session of a link that is down; `code` is the controller's reason, nil without one.
    func finish(_ reason: DisconnectReason, _ counters: AirLinkStatistics?, code: UInt8?) {
        end.reason = closing ?? reason
        if let counters { self.counters.controller = counters }
        surroundings.recorder.record(
            .disconnected(reason: code ?? reason.rawValue), .received, link: id.number, peer: peer)
        feedClient(.linkDown)
        feedServer(.linkDown)
        endAll(with: RadioError(.linkLost, "the link is down"))
        if let events {
            events.put(.disconnected(reason))
            events.finish()
        } else {
            surroundings.peripheralEvents.put(
                .disconnected(id, reason), limit: VirtualRadio.maximumEvents + VirtualRadio.eventReserve)
        }
        for waiter in end.waiters { waiter.resume() }
        end.waiters = []
    }

    /// Ends overdue operations; returns the reason when the link counts as down.
    func expire(at now: MonotonicInstant) -> DisconnectReason? {
        if let deadline = client.nextDeadline, deadline <= now { feedClient(.deadline) }
        if let deadline = server.nextDeadline, deadline <= now { feedServer(.deadline) }
        operations.expire(at: now)
        guard let deadline = end.deadline, deadline <= now else { return nil }
        return closing ?? .local
    }

    // MARK: - In

    /// An L2CAP frame has arrived; other channels than that of ATT, and frames that are none, are ignored.
    func receive(_ frame: [UInt8]) {
        surroundings.recorder.record(.frame(frame), .received, link: id.number, peer: peer)
        guard closing == nil, let content = try? L2CAPFrame(frame),
            content.channel == L2CAPFrame.attributeChannel, let opcode = content.payload.first
        else { return }
        counters.pdusReceived += 1
        switch ATTOpcode.recipient(of: opcode) {
        case .client: feedClient(.received(content.payload))
        case .server: feedServer(.received(content.payload))
        }
    }

    /// Stores the controller's counters of the link.
    func take(_ counters: AirLinkStatistics) {
        self.counters.controller = counters
        operations.countersCame()
    }

    // MARK: - Cores

    private func feedClient(_ input: GATTClient.Input) {
        var outputs: [GATTClient.Output] = []
        client.handle(input, at: now, into: &outputs)
        for output in outputs { follow(output) }
        pump()
    }

    private func feedServer(_ input: GATTServer.Input) {
        var outputs: [GATTServer.Output] = []
        server.handle(input, at: now, into: &outputs)
        for output in outputs { follow(output) }
        pump()
    }

    private func follow(_ output: GATTClient.Output) {
        switch output {
        case .send(let pdu): enqueue(pdu)
        case .mtuChanged(let mtu):
            note(mtu: mtu)
            feedServer(.mtuAgreed(mtu))
        case .completed(let number, let outcome): complete(number, .outcome(outcome))
        case .failed(let number, let error): operations.end(number, with: .failure(RadioError(error)))
        case .value(let value, let handle, let isIndication):
            deliver(value, handle: handle, isIndication: isIndication)
        case .dropped: break
        case .linkFailed: beginClosing(.protocolFailure)
        }
    }

    private func follow(_ output: GATTServer.Output) {
        switch output {
        case .send(let pdu): enqueue(pdu)
        case .mtuChanged(let mtu):
            note(mtu: mtu)
            feedClient(.mtuAgreed(mtu))
        case .written(let characteristic, let value, let isCommand):
            report(.written(id, characteristic: characteristic, value: value, isCommand: isCommand))
        case .readPassedOn(let characteristic, let offset):
            report(.read(id, characteristic: characteristic, offset: offset))
        case .subscribed(let characteristic, let isSubscribed):
            report(.subscribed(id, characteristic: characteristic, isSubscribed: isSubscribed))
        case .notified(let number): complete(number, .done)
        case .notifyFailed(let number, let error): operations.end(number, with: .failure(RadioError(error)))
        case .dropped: break
        case .linkFailed: beginClosing(.protocolFailure)
        }
    }

    // MARK: - Out

    /// Records that the controller has sent a frame, and gives it the next ones.
    func frameSent() {
        outbox.sent()
        pump()
    }

    private func enqueue(_ pdu: [UInt8]) {
        guard closing == nil else { return }
        if !outbox.append(pdu) { beginClosing(.protocolFailure) }
    }

    /// Gives the controller the PDUs that its queue has room for.
    private func pump() {
        guard closing == nil else { return }
        while let outbound = outbox.takeNext() {
            counters.pdusSent += 1
            let frame = L2CAPFrame(payload: outbound.pdu).bytes
            surroundings.recorder.record(.frame(frame), .sent, link: id.number, peer: peer)
            surroundings.controller.perform(.send(air, frame: frame))
            if let waiter = outbound.waiter { operations.end(waiter, with: .success(.done)) }
        }
        outbox.removeTaken()
    }

    // MARK: - Events

    private func note(mtu: Int) {
        guard counters.mtu != mtu else { return }
        counters.mtu = mtu
        report(CentralLinkEvent.mtu(mtu))
        report(PeripheralEvent.mtu(id, mtu))
    }

    private func deliver(_ value: [UInt8], handle: UInt16, isIndication: Bool) {
        guard let characteristic = subscriptions[handle] else { return }
        report(.value(value, of: characteristic, isIndication: isIndication))
    }

    /// Delivers an event to a central's consumer; one that is too slow loses the link, because values are never
    /// dropped.
    private func report(_ event: CentralLinkEvent) {
        guard closing == nil, let events else { return }
        if !events.put(event, limit: VirtualRadio.maximumEvents) { beginClosing(.protocolFailure) }
    }

    /// Delivers an event to the consumer of the peripheral role, unless it is too slow.
    private func report(_ event: PeripheralEvent) {
        guard !isCentral else { return }
        if !surroundings.peripheralEvents.put(event, limit: VirtualRadio.maximumEvents) { counters.droppedEvents += 1 }
    }
}
