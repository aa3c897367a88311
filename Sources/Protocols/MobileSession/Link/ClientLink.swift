import Bluetooth
import Determinism

/// The link of a side that is the central: it finds the other side by its service, connects and subscribes.
///
/// The reader in peripheral server mode, and the holder in central client mode, which reads Ident.
struct ClientLink: Sendable {
    private enum Phase: Sendable {
        case idle
        case scanning
        case connecting(DeviceAddress, until: MonotonicInstant)
        case settingUp(SetUpStep, DeviceAddress, until: MonotonicInstant)
        case ready
        /// The end was sent; the link goes down when the host has taken it, and the air has had time for it.
        case closing(until: MonotonicInstant)
        case closed
    }

    private enum SetUpStep: Sendable {
        case exchangingMTU, discovering, readingIdent, subscribing, starting
    }

    /// The most addresses that are remembered as none of the other side.
    private static let maximumRefused = 32
    /// The attempts after which an address without the service is left alone: its host may not be ready at the first.
    private static let maximumAttempts = 3
    /// The most values that may come before the host has told that it took the start.
    private static let maximumEarlyValues = 64
    /// The largest MTU that ATT has a use for: 512 bytes of value and a head of three.
    private static let requestedMTU = 515

    let mode: MobileMode
    private let service: BluetoothUUID
    /// The value that Ident must have; nil where the other side has none.
    private let ident: [UInt8]?
    private var phase = Phase.idle
    private var mtu = 23
    private var inbox: LinkInbox
    private var outbox = LinkOutbox()
    private var refused: [DeviceAddress] = []
    /// The address of the last attempt that found no service, and how many of them followed one another.
    private var withoutService: (address: DeviceAddress, attempts: Int)?
    /// The values that came before the host told that it took the start.
    private var early: [(characteristic: MobileCharacteristic, value: [UInt8])] = []

    init(mode: MobileMode, service: BluetoothUUID, ident: [UInt8]?, limit: Int) {
        self.mode = mode
        self.service = service
        self.ident = ident
        inbox = LinkInbox(limit: limit)
    }

    var nextDeadline: MonotonicInstant? {
        switch phase {
        case .idle, .scanning, .ready, .closed: nil
        case .connecting(_, let deadline), .settingUp(_, _, let deadline), .closing(let deadline): deadline
        }
    }

    var isClosed: Bool {
        switch phase {
        case .idle, .closed: true
        case .scanning, .connecting, .settingUp, .ready, .closing: false
        }
    }

    /// True while a link is up, or requested.
    var isConnected: Bool {
        switch phase {
        case .idle, .scanning, .closed: false
        case .connecting, .settingUp, .ready, .closing: true
        }
    }

    /// The mode once State 01 was written; nil before, and when the link is down.
    var readyMode: MobileMode? { if case .ready = phase { mode } else { nil } }

    mutating func start(into outputs: inout [MobileLinkOutput]) {
        phase = .scanning
        outputs.append(.startScanning(service))
    }

    /// Stops what is under way, without a word to the other side: a link that is not open yet, or that is down.
    mutating func stop(into outputs: inout [MobileLinkOutput]) {
        switch phase {
        case .idle, .closed: return
        case .scanning: outputs.append(.stopScanning)
        case .connecting, .settingUp, .ready, .closing: outputs.append(.disconnect)
        }
        close()
    }

    /// True while the host has the last part of a message and has not said that it took it.
    var hasLastPartInFlight: Bool { outbox.hasLastPartInFlight }

    /// Drops what of a message has not gone out.
    ///
    /// Returns true when its last part is with the host, so that the other side may get it whole.
    mutating func dropMessages() -> Bool {
        outbox.clear()
        return outbox.hasLastPartInFlight
    }

    /// Drops the bytes that wait or came, of which nothing is needed any more.
    private mutating func close() {
        phase = .closed
        inbox.clear()
        outbox.clear()
        early = []
    }

