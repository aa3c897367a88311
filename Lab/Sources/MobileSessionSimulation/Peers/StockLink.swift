import Air
import Bluetooth
import Determinism

/// The Bluetooth side of a stock peer, written from the tables of ISO/IEC 18013-5, clause 11.1.3.
///
/// It is a client for one service, a server of another one, or both until one of them is open.
struct StockLink: Sendable {
    /// A fact for the peer.
    enum Event: Sendable {
        case open
        case part([UInt8])
        case state([UInt8])
        case lost
    }

    /// The services of a peer: the one that it looks for, and the one that it serves.
    struct Services: Sendable {
        var sought: BluetoothUUID?
        var served: BluetoothUUID?
        /// The service on the air, where it is not the one of the code.
        var advertised: BluetoothUUID?
        /// The value of Ident: served by a reader, compared by a holder.
        var ident: [UInt8]
    }

    private enum Step { case idle, finding, connecting, agreeing, discovering, identifying, subscribing, starting }

    private let isReader: Bool
    private let services: Services
    private let deviation: MobilePeerDeviation?
    private var stack: HostStack
    private var step = Step.idle
    private var client: LinkID?
    private var centrals: [LinkID] = []
    private var mtus: [LinkID: Int] = [:]
    private var subscriptionsOwed = 0
    private var open: LinkID?
    private var outbox: [(number: Int, value: [UInt8])] = []
    private var dropsLeft: Int
    private(set) var isOver = false

    init(isReader: Bool, services: Services, deviation: MobilePeerDeviation?, maximumMTU: Int) {
        self.isReader = isReader
        self.services = services
        self.deviation = deviation
        stack = HostStack(maximumMTU: maximumMTU)
        switch deviation {
        case .dropsBeforeStart: dropsLeft = 1
        case .vanishesBeforeStart: dropsLeft = .max
        default: dropsLeft = 0
        }
    }

    var nextDeadline: MonotonicInstant? { isOver ? nil : stack.nextDeadline }

    /// The bytes of a value, for a part and its first byte.
    var valueBytes: Int {
        let mtu = open.flatMap { mtus[$0] } ?? 23
        return deviation == .largeParts ? mtu - 3 : min(mtu - 3, 512)
    }

    /// True when all that was sent has been given to the controller.
    var isIdle: Bool { outbox.isEmpty }

    /// True when this side is the client of the open link.
    var isClient: Bool { open != nil && open == client }

    // The numbers of the characteristics: 1 State, 2 Client2Server, 3 Server2Client, 4 Ident; four more in central
    // client mode, where the reader serves.
    private func uuid(_ number: Int, isServed: Bool) -> BluetoothUUID {
        let isCentralMode = isServed == isReader
        return BluetoothUUID("0000000\(number + (isCentralMode ? 4 : 0))-A123-48CE-896B-4C76973373E6")
            ?? BluetoothUUID(UInt16(0))
    }

    mutating func start(into commands: inout [AirCommand]) {
        if services.served != nil { serve(into: &commands) }
        if services.sought != nil { find(into: &commands) }
    }

    private mutating func find(into commands: inout [AirCommand]) {
        step = .finding
        client = nil
        commands.append(.startScanning(isActive: true))
    }

    private mutating func serve(into commands: inout [AirCommand]) {
        guard let service = services.advertised ?? services.served else { return }
        var characteristics = [
            CharacteristicDefinition(
                uuid: uuid(1, isServed: true), properties: [.notify, .writeWithoutResponse],
                hasClientConfiguration: true),
            CharacteristicDefinition(uuid: uuid(2, isServed: true), properties: .writeWithoutResponse),
            CharacteristicDefinition(
                uuid: uuid(3, isServed: true), properties: .notify, hasClientConfiguration: true),
        ]
        if isReader {
            let value = deviation == .identWrong ? [UInt8](repeating: 1, count: 16) : services.ident
            characteristics.append(
                CharacteristicDefinition(uuid: uuid(4, isServed: true), properties: .read, initialValue: value))
        }
        if deviation == .characteristicMissing { characteristics.remove(at: 1) }
        stack.publish([ServiceDefinition(uuid: service, characteristics: characteristics)])
        advertise(into: &commands)
    }

