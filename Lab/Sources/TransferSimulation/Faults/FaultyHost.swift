import Air
import Bluetooth
import Determinism
import Tuvali

/// A device with a host of a hand-over on it, and all that can go wrong between controller, host and person.
///
/// The air's own misfortunes (lost packets, silence) are not here but in the device's `DeviceRadioConditions`.
struct FaultyHost<Inner: ObservedHost>: SimulatedHost {
    private enum Action: Sendable {
        case jump(Duration)
        case suspend(until: MonotonicInstant)
        case kill(endsLinks: Bool)
        case restart
        case radioOff
        case readvertise
        case notify(LinkID)
    }

    /// The room that is kept free for frames of the faults when frames go to the air.
    private static var spareRoom: Int { 4 }

    /// The app, unless it is dead.
    private(set) var inner: Inner?
    /// The apps that were killed, oldest first.
    private(set) var killed: [Inner] = []
    /// A counter of changes that may have to be judged.
    private(set) var changes = 0
    /// True when an app waited without a deadline, or for longer than the model allows.
    private(set) var waitsTooLong = false
    /// The time at which the present app ended its session.
    private(set) var endedAt: MonotonicInstant?
    /// The activity of the controller.
    private(set) var book = ControllerActivity()
    /// The faults and how often they struck.
    private(set) var armed: [ArmedFault]

    private let lens: FrameClassifier
    private var spare: Inner?
    private var address = DeviceAddress(staticRandom: 0)
    private var actions = EventHeap<Action>()
    private var held = EventHeap<AirEvent>()
    private var clockOffset: Duration = .zero
    private var suspendedUntil = MonotonicInstant.zero
    private var frameCount = 0
    private var lastDeadline: MonotonicInstant?
    private var innerWakeAt: MonotonicInstant?
    private var advertisement: AirCommand?
    /// The links that are down without the host knowing.
    private var halfOpen: [LinkID] = []
    /// The time until which frames of a link wait for an earlier one.
    private var orderedUntil: [LinkID: MonotonicInstant] = [:]
    /// True for each frame at the controller that the faults put there, in order.
    private var atController: [(link: LinkID, isForged: Bool)] = []
    private var seen = (endings: 0, deliveries: 0, words: 0)

    init(_ inner: Inner, spare: Inner?, side: FaultKind.Side, plan: FaultPlan, lens: FrameClassifier) {
        self.inner = inner
        self.spare = spare
        self.lens = lens
        armed = plan.faults.filter { $0.side == side }.map { ArmedFault($0, dice: plan.dice(for: $0)) }
        for fault in armed.map(\.fault) { schedule(fault) }
    }

    private mutating func schedule(_ fault: PlannedFault) {
        switch fault.kind {
        case .clockJump: actions.insert(.jump(.milliseconds(fault.level)), at: fault.start)
        case .suspended: actions.insert(.suspend(until: fault.end), at: fault.start)
        case .killed, .powerLost:
            actions.insert(.kill(endsLinks: fault.kind == .killed), at: fault.start)
            actions.insert(.restart, at: fault.end)
        case .radioOff: actions.insert(.radioOff, at: fault.start)
        case .advertTruncated, .scanResponseMissing:
            actions.insert(.readvertise, at: fault.start)
            actions.insert(.readvertise, at: fault.end)
        default: break
        }
    }

    /// True when the session is over: it ended, or its app is dead and stays so.
    var isOver: Bool { inner.map { !$0.endings.isEmpty } ?? (spare == nil) }

    // MARK: - SimulatedHost

    var nextDeadline: MonotonicInstant? {
        let own = [innerWakeAt, held.first?.instant].compactMap { $0.map { max($0, suspendedUntil) } }
        return (own + [actions.first?.instant].compactMap { $0 }).min()
    }

    mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        self.address = address
        ask(at: now, into: &commands) { $0.start(as: address, at: $1, into: &$2) }
    }

    mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        while let (_, action) = actions.popFirst(through: now) { perform(action, at: now, into: &commands) }
        guard now >= suspendedUntil else { return }
        while let (_, event) = held.popFirst(through: now) {
            ask(at: now, into: &commands) { $0.handle(event, at: $1, into: &$2) }
        }
        guard let instant = innerWakeAt, now >= instant else { return }
        // Asked for anew even if the host leaves its deadline where it is: then it is stuck, and shall be seen to be.
        lastDeadline = nil
        ask(at: now, into: &commands) { $0.wake(at: $1, into: &$2) }
    }

    mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        book.note(event)
        guard inner != nil else {
            if case .connected(let link, _, _, _, _) = event { commands.append(.disconnect(link)) }
            return
        }
        admit(event, at: now, into: &commands)
    }

    // MARK: - What happens by the clock

    private mutating func perform(_ action: Action, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        switch action {
        case .jump(let duration):
            count(.clockJump)
            clockOffset += duration
            lastDeadline = nil
            settleTimer(at: now)
        case .suspend(let instant):
            count(.suspended)
            suspendedUntil = max(suspendedUntil, instant)
        case .kill(let endsLinks): kill(endsLinks: endsLinks, into: &commands)
        case .restart: restart(at: now, into: &commands)
        case .radioOff:
            count(.radioOff)
            ask(at: now, into: &commands) { $0.radioFailed(at: $1, into: &$2) }
        case .readvertise:
            guard book.isAdvertising, let advertisement else { return }
            commands.append(altered(advertisement, at: now))
        case .notify(let link):
            guard halfOpen.contains(link) else { return }
            halfOpen.removeAll { $0 == link }
            held.insert(.disconnected(link, reason: 0x08, AirLinkStatistics()), at: now)
        }
    }

    private mutating func count(_ kind: FaultKind) {
        if let index = armed.firstIndex(where: { $0.kind == kind }) { armed[index].strikes += 1 }
    }

    private mutating func kill(endsLinks: Bool, into commands: inout [AirCommand]) {
        guard let app = inner else { return }
        count(endsLinks ? .killed : .powerLost)
        killed.append(app)
        inner = nil
        changes += 1
        held = EventHeap()
        halfOpen = []
        settleTimer(at: .zero)
        for command in [AirCommand.stopAdvertising, .stopScanning, .cancelConnect] { put(command, into: &commands) }
        if endsLinks { commands += book.links.map { .disconnect($0) } }
    }

    private mutating func restart(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard inner == nil, let app = spare else { return }
        commands += book.links.map { .disconnect($0) }
        inner = app
        spare = nil
        endedAt = nil
        seen = (0, 0, 0)
        let address = self.address
        ask(at: now, into: &commands) { $0.start(as: address, at: $1, into: &$2) }
    }

    // MARK: - From the controller

    private mutating func admit(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        switch event {
        case .report:
            if !missesReport(at: now) { give(event, at: now, into: &commands) }
        case .connected(let link, let peer, let isCentral, let parameters, let capacity):
            let room = max(1, capacity - Self.spareRoom)
            give(
                .connected(link, peer: peer, isCentral: isCentral, parameters, queueCapacity: room), at: now,
                into: &commands)
            linkIsUp(link, at: now, into: &commands)
        case .sent(let link):
            guard let index = atController.firstIndex(where: { $0.link == link }) else { return }
            if !atController.remove(at: index).isForged { give(event, at: now, into: &commands) }
        case .received(let link, let frame): received(frame, on: link, at: now, into: &commands)
        case .disconnected(let link, _, _):
            atController.removeAll { $0.link == link }
            guard !halfOpen.contains(link) else { return }
            give(event, at: max(now, orderedUntil[link] ?? now), now: now, into: &commands)
        case .connectCancelled, .statistics: give(event, at: now, into: &commands)
        }
    }

    private mutating func missesReport(at now: MonotonicInstant) -> Bool {
        var misses = false
        for index in armed.indices {
            switch armed[index].kind {
            case .advertLoss: if armed[index].strikes(at: now) { misses = true }
            case .scanThrottled:
                let period = UInt64(max(1, armed[index].fault.level)) * 1_000_000
                guard now.nanoseconds % period < period - period / 10, armed[index].applies(at: now) else { continue }
                misses = true
            default: continue
            }
        }
        return misses
    }

    private mutating func linkIsUp(_ link: LinkID, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        for index in armed.indices {
            switch armed[index].kind {
            case .connectBreaks: if armed[index].strikes(at: now) { commands.append(.disconnect(link)) }
            case .earlyPush:
                guard armed[index].applies(at: now) else { continue }
                let values: [(TuvaliCharacteristic, [UInt8])] = [
                    (.reportResponse, [1, 0, 0]), (.verificationStatus, [0]), (.disconnect, [0]), (.reportResponse, []),
                ]
                for (characteristic, value) in values.prefix(armed[index].fault.level) {
                    if let frame = lens.notification(characteristic, value) { forge(frame, on: link, into: &commands) }
                }
            default: continue
            }
        }
    }

    private mutating func received(
        _ frame: [UInt8], on link: LinkID, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        frameCount += 1
        var fate = FrameFaultEffect(
            frame: frame, number: frameCount, opcode: FrameClassifier.opcode(of: frame),
            characteristic: lens.characteristic(of: frame))
        for index in armed.indices where !fate.isDropped { armed[index].strike(&fate, at: now) }
        for reply in fate.replies { forge(reply, on: link, into: &commands) }
        if fate.disconnects { commands.append(.disconnect(link)) }
        if let instant = fate.halfOpenUntil { halve(link, until: instant, into: &commands) }
        guard !fate.isDropped else { return }
        let order = max(now + fate.delay, orderedUntil[link] ?? now)
        if order > now { orderedUntil[link] = order }
        let instant = fate.holdBack > .zero ? now + fate.holdBack : order
        for _ in 0..<fate.copies {
            give(.received(link, frame: fate.frame), at: instant, now: now, into: &commands)
        }
        for frame in fate.forged { give(.received(link, frame: frame), at: instant, now: now, into: &commands) }
    }

    private mutating func halve(
        _ link: LinkID, until instant: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        commands.append(.disconnect(link))
        halfOpen.append(link)
        actions.insert(.notify(link), at: instant)
    }

    private mutating func give(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        give(event, at: now, now: now, into: &commands)
    }

    /// Hands an event to the host, at once or when its time has come.
    private mutating func give(
        _ event: AirEvent, at instant: MonotonicInstant, now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        guard instant <= now, now >= suspendedUntil else { return held.insert(event, at: max(instant, suspendedUntil)) }
        ask(at: now, into: &commands) { $0.handle(event, at: $1, into: &$2) }
    }
}

