/// Who waits for a link, in lines by urgency; first come, first served within each.
struct WaitingLines: Sendable {
    var send = SlotQueue()
    var identify = SlotQueue()
    /// The same of devices with a pseudo address, which will soon have left the address under which they were heard.
    var fleeting = SlotQueue()
    /// Devices that were not reached before, or are hardly heard: the best heard of the first few goes first.
    var faint = SlotQueue()
    /// Devices that need something written, or read again.
    var upkeep = SlotQueue()
    /// Devices that may be something else.
    var introspect = SlotQueue()
    /// Counts turns, so that the later lines are not starved by the earlier ones.
    var turn = 0

    /// Whether nobody waits but what may be something else.
    var isIdle: Bool { send.isEmpty && identify.isEmpty && fleeting.isEmpty && upkeep.isEmpty && faint.isEmpty }
}

// Whose turn it is.
extension HeraldNode {
    /// Puts a device into its line when something is to be done with it and it can be.
    @inline(__always)
    mutating func queueIfWanted(_ slot: Int, at now: UInt64, into outputs: inout [Output]) {
        let flags = table.hot[slot].flags
        guard flags.contains(.isWanted), flags.isDisjoint(with: [.isQueued, .isLinked]),
            table.hot[slot].retryAt <= now
        else {
            if flags.contains(.waitsFaint) { promote(slot) }
            return
        }
        enqueue(slot)
        if !flags.contains(.isCandidate) { interruptIntrospection(at: now, into: &outputs) }
        if !isDoubtful(slot) { hurryDoubtful() }
        pump(at: now, into: &outputs)
    }

    /// A connect that is likely to be for nothing gets a second, in which most come about, when a better one waits.
    private mutating func hurryDoubtful() {
        guard let index = links.firstIndex(where: { $0.phase == .connecting && $0.isDoubtful }) else { return }
        links[index].deadline = min(links[index].deadline, links[index].openedAt &+ HeraldTicks.second)
    }

    /// Gives up connecting to what may be something else when a device of Herald waits.
    private mutating func interruptIntrospection(at now: UInt64, into outputs: inout [Output]) {
        guard let index = links.firstIndex(where: { $0.phase == .connecting }),
            let slot = table.slot(of: links[index].token), table.hot[slot].flags.contains(.isCandidate)
        else { return }
        table.hot[slot].retryAt = now &+ ticks.firstRetry
        close(index, at: now, into: &outputs)
    }

    mutating func enqueue(_ slot: Int) {
        guard !table.hot[slot].flags.contains(.isQueued) else { return }
        let line = takeLine(slot)
        if table.hot[slot].flags.contains(.isAtDoor) {
            lines[keyPath: line].prepend(table.token(slot))
        } else {
            lines[keyPath: line].append(table.token(slot))
        }
    }

    private mutating func putBack(_ slot: Int) {
        let line = takeLine(slot)
        lines[keyPath: line].prepend(table.token(slot))
    }

    private mutating func takeLine(_ slot: Int) -> WritableKeyPath<WaitingLines, SlotQueue> {
        let line = line(of: slot)
        table.hot[slot].flags.insert(line == \.faint ? [.isQueued, .waitsFaint] : .isQueued)
        return line
    }

    private func line(of slot: Int) -> WritableKeyPath<WaitingLines, SlotQueue> {
        let flags = table.hot[slot].flags
        if flags.contains(.hasMessage) { return \.send }
        if flags.contains(.isCandidate) { return \.introspect }
        if flags.contains(.isAtDoor) { return \.identify }
        if isForFaint(slot) { return \.faint }
        return flags.contains(.wasRead) ? \.upkeep : isFleeting(slot) ? \.fleeting : \.identify
    }

    func isFleeting(_ slot: Int) -> Bool {
        table.hot[slot].pseudo != 0 && !table.hot[slot].flags.contains(.wasRead)
    }

