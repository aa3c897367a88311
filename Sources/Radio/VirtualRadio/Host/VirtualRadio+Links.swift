import Bluetooth
import Determinism
import Radio
import Simulation

// The life of a link and the way of a PDU through it. Nothing here waits between a core's answer and its queueing, so
// the order on the wire is the order of the calls.
extension VirtualRadio {
    // MARK: - Operations

    /// Asks something of a link and waits for its end.
    func run(_ request: LinkRequest, on link: LinkID) async throws(RadioError) -> LinkReply {
        guard !Task.isCancelled else { throw RadioError(.cancelled, "the operation was cancelled") }
        guard let session = session(link), session.closing == nil else {
            throw RadioError(.linkLost, "the link is down")
        }
        guard session.operations.count < LinkSession.maximumOperations else {
            throw RadioError(.tooLarge, "\(session.operations.count) operations are under way on the link")
        }
        let number = nextNumber()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                session.operations[number] = LinkSession.Operation(
                    continuation: continuation, endsWhenQueued: request.endsWhenQueued)
                begin(request, number, on: session)
            }
        } onCancel: {
            Task { await self.cancel(number, on: link) }
        }
        return try result.get()
    }

    private func begin(_ request: LinkRequest, _ number: UInt64, on session: LinkSession) {
        switch request {
        case .procedure(let procedure): feedClient(.perform(id: number, procedure), session)
        case .notify(let value, let characteristic, let confirmed):
            feedServer(
                .notify(id: number, characteristic: characteristic, value: value, confirmed: confirmed), session)
        case .statistics:
            session.statisticsWaiters.append((number, timekeeper.now() + .seconds(1)))
            controller.perform(.readStatistics(session.air))
        }
        rearm()
    }

    private func cancel(_ number: UInt64, on link: LinkID) {
        guard let session = session(link), session.operations[number] != nil else { return }
        session.outbox.removeAll { $0.waiter == number }
        session.statisticsWaiters.removeAll { $0.id == number }
        session.end(number, with: .failure(RadioError(.cancelled, "the operation was cancelled")))
        feedClient(.cancel(id: number), session)
    }

    /// The link with this name, unless it is down.
    func session(_ link: LinkID) -> LinkSession? {
        sessions.values.first { $0.id == link }
    }

    // MARK: - Life

    func makeSession(
        _ link: LinkID, _ peer: DeviceAddress, isCentral: Bool, _ parameters: LinkParameters, queueCapacity: Int
    ) -> LinkSession {
        let timeout = configuration.transactionTimeout
        let session = LinkSession(
            id: nextLink(), air: link, peer: peer, isCentral: isCentral, parameters: parameters,
            queueCapacity: queueCapacity,
            client: GATTClient(configuration: GATTClient.Configuration(transactionTimeout: timeout)),
            server: GATTServer(
                database: database,
                configuration: GATTServer.Configuration(
                    maximumMTU: min(configuration.maximumMTU, parameters.maximumMTU), transactionTimeout: timeout)))
        sessions[link] = session
        tap(.connected(isCentral: isCentral, parameters: parameters), .received, link: session.id.number, peer: peer)
        return session
    }

    /// Ends a link and waits until it is down.
    func disconnectAndWait(_ link: LinkID) async {
        guard let session = session(link) else { return }
        await withCheckedContinuation { continuation in
            session.endWaiters.append(continuation)
            beginClosing(session, .local)
        }
    }

    /// Starts the end of a link: what the controller has queued still goes, nothing else does.
    func beginClosing(_ session: LinkSession, _ reason: DisconnectReason) {
        guard session.closing == nil else { return }
        session.closing = reason
        session.endAll(with: RadioError(.linkLost, "this side ended the link"))
        let patience = Duration.milliseconds(session.parameters.supervisionTimeoutMilliseconds) + .seconds(2)
        session.closeDeadline = timekeeper.now() + patience
        controller.perform(.disconnect(session.air))
        rearm()
    }

    /// A link is down.
    func finish(
        _ session: LinkSession, _ reason: DisconnectReason, _ counters: AirLinkStatistics?, code: UInt8? = nil
    ) {
        guard sessions.removeValue(forKey: session.air) != nil else { return }
        session.closing = session.closing ?? reason
        session.counters = counters ?? session.counters
        remember(session)
        tap(
            .disconnected(reason: code ?? reason.rawValue), .received, link: session.id.number, peer: session.peer)
        feedClient(.linkDown, session)
        feedServer(.linkDown, session)
        session.endAll(with: RadioError(.linkLost, "the link is down"))
        if session.isCentral {
            session.events?.put(.disconnected(reason))
            session.events?.finish()
        } else {
            peripheralEvents.put(.disconnected(session.id, reason), limit: Self.maximumEvents + Self.eventReserve)
        }
        for waiter in session.endWaiters { waiter.resume() }
        session.endWaiters = []
        if sessions.isEmpty { releaseCloseWaiter() }
    }

    private func remember(_ session: LinkSession) {
        ended[session.id] = session.statistics
        if ended.count > Self.maximumEndedLinks, let oldest = ended.keys.min() { ended[oldest] = nil }
    }

    /// Does what has become overdue on a link.
    func expire(_ session: LinkSession, at now: MonotonicInstant) {
        if let deadline = session.client.nextDeadline, deadline <= now { feedClient(.deadline, session) }
        if let deadline = session.server.nextDeadline, deadline <= now { feedServer(.deadline, session) }
        while let waiter = session.statisticsWaiters.first, waiter.deadline <= now {
            session.statisticsWaiters.removeFirst()
            session.end(waiter.id, with: .success(.statistics))
        }
        if let deadline = session.closeDeadline, deadline <= now {
            finish(session, session.closing ?? .local, nil)
        }
    }

    // MARK: - In

    /// An L2CAP frame has arrived; other channels than that of ATT, and frames that are none, are ignored.
    func receive(_ frame: [UInt8], on session: LinkSession) {
        tap(.frame(frame), .received, link: session.id.number, peer: session.peer)
        guard session.closing == nil, let content = try? L2CAPFrame(frame),
            content.channel == L2CAPFrame.attributeChannel, let opcode = content.payload.first
        else { return }
        session.pdusReceived += 1
        switch ATTOpcode.recipient(of: opcode) {
        case .client: feedClient(.received(content.payload), session)
        case .server: feedServer(.received(content.payload), session)
        }
    }

    func take(_ counters: AirLinkStatistics, of session: LinkSession) {
        session.counters = counters
        let waiters = session.statisticsWaiters
        session.statisticsWaiters = []
        for waiter in waiters { session.end(waiter.id, with: .success(.statistics)) }
    }

    // MARK: - Cores

    func feedClient(_ input: GATTClient.Input, _ session: LinkSession) {
        var outputs: [GATTClient.Output] = []
        session.client.handle(input, at: timekeeper.now(), into: &outputs)
        for output in outputs { follow(output, session) }
        pump(session)
    }

    func feedServer(_ input: GATTServer.Input, _ session: LinkSession) {
        var outputs: [GATTServer.Output] = []
        session.server.handle(input, at: timekeeper.now(), into: &outputs)
        for output in outputs { follow(output, session) }
        pump(session)
    }

    private func follow(_ output: GATTClient.Output, _ session: LinkSession) {
        switch output {
        case .send(let pdu): enqueue(pdu, session)
        case .mtuChanged(let mtu):
            noteMTU(mtu, session)
            feedServer(.mtuAgreed(mtu), session)
        case .completed(let number, let outcome): complete(number, .outcome(outcome), session)
        case .failed(let number, let error): session.end(number, with: .failure(RadioError(error)))
        case .value(let value, let handle, let isIndication):
            deliver(value, handle: handle, isIndication: isIndication, session)
        case .dropped: break
        case .linkFailed: beginClosing(session, .protocolFailure)
        }
    }

    private func follow(_ output: GATTServer.Output, _ session: LinkSession) {
        switch output {
        case .send(let pdu): enqueue(pdu, session)
        case .mtuChanged(let mtu):
            noteMTU(mtu, session)
            feedClient(.mtuAgreed(mtu), session)
        case .written(let characteristic, let value, let isCommand):
            tell(.written(session.id, characteristic: characteristic, value: value, isCommand: isCommand), session)
        case .subscribed(let characteristic, let isSubscribed):
            tell(.subscribed(session.id, characteristic: characteristic, isSubscribed: isSubscribed), session)
        case .notified(let number): complete(number, .done, session)
        case .notifyFailed(let number, let error): session.end(number, with: .failure(RadioError(error)))
        case .dropped: break
        case .linkFailed: beginClosing(session, .protocolFailure)
        }
    }

    /// An operation is done; one that waits for room only once its PDU, the last that was queued, has found it.
    private func complete(_ number: UInt64, _ reply: LinkReply, _ session: LinkSession) {
        if session.operations[number]?.endsWhenQueued ?? false, !session.outbox.isEmpty {
            session.outbox[session.outbox.count - 1].waiter = number
        } else {
            session.end(number, with: .success(reply))
        }
    }

    // MARK: - Out

    private func enqueue(_ pdu: [UInt8], _ session: LinkSession) {
        guard session.closing == nil else { return }
        guard session.outbox.count < LinkSession.maximumOutbox else { return beginClosing(session, .protocolFailure) }
        session.outbox.append(LinkSession.Outbound(pdu: pdu))
    }

    /// Gives the controller what its queue has room for.
    func pump(_ session: LinkSession) {
        guard session.closing == nil else { return }
        var taken = 0
        while session.inFlight < session.queueCapacity, taken < session.outbox.count {
            let outbound = session.outbox[taken]
            taken += 1
            session.inFlight += 1
            session.pdusSent += 1
            let frame = L2CAPFrame(payload: outbound.pdu).bytes
            tap(.frame(frame), .sent, link: session.id.number, peer: session.peer)
            controller.perform(.send(session.air, frame: frame))
            if let waiter = outbound.waiter { session.end(waiter, with: .success(.done)) }
        }
        if taken > 0 { session.outbox.removeFirst(taken) }
    }

    // MARK: - Events

    private func noteMTU(_ mtu: Int, _ session: LinkSession) {
        guard session.mtu != mtu else { return }
        session.mtu = mtu
        if session.isCentral {
            tell(CentralLinkEvent.mtu(mtu), session)
        } else {
            tell(PeripheralEvent.mtu(session.id, mtu), session)
        }
    }

    private func deliver(_ value: [UInt8], handle: UInt16, isIndication: Bool, _ session: LinkSession) {
        guard let characteristic = session.subscriptions[handle] else {
            session.unsubscribedValues += 1
            return
        }
        tell(.value(value, of: characteristic, isIndication: isIndication), session)
    }

    /// Tells a central; one that is too far behind loses the link, because values are never dropped.
    private func tell(_ event: CentralLinkEvent, _ session: LinkSession) {
        guard session.closing == nil, let events = session.events else { return }
        if !events.put(event, limit: Self.maximumEvents) { beginClosing(session, .protocolFailure) }
    }

    /// Tells the consumer of the peripheral role, unless he is too far behind.
    private func tell(_ event: PeripheralEvent, _ session: LinkSession) {
        guard !session.isCentral else { return }
        if !peripheralEvents.put(event, limit: Self.maximumEvents) { session.droppedEvents += 1 }
    }
}