    private func advertise(into commands: inout [AirCommand]) {
        guard let service = services.advertised ?? services.served,
            let data = try? AdvertisingData([.flags(6), .services([service])]).encoded()
        else { return }
        commands.append(
            .startAdvertising(data: data, scanResponse: [], intervalMicroseconds: 100_000, isConnectable: true))
    }

    /// Sends a value of State (number 1) or a part.
    mutating func send(
        isState: Bool, _ value: [UInt8], at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        guard open != nil else { return }
        outbox.append((isState ? 1 : isClient ? 2 : 3, value))
        flush(at: now, into: &commands)
    }

    private mutating func flush(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard let open else { return }
        var sent = 0
        while sent < outbox.count, stack.hasRoom(on: open) {
            let (number, value) = outbox[sent]
            sent += 1
            if isClient {
                var events: [HostStackEvent] = []
                stack.write(
                    value, to: uuid(number, isServed: false), on: open, withResponse: false, at: now, into: &commands,
                    &events)
            } else {
                stack.notify(value, of: uuid(number, isServed: true), on: open, at: now, into: &commands)
            }
        }
        outbox.removeFirst(sent)
    }

    /// Ends the open link, and all that is under way.
    mutating func end(into commands: inout [AirCommand]) {
        isOver = true
        commands += [.stopScanning, .stopAdvertising, .cancelConnect]
        commands += (centrals + [client].compactMap { $0 }).map { .disconnect($0) }
    }

    /// Ends the open link, and connects again as if nothing had been.
    mutating func drop(into commands: inout [AirCommand]) {
        if let open { commands.append(.disconnect(open)) }
        open = nil
        outbox = []
    }

    mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) -> [Event] {
        var events: [HostStackEvent] = []
        stack.wake(at: now, into: &commands, &events)
        return events.compactMap { take($0, at: now, into: &commands) }
    }

    mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) -> [Event] {
        var events: [HostStackEvent] = []
        stack.handle(event, at: now, into: &commands, &events)
        if case .sent = event { flush(at: now, into: &commands) }
        return events.compactMap { take($0, at: now, into: &commands) }
    }

    private mutating func run(
        at now: MonotonicInstant, into commands: inout [AirCommand],
        _ action: (inout HostStack, inout [AirCommand], inout [HostStackEvent]) -> Void
    ) -> Event? {
        var events: [HostStackEvent] = []
        action(&stack, &commands, &events)
        return events.compactMap { take($0, at: now, into: &commands) }.first
    }

    private mutating func take(
        _ event: HostStackEvent, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) -> Event? {
        switch event {
        case .heard(let report):
            guard step == .finding, report.kind == .connectable, let sought = services.sought,
                AdvertisingData(parsing: report.data).serviceUUIDs.contains(sought)
            else { return nil }
            step = .connecting
            commands += [.stopScanning, .connect(report.address)]
        case .connected(let link, _, let isCentral): return connected(link, isCentral, at: now, into: &commands)
        case .connectCancelled: if step == .connecting { find(into: &commands) }
        case .mtu(let link, let mtu):
            mtus[link] = max(23, mtu ?? 23)
            guard link == client, step == .agreeing, let sought = services.sought else { return nil }
            step = .discovering
            return run(at: now, into: &commands) { $0.discover(only: sought, on: link, at: now, into: &$1, &$2) }
        case .discovered(let link, _):
            guard step == .discovering else { return nil }
            guard !isReader else { return subscribe(link, at: now, into: &commands) }
            step = .identifying
            let ident = uuid(4, isServed: false)
            return run(at: now, into: &commands) { $0.read(ident, on: link, at: now, into: &$1, &$2) }
        case .read(let link, _, let value):
            guard value == services.ident else {
                commands.append(.disconnect(link))
                return nil
            }
            return subscribe(link, at: now, into: &commands)
        case .subscribed(let link, _):
            subscriptionsOwed -= 1
            guard subscriptionsOwed == 0, step == .subscribing else { return nil }
            return begin(link, at: now, into: &commands)
        case .wrote(let link, _, _):
            guard step == .starting, link == client else { return nil }
            step = .idle
            return opened(link, into: &commands)
        case .pushed(let link, let uuid, let value):
            guard link == open else { return nil }
            return uuid == self.uuid(1, isServed: false) ? .state(value) : .part(value)
        case .centralWrote(let link, let uuid, let value, _):
            guard open == nil else {
                guard link == open else { return nil }
                return uuid == self.uuid(1, isServed: true) ? .state(value) : .part(value)
            }
            guard uuid == self.uuid(1, isServed: true), value == [1], !isOver else { return nil }
            return opened(link, into: &commands)
        case .disconnected(let link): return disconnected(link, into: &commands)
        case .rssi, .centralReads, .centralSubscribed: break
        }
        return nil
    }

    private mutating func connected(
        _ link: LinkID, _ isCentral: Bool, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) -> Event? {
        guard !isOver else {
            commands.append(.disconnect(link))
            return nil
        }
        if dropsLeft > 0 {
            dropsLeft -= 1
            commands.append(.disconnect(link))
            if isCentral { client = link } else { centrals.append(link) }
            return nil
        }
        guard isCentral else {
            centrals.append(link)
            if open == nil { advertise(into: &commands) }
            return nil
        }
        client = link
        step = .agreeing
        return run(at: now, into: &commands) { $0.exchangeMTU(517, on: link, at: now, into: &$1, &$2) }
    }

    private mutating func subscribe(
        _ link: LinkID, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) -> Event? {
        guard deviation != .startWithoutSubscription else { return begin(link, at: now, into: &commands) }
        var event: Event?
        let startsFirst = deviation == .clientStartsFirst || deviation == .readerStartsFirst
        if startsFirst {
            event = begin(link, at: now, into: &commands)
        } else {
            step = .subscribing
        }
        subscriptionsOwed = 2
        for number in [1, 3] {
            let characteristic = uuid(number, isServed: false)
            event =
                run(at: now, into: &commands) { $0.subscribe(to: characteristic, on: link, at: now, into: &$1, &$2) }
                ?? event
        }
        return event
    }

    private mutating func begin(_ link: LinkID, at now: MonotonicInstant, into commands: inout [AirCommand]) -> Event? {
        step = .starting
        let (number, value): (Int, [UInt8]) = deviation == .dataBeforeStart ? (2, [0, 1]) : (1, [1])
        let characteristic = uuid(number, isServed: false)
        return run(at: now, into: &commands) {
            $0.write(value, to: characteristic, on: link, withResponse: false, at: now, into: &$1, &$2)
        }
    }

    private mutating func opened(_ link: LinkID, into commands: inout [AirCommand]) -> Event? {
        guard open == nil else { return nil }
        open = link
        commands += [.stopAdvertising, .stopScanning]
        if step == .connecting { commands.append(.cancelConnect) }
        step = .idle
        commands += (centrals + [client].compactMap { $0 }).filter { $0 != link }.map { .disconnect($0) }
        return .open
    }

    private mutating func disconnected(_ link: LinkID, into commands: inout [AirCommand]) -> Event? {
        centrals.removeAll { $0 == link }
        mtus[link] = nil
        if link == open {
            open = nil
            outbox = []
            if client == link { client = nil }
            return .lost
        }
        guard !isOver, open == nil else { return nil }
        if link == client { find(into: &commands) } else { advertise(into: &commands) }
        return nil
    }
}