    private func isForFaint(_ slot: Int) -> Bool {
        // Whoever is heard well was missed by chance, and soon may be gone.
        let wasRead = table.hot[slot].flags.contains(.wasRead)
        let allowed: UInt8 = table.hot[slot].isClear ? 3 : wasRead ? 1 : isFleeting(slot) ? 2 : 0
        return table.hot[slot].failures > allowed || table.hot[slot].isFaint
    }

    /// Lets a device that came nearer while it waited among those that are hardly heard wait among the others.
    private mutating func promote(_ slot: Int) {
        guard !isForFaint(slot) else { return }
        leaveFaint(slot)
        enqueue(slot)
    }

    private mutating func leaveFaint(_ slot: Int) {
        guard table.hot[slot].flags.contains(.waitsFaint) else { return }
        lines.faint.remove(table.token(slot))
        table.hot[slot].flags.subtract([.isQueued, .waitsFaint])
    }

    /// A device connected to this one: if it could not be reached, it can be now.
    ///
    /// What another does is believed once a minute, so that nobody is served more than his share.
    mutating func expectAtDoor(_ key: UInt64, at now: UInt64, into outputs: inout [Output]) {
        let slot = table.find(key)
        guard slot >= 0, table.hot[slot].address == key else { return }
        let flags = table.hot[slot].flags
        guard flags.contains(.isWanted), flags.isDisjoint(with: [.wasRead, .isLinked, .isForeign, .isCandidate]),
            table.hot[slot].failures > 0 || table.hot[slot].isFaint,
            table.cold[slot].atDoorSince.map({ now &- min($0, now) >= 60 * HeraldTicks.second }) ?? true
        else { return }
        table.cold[slot].atDoorSince = now
        table.hot[slot].retryAt = min(table.hot[slot].retryAt, now)
        table.hot[slot].flags.insert(.isAtDoor)
        leaveFaint(slot)
        enqueue(slot)
        hurryDoubtful()
        pump(at: now, into: &outputs)
    }

    /// Sets whether something is to be done with a device over a link.
    mutating func updateWanted(_ slot: Int, at now: UInt64) {
        if need(of: slot, at: now) != nil {
            table.hot[slot].flags.insert(.isWanted)
        } else {
            table.hot[slot].flags.remove(.isWanted)
        }
    }

    /// Opens as many links as are allowed.
    mutating func pump(at now: UInt64, into outputs: inout [Output]) {
        isDeadlineStale = true
        while radio == .on, phase == .running, mayOpen, let slot = nextInLine(at: now) {
            guard yieldScan(at: now, into: &outputs), makeRoom(for: slot, at: now, into: &outputs) else {
                putBack(slot)
                break
            }
            open(slot, at: now, into: &outputs)
        }
        resumeScan(at: now, into: &outputs)
    }

    /// One connect at a time, and a bounded number of links in use.
    private var mayOpen: Bool {
        var busy = 0
        for index in links.indices {
            if links[index].phase == .connecting { return false }
            if !links[index].isStaying, links[index].phase != .closing { busy += 1 }
        }
        return busy < configuration.limits.busyLinks
    }

    private mutating func nextInLine(at now: UInt64) -> Int? {
        while let token = nextToken() {
            guard let slot = table.slot(of: token) else { continue }
            table.hot[slot].flags.subtract([.isQueued, .waitsFaint])
            updateWanted(slot, at: now)
            let device = table.hot[slot]
            let isFresh = isReachable(device, at: now) || isAtDoor(slot, at: now)
            guard device.flags.contains(.isWanted), !device.flags.contains(.isLinked), device.retryAt <= now,
                device.address != 0, isFresh || device.flags.contains(.hasMessage)
            else {
                table.hot[slot].flags.remove(.isAtDoor)
                continue
            }
            return slot
        }
        return nil
    }

    private func isAtDoor(_ slot: Int, at now: UInt64) -> Bool {
        table.hot[slot].flags.contains(.isAtDoor)
            && table.cold[slot].atDoorSince.map { now &- min($0, now) <= ticks.connectFreshness } ?? false
    }

