/// What is to be done with a device over a link, most urgent first.
enum Need: Hashable, Sendable {
    /// A message of the application waits (HP-50).
    case send
    /// Its payload is to be read.
    case readPayload
    case readModel
    case readLegacy
    /// The own payload is to be written to it (HP-14).
    case writePayload
    /// The own reading of it is to be written.
    case writeRSSI
    /// The payloads of others are to be shared with it.
    case share
    /// A link is to stay open, because the device is not heard otherwise (HP-37).
    case stay
}

extension HeraldNode {
    /// What is to be done with a device next; nil when nothing is.
    func need(of slot: Int, at now: UInt64) -> Need? {
        let flags = table.hot[slot].flags
        if flags.contains(.hasMessage) { return .send }
        guard flags.contains(.isConnectable), flags.isDisjoint(with: [.isForeign, .isReceiveOnly]) else { return nil }
        if !flags.contains(.wasRead) || isRereadDue(slot, at: now) { return .readPayload }
        if configuration.readsModel, !flags.contains(.modelIsDone) { return .readModel }
        if configuration.legacy?.isReadOnPeers == true, !flags.contains(.legacyIsDone) { return .readLegacy }
        if let need = writeNeed(of: slot, at: now) { return need }
        return shouldStay(slot) && !flags.contains(.isLinked) ? .stay : nil
    }

    /// Whether a link to a device stays open: only where neither end would hear the other otherwise (HP-36, HP-37).
    func shouldStay(_ slot: Int) -> Bool {
        !configuration.platform.hearsBackgroundPeers && table.hot[slot].signal == .nonCompliant
            && !table.hot[slot].flags.contains(.lacksSignal)
    }

    private func isRereadDue(_ slot: Int, at now: UInt64) -> Bool {
        guard let interval = ticks.payloadReread else { return false }
        return now >= table.cold[slot].payloadReadAt &+ interval
    }

    private func writeNeed(of slot: Int, at now: UInt64) -> Need? {
        let device = table.hot[slot]
        guard configuration.writesUnasked, let signal = device.signal, !device.flags.contains(.lacksSignal),
            own.payload != nil
        else { return nil }
        if configuration.platform.canAdvertise {
            guard signal == .nonCompliant else { return nil }
            if table.cold[slot].payloadWrittenAt == nil { return .writePayload }
            return isShareDue(slot, at: now) ? .share : nil
        }
        if isDue(table.cold[slot].payloadWrittenAt, ticks.payloadWriteInterval, at: now) { return .writePayload }
        let mayShare = signal == .nonCompliant && isShareDue(slot, at: now)
        if mayShare, !device.flags.contains(.sharedLast) { return .share }
        let isRSSIDue =
            device.flags.contains(.hasRSSI) && now &- min(device.lastReading, now) <= ticks.contactGap
            && isDue(
                latest(table.cold[slot].rssiWrittenAt, table.cold[slot].sharedAt), ticks.rssiWriteInterval, at: now)
        if isRSSIDue { return .writeRSSI }
        return mayShare ? .share : nil
    }

    private func latest(_ left: UInt64?, _ right: UInt64?) -> UInt64? {
        guard let left, let right else { return left ?? right }
        return max(left, right)
    }

    private func isDue(_ last: UInt64?, _ interval: UInt64, at now: UInt64) -> Bool {
        guard let last else { return true }
        return now >= last &+ interval
    }

    private func isShareDue(_ slot: Int, at now: UInt64) -> Bool {
        guard let interval = ticks.sharingInterval, table.hot[slot].flags.contains(.hasRSSI) else { return false }
        return isDue(latest(table.cold[slot].sharedAt, table.cold[slot].rssiWrittenAt), interval, at: now)
            && hasSomethingToShare(besides: slot, at: now)
    }

    private func isShareable(_ slot: Int, at now: UInt64) -> Bool {
        let device = table.hot[slot]
        return device.target != 0 && device.flags.contains(.hasPayload)
            && (device.signal == .nonCompliant || device.flags.contains(.isReceiveOnly))
            && now &- min(device.lastNoticed, now) <= ticks.sharingExpiry
    }

    private func hasSomethingToShare(besides slot: Int, at now: UInt64) -> Bool {
        let payload = table.cold[slot].payload
        return table.hot.indices.contains {
            $0 != slot && isShareable($0, at: now) && table.cold[$0].payload != payload
        }
    }

    /// The payloads to share with a device: those that it was not told before the others, then the newest; each once, as many
    /// as fit.
    mutating func payloadsToShare(with slot: Int, at now: UInt64, limit: Int) -> [UInt8] {
        let told = Set(table.cold[slot].toldTargets)
        var others: [(slot: Int, isTold: Bool, lastNoticed: UInt64, target: UInt64)] = []
        for other in table.hot.indices where other != slot && isShareable(other, at: now) {
            let target = table.hot[other].target
            others.append((other, told.contains(target), table.hot[other].lastNoticed, target))
        }
        others.sort { left, right in
            if left.isTold != right.isTold { return !left.isTold }
            return left.lastNoticed != right.lastNoticed
                ? left.lastNoticed > right.lastNoticed : left.target < right.target
        }
        var joined: [UInt8] = []
        var seen: Set<[UInt8]> = [table.cold[slot].payload]
        for (other, _, _, _) in others {
            let payload = table.cold[other].payload
            guard joined.count + payload.count <= limit, seen.insert(payload).inserted else { continue }
            joined += payload
            table.cold[slot].toldTargets.removeAll { $0 == table.hot[other].target }
            table.cold[slot].toldTargets.append(table.hot[other].target)
        }
        let extra = table.cold[slot].toldTargets.count - 32
        if extra > 0 { table.cold[slot].toldTargets.removeFirst(extra) }
        return joined
    }

    /// When a device may next need something by itself; `.max` when never.
    func nextNeed(of slot: Int) -> UInt64 {
        let device = table.hot[slot]
        guard device.flags.contains(.isConnectable), device.flags.isDisjoint(with: [.isForeign, .isReceiveOnly]) else {
            return .max
        }
        var next = UInt64.max
        if let interval = ticks.payloadReread { next = table.cold[slot].payloadReadAt &+ interval }
        guard configuration.writesUnasked, let signal = device.signal, !device.flags.contains(.lacksSignal) else {
            return next
        }
        let wrote = latest(table.cold[slot].rssiWrittenAt, table.cold[slot].sharedAt)
        if !configuration.platform.canAdvertise {
            next = min(next, (table.cold[slot].payloadWrittenAt ?? 0) &+ ticks.payloadWriteInterval)
            next = min(next, (wrote ?? 0) &+ ticks.rssiWriteInterval)
        }
        if signal == .nonCompliant, let interval = ticks.sharingInterval { next = min(next, (wrote ?? 0) &+ interval) }
        return next
    }
}