    /// Sends the end behind what waits to be sent, and hangs up a moment after the host has taken it.
    ///
    /// - Parameter isSilent: true when the other side ended, and is told nothing.
    mutating func end(isSilent: Bool, at now: MonotonicInstant, into outputs: inout [MobileLinkOutput]) {
        guard case .ready = phase else { return stop(into: &outputs) }
        if !isSilent { outbox.add(state: LinkState.end) }
        guard !outbox.isEmpty else { return stop(into: &outputs) }
        phase = .closing(until: now + LinkTimes.close)
        write(into: &outputs)
    }

    mutating func send(_ message: [UInt8], into outputs: inout [MobileLinkOutput]) {
        guard case .ready = phase else { return }
        outbox.add(message: message)
        write(into: &outputs)
    }

    private mutating func write(into outputs: inout [MobileLinkOutput]) {
        guard let (isState, value) = outbox.next(mtu: mtu) else { return }
        outputs.append(.write(isState ? .state : .clientToServer, value))
    }

    mutating func handle(
        _ input: MobileLinkInput, at now: MonotonicInstant, into outputs: inout [MobileLinkOutput]
    ) -> [MobileLinkEvent] {
        var events = [event(of: input, at: now, into: &outputs)]
        if case .ready? = events[0] {
            for (characteristic, value) in early {
                events.append(event(of: .received(characteristic, value), at: now, into: &outputs))
            }
            early = []
        }
        return events.compactMap(\.self)
    }

    private mutating func event(
        of input: MobileLinkInput, at now: MonotonicInstant, into outputs: inout [MobileLinkOutput]
    ) -> MobileLinkEvent? {
        switch (input, phase) {
        case (.heard(let report), .scanning): return heard(report, at: now, into: &outputs)
        case (.connected, .connecting(let address, _)):
            phase = .settingUp(.exchangingMTU, address, until: now + LinkTimes.setUp)
            outputs.append(.exchangeMTU(Self.requestedMTU))
        case (.connectFailed, .connecting):
            return giveUp(MobileSessionError(.connectTimeout, "No connection came up."), into: &outputs)
        case (.mtu(let value), _): return mtuChanged(value, into: &outputs)
        case (.discovered(let uuids), .settingUp(.discovering, _, _)): return discovered(uuids, into: &outputs)
        case (.identRead(let value), .settingUp(.readingIdent, let address, _)):
            guard value == ident else {
                if value == nil { noteFailure(of: address) } else { refuse(address) }
                return giveUp(
                    MobileSessionError(.identMismatch, "The reader does not prove that it read the code."),
                    into: &outputs)
            }
            enter(.subscribing)
            outputs.append(.subscribe(notified))
        case (.subscribed(let failed), .settingUp(.subscribing, _, _)):
            // A server without descriptors, or one that refuses them, notifies all the same.
            enter(.starting)
            outputs.append(.write(.state, [LinkState.start]))
            return failed.isEmpty ? nil : .deviation(.startWithoutSubscription)
        case (.written, .settingUp(.starting, _, _)):
            phase = .ready
            return .ready(mode, mtu: mtu)
        case (.writeFailed, .settingUp):
            return giveUp(MobileSessionError(.serviceMissing, "The start could not be written."), into: &outputs)
        case (.written, .ready):
            guard !outbox.taken() else { return .sent }
            write(into: &outputs)
            return .advanced
        case (.written, .closing):
            guard !outbox.taken() else {
                phase = .closing(until: now + LinkTimes.departure)
                return nil
            }
            write(into: &outputs)
        case (.writeFailed, .ready): return .broken(MobileSessionError(.brokenOff, "A part could not be written."))
        case (.writeFailed, .closing): stop(into: &outputs)
        case (.received(let characteristic, let value), .settingUp(.starting, _, _)):
            guard early.count < Self.maximumEarlyValues else {
                return giveUp(
                    MobileSessionError(.protocolBroken, "The other side did not wait for the start."), into: &outputs)
            }
            early.append((characteristic, value))
        case (.scanFailed(let reason), .scanning):
            stop(into: &outputs)
            return .attemptFailed(MobileSessionError(.radioFailed, reason))
        case (.received(.serverToClient, let value), .ready): return inbox.take(value)
        case (.received(.state, let value), .ready): return inbox.take(state: value)
        case (.disconnected, _): return disconnected(into: &outputs)
        default: break
        }
        return nil
    }

