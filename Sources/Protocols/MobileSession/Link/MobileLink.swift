import Bluetooth
import Determinism

/// The connection of a session: one mode, or both until one of them carries messages.
struct MobileLink: Sendable {
    private var client: ClientLink?
    private var server: ServerLink?
    /// The modes that were not begun yet, with the time at which the next one is.
    private var waiting: [MobileMode] = []
    private var secondModeAt: MonotonicInstant?
    private var openMode: MobileMode?

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
    mutating func start(together: Bool, at now: MonotonicInstant, into outputs: inout [MobileLinkOutput]) {
        startNext(into: &outputs)
        guard !waiting.isEmpty else { return }
        if together { startNext(into: &outputs) } else { secondModeAt = now + LinkTimes.secondMode }
    }

    private mutating func startNext(into outputs: inout [MobileLinkOutput]) {
        guard !waiting.isEmpty else { return }
        let mode = waiting.removeFirst()
        if client?.mode == mode { client?.start(into: &outputs) } else { server?.start(into: &outputs) }
    }

    mutating func handle(
        _ input: MobileLinkInput, at now: MonotonicInstant, into outputs: inout [MobileLinkOutput]
    ) -> [MobileLinkEvent] {
        let events = [
            client?.handle(input, at: now, into: &outputs), server?.handle(input, at: now, into: &outputs),
        ]
        return settle(events, into: &outputs)
    }

    mutating func tick(at now: MonotonicInstant, into outputs: inout [MobileLinkOutput]) -> [MobileLinkEvent] {
        if let time = secondModeAt, time <= now {
            secondModeAt = nil
            startNext(into: &outputs)
        }
        return settle([client?.tick(at: now, into: &outputs), server?.tick(at: now, into: &outputs)], into: &outputs)
    }

    /// Stops the other mode when one of them carries messages.
    private mutating func settle(
        _ events: [MobileLinkEvent?], into outputs: inout [MobileLinkOutput]
    ) -> [MobileLinkEvent] {
        let events = events.compactMap { $0 }
        for case .ready(let mode, _) in events where openMode == nil {
            openMode = mode
            waiting = []
            secondModeAt = nil
            if client?.mode == mode { server?.stop(into: &outputs) } else { client?.stop(into: &outputs) }
        }
        return events
    }

    mutating func send(_ message: [UInt8], into outputs: inout [MobileLinkOutput]) {
        if client?.mode == openMode { client?.send(message, into: &outputs) }
        if server?.mode == openMode { server?.send(message, into: &outputs) }
    }

    /// Ends the session on the link: State 02, and hang up; what was not open is stopped.
    mutating func end(isSilent: Bool, at now: MonotonicInstant, into outputs: inout [MobileLinkOutput]) {
        waiting = []
        secondModeAt = nil
        client?.end(isSilent: isSilent, at: now, into: &outputs)
        server?.end(isSilent: isSilent, at: now, into: &outputs)
    }

    /// Stops everything at once.
    mutating func stop(into outputs: inout [MobileLinkOutput]) {
        waiting = []
        secondModeAt = nil
        client?.stop(into: &outputs)
        server?.stop(into: &outputs)
    }
}
