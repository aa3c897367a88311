import Bluetooth
import Determinism

/// The links of a side that is the peripheral: it serves, and the central that writes State 01 becomes the other side.
///
/// The holder in peripheral server mode, and the reader in central client mode, which has Ident. Centrals that write
/// nothing are harmless, and leave after 30 s.
struct ServerLink: Sendable {
    private struct Central: Sendable {
        let link: LinkID
        let until: MonotonicInstant
        var mtu = 23
        var subscribed: Set<MobileCharacteristic> = []
    }

    /// A peer that wrote State 01 before it subscribed, or whose subscriptions the radio does not report.
    private struct Unsubscribed: Sendable {
        var subscribed: Set<MobileCharacteristic>
        /// The time at which a value is sent all the same; nil once that failed.
        var triesAt: MonotonicInstant?
        let until: MonotonicInstant
    }

    private enum Phase: Sendable {
        case idle
        /// The service is published; no further central is taken unless it is advertised.
        case offering(isAdvertised: Bool)
        case ready(LinkID)
        /// The end was sent; the central is to hang up.
        case closing(LinkID, until: MonotonicInstant)
        case closed
    }

    private static let notifying: Set<MobileCharacteristic> = [.state, .serverToClient]
    /// The most centrals that are connected before one of them begins; beyond it the oldest is sent away.
    private static let maximumCentrals = 32

    let mode: MobileMode
    private let service: BluetoothUUID
    private let ident: [UInt8]?
    private var phase = Phase.idle
    private var centrals: [Central] = []
    private var mtu = 23
    /// The bytes by which notifications are shorter than the MTU has room for, because the radio cuts longer ones.
    private var shortfall = 0
    /// The peer's missing subscriptions, for which all values wait; nil for none.
    private var unsubscribed: Unsubscribed?
    private var inbox: LinkInbox
    private var outbox = LinkOutbox()

    init(mode: MobileMode, service: BluetoothUUID, ident: [UInt8]?, limit: Int) {
        self.mode = mode
        self.service = service
        self.ident = ident
        inbox = LinkInbox(limit: limit)
    }

    var nextDeadline: MonotonicInstant? {
        switch phase {
        case .idle, .closed: nil
        case .ready: unsubscribed.map { $0.triesAt ?? $0.until }
        case .offering: centrals.map(\.until).min()
        case .closing(_, let deadline): deadline
        }
    }

    var isClosed: Bool {
        switch phase {
        case .idle, .closed: true
        case .offering, .ready, .closing: false
        }
    }

    /// True while a central is connected.
    var isConnected: Bool {
        switch phase {
        case .idle, .closed: false
        case .offering: !centrals.isEmpty
        case .ready, .closing: true
        }
    }

    /// The mode once State 01 came; nil before, and when the link is down.
    var readyMode: MobileMode? { if case .ready = phase { mode } else { nil } }

    mutating func start(into outputs: inout [MobileLinkOutput]) {
        phase = .offering(isAdvertised: true)
        outputs.append(.serve(service, mode, ident: ident))
    }

    /// Takes no further central; those that are connected may still begin.
    mutating func stopAdvertising(into outputs: inout [MobileLinkOutput]) {
        guard case .offering(isAdvertised: true) = phase else { return }
        phase = .offering(isAdvertised: false)
        outputs.append(.stopAdvertising)
    }

    /// Stops without a word: nothing is open, or the link is down.
    mutating func stop(into outputs: inout [MobileLinkOutput]) {
        switch phase {
        case .idle, .closed: return
        case .offering(isAdvertised: true): outputs.append(.stopAdvertising)
        case .offering(isAdvertised: false): break
        case .ready(let link), .closing(let link, _): outputs.append(.disconnectCentral(link))
        }
        outputs += centrals.map { .disconnectCentral($0.link) }
        centrals = []
        outputs.append(.stopServing(service))
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
        unsubscribed = nil
        inbox.clear()
        outbox.clear()
    }

