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

    private enum Phase: Sendable {
        case idle
        case offering
        case ready(LinkID)
        /// The end was sent; the central is to hang up.
        case closing(LinkID, until: MonotonicInstant)
        case closed
    }

    /// The most centrals that are connected before one of them begins; beyond it the oldest is sent away.
    private static let maximumCentrals = 32

    let mode: MobileMode
    private let service: BluetoothUUID
    private let ident: [UInt8]?
    private var phase = Phase.idle
    private var centrals: [Central] = []
    private var mtu = 23
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
        case .idle, .ready, .closed: nil
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
        phase = .offering
        outputs.append(.serve(service, mode, ident: ident))
    }

    /// Stops without a word: nothing is open, or the link is down.
    mutating func stop(into outputs: inout [MobileLinkOutput]) {
        switch phase {
        case .idle, .closed: return
        case .offering: outputs.append(.stopAdvertising)
        case .ready(let link), .closing(let link, _): outputs.append(.disconnectCentral(link))
        }
        outputs += centrals.map { .disconnectCentral($0.link) }
        centrals = []
        outputs.append(.stopServing(service))
        close()
    }

    /// Drops the bytes that wait or came, of which nothing is needed any more.
    private mutating func close() {
        phase = .closed
        inbox.clear()
        outbox = LinkOutbox()
    }

    /// Sends the end behind what waits to be sent; the central then hangs up, or is sent away after 3 s.
    ///
    /// - Parameter isSilent: true when the central ended, and is told nothing.
    mutating func end(isSilent: Bool, at now: MonotonicInstant, into outputs: inout [MobileLinkOutput]) {
        guard case .ready(let link) = phase else { return stop(into: &outputs) }
        if !isSilent { outbox.add(state: LinkState.end) }
        phase = .closing(link, until: now + LinkTimes.close)
        notify(link, into: &outputs)
    }

    mutating func send(_ message: [UInt8], into outputs: inout [MobileLinkOutput]) {
        guard case .ready(let link) = phase else { return }
        outbox.add(message: message)
        notify(link, into: &outputs)
    }

    private mutating func notify(_ link: LinkID, into outputs: inout [MobileLinkOutput]) {
        guard let (isState, value) = outbox.next(mtu: mtu) else { return }
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
            update(link) { central in
                if isSubscribed {
                    central.subscribed.insert(characteristic)
                } else {
                    central.subscribed.remove(characteristic)
                }
            }
        case .centralWrote(let link, let characteristic, let value):
            return wrote(link, characteristic, value, into: &outputs)
        case .notified(let link): return notified(link, into: &outputs)
        case .notifyFailed(let link):
            guard link == peer, case .ready = phase else { return nil }
            return .broken(MobileSessionError(.brokenOff, "A part could not be sent."))
        case .centralDisconnected(let link): return disconnected(link, into: &outputs)
        default: break
        }
        return nil
    }

    mutating func tick(at now: MonotonicInstant, into outputs: inout [MobileLinkOutput]) -> MobileLinkEvent? {
        switch phase {
        case .offering:
            for central in centrals where central.until <= now { outputs.append(.disconnectCentral(central.link)) }
            centrals.removeAll { $0.until <= now }
        case .closing(_, let deadline) where deadline <= now:
            stop(into: &outputs)
            return .deviation(.stayedConnected)
        case .idle, .ready, .closing, .closed: break
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
        guard case .offering = phase else {
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
        _ link: LinkID, _ characteristic: MobileCharacteristic, _ value: [UInt8],
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
        phase = .ready(link)
        mtu = central.mtu
        outputs.append(.stopAdvertising)
        outputs += centrals.filter { $0.link != link }.map { .disconnectCentral($0.link) }
        centrals = []
        return .ready(mode, mtu: mtu)
    }

    private mutating func notified(_ link: LinkID, into outputs: inout [MobileLinkOutput]) -> MobileLinkEvent? {
        guard link == peer else { return nil }
        let isDone = outbox.taken()
        if isDone, case .ready = phase { return .sent }
        notify(link, into: &outputs)
        return nil
    }

    private mutating func disconnected(_ link: LinkID, into outputs: inout [MobileLinkOutput]) -> MobileLinkEvent? {
        switch phase {
        case .idle, .closed: return nil
        case .offering:
            guard centrals.contains(where: { $0.link == link }) else { return nil }
            centrals.removeAll { $0.link == link }
            outputs.append(.advertise(service))
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
