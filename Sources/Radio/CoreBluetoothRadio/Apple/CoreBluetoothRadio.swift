#if CORE_BLUETOOTH
    public import Bluetooth
    public import Determinism
    public import Radio

    /// A radio on Core Bluetooth, in both roles.
    ///
    /// It translates; what is decided stands in `CentralCore` and `PeripheralCore`. The system exchanges the MTU
    /// unasked, merges advertisement and scan response, hides addresses, notifies subscribers alone, and lets an app
    /// advertise services and a name: what it cannot do throws `unsupported`. In the background a scan needs a filter,
    /// reports no duplicates, and an advertisement is heard by Apple's devices alone that look for its services.
    public actor CoreBluetoothRadio: CentralRadio, PeripheralRadio {
        /// The properties of a radio.
        public struct Configuration: Sendable {
            /// True when the app advertises and serves as well; a wallet needs the central role alone.
            public var hasPeripheralRole: Bool
            /// The name under which the system keeps the app's use of Bluetooth when it ends the app.
            ///
            /// Nil: it keeps nothing. Two radios of one app need two names.
            public var restoreIdentifier: String?
            /// True when the system asks the user to turn Bluetooth on when it is off.
            public var asksToPowerOn: Bool
            /// The longest wait of `open` for the system's first word, the question for permission included.
            public var stateWait: Duration
            /// The longest wait for the answer to a request before the link is ended.
            public var requestTimeout: Duration

            /// The time for which connections, scans and services of the system wait for the app to take them up.
            public var restoreWait: Duration

            /// Makes a configuration.
            public init(
                hasPeripheralRole: Bool = true, restoreIdentifier: String? = nil, asksToPowerOn: Bool = true,
                stateWait: Duration = .seconds(60), requestTimeout: Duration = .seconds(30),
                restoreWait: Duration = .seconds(30)
            ) {
                self.hasPeripheralRole = hasPeripheralRole
                self.restoreIdentifier = restoreIdentifier
                self.asksToPowerOn = asksToPowerOn
                self.stateWait = stateWait
                self.requestTimeout = requestTimeout
                self.restoreWait = restoreWait
            }
        }

        /// The most events of one link, or of the peripheral role, that wait for their consumer.
        static let maximumEvents = 4096
        /// The events beyond `maximumEvents` that only connections, disconnections and similar ones may use.
        static let eventReserve = 512

        /// True: the system exchanges the MTU unasked.
        public nonisolated var exchangesMTUUnasked: Bool { true }
        /// True: the system reads the signal strength of a link.
        public nonisolated var readsLinkRSSI: Bool { true }
        /// The events that centrals cause, see `PeripheralRadio`.
        public nonisolated var events: AsyncStream<PeripheralEvent> { peripheralEvents.stream }
        /// The states of Bluetooth from now on, the present one first; for one consumer.
        public nonisolated let states: AsyncStream<BluetoothSystemState>
        /// The state that the system kept while the app did not run; nil without one or without a restore identifier.
        ///
        /// It stands once `open` has returned.
        public private(set) var restored: RestoredState?

        private nonisolated let peripheralEvents = SingleConsumerQueue<PeripheralEvent>()
        private let configuration: Configuration
        private let clock: any MonotonicClock
        private let facts: ManagerEventQueue
        private let stateContinuation: AsyncStream<BluetoothSystemState>.Continuation
        private var central: CentralRole
        private var peripheral: PeripheralRole
        private var pending = PendingOperations()
        private var timer: DeadlineTimer
        private var life = RadioLifetime()

        /// An event that one of the two ports reports; all go into one ordered stream.
        private enum ManagerEvent: Sendable {
            case central(CentralManagerBridge.CentralManagerEvent)
            case peripheral(PeripheralCore.Input)
        }

        private enum Role: Sendable {
            case central
            case peripheral
        }

        /// The result of an operation that a caller waits for.
        private enum RadioOperationResult: Sendable {
            case opened(LinkID)
            case ended(Result<LinkOperationQueue.LinkOperationResult, RadioError>)
        }

        /// The events of both ports, in one order.
        private struct ManagerEventQueue: Sendable {
            let stream: AsyncStream<ManagerEvent>
            let continuation: AsyncStream<ManagerEvent>.Continuation

            init() { (stream, continuation) = AsyncStream<ManagerEvent>.makeStream() }
        }

        /// The central role: the system's manager, the core that decides, and the consumers.
        private struct CentralRole {
            let port: CentralManagerBridge
            var core: CentralCore
            var state = BluetoothSystemState.unknown
            var streams = AdvertisementReportStreams()
            var mailboxes: [LinkID: SingleConsumerQueue<CentralLinkEvent>] = [:]
        }

        /// The peripheral role: the system's manager, nil without the role, and the core that decides.
        private struct PeripheralRole {
            let port: PeripheralManagerBridge?
            var core: PeripheralCore
            var state = BluetoothSystemState.unknown
        }

        /// The operations whose callers wait, and the numbers of operations and scans.
        private struct PendingOperations {
            private var waiters: [RadioOperationID: CheckedContinuation<RadioOperationResult, Never>] = [:]
            private var lastNumber: UInt64 = 0

            mutating func nextNumber() -> UInt64 {
                lastNumber += 1
                return lastNumber
            }

            mutating func add(_ id: RadioOperationID, _ waiter: CheckedContinuation<RadioOperationResult, Never>) {
                waiters[id] = waiter
            }

            mutating func end(_ id: RadioOperationID, _ outcome: RadioOperationResult) {
                waiters.removeValue(forKey: id)?.resume(returning: outcome)
            }
        }

        /// The life of the radio, from the first event to the end.
        private struct RadioLifetime {
            var listening: Task<Void, Never>?
            private(set) var isClosed = false

            /// Closes the radio; false when that is done.
            mutating func close() -> Bool {
                defer { isClosed = true }
                return !isClosed
            }
        }

        private init(_ configuration: Configuration, clock: any MonotonicClock) {
            self.configuration = configuration
            self.clock = clock
            timer = DeadlineTimer(clock: clock)
            (states, stateContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(16))
            let facts = ManagerEventQueue()
            self.facts = facts
            central = CentralRole(
                port: CentralManagerBridge { facts.continuation.yield(.central($0)) },
                core: CentralCore(
                    requestTimeout: configuration.requestTimeout, restoreWait: configuration.restoreWait))
            peripheral = PeripheralRole(
                port: configuration.hasPeripheralRole
                    ? PeripheralManagerBridge { facts.continuation.yield(.peripheral($0)) } : nil,
                core: PeripheralCore(restoreWait: configuration.restoreWait))
        }

        /// Makes a radio and waits until the system says that Bluetooth is on.
        ///
        /// - Throws: `notPermitted` when the user does not allow it; `unavailable` when Bluetooth is off, missing, or
        ///   the system says nothing in time.
        public static func open(
            _ configuration: Configuration = Configuration(), clock: any MonotonicClock = SystemMonotonicClock()
        ) async throws(RadioError) -> CoreBluetoothRadio {
            let radio = CoreBluetoothRadio(configuration, clock: clock)
            do throws(RadioError) {
                try await radio.start()
            } catch {
                await radio.close()
                throw error
            }
            return radio
        }

        private func start() async throws(RadioError) {
            life.listening = Task { [weak self, facts] in
                for await fact in facts.stream { await self?.take(fact) }
            }
            let restoreIdentifier = configuration.restoreIdentifier
            central.port.open(
                restoreIdentifier: restoreIdentifier.map { $0 + ".central" },
                asksToPowerOn: configuration.asksToPowerOn)
            peripheral.port?.open(
                restoreIdentifier: restoreIdentifier.map { $0 + ".peripheral" },
                asksToPowerOn: configuration.asksToPowerOn)
            let deadline = clock.now() + configuration.stateWait
            while !isSettled, clock.now() < deadline {
                do { try await clock.wait(until: clock.now() + .milliseconds(10)) } catch {
                    throw RadioError(.cancelled, "opening the radio was cancelled")
                }
            }
            if let error = central.state.failure { throw error }
            if peripheral.port != nil, let error = peripheral.state.failure { throw error }
        }

        private var isSettled: Bool {
            let waits: [BluetoothSystemState] = [.unknown, .resetting]
            return !waits.contains(central.state) && (peripheral.port == nil || !waits.contains(peripheral.state))
        }

        /// Ends every link, scan and advertisement.
        ///
        /// Closing again does nothing.
        public func close() async {
            guard life.close() else { return }
            feed(CentralCore.Input.state(.off))
            feed(PeripheralCore.Input.state(.off))
            central.port.close()
            peripheral.port?.close()
            timer.cancel()
            facts.continuation.finish()
            stateContinuation.finish()
            peripheralEvents.finish()
            life.listening?.cancel()
        }

        private func take(_ fact: ManagerEvent) {
            guard !life.isClosed else { return }
            switch fact {
            case .central(.heard(let report)):
                central.streams.take(report)
                if central.core.seeks(report.address) { feed(CentralCore.Input.heard(report.address)) }
            case .central(.input(let input)):
                if case .state(let state) = input {
                    central.state = state
                    stateContinuation.yield(state)
                }
                if case .restored(let devices, let scan) = input { note { $0.note(devices, scan: scan) } }
                feed(input)
            case .peripheral(let input):
                if case .state(let state) = input { peripheral.state = state }
                if case .restored(let services, let advertisement) = input {
                    note { $0.note(services, advertisement: advertisement) }
                }
                feed(input)
            }
        }

        private func note(_ change: (inout RestoredState) -> Void) {
            var state = restored ?? RestoredState()
            change(&state)
            restored = state
        }

        private func feed(_ input: CentralCore.Input) {
            var outputs: [CentralCore.Output] = []
            central.core.handle(input, at: clock.now(), into: &outputs)
            for output in outputs { carryOut(output) }
            arm()
        }

        private func feed(_ input: PeripheralCore.Input) {
            var outputs: [PeripheralCore.Output] = []
            peripheral.core.handle(input, at: clock.now(), into: &outputs)
            for output in outputs { carryOut(output) }
            arm()
        }

        private func arm() {
            guard !life.isClosed else { return }
            let deadlines = [central.core.nextDeadline, peripheral.core.nextDeadline].compactMap { $0 }
            timer.arm(deadlines.min()) { [weak self] in await self?.timerFired($0) }
        }

        private func timerFired(_ generation: UInt64) {
            guard timer.hasFired(generation) else { return }
            feed(CentralCore.Input.tick)
            feed(PeripheralCore.Input.tick)
        }

        private func carryOut(_ output: CentralCore.Output) {
            switch output {
            case .failScans(let error): central.streams.fail(error)
            case .heard(let report): central.streams.take(report)
            case .opened(let id, let link):
                central.mailboxes[link] = SingleConsumerQueue()
                pending.end(id, .opened(link))
            case .completed(let id, let result):
                pending.end(id, .ended(result))
            case .event(let link, let event): deliver(event, of: link)
            case .startScanning, .stopScanning, .connect, .cancelConnection, .perform: central.port.perform(output)
            }
        }

        private func deliver(_ event: CentralLinkEvent, of link: LinkID) {
            guard let mailbox = central.mailboxes[link] else { return }
            switch event {
            case .value:
                guard !mailbox.put(event, limit: Self.maximumEvents) else { return }
                facts.continuation.yield(.central(.input(.overflow(link))))
            case .mtu: mailbox.put(event, limit: Self.maximumEvents + Self.eventReserve)
            case .disconnected:
                mailbox.put(event)
                mailbox.finish()
                central.mailboxes[link] = nil
            }
        }

        private func carryOut(_ output: PeripheralCore.Output) {
            switch output {
            case .completed(let id, let error):
                pending.end(id, .ended(error.map { .failure($0) } ?? .success(.done)))
            case .event(let event):
                var limit = Self.maximumEvents + Self.eventReserve
                if case .written = event { limit = Self.maximumEvents }
                peripheralEvents.put(event, limit: limit)
            case .removeAllServices, .add, .remove, .startAdvertising, .stopAdvertising, .respond, .push:
                peripheral.port?.perform(output)
            }
        }

        /// Gives the core of a role an operation and waits for its end.
        private func run(_ role: Role, _ begin: (RadioOperationID) -> Void) async throws(RadioError)
            -> RadioOperationResult
        {
            if life.isClosed { throw RadioError(.unavailable, "the radio is closed") }
            if Task.isCancelled { throw RadioError(.cancelled, "the operation was cancelled") }
            let id = RadioOperationID(number: pending.nextNumber())
            return await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    pending.add(id, continuation)
                    begin(id)
                }
            } onCancel: {
                Task { await self.cancel(id, role) }
            }
        }

        private func cancel(_ id: RadioOperationID, _ role: Role) {
            switch role {
            case .central: feed(CentralCore.Input.cancel(id))
            case .peripheral: feed(PeripheralCore.Input.cancel(id))
            }
        }

        /// Makes a request on a link and waits for the answer.
        func perform(
            _ request: LinkOperationQueue.Request, on link: LinkID
        ) async throws(RadioError) -> LinkOperationQueue.LinkOperationResult {
            let outcome = try await run(.central) { feed(CentralCore.Input.request($0, link, request)) }
            guard case .ended(let result) = outcome else { throw RadioError(.badAnswer, "the reply is of a connect") }
            return try result.get()
        }

        /// Ends a link of the central role and waits until it is down.
        func end(_ link: LinkID) async {
            guard !life.isClosed else { return }
            let id = RadioOperationID(number: pending.nextNumber())
            _ = await withCheckedContinuation { continuation in
                pending.add(id, continuation)
                feed(CentralCore.Input.disconnect(id, link))
            }
        }

        func mtu(of link: LinkID) -> Int { central.core.mtu(of: link) }

        /// Starts scanning, see `CentralRadio`.
        ///
        /// With services the system filters, which an app in the background needs; without any it hears everything, in
        /// the foreground alone.
        public func scan(
            services: [BluetoothUUID]
        ) async throws(RadioError) -> AsyncThrowingStream<AdvertisementReport, any Error> {
            if life.isClosed { throw RadioError(.unavailable, "the radio is closed") }
            if let error = central.state.failure { throw error }
            let number = pending.nextNumber()
            let stream = try central.streams.open(number, services: services) { [weak self] in
                Task { await self?.endScan(number) }
            }
            feed(CentralCore.Input.scan(number: number, services: services))
            return stream
        }

        private func endScan(_ number: UInt64) {
            guard central.streams.close(number) else { return }
            feed(CentralCore.Input.endScan(number: number))
        }

        /// Connects, see `CentralRadio`; a device that has not been heard is scanned for first.
        public func connect(
            to address: DeviceAddress, timeout: Duration
        ) async throws(RadioError) -> any CentralLink {
            let outcome = try await run(.central) { feed(CentralCore.Input.connect($0, address, timeout: timeout)) }
            switch outcome {
            case .opened(let link):
                let mailbox = central.mailboxes[link] ?? SingleConsumerQueue()
                return CoreBluetoothLink(radio: self, id: link, peer: address, mailbox: mailbox)
            case .ended(.failure(let error)): throw error
            case .ended(.success): throw RadioError(.badAnswer, "a connect ended without a link")
            }
        }
    }

    // The peripheral role.
    extension CoreBluetoothRadio {
        private func serve(_ input: (RadioOperationID) -> PeripheralCore.Input) async throws(RadioError) {
            guard peripheral.port != nil else {
                throw RadioError(.unsupported, "the radio was opened for the central role alone")
            }
            let outcome = try await run(.peripheral) { feed(input($0)) }
            if case .ended(.failure(let error)) = outcome { throw error }
        }

        /// Publishes services, see `PeripheralRadio`.
        public func publish(_ services: [ServiceDefinition]) async throws(RadioError) {
            try await serve { .publish($0, services) }
        }

        /// True: the system adds and removes services one by one.
        ///
        /// It has one advertisement for an app, so that `advertisesSeveral` is false.
        public nonisolated var addsServices: Bool { true }

        /// Adds a service, see `PeripheralRadio`.
        public func addService(_ service: ServiceDefinition) async throws(RadioError) {
            try await serve { .addService($0, service) }
        }

        /// Removes a service, see `PeripheralRadio`.
        public func removeService(_ uuid: BluetoothUUID) async { feed(PeripheralCore.Input.removeService(uuid)) }

        /// Starts advertising, see `PeripheralRadio`.
        ///
        /// - Throws: `unsupported` for service data, manufacturer data, a scan response, and advertising without
        ///   connections.
        public func startAdvertising(_ advertisement: Advertisement) async throws(RadioError) {
            try await serve { .startAdvertising($0, advertisement) }
        }

        /// Stops advertising, see `PeripheralRadio`.
        public func stopAdvertising() async { feed(PeripheralCore.Input.stopAdvertising) }

        /// Pushes a value to a subscriber, see `PeripheralRadio`.
        ///
        /// It returns when the system has taken the value, confirmed or not: the system does not tell.
        ///
        /// - Throws: `unsupported` for a central that has not subscribed.
        public func notify(
            _ value: [UInt8], of characteristic: BluetoothUUID, on link: LinkID, confirmed: Bool
        ) async throws(RadioError) {
            try await serve { .notify($0, value, of: characteristic, link) }
        }

        /// Sets the value that reads return, see `PeripheralRadio`.
        public func setValue(_ value: [UInt8], of characteristic: BluetoothUUID) async throws(RadioError) {
            try await serve { .setValue($0, value, of: characteristic) }
        }

        /// Answers a read, see `PeripheralRadio`.
        public func answerRead(_ value: [UInt8], on link: LinkID) async throws(RadioError) {
            feed(PeripheralCore.Input.answerRead(value, link))
        }

        /// Forgets a central, whose link the system has no way to end.
        ///
        /// Its next request counts as a new connection.
        public func disconnect(_ link: LinkID) async { feed(PeripheralCore.Input.disconnect(link)) }

        /// The counters of a link in either role: requests and values that this app sent and received.
        public func statistics(of link: LinkID) async -> LinkStatistics {
            peripheral.core.statistics(of: link) ?? central.core.statistics(of: link)
        }
    }
#endif