// To the controller, and the host's timer.
extension FaultyHost {
    /// Lets the host act, by its own clock, and forwards its commands.
    private mutating func ask(
        at now: MonotonicInstant, into commands: inout [AirCommand],
        _ body: (inout Inner, MonotonicInstant, inout [AirCommand]) -> Void
    ) {
        guard var app = inner else { return }
        inner = nil
        var asked: [AirCommand] = []
        body(&app, now + clockOffset, &asked)
        inner = app
        for command in asked { pass(command, at: now, into: &commands) }
        look(at: now)
        settleTimer(at: now)
    }

    private mutating func look(at now: MonotonicInstant) {
        guard let inner else { return }
        if inner.endings.isEmpty, !waitsTooLong {
            let latest = now + clockOffset + ExpectedHandOver.longestWait
            waitsTooLong = inner.nextDeadline.map { $0 > latest } ?? true
            if waitsTooLong { changes += 1 }
        }
        let counts = (inner.endings.count, inner.deliveries.count, inner.eventsAfterEnd)
        guard counts != (seen.endings, seen.deliveries, seen.words) else { return }
        seen = (counts.0, counts.1, counts.2)
        changes += 1
        if counts.0 > 0, endedAt == nil { endedAt = now }
    }

    /// Requests to be woken at the host's deadline, or later if its timers are late.
    private mutating func settleTimer(at now: MonotonicInstant) {
        guard let deadline = inner?.nextDeadline else {
            lastDeadline = nil
            innerWakeAt = nil
            return
        }
        guard deadline != lastDeadline else { return }
        lastDeadline = deadline
        var instant = max(now, deadline + (.zero - clockOffset))
        for index in armed.indices where armed[index].kind == .timersLate {
            guard armed[index].applies(at: instant) else { continue }
            let level = armed[index].fault.level
            instant = instant + .milliseconds(armed[index].dice.within(0...max(1, level)))
        }
        innerWakeAt = instant
    }

    private mutating func pass(_ command: AirCommand, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        switch command {
        case .send(let link, var frame):
            guard !halfOpen.contains(link) else { return held.insert(.sent(link), at: now) }
            var isLost = false
            for index in armed.indices where armed[index].strikeOutgoing(&frame, at: now) { isLost = true }
            guard !isLost else { return held.insert(.sent(link), at: now) }
            atController.append((link, false))
            commands.append(.send(link, frame: frame))
        case .disconnect(let link):
            guard halfOpen.contains(link) else { return commands.append(command) }
            perform(.notify(link), at: now, into: &commands)
        case .startAdvertising:
            advertisement = command
            put(altered(command, at: now), into: &commands)
        case .connect:
            guard let index = armed.firstIndex(where: { $0.kind == .connectFails }), armed[index].strikes(at: now)
            else { return put(command, into: &commands) }
            held.insert(.connectCancelled, at: now)
        default: put(command, into: &commands)
        }
    }

    private mutating func put(_ command: AirCommand, into commands: inout [AirCommand]) {
        book.note(command)
        commands.append(command)
    }

    private mutating func forge(_ frame: [UInt8], on link: LinkID, into commands: inout [AirCommand]) {
        atController.append((link, true))
        commands.append(.send(link, frame: frame))
    }

    /// The advertising command after the present faults have altered it.
    private mutating func altered(_ command: AirCommand, at now: MonotonicInstant) -> AirCommand {
        guard case .startAdvertising(var data, var response, let interval, let isConnectable) = command else {
            return command
        }
        for index in armed.indices {
            switch armed[index].kind {
            case .advertTruncated:
                if armed[index].applies(at: now) { data = Array(data.prefix(armed[index].fault.level)) }
            case .scanResponseMissing: if armed[index].applies(at: now) { response = [] }
            default: continue
            }
        }
        return .startAdvertising(
            data: data, scanResponse: response, intervalMicroseconds: interval, isConnectable: isConnectable)
    }
}