    /// Whether a device was heard so recently that it can be connected to.
    private func isReachable(_ device: Device, at now: UInt64) -> Bool {
        // Whoever has a pseudo address will soon have left the address under which he was heard.
        let freshness = device.pseudo == 0 ? ticks.connectFreshness : ticks.connectFreshness / 2
        if now &- min(device.lastHeard, now) <= freshness { return true }
        // What is not heard in the background may be there all the same.
        return !configuration.platform.hearsBackgroundPeers && device.signal == .nonCompliant
            && now &- min(device.lastNoticed, now) <= ticks.sendRecency
    }

    private mutating func nextToken() -> SlotToken? {
        if let token = lines.send.popFirst() { return token }
        if wouldEndScan, let token = lines.fleeting.popFirst() { return token }
        lines.turn &+= 1
        if lines.turn % 4 == 0, let token = lines.upkeep.popFirst() { return token }
        if lines.turn % 8 == 3, let token = lines.introspect.popFirst() { return token }
        if lines.turn % 8 == 6, let token = bestFaint() { return token }
        if lines.turn % 2 == 1, let token = lines.fleeting.popFirst() { return token }
        return nextToIdentify() ?? lines.fleeting.popFirst() ?? lines.upkeep.popFirst() ?? bestFaint()
            ?? lines.introspect.popFirst()
    }

    /// Whether the next connect ends a scan: then those come first who were just heard and will soon have left their address.
    ///
    /// A second connect begins seconds later, when many of them have; so one that is heard all the time may be missed for minutes.
    private var wouldEndScan: Bool { !configuration.platform.scansWhileConnecting && scan.isOn }

    /// Every other time the one that is heard best, who is reached most surely; so that nobody waits for ever, else the first.
    private mutating func nextToIdentify() -> SlotToken? {
        guard lines.turn % 4 >= 2, lines.identify.count > 1 else { return lines.identify.popFirst() }
        let table = table
        return lines.identify.popBest(of: 32) { token in table.level(of: token) }
    }

    /// Of the first few that are hardly heard the one that is heard best.
    private mutating func bestFaint() -> SlotToken? {
        guard !lines.faint.isEmpty else { return nil }
        let table = table
        return lines.faint.popBest(of: 32) { token in table.level(of: token) }
    }

    /// Whether another link fits; if not, one that only stays gives way (HP-40, HP-41).
    private mutating func makeRoom(for slot: Int, at now: UInt64, into outputs: inout [Output]) -> Bool {
        guard links.count >= configuration.platform.linkLimit else { return true }
        guard !links.contains(where: \.isGivingWay) else { return false }
        // A link that is only to stay takes no place that another has had for less than a minute.
        let isForStay = need(of: slot, at: now) == .stay
        let youngest = isForStay ? now &- min(60 * HeraldTicks.second, now) : now
        // One that is kept for writing makes room for messages alone: another would need its place no longer than a moment.
        let isForMessage = table.hot[slot].flags.contains(.hasMessage)
        let resting = links.indices.filter {
            links[$0].isStaying && !links[$0].isClosing && links[$0].message == nil && links[$0].openedAt <= youngest
                && (isForMessage || !links[$0].isKept)
        }
        let victim: Int?
        switch configuration.quota {
        case .dropOldest: victim = resting.min { links[$0].openedAt < links[$1].openedAt }
        case .dropWeakest:
            victim = resting.min {
                let (left, right) = (table.slot(of: links[$0].token), table.slot(of: links[$1].token))
                return (left.map { table.hot[$0].rssi } ?? -128) < (right.map { table.hot[$0].rssi } ?? -128)
            }
        }
        if let victim {
            links[victim].isGivingWay = true
            if let slot = table.slot(of: links[victim].token) {
                // It must not come back at once and take the place of the next.
                table.hot[slot].retryAt = max(table.hot[slot].retryAt, now &+ 30 * HeraldTicks.second)
            }
            close(victim, at: now, into: &outputs)
        }
        return false
    }
}
