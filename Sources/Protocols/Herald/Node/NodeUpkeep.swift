package import Bluetooth
import Determinism

// Deadlines: one wake per record, moved only when it comes, so that advertisements cost none.
extension HeraldNode {
    mutating func expire(at now: UInt64, into outputs: inout [Output]) {
        while let entry = wakes.popFirst(until: now) {
            guard let slot = table.slot(of: entry.token), table.hot[slot].wakeAt == entry.at else { continue }
            table.hot[slot].wakeAt = .max
            lookAfter(slot, at: now, into: &outputs)
        }
        expireLinks(at: now, into: &outputs)
        expireCentrals(at: now, into: &outputs)
        renewScan(at: now, into: &outputs)
        renewIdentity(at: now, into: &outputs)
        pump(at: now, into: &outputs)
    }

    mutating func lookAfter(_ slot: Int, at now: UInt64, into outputs: inout [Output]) {
        expireMessages(of: slot, at: now, into: &outputs)
        let device = table.hot[slot]
        if device.contactStart != 0, now &- min(device.lastReading, now) > ticks.contactGap {
            endContact(slot, at: now, into: &outputs)
        }
        watchVisit(slot, at: now, into: &outputs)
        let isLinked = device.flags.contains(.isLinked)
        if !isLinked, now &- min(device.lastNoticed, now) >= ticks.recordExpiry {
            return forget(slot, at: now, into: &outputs)
        }
        updateWanted(slot, at: now)
        let flags = table.hot[slot].flags
        if flags.contains(.isWanted), !isLinked, device.retryAt <= now { enqueue(slot) }
        if flags.contains(.isWanted), isLinked { kick(slot, at: now, into: &outputs) }
        schedule(slot, at: now)
    }

    /// Makes sure that a record is looked at when the next thing of it is due.
    mutating func schedule(_ slot: Int, at now: UInt64) {
        let device = table.hot[slot]
        var next = device.lastNoticed &+ ticks.recordExpiry
        if device.contactStart != 0 { next = min(next, device.lastReading &+ ticks.contactGap &+ 1) }
        if device.flags.contains(.mayVisit), let visit = table.cold[slot].visit {
            next = min(next, visit.last &+ ticks.visitGap &+ 1)
        }
        if device.flags.contains(.hasMessage) {
            for message in table.cold[slot].messages where !isBeingWritten(message.id, to: slot) {
                next = min(next, message.deadline)
            }
        }
        if !device.flags.contains(.isWanted) {
            next = min(next, max(nextNeed(of: slot), now &+ 5 * HeraldTicks.second))
        }
        if device.retryAt > now { next = min(next, device.retryAt) }
        next = max(next, now &+ 1)
        guard next < device.wakeAt || device.wakeAt <= now else { return }
        isDeadlineStale = true
        table.hot[slot].wakeAt = next
        wakes.insert(DeadlineHeap.Entry(at: next, token: table.token(slot)))
    }
}

// What will be looked at next.
extension HeraldNode {
    /// Reads a little of what is known of each of these, who will be heard next.
    ///
    /// Changes nothing; the sum has no meaning. Memory brings what is read for all at once, where `hear` would wait for each.
    package func touch(_ addresses: Span<DeviceAddress>) -> UInt64 {
        var sum: UInt64 = 0
        for index in addresses.indices {
            let slot = table.find(AddressKey.key(of: addresses[index]))
            guard slot >= 0 else { continue }
            sum &+= table.hot[slot].target &+ UInt64(table.hot[slot].generation) &+ table.hot[slot].retryAt
        }
        return sum
    }

    /// Reads a little of what the next input needs, as the other `touch` does.
    ///
    /// What lies in the node itself (`depth` 0), and what that shows the way to (1 to 3); each depth needs the one before.
    package func touch(_ depth: Int) -> UInt64 {
        var sum: UInt64 = 0
        switch depth {
        case 0:
            sum = (nextDeadline?.nanoseconds ?? 0) &+ scan.due &+ own.wallAt &+ own.due &+ UInt64(table.count)
            sum &+= UInt64(lines.send.count) &+ UInt64(lines.turn) &+ UInt64(configuration.limits.busyLinks) &+ lastLink
        case 1: sum = UInt64(wakes.count) &+ UInt64(links.count) &+ UInt64(centrals.count) &+ UInt64(table.hot.count)
        case 2:
            sum = wakes.first?.at ?? 0
            for link in links.indices { sum &+= links[link].deadline &+ UInt64(links[link].token.slot) }
            for central in centrals.indices { sum &+= centrals[central].lastActive &+ centrals[central].idleDue }
        default:
            for link in links.indices {
                let slot = Int(links[link].token.slot)
                guard slot < table.hot.count else { continue }
                sum &+= table.hot[slot].target &+ table.hot[slot].wakeAt &+ (table.cold[slot].payloadReadAt)
            }
        }
        return sum
    }
}

// What is known.
extension HeraldNode {
    /// What is known of a device; nil when it has no record.
    public func device(_ target: TargetID) -> DeviceSnapshot? { table.slot(of: target.number).map(snapshot) }

    /// What is known of all devices, in the order in which they were noticed.
    public var devices: [DeviceSnapshot] { table.slotsInOrder.map(snapshot) }

    /// How many devices have a record.
    public var deviceCount: Int { table.count }

    /// The payload that this device serves; nil without one.
    public var ownPayload: [UInt8]? { own.payload }

    /// The pseudo address that this device advertises; nil without one.
    public var ownPseudoAddress: PseudoDeviceAddress? { own.pseudoAddress }

    /// The payload of a device; nil while that is not known.
    public func payload(of target: TargetID) -> [UInt8]? {
        guard let slot = table.slot(of: target.number), table.hot[slot].flags.contains(.hasPayload) else { return nil }
        return table.cold[slot].payload
    }

    private func snapshot(_ slot: Int) -> DeviceSnapshot {
        let (device, details) = (table.hot[slot], table.cold[slot])
        let isKnown = device.flags.contains(.hasPayload)
        return DeviceSnapshot(
            target: TargetID(device.target), address: AddressKey.address(of: device.address),
            pseudoAddress: AddressKey.pseudoAddress(of: device.pseudo),
            isConfirmed: device.flags.contains(.isConfirmed), signal: device.signal,
            isReceiveOnly: device.flags.contains(.isReceiveOnly), payload: isKnown ? details.payload : nil,
            provenance: isKnown ? details.provenance : nil,
            firstNoticed: MonotonicInstant(nanoseconds: device.firstNoticed),
            lastNoticed: MonotonicInstant(nanoseconds: device.lastNoticed),
            rssi: device.flags.contains(.hasRSSI) ? Int(device.rssi) : nil,
            transmitPower: device.flags.contains(.hasPower) ? Int(device.power) : nil, model: details.model,
            contactSince: device.contactStart == 0 ? nil : MonotonicInstant(nanoseconds: device.contactStart),
            failures: Int(device.failures), hasLink: device.flags.contains(.isLinked))
    }
}
