import Bluetooth
import Determinism

/// A device that connected to this one.
struct Visitor: Sendable {
    let number: UInt64
    let address: UInt64
    let since: UInt64
    var lastActive: UInt64
    var reassembler = SignalReassembler()
    var budget: TokenBucket
    var isSubscribed = false
    /// Whether it is to be told a new payload.
    var wantsPayload = false
    /// When a wake is answered; `.max` when none is owed.
    var wakeDue: UInt64 = .max
    /// When the connection has been idle for too long.
    var idleDue: UInt64

    var deadline: UInt64 { min(wakeDue, idleDue) }
}

// What others do to this device. Nothing of it is more than a claim.
extension HeraldNode {
    mutating func admit(
        _ central: Central, _ address: DeviceAddress, at now: UInt64, into outputs: inout [Output]
    ) {
        guard radio == .on, !centrals.contains(where: { $0.number == central.number }) else { return }
        if centrals.count >= configuration.platform.centralLimit {
            guard let idlest = idlestVisitor(at: now) else {
                outputs.append(.disconnectCentral(central))
                if own.isAdvertising { advertise(into: &outputs) }
                return
            }
            outputs.append(.disconnectCentral(Central(centrals.remove(at: idlest).number)))
        }
        let limits = configuration.limits
        centrals.append(
            Visitor(
                number: central.number, address: AddressKey.key(of: address), since: now, lastActive: now,
                budget: TokenBucket(
                    burst: limits.writeBurst, perSecond: Double(limits.writesPerSecond), at: now),
                idleDue: now &+ ticks.centralIdleTime))
        // A controller stops advertising when it is connected to.
        if own.isAdvertising { advertise(into: &outputs) }
        expectAtDoor(AddressKey.key(of: address), at: now, into: &outputs)
    }

    /// Who gives way to a new visitor: the one that has been idle for longest, of those that have had their time; nil when none has.
    ///
    /// What a visitor reads is not seen here. If one that is reading gave way, many that come at once would end each other's links
    /// again and again, and none would ever have read.
    private func idlestVisitor(at now: UInt64) -> Int? {
        centrals.indices.filter { now &- min(centrals[$0].since, now) >= Self.visitingTime }
            .min { centrals[$0].lastActive < centrals[$1].lastActive }
    }

    /// For so long a visitor gives way to nobody: a slow phone needs half of it to read a payload.
    private static let visitingTime = 10 * HeraldTicks.second

    mutating func leave(_ central: Central, at now: UInt64, into outputs: inout [Output]) {
        guard let index = centrals.firstIndex(where: { $0.number == central.number }) else { return }
        var visitor = centrals.remove(at: index)
        if visitor.reassembler.reset() {
            let slot = table.find(visitor.address)
            trouble(
                .frameIncomplete, "A link ended in the middle of a frame.",
                slot >= 0 ? TargetID(table.hot[slot].target) : nil, at: now, into: &outputs)
        }
        releasePayload(at: now, into: &outputs)
    }

    mutating func subscribed(_ central: Central, _ uuid: BluetoothUUID, _ wants: Bool, at now: UInt64) {
        guard configuration.platform.signal == .nonCompliant,
            let index = centrals.firstIndex(where: { $0.number == central.number })
        else { return }
        switch uuid {
        case HeraldUUIDs.nonCompliantSignal: centrals[index].isSubscribed = wants
        case HeraldUUIDs.payload: centrals[index].wantsPayload = wants
        default: return
        }
        touch(index, at: now)
    }

    private mutating func touch(_ index: Int, at now: UInt64) {
        centrals[index].lastActive = now
        centrals[index].idleDue = now &+ ticks.centralIdleTime
    }

    mutating func wrote(
        _ central: Central, _ uuid: BluetoothUUID, _ value: [UInt8], isCommand: Bool, at now: UInt64,
        into outputs: inout [Output]
    ) {
        guard let index = centrals.firstIndex(where: { $0.number == central.number }) else { return }
        let known = table.find(centrals[index].address)
        let target = known >= 0 ? TargetID(table.hot[known].target) : nil
        guard centrals[index].budget.take(at: now) else {
            return trouble(.signalRateLimited, "A device writes too much.", target, at: now, into: &outputs)
        }
        if let legacy = configuration.legacy, uuid == legacy.characteristic {
            touch(index, at: now)
            return takeLegacy(value, index, at: now, into: &outputs)
        }
        // The signal characteristic takes writes with response alone (HP-20).
        guard !isCommand, uuid == configuration.platform.signal.uuid else { return }
        let outcome = centrals[index].reassembler.receive(value)
        if !outcome.frames.isEmpty { touch(index, at: now) }
        let number = centrals[index].number
        for frame in outcome.frames {
            guard let index = centrals.firstIndex(where: { $0.number == number }) else { return }
            take(frame, index, at: now, into: &outputs)
        }
        if let error = outcome.error { trouble(error.code, error.reason, target, at: now, into: &outputs) }
    }

