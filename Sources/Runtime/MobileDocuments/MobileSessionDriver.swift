import Bluetooth
import Determinism
import MobileSession
import Radio

/// Runs one session on a radio: a driver without decisions around its machine.
actor MobileSessionDriver<Session: MobileSessionMachine> {
    /// The link that was requested, as the central.
    private struct RequestedLink {
        var link: (any CentralLink)?
        var characteristics: [RemoteCharacteristic] = []
        var listening: Task<Void, Never>?
        var scanning: Task<Void, Never>?
        /// Raised by each end of an attempt, so that what belongs to an earlier one has no effect.
        var attempt = 0

        func characteristic(_ uuid: BluetoothUUID?) -> RemoteCharacteristic? {
            characteristics.first { $0.uuid == uuid }
        }
    }

    /// The service for the other side, as the peripheral.
    private struct ServedService {
        var mode = MobileMode.centralClient
        var advertisement: Advertisement?
        var listening: Task<Void, Never>?
    }

    private let radio: any CentralRadio & PeripheralRadio
    private let clock: any MonotonicClock
    /// Called for each event, and once with the end when everything on the radio is down.
    private let report: @Sendable (MobileSessionOutput) -> Void
    private let centralOperations = SerialQueue()
    private var peripheralOperations = PeripheralOperations()
    private var timer: DeadlineTimer
    private var session: Session
    private var requested = RequestedLink()
    private var served = ServedService()
    private var end = SessionShutdown()

    init(
        _ session: Session, radio: any CentralRadio & PeripheralRadio, clock: any MonotonicClock,
        report: @escaping @Sendable (MobileSessionOutput) -> Void
    ) {
        self.session = session
        self.radio = radio
        self.clock = clock
        self.report = report
        timer = DeadlineTimer(clock: clock)
    }

    /// Ends the session, and returns when everything on the radio is down; at once when it has ended.
    func stop() async {
        feed(.cancel)
        guard !end.hasCome else { return }
        await withCheckedContinuation { end.waiters.append($0) }
    }

    func feed(_ input: Session.Input) {
        var outputs: [MobileSessionOutput] = []
        session.handle(input, at: clock.now(), into: &outputs)
        for output in outputs { apply(output) }
        timer.arm(session.nextDeadline) { [weak self] in await self?.timerFired($0) }
    }

    private func feed(_ input: MobileLinkInput) { feed(.link(input)) }

    private func timerFired(_ generation: UInt64) {
        guard timer.hasFired(generation) else { return }
        feed(.tick)
    }

    private func apply(_ output: MobileSessionOutput) {
        switch output {
        case .link(let action): apply(action)
        case .event: report(output)
        case .finished:
            centralOperations.cancelCurrent()
            centralOperations.add { await self.finish(output) }
        }
    }

    private func apply(_ action: MobileLinkOutput) {
        switch action {
        case .startScanning(let service): startScanning(service)
        case .stopScanning: stopScanning()
        case .connect(let address, let timeout): connect(to: address, timeout: timeout)
        case .exchangeMTU(let requested): onLink { await self.exchangeMTU(requested, $0) }
        case .discover(let service): onLink { await self.discover(service, $0) }
        case .readIdent: onLink { await self.readIdent($0) }
        case .subscribe(let uuids): onLink { await self.subscribe(uuids, $0) }
        case .write(let characteristic, let value): onLink { await self.write(value, to: characteristic, $0) }
        case .disconnect: hangUp()
        case .serve, .advertise, .stopAdvertising, .notify, .disconnectCentral, .stopServing: serve(action)
        }
    }

    private func finish(_ output: MobileSessionOutput) async {
        timer.cancel()
        stopScanning()
        requested.listening?.cancel()
        await peripheralOperations.drain()
        served.listening?.cancel()
        report(output)
        end.come()
    }
}

/// The end of a session, and the callers of `stop` that wait for it.
private struct SessionShutdown {
    private(set) var hasCome = false
    var waiters: [CheckedContinuation<Void, Never>] = []

    mutating func come() {
        hasCome = true
        for waiter in waiters { waiter.resume() }
        waiters = []
    }
}

