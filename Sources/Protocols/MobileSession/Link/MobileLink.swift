import Bluetooth
import Determinism

/// The connection of a session: one mode, or both until one of them carries messages.
///
/// Both modes may begin at the same time, and State 01 of the one may cross that of the other. A holder goes on with
/// the mode in which the reader's first bytes come, or with the one that it began first, and leaves the other one. So
/// a reader keeps the links that are up in both, sends its first message in each that begins, and goes on with the
/// mode in which the answer comes or that is left.
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
    /// The message of a reader that has begun in a mode while a link is up in the other one.
    private var firstMessage: [UInt8]?
    /// True once a value of more than 512 bytes came.
    private var hasLongValue = false

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
            let client = link.client?.handle(input, at: now, into: &actions) ?? []
            let server = link.server?.handle(input, at: now, into: &actions)
            let events = client.map { (link.client?.mode, $0) } + [(link.server?.mode, server)]
            return link.noteLongValue(input) + link.settle(events, into: &actions)
                + link.goOn(after: input, into: &actions)
        }
    }

    /// Begins the mode that waits when the radio cannot do the one before it; without another one the radio failed.
    private mutating func goOn(
        after input: MobileLinkInput, into actions: inout [MobileLinkOutput]
    ) -> [MobileLinkEvent] {
        switch input {
        case .scanFailed(let reason), .serveFailed(let reason):
            guard !hasBegun, isClosed else { return [] }
            guard !waiting.isEmpty else { return [.broken(MobileSessionError(.radioFailed, reason))] }
            secondModeAt = nil
            startNext(into: &actions)
            return []
        default: return []
        }
    }

    /// Returns the note for the first value that is longer than an attribute may be.
    private mutating func noteLongValue(_ input: MobileLinkInput) -> [MobileLinkEvent] {
        switch input {
        case .received(_, let value), .centralWrote(_, _, let value):
            guard !hasLongValue, value.count > PartSplitter.maximumValueBytes else { return [] }
            hasLongValue = true
            return [.deviation(.longValue)]
        default: return []
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
                if side == .reader { begin(mode, into: &actions) }
            // The other mode may still be the one in which both sides go on.
            case .lost where openMode == nil: break
            case .ended where isUp(beside: mode): stop(mode, into: &actions)
            case .broken(let error) where error.code == .brokenOff && isUp(beside: mode): stop(mode, into: &actions)
            case .progress, .message, .ended, .broken:
                open(mode, into: &actions)
                settled.append(event)
            case .ready, .lost, .connecting, .sent, .advanced, .attemptFailed, .deviation: settled.append(event)
            }
        }
        if hasBegun, openMode == nil { settled += narrow(into: &actions) }
        return settled
    }

    /// The reader's side of State 01 in a mode.
    ///
    /// A holder that wrote it has chosen central client mode, unless the reader's first message comes in the other one.
    private mutating func begin(_ mode: MobileMode, into actions: inout [MobileLinkOutput]) {
        guard mode == server?.mode else { return }
        if let firstMessage {
            server?.send(firstMessage, into: &actions)
        } else {
            open(mode, into: &actions)
        }
    }

    /// True while no mode is decided and a link is up in the one beside `mode`.
    private func isUp(beside mode: MobileMode) -> Bool {
        openMode == nil && (client?.mode == mode ? server?.isConnected : client?.isConnected) == true
    }

    private mutating func stop(_ mode: MobileMode, into actions: inout [MobileLinkOutput]) {
        if client?.mode == mode { client?.stop(into: &actions) } else { server?.stop(into: &actions) }
    }

    private mutating func open(_ mode: MobileMode, into actions: inout [MobileLinkOutput]) {
        guard openMode == nil else { return }
        openMode = mode
        firstMessage = nil
        if client?.mode == mode { server?.stop(into: &actions) } else { client?.stop(into: &actions) }
    }

    /// Stops a mode in which no link is up once the other one has begun; returns the loss when none is left.
    private mutating func narrow(into actions: inout [MobileLinkOutput]) -> [MobileLinkEvent] {
        if client?.isConnected == false { client?.stop(into: &actions) }
        if server?.isConnected == false { server?.stop(into: &actions) }
        server?.stopAdvertising(into: &actions)
        guard client?.isClosed ?? true || server?.isClosed ?? true else { return [] }
        if let mode = client?.readyMode ?? server?.readyMode { open(mode, into: &actions) }
        return isClosed ? [.lost(midMessage: nil)] : []
    }

    mutating func send(_ message: [UInt8], into outputs: inout [MobileSessionOutput]) {
        act(into: &outputs) { link, actions in
            // A link that is not open takes nothing.
            link.client?.send(message, into: &actions)
            link.server?.send(message, into: &actions)
            if link.side == .reader, link.openMode == nil { link.firstMessage = message }
        }
    }

    /// True while the host has the last part of a message and has not said that it took it.
    var hasLastPartInFlight: Bool { client?.hasLastPartInFlight == true || server?.hasLastPartInFlight == true }

    /// Drops what of a message has not gone out; returns true when the other side may get it whole all the same.
    mutating func dropMessages() -> Bool {
        let mayArrive = [client?.dropMessages(), server?.dropMessages()]
        return mayArrive.contains(true)
    }

    /// Ends the session on the link: State 02, and hang up; a link that is not open is stopped.
    mutating func end(isSilent: Bool, at now: MonotonicInstant, into outputs: inout [MobileSessionOutput]) {
        act(into: &outputs) { link, actions in
            link.waiting = []
            link.secondModeAt = nil
            link.firstMessage = nil
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