    private mutating func take(
        _ frame: SignalFrame, _ index: Int, at now: UInt64, into outputs: inout [Output]
    ) {
        if frame == .wake {
            // Only devices that do not follow the specification are kept awake so.
            guard configuration.platform.signal == .nonCompliant else { return }
            centrals[index].wakeDue = min(centrals[index].wakeDue, now &+ ticks.notificationDelay)
            return
        }
        guard let slot = writer(index, at: now, into: &outputs) else { return }
        table.hot[slot].lastNoticed = now
        recognise(slot, into: &outputs)
        switch frame {
        case .wake: break
        case .payload(let payload):
            identify(slot, payload, .writtenByPeer, at: now, into: &outputs)
        case .rssi(let rssi): takeWritten(rssi, slot, at: now, into: &outputs)
        case .sharing(let rssi, let joined):
            // It tells the writer's reading of this device as well as what the writer shares.
            takeWritten(rssi, slot, at: now, into: &outputs)
            takeShared(joined, rssi, slot, at: now, into: &outputs)
        case .immediate(let message):
            outputs.append(.event(.received(message, from: TargetID(table.hot[slot].target))))
        }
    }

    /// The record of a device that writes; one that was never heard gets one, within limits.
    private mutating func writer(_ index: Int, at now: UInt64, into outputs: inout [Output]) -> Int? {
        let key = centrals[index].address
        let known = table.find(key)
        if known >= 0 { return known }
        guard configuration.acceptsUnheardWriters else {
            trouble(.signalUnheard, "A device writes that was never heard.", nil, at: now, into: &outputs)
            return nil
        }
        guard strangerBudget.take(at: now) else {
            trouble(.signalRateLimited, "Too many devices write that were never heard.", nil, at: now, into: &outputs)
            return nil
        }
        guard let slot = open(at: now, into: &outputs) else { return nil }
        table.bind(key, to: slot, at: now)
        table.hot[slot].flags.insert(.isReceiveOnly)
        table.hot[slot].rssi = -127
        outputs.append(.event(.detected(TargetID(table.hot[slot].target))))
        return slot
    }

    /// The reading of another device counts if this device's own does not contradict it.
    private mutating func takeWritten(_ rssi: Int, _ slot: Int, at now: UInt64, into outputs: inout [Output]) {
        let device = table.hot[slot]
        let isHeard = device.flags.contains(.hasRSSI) && now &- min(device.lastHeard, now) <= ticks.contactGap
        if isHeard, abs(Int(device.rssi) - rssi) > configuration.writtenRSSITolerance {
            return trouble(
                .frameImplausibleRSSI, "A device writes a signal strength that does not fit what is heard of it.",
                TargetID(device.target), at: now, into: &outputs)
        }
        measure(slot, rssi, .writtenByPeer, at: now, into: &outputs)
    }

    private mutating func takeShared(
        _ joined: [UInt8], _ rssi: Int, _ slot: Int, at now: UInt64, into outputs: inout [Output]
    ) {
        var seen: Set<[UInt8]> = []
        let wall = wall(at: now)
        let payloads = supplier.split(joined).filter { payload in
            !payload.isEmpty && payload != own.payload && configuration.freshness?.admits(payload, at: wall) ?? true
                && seen.insert(payload).inserted
        }.prefix(SignalFrame.maximumContentBytes)
        guard !payloads.isEmpty else { return }
        outputs.append(.event(.shared(Array(payloads), by: TargetID(table.hot[slot].target), rssi: rssi)))
    }

    private mutating func takeLegacy(
        _ value: [UInt8], _ index: Int, at now: UInt64, into outputs: inout [Output]
    ) {
        guard !value.isEmpty, value.count <= SignalFrame.maximumWriteBytes,
            let slot = writer(index, at: now, into: &outputs)
        else { return }
        table.hot[slot].lastNoticed = now
        outputs.append(.event(.legacy(TargetID(table.hot[slot].target), payload: value, .writtenByPeer)))
    }

    /// What is due of devices that are connected to this one.
    mutating func expireCentrals(at now: UInt64, into outputs: inout [Output]) {
        for index in centrals.indices.reversed() {
            if centrals[index].wakeDue <= now {
                centrals[index].wakeDue = .max
                if centrals[index].isSubscribed {
                    outputs.append(
                        .notify(Central(centrals[index].number), HeraldUUIDs.nonCompliantSignal, []))
                }
            }
            guard centrals[index].idleDue <= now else { continue }
            outputs.append(.disconnectCentral(Central(centrals[index].number)))
            centrals.remove(at: index)
        }
    }
}