// The central's part: one link at a time, to the service of the other side.
extension MobileSessionDriver {
    private func startScanning(_ service: BluetoothUUID) {
        let radio = radio
        requested.scanning?.cancel()
        requested.scanning = Task { [weak self] in
            do {
                for try await report in try await radio.scan(services: [service]) { await self?.feed(.heard(report)) }
                if !Task.isCancelled { await self?.feed(.scanFailed("The radio stopped scanning.")) }
            } catch {
                if !Task.isCancelled { await self?.feed(.scanFailed("\(error)")) }
            }
        }
    }

    private func stopScanning() {
        requested.scanning?.cancel()
        requested.scanning = nil
    }

    private func connect(to address: DeviceAddress, timeout: Duration) {
        let attempt = requested.attempt
        let radio = radio
        centralOperations.add {
            do {
                let link = try await radio.connect(to: address, timeout: timeout)
                await self.connected(link, attempt)
            } catch {
                await self.connectFailed(error, attempt)
            }
        }
    }

    private func connected(_ link: any CentralLink, _ attempt: Int) async {
        guard attempt == requested.attempt else { return await link.disconnect() }
        requested.link = link
        requested.listening = Task { [weak self] in
            for await event in link.events { await self?.heard(event, attempt) }
        }
        feed(.connected)
    }

    private func connectFailed(_ error: any Error, _ attempt: Int) {
        guard attempt == requested.attempt else { return }
        switch (error as? RadioError)?.code {
        case .unavailable?, .notPermitted?: feed(.radioFailed("\(error)"))
        default: feed(.connectFailed)
        }
    }

    private func heard(_ event: CentralLinkEvent, _ attempt: Int) {
        guard attempt == requested.attempt else { return }
        switch event {
        case .value(let value, let remote, _):
            for mode in MobileMode.allCases {
                guard let characteristic = MobileCharacteristic(remote.uuid, in: mode) else { continue }
                return feed(.received(characteristic, value))
            }
        case .mtu(let mtu): feed(.mtu(mtu))
        case .disconnected: feed(.disconnected)
        }
    }

    /// Ends the link, or the attempt, and what is under way for it.
    private func hangUp() {
        requested.attempt += 1
        requested.listening?.cancel()
        requested.listening = nil
        let link = requested.link
        requested.link = nil
        requested.characteristics = []
        centralOperations.cancelCurrent()
        centralOperations.add { await link?.disconnect() }
    }

    /// Adds an operation on the present link, which has no effect once that link was given up.
    private func onLink(_ operation: @escaping @Sendable (any CentralLink) async -> MobileLinkInput?) {
        guard let link = requested.link else { return }
        let attempt = requested.attempt
        centralOperations.add {
            guard await self.isCurrent(attempt), let input = await operation(link) else { return }
            await self.feed(input, ofAttempt: attempt)
        }
    }

    private func isCurrent(_ attempt: Int) -> Bool { attempt == requested.attempt }

    private func feed(_ input: MobileLinkInput, ofAttempt attempt: Int) {
        if attempt == requested.attempt { feed(input) }
    }

    /// True when an error only says that the link is down, of which the session hears from the link's events.
    private static func isEnd(_ error: RadioError) -> Bool { error.code == .linkLost || error.code == .cancelled }

    private func exchangeMTU(_ requested: Int, _ link: any CentralLink) async -> MobileLinkInput? {
        guard !radio.exchangesMTUUnasked else { return .mtu(await link.mtu) }
        do {
            return .mtu(try await link.exchangeMTU(requested))
        } catch {
            return Self.isEnd(error) ? nil : .mtu(await link.mtu)
        }
    }

    private func discover(_ service: BluetoothUUID, _ link: any CentralLink) async -> MobileLinkInput? {
        do {
            guard let found = try await link.discoverServices(service).first else { return .discovered([]) }
            let characteristics = try await link.discoverCharacteristics(of: found)
            requested.characteristics = characteristics
            return .discovered(characteristics.map(\.uuid))
        } catch {
            return Self.isEnd(error) ? nil : .discovered([])
        }
    }

    private func readIdent(_ link: any CentralLink) async -> MobileLinkInput? {
        guard let ident = requested.characteristic(MobileCharacteristic.ident.uuid(in: .centralClient)) else {
            return .identRead(nil)
        }
        do {
            return .identRead(try await link.read(ident))
        } catch {
            return Self.isEnd(error) ? nil : .identRead(nil)
        }
    }

