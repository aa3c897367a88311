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
        else { return }
        enqueue(slot)
        if !flags.contains(.isCandidate) { interruptIntrospection(at: now, into: &outputs) }
        pump(at: now, into: &outputs)
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
        table.hot[slot].flags.insert(.isQueued)
        lines[keyPath: line(of: slot)].append(table.token(slot))
    }

    private mutating func putBack(_ slot: Int) {
        table.hot[slot].flags.insert(.isQueued)
        lines[keyPath: line(of: slot)].prepend(table.token(slot))
    }

    private func line(of slot: Int) -> WritableKeyPath<WaitingLines, SlotQueue> {
        let flags = table.hot[slot].flags
        if flags.contains(.hasMessage) { return \.send }
        if flags.contains(.isCandidate) { return \.introspect }
        let isFleeting = table.hot[slot].pseudo != 0 && !flags.contains(.wasRead)
        let allowed: UInt8 = flags.contains(.wasRead) ? 1 : isFleeting ? 2 : 0
        if table.hot[slot].failures > allowed || table.hot[slot].isFaint { return \.faint }
        return flags.contains(.wasRead) ? \.upkeep : isFleeting ? \.fleeting : \.identify
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
        for link in links {
            if link.phase == .connecting { return false }
            if !link.isStaying, !link.isClosing { busy += 1 }
        }
        return busy < configuration.limits.busyLinks
    }

    private mutating func nextInLine(at now: UInt64) -> Int? {
        while let token = nextToken() {
            guard let slot = table.slot(of: token) else { continue }
            table.hot[slot].flags.remove(.isQueued)
            updateWanted(slot, at: now)
            let device = table.hot[slot]
            let isFresh = isReachable(device, at: now)
            guard device.flags.contains(.isWanted), !device.flags.contains(.isLinked), device.retryAt <= now,
                device.address != 0, isFresh || device.flags.contains(.hasMessage)
            else { continue }
            return slot
        }
        return nil
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
        lines.turn &+= 1
        if lines.turn % 4 == 0, let token = lines.upkeep.popFirst() { return token }
        if lines.turn % 8 == 3, let token = lines.introspect.popFirst() { return token }
        if lines.turn % 8 == 6, let token = bestFaint() { return token }
        if lines.turn % 2 == 1, let token = lines.fleeting.popFirst() { return token }
        return lines.identify.popFirst() ?? lines.fleeting.popFirst() ?? lines.upkeep.popFirst() ?? bestFaint()
            ?? lines.introspect.popFirst()
    }

    /// Of the first few that are hardly heard the one that is heard best.
    private mutating func bestFaint() -> SlotToken? {
        guard !lines.faint.isEmpty else { return nil }
        let table = table
        return lines.faint.popBest(of: 8) { token in table.slot(of: token).map { Int(table.hot[$0].level) } ?? .max }
    }

    /// Whether another link fits; if not, one that only stays gives way (HP-40, HP-41).
    private mutating func makeRoom(for slot: Int, at now: UInt64, into outputs: inout [Output]) -> Bool {
        guard links.count >= configuration.platform.linkLimit else { return true }
        guard !links.contains(where: \.isGivingWay) else { return false }
        // A link that is only to stay takes no place that another has had for less than a minute.
        let isForStay = need(of: slot, at: now) == .stay
        let youngest = isForStay ? now &- min(60 * HeraldTicks.second, now) : now
        let resting = links.indices.filter {
            links[$0].isStaying && !links[$0].isClosing && links[$0].message == nil && links[$0].openedAt <= youngest
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
