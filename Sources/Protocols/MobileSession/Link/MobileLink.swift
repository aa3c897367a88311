import Bluetooth
import Determinism

/// The connection of a session: one mode, or both until one of them carries messages.
///
/// Both modes may begin at the same time. The reader speaks first, and so decides: it goes on with the mode in which it
/// saw State 01 first, and the holder with the one in which the reader's first bytes come.
struct MobileLink: Sendable {
    private let side: SessionCipher.Side
    private var client: ClientLink?
    private var server: ServerLink?
    /// The modes that were not begun yet, with the time at which the next one is.
    private var waiting: [MobileMode] = []
    private var secondModeAt: MonotonicInstant?
    private var openMode: MobileMode?
    /// True once State 01 passed in a mode.
    private var hasBegun = false

    /// Makes the connection of a side.
    ///
    /// - Parameters:
    ///   - side: the reader is the client in peripheral server mode, the holder in central client mode.
    ///   - modes: in the order in which they are tried.
    ///   - ident: the value of Ident, which the reader serves and the holder checks.
    ///   - limit: the most bytes of a message that comes.
    init(
        side: SessionCipher.Side, offer: DeviceEngagement.BluetoothOffer, modes: [MobileMode], ident: [UInt8],
        limit: Int
    ) {
        self.side = side
        waiting = modes.filter { offer.service(of: $0) != nil }
        for mode in waiting {
            guard let service = offer.service(of: mode) else { continue }
            let value = mode == .centralClient ? ident : nil
            if (mode == .peripheralServer) == (side == .reader) {
                client = ClientLink(mode: mode, service: service, ident: value, limit: limit)
            } else {
                server = ServerLink(mode: mode, service: service, ident: value, limit: limit)
            }
        }
    }

    /// True when no mode is left that both sides take.
    var hasNoMode: Bool { client == nil && server == nil }

    /// True when nothing is connected, scanned for or served.
    var isClosed: Bool { (client?.isClosed ?? true) && (server?.isClosed ?? true) }

    var nextDeadline: MonotonicInstant? {
        [client?.nextDeadline, server?.nextDeadline, secondModeAt].compactMap { $0 }.min()
    }

    /// Begins with the first mode; the other one follows after 3 s, or at once.
    mutating func start(together: Bool, at now: MonotonicInstant, into outputs: inout [MobileSessionOutput]) {
        act(into: &outputs) { link, actions in
            link.startNext(into: &actions)
            guard !link.waiting.isEmpty else { return }
            if together { link.startNext(into: &actions) } else { link.secondModeAt = now + LinkTimes.secondMode }
        }
    }

    private mutating func startNext(into actions: inout [MobileLinkOutput]) {
        guard !waiting.isEmpty else { return }
        let mode = waiting.removeFirst()
        if client?.mode == mode { client?.start(into: &actions) } else { server?.start(into: &actions) }
    }

    mutating func handle(
        _ input: MobileLinkInput, at now: MonotonicInstant, into outputs: inout [MobileSessionOutput]
    ) -> [MobileLinkEvent] {
        act(into: &outputs) { link, actions in
            let events = [
                (link.client?.mode, link.client?.handle(input, at: now, into: &actions)),
                (link.server?.mode, link.server?.handle(input, at: now, into: &actions)),
            ]
            return link.settle(events, into: &actions)
        }
    }

    mutating func tick(at now: MonotonicInstant, into outputs: inout [MobileSessionOutput]) -> [MobileLinkEvent] {
        act(into: &outputs) { link, actions in
            if let time = link.secondModeAt, time <= now {
                link.secondModeAt = nil
                link.startNext(into: &actions)
            }
            let events = [
                (link.client?.mode, link.client?.tick(at: now, into: &actions)),
                (link.server?.mode, link.server?.tick(at: now, into: &actions)),
            ]
            return link.settle(events, into: &actions)
        }
    }

    /// Stops the other mode when one of them is the session's.
    private mutating func settle(
        _ events: [(mode: MobileMode?, event: MobileLinkEvent?)], into actions: inout [MobileLinkOutput]
    ) -> [MobileLinkEvent] {
        var settled: [MobileLinkEvent] = []
        for case (let mode?, let event?) in events {
            switch event {
            case .ready where openMode == nil:
                if !hasBegun { settled.append(event) }
                hasBegun = true
                waiting = []
                secondModeAt = nil
                if side == .reader { open(mode, into: &actions) }
            case .progress, .message, .ended, .broken:
                open(mode, into: &actions)
                settled.append(event)
            // The other mode may still be the reader's choice.
            case .lost where openMode == nil: break
            case .ready, .lost, .connecting, .sent, .attemptFailed, .deviation: settled.append(event)
            }
        }
        if hasBegun, openMode == nil { settled += narrow(into: &actions) }
        return settled
    }

    private mutating func open(_ mode: MobileMode, into actions: inout [MobileLinkOutput]) {
        guard openMode == nil else { return }
        openMode = mode
        if client?.mode == mode { server?.stop(into: &actions) } else { client?.stop(into: &actions) }
    }

    /// Stops a mode in which no link is up once the other one has begun; returns the loss when none is left.
    private mutating func narrow(into actions: inout [MobileLinkOutput]) -> [MobileLinkEvent] {
        if client?.isConnected == false { client?.stop(into: &actions) }
        if server?.isConnected == false { server?.stop(into: &actions) }
        guard client?.isClosed ?? true || server?.isClosed ?? true else { return [] }
        if let mode = client?.readyMode ?? server?.readyMode { open(mode, into: &actions) }
        return isClosed ? [.lost(midMessage: nil)] : []
    }

    mutating func send(_ message: [UInt8], into outputs: inout [MobileSessionOutput]) {
        act(into: &outputs) { link, actions in
            if link.client?.mode == link.openMode { link.client?.send(message, into: &actions) }
            if link.server?.mode == link.openMode { link.server?.send(message, into: &actions) }
        }
    }

    /// Ends the session on the link: State 02, and hang up; a link that is not open is stopped.
    mutating func end(isSilent: Bool, at now: MonotonicInstant, into outputs: inout [MobileSessionOutput]) {
        act(into: &outputs) { link, actions in
            link.waiting = []
            link.secondModeAt = nil
            link.client?.end(isSilent: isSilent, at: now, into: &actions)
            link.server?.end(isSilent: isSilent, at: now, into: &actions)
        }
    }

    /// Puts the actions of `body` among the outputs of the session.
    private mutating func act<Result>(
        into outputs: inout [MobileSessionOutput], _ body: (inout Self, inout [MobileLinkOutput]) -> Result
    ) -> Result {
        var actions: [MobileLinkOutput] = []
        defer { outputs += actions.map { .link($0) } }
        return body(&self, &actions)
    }
}