    /// Sends the end behind what waits to be sent; the central then hangs up, or is sent away after 3 s.
    ///
    /// - Parameter isSilent: true when the central ended, and is told nothing.
    mutating func end(isSilent: Bool, at now: MonotonicInstant, into outputs: inout [MobileLinkOutput]) {
        guard case .ready(let link) = phase else { return stop(into: &outputs) }
        if !isSilent { outbox.add(state: LinkState.end) }
        phase = .closing(link, until: now + LinkTimes.close)
        unsubscribed = nil
        notify(link, into: &outputs)
    }

    mutating func send(_ message: [UInt8], into outputs: inout [MobileLinkOutput]) {
        guard case .ready(let link) = phase else { return }
        outbox.add(message: message)
        notify(link, into: &outputs)
    }

    private mutating func notify(_ link: LinkID, into outputs: inout [MobileLinkOutput]) {
        guard unsubscribed == nil, let (isState, value) = outbox.next(mtu: mtu - shortfall) else { return }
        outputs.append(.notify(link, isState ? .state : .serverToClient, value))
    }

    mutating func handle(
        _ input: MobileLinkInput, at now: MonotonicInstant, into outputs: inout [MobileLinkOutput]
    ) -> MobileLinkEvent? {
        switch input {
        case .centralConnected(let link): connected(link, at: now, into: &outputs)
        case .centralMTU(let link, let value):
            if link == peer { mtu = max(23, value) }
            update(link) { $0.mtu = max(23, value) }
        case .centralSubscribed(let link, let characteristic, let isSubscribed):
            if link == peer, isSubscribed { return subscribed(to: characteristic, into: &outputs) }
            update(link) { central in
                if isSubscribed {
                    central.subscribed.insert(characteristic)
                } else {
                    central.subscribed.remove(characteristic)
                }
            }
        case .centralWrote(let link, let characteristic, let value):
            return wrote(link, characteristic, value, at: now, into: &outputs)
        case .notified(let link): return notified(link, into: &outputs)
        case .notifyFailed(let link):
            guard link == peer, case .ready = phase else { return nil }
            guard unsubscribed == nil else {
                outbox.refused()
                return nil
            }
            return .broken(MobileSessionError(.brokenOff, "A part could not be sent."))
        case .centralDisconnected(let link): return disconnected(link, into: &outputs)
        case .notificationsLose(let count): shortfall = count
        case .serveFailed(let reason):
            guard case .offering = phase else { return nil }
            stop(into: &outputs)
            return .attemptFailed(MobileSessionError(.radioFailed, reason))
        default: break
        }
        return nil
    }

    mutating func tick(at now: MonotonicInstant, into outputs: inout [MobileLinkOutput]) -> MobileLinkEvent? {
        switch phase {
        case .offering:
            for central in centrals where central.until <= now { outputs.append(.disconnectCentral(central.link)) }
            centrals.removeAll { $0.until <= now }
        case .ready(let link): return overdue(link, at: now, into: &outputs)
        case .closing(_, let deadline) where deadline <= now:
            stop(into: &outputs)
            return .deviation(.stayedConnected)
        case .idle, .closing, .closed: break
        }
        return nil
    }

    private var peer: LinkID? {
        switch phase {
        case .ready(let link), .closing(let link, _): link
        case .idle, .offering, .closed: nil
        }
    }

    private mutating func update(_ link: LinkID, _ body: (inout Central) -> Void) {
        guard let index = centrals.firstIndex(where: { $0.link == link }) else { return }
        body(&centrals[index])
    }

    private mutating func connected(
        _ link: LinkID, at now: MonotonicInstant, into outputs: inout [MobileLinkOutput]
    ) {
        guard case .offering(isAdvertised: true) = phase else {
            if case .offering = phase { outputs.append(.disconnectCentral(link)) }
            if peer != nil, link != peer { outputs.append(.disconnectCentral(link)) }
            return
        }
        if centrals.count == Self.maximumCentrals {
            outputs.append(.disconnectCentral(centrals.removeFirst().link))
        }
        centrals.append(Central(link: link, until: now + LinkTimes.setUp))
        // A connection ends the advertising of a controller; the next central may be the right one.
        outputs.append(.advertise(service))
    }