    mutating func tick(at now: MonotonicInstant, into outputs: inout [MobileLinkOutput]) -> MobileLinkEvent? {
        guard let deadline = nextDeadline, deadline <= now else { return nil }
        switch phase {
        case .connecting, .settingUp:
            return giveUp(
                MobileSessionError(.connectTimeout, "The other side stopped answering before the start."),
                into: &outputs)
        case .closing: stop(into: &outputs)
        case .idle, .scanning, .ready, .closed: break
        }
        return nil
    }

    // MARK: Finding and setting up

    private var notified: [BluetoothUUID] {
        [MobileCharacteristic.state, .serverToClient].compactMap { $0.uuid(in: mode) }
    }

    private mutating func heard(
        _ report: AdvertisementReport, at now: MonotonicInstant, into outputs: inout [MobileLinkOutput]
    ) -> MobileLinkEvent? {
        guard report.kind == .connectable, !refused.contains(report.address),
            AdvertisingData(parsing: report.data).serviceUUIDs.contains(service)
        else { return nil }
        phase = .connecting(report.address, until: now + LinkTimes.connect + LinkTimes.close)
        outputs += [.stopScanning, .connect(report.address, timeout: LinkTimes.connect)]
        return .connecting(mode)
    }

    private mutating func enter(_ step: SetUpStep) {
        guard case .settingUp(_, let address, let deadline) = phase else { return }
        phase = .settingUp(step, address, until: deadline)
    }

    private mutating func mtuChanged(_ value: Int, into outputs: inout [MobileLinkOutput]) -> MobileLinkEvent? {
        // ATT's least MTU is in force when the other side names a smaller one.
        mtu = max(23, value)
        if case .settingUp(.exchangingMTU, _, _) = phase {
            enter(.discovering)
            outputs.append(.discover(service))
        }
        return nil
    }

    private mutating func discovered(
        _ uuids: [BluetoothUUID], into outputs: inout [MobileLinkOutput]
    ) -> MobileLinkEvent? {
        let needed = MobileCharacteristic.allCases.filter { $0 != .ident || ident != nil }
        guard needed.allSatisfy({ $0.uuid(in: mode).map(uuids.contains) == true }) else {
            if case .settingUp(_, let address, _) = phase { noteFailure(of: address) }
            return giveUp(
                MobileSessionError(
                    .serviceMissing,
                    uuids.isEmpty
                        ? "The other side has no service of the code's UUID."
                        : "The service of the other side lacks a characteristic."),
                into: &outputs)
        }
        if ident == nil {
            enter(.subscribing)
            outputs.append(.subscribe(notified))
        } else {
            enter(.readingIdent)
            outputs.append(.readIdent)
        }
        return nil
    }

    private mutating func noteFailure(of address: DeviceAddress) {
        let before = withoutService.map { $0.address == address ? $0.attempts : 0 } ?? 0
        withoutService = (address, before + 1)
        if before + 1 == Self.maximumAttempts { refuse(address) }
    }

    private mutating func refuse(_ address: DeviceAddress) {
        if refused.count < Self.maximumRefused { refused.append(address) }
    }

    /// Ends an attempt, and looks for the other side again: nothing was said before State 01.
    private mutating func giveUp(
        _ error: MobileSessionError, into outputs: inout [MobileLinkOutput]
    ) -> MobileLinkEvent? {
        outputs.append(.disconnect)
        reset(into: &outputs)
        return .attemptFailed(error)
    }

    private mutating func reset(into outputs: inout [MobileLinkOutput]) {
        mtu = 23
        outbox = LinkOutbox()
        early = []
        start(into: &outputs)
    }

    private mutating func disconnected(into outputs: inout [MobileLinkOutput]) -> MobileLinkEvent? {
        switch phase {
        case .idle, .scanning, .closed: return nil
        case .connecting, .settingUp:
            reset(into: &outputs)
            return .attemptFailed(MobileSessionError(.connectTimeout, "The link broke before the start."))
        case .ready:
            defer { close() }
            return .lost(midMessage: inbox.midMessage)
        case .closing:
            close()
            return nil
        }
    }
}