    private func subscribe(_ uuids: [BluetoothUUID], _ link: any CentralLink) async -> MobileLinkInput? {
        var failed: [BluetoothUUID] = []
        for characteristic in requested.characteristics where uuids.contains(characteristic.uuid) {
            do {
                try await link.subscribe(to: characteristic)
            } catch {
                if Self.isEnd(error) { return nil }
                failed.append(characteristic.uuid)
            }
        }
        return .subscribed(failed: failed)
    }

    private func write(
        _ value: [UInt8], to characteristic: MobileCharacteristic, _ link: any CentralLink
    ) async -> MobileLinkInput? {
        let uuids = MobileMode.allCases.compactMap { characteristic.uuid(in: $0) }
        guard let remote = requested.characteristics.first(where: { uuids.contains($0.uuid) }) else {
            return .writeFailed
        }
        do {
            try await link.writeWithoutResponse(value, to: remote)
            return .written
        } catch {
            return Self.isEnd(error) ? nil : .writeFailed
        }
    }
}

// The peripheral's part: one service, and the centrals that come to it.
extension MobileSessionDriver {
    private func serve(_ action: MobileLinkOutput) {
        let radio = radio
        switch action {
        case .serve(let service, let mode, let ident):
            served.mode = mode
            let advertisement = MobileService.advertisement(of: service)
            served.advertisement = advertisement
            listen()
            peripheralOperations.add {
                if radio.cutsLongNotifications { await self.feed(.notificationsLose(2)) }
                do {
                    try await radio.publish([MobileService.definition(service, in: mode, ident: ident)])
                    try await radio.startAdvertising(advertisement)
                } catch {
                    await self.feed(.serveFailed("\(error)"))
                }
            }
        case .advertise:
            guard let advertisement = served.advertisement else { return }
            // A controller that cannot advertise while a central is connected serves that one.
            peripheralOperations.add { try? await radio.startAdvertising(advertisement) }
        case .stopAdvertising:
            served.advertisement = nil
            peripheralOperations.add { await radio.stopAdvertising() }
        case .notify(let link, let characteristic, let value):
            guard let uuid = characteristic.uuid(in: served.mode) else { return }
            peripheralOperations.add(notifying: link) { await self.notify(value, of: uuid, on: link) }
        case .disconnectCentral(let link): peripheralOperations.disconnect(link, on: radio)
        case .stopServing:
            served.advertisement = nil
            peripheralOperations.add { await radio.stopAdvertising() }
            peripheralOperations.addBehindDepartures {
                // Refused while another central is connected, whose session is none of this one's.
                try? await radio.publish([])
            }
        default: break
        }
    }

    private func notify(_ value: [UInt8], of characteristic: BluetoothUUID, on link: LinkID) async {
        do {
            try await radio.notify(value, of: characteristic, on: link, confirmed: false)
            feed(.notified(link))
        } catch {
            // Of a link that is down the session hears from the radio's events.
            if !Self.isEnd(error) { feed(.notifyFailed(link)) }
        }
    }

    private func listen() {
        guard served.listening == nil else { return }
        let events = radio.events
        served.listening = Task { [weak self] in
            for await event in events { await self?.heard(event) }
            if !Task.isCancelled { await self?.feed(.radioFailed("The radio is gone.")) }
        }
    }

    private func heard(_ event: PeripheralEvent) {
        switch event {
        case .connected(let link, _): feed(.centralConnected(link))
        case .mtu(let link, let mtu): feed(.centralMTU(link, mtu))
        case .written(let link, let uuid, let value, _):
            guard let characteristic = MobileCharacteristic(uuid, in: served.mode) else { return }
            feed(.centralWrote(link, characteristic, value))
        case .subscribed(let link, let uuid, let isSubscribed):
            guard let characteristic = MobileCharacteristic(uuid, in: served.mode) else { return }
            feed(.centralSubscribed(link, characteristic, isSubscribed: isSubscribed))
        case .read: break
        case .disconnected(let link, _):
            peripheralOperations.ended(link)
            feed(.centralDisconnected(link))
        }
    }
}