    private mutating func wrote(
        _ link: LinkID, _ characteristic: MobileCharacteristic, _ value: [UInt8], at now: MonotonicInstant,
        into outputs: inout [MobileLinkOutput]
    ) -> MobileLinkEvent? {
        if case .ready(let peer) = phase, peer == link {
            switch characteristic {
            case .clientToServer: return inbox.take(value)
            case .state: return inbox.take(state: value)
            case .serverToClient, .ident: return nil
            }
        }
        guard case .offering = phase, let central = centrals.first(where: { $0.link == link }) else { return nil }
        guard characteristic == .state, value == [LinkState.start] else {
            centrals.removeAll { $0.link == link }
            outputs += [.notify(link, .state, [LinkState.end]), .disconnectCentral(link)]
            return .attemptFailed(
                MobileSessionError(.protocolBroken, "A value came before the start that State 01 is."))
        }
        if case .offering(isAdvertised: true) = phase { outputs.append(.stopAdvertising) }
        phase = .ready(link)
        mtu = central.mtu
        if !central.subscribed.isSuperset(of: Self.notifying) {
            unsubscribed = Unsubscribed(
                subscribed: central.subscribed, triesAt: now + LinkTimes.subscription, until: now + LinkTimes.setUp)
        }
        outputs += centrals.filter { $0.link != link }.map { .disconnectCentral($0.link) }
        centrals = []
        return .ready(mode, mtu: mtu)
    }

    /// Notes a subscription of the peer after State 01; with the last one the values go out that waited for it.
    private mutating func subscribed(
        to characteristic: MobileCharacteristic, into outputs: inout [MobileLinkOutput]
    ) -> MobileLinkEvent? {
        unsubscribed?.subscribed.insert(characteristic)
        guard let peer, unsubscribed?.subscribed.isSuperset(of: Self.notifying) == true else { return nil }
        unsubscribed = nil
        notify(peer, into: &outputs)
        return .deviation(.startWithoutSubscription)
    }

    private mutating func overdue(
        _ link: LinkID, at now: MonotonicInstant, into outputs: inout [MobileLinkOutput]
    ) -> MobileLinkEvent? {
        guard let waiting = unsubscribed else { return nil }
        guard now < waiting.until else {
            return .broken(MobileSessionError(.protocolBroken, "The client began and did not subscribe."))
        }
        guard let time = waiting.triesAt, time <= now else { return nil }
        unsubscribed = nil
        notify(link, into: &outputs)
        unsubscribed = waiting
        unsubscribed?.triesAt = nil
        return nil
    }

    private mutating func notified(_ link: LinkID, into outputs: inout [MobileLinkOutput]) -> MobileLinkEvent? {
        guard link == peer else { return nil }
        // The radio knows of a way to the peer.
        unsubscribed = nil
        let isDone = outbox.taken()
        guard case .ready = phase else {
            notify(link, into: &outputs)
            return nil
        }
        guard !isDone else { return .sent }
        notify(link, into: &outputs)
        return .advanced
    }

    private mutating func disconnected(_ link: LinkID, into outputs: inout [MobileLinkOutput]) -> MobileLinkEvent? {
        switch phase {
        case .idle, .closed: return nil
        case .offering:
            guard centrals.contains(where: { $0.link == link }) else { return nil }
            centrals.removeAll { $0.link == link }
            if case .offering(isAdvertised: true) = phase { outputs.append(.advertise(service)) }
            return nil
        case .ready(let peer):
            guard peer == link else { return nil }
            defer { close() }
            outputs.append(.stopServing(service))
            return .lost(midMessage: inbox.midMessage)
        case .closing(let peer, _):
            guard peer == link else { return nil }
            close()
            outputs.append(.stopServing(service))
            return nil
        }
    }
}
