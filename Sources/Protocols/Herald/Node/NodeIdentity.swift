import Determinism

// Who a device is: payloads, and records that turn out to be one device.
extension HeraldNode {
    /// A device speaks Herald.
    mutating func recognise(_ slot: Int, into outputs: inout [Output]) {
        guard !table.hot[slot].flags.contains(.isConfirmed) else { return }
        table.hot[slot].flags.insert(.isConfirmed)
        table.hot[slot].flags.remove([.isCandidate, .isForeign])
        table.hot[slot].ignoreSeconds = 0
        outputs.append(.event(.recognised(TargetID(table.hot[slot].target))))
    }

    /// The payload of a device is known; returns the slot of the record that it belongs to.
    @discardableResult
    mutating func identify(
        _ slot: Int, _ payload: [UInt8], _ provenance: Provenance, at now: UInt64, into outputs: inout [Output]
    ) -> Int {
        let target = TargetID(table.hot[slot].target)
        guard !payload.isEmpty, payload.count <= HeraldPayload.maximumBytes else {
            let code = payload.isEmpty ? HeraldError.Code.payloadMalformed : .payloadTooLong
            trouble(code, "A device gave a payload of \(payload.count) bytes.", target, at: now, into: &outputs)
            return slot
        }
        if let freshness = configuration.freshness, !freshness.admits(payload, at: wall(at: now)) {
            trouble(.payloadStale, "A payload does not hold at this time.", target, at: now, into: &outputs)
            return slot
        }
        let isRead = provenance == .link
        if table.hot[slot].flags.contains(.hasPayload), table.cold[slot].payload == payload {
            if isRead { table.cold[slot].provenance = provenance }
            return slot
        }
        // What this device read itself is worth more than what somebody wrote since.
        if !isRead, table.hot[slot].flags.contains(.wasRead), !table.hot[slot].flags.contains(.isReceiveOnly) {
            return slot
        }
        let record = settle(slot, payload, at: now, into: &outputs)
        adopt(record, payload, provenance, at: now, into: &outputs)
        return record
    }

    /// Finds the record to which a payload belongs: another one if that is the same device under an earlier address.
    private mutating func settle(
        _ slot: Int, _ payload: [UInt8], at now: UInt64, into outputs: inout [Output]
    ) -> Int {
        guard let other = table.slot(of: payload), other != slot else { return slot }
        guard isSuccessor(slot, of: other) else {
            trouble(
                .identityDuplicated, "One payload comes from two devices at the same time.",
                TargetID(table.hot[slot].target), at: now, into: &outputs)
            return slot
        }
        merge(slot, into: other, at: now, into: &outputs)
        return other
    }

    private mutating func adopt(
        _ slot: Int, _ payload: [UInt8], _ provenance: Provenance, at now: UInt64, into outputs: inout [Output]
    ) {
        guard table.cold[slot].payload != payload || !table.hot[slot].flags.contains(.hasPayload) else { return }
        if table.hot[slot].flags.contains(.hasPayload), table.hot[slot].contactStart != 0 {
            // Another identity is another contact, which begins where the former ends.
            let last = table.hot[slot].lastReading
            endContact(slot, at: now, into: &outputs)
            table.hot[slot].contactStart = max(1, last)
            table.hot[slot].readings = 1
        }
        table.setPayload(payload, of: slot)
        table.cold[slot].provenance = provenance
        outputs.append(.event(.read(TargetID(table.hot[slot].target), payload: payload, provenance)))
        if table.hot[slot].contactStart != 0 { tellContact(slot, into: &outputs) }
    }

    /// Whether the first sign of one record came about when the last sign of the other did.
    private func isSuccessor(_ slot: Int, of other: Int) -> Bool {
        let (new, old) = (table.hot[slot], table.hot[other])
        guard old.flags.isDisjoint(with: .isContested) else { return false }
        if old.flags.contains(.isReceiveOnly) || new.flags.contains(.isReceiveOnly) { return true }
        return old.lastHeard <= new.firstNoticed &+ 3 * HeraldTicks.second
    }

    /// Puts two records together: `slot` ends, `other` goes on.
    mutating func merge(_ slot: Int, into other: Int, at now: UInt64, into outputs: inout [Output]) {
        // A contact that was told under the name that ends, ends with it.
        if table.hot[slot].flags.contains(.hasPayload) { endContact(slot, at: now, into: &outputs) }
        let (new, old) = (table.hot[slot], table.hot[other])
        let details = table.cold[slot]
        let token = table.token(slot)
        let otherToken = table.token(other)
        for key in details.addresses {
            table.unbind(key, from: slot)
            table.bind(key, to: other, at: now)
        }
        if new.pseudo != 0 {
            table.setPseudo(0, of: slot)
            table.setPseudo(new.pseudo, of: other)
        }
        table.hot[other].lastNoticed = max(old.lastNoticed, new.lastNoticed)
        table.hot[other].lastHeard = max(old.lastHeard, new.lastHeard)
        inherit(from: new, to: other)
        table.cold[other].messages += details.messages
        if !table.cold[other].messages.isEmpty { table.hot[other].flags.insert(.hasMessage) }
        for index in links.indices where links[index].token == token {
            links[index].token = otherToken
            table.hot[other].flags.insert(.isLinked)
        }
        mergeContact(of: new, into: other, at: now, into: &outputs)
        table.remove(slot)
        outputs.append(.event(.merged(TargetID(new.target), into: TargetID(old.target))))
        schedule(other, at: now)
    }

    private mutating func inherit(from new: Device, to other: Int) {
        let taken: Device.Flags = [
            .namesHerald, .isConfirmed, .isConnectable, .isApple, .hasRSSI, .wasRead, .lacksSignal, .modelIsDone,
            .legacyIsDone,
        ]
        if !new.flags.contains(.isReceiveOnly) { table.hot[other].flags.remove(.isReceiveOnly) }
        table.hot[other].flags.formUnion(new.flags.intersection(taken))
        if new.flags.contains(.hasRSSI) { table.hot[other].rssi = new.rssi }
        if new.flags.contains(.hasPower) {
            table.hot[other].power = new.power
            table.hot[other].flags.insert(.hasPower)
        }
        table.hot[other].signal = new.signal ?? table.hot[other].signal
        table.hot[other].failures = 0
        table.hot[other].retryAt = 0
    }

    private mutating func mergeContact(
        of new: Device, into other: Int, at now: UInt64, into outputs: inout [Output]
    ) {
        guard new.contactStart != 0 else { return }
        let old = table.hot[other]
        if old.contactStart != 0, new.contactStart &- min(old.lastReading, new.contactStart) <= ticks.contactGap {
            table.hot[other].readings &+= new.readings
            table.hot[other].strongest = max(old.strongest, new.strongest)
            table.hot[other].lastReading = max(old.lastReading, new.lastReading)
            return
        }
        endContact(other, at: now, into: &outputs)
        table.hot[other].contactStart = new.contactStart
        table.hot[other].readings = new.readings
        table.hot[other].strongest = new.strongest
        table.hot[other].lastReading = new.lastReading
        if old.flags.contains(.hasPayload) { tellContact(other, into: &outputs) }
    }

    /// Closes a record, and tells what ends with it.
    mutating func forget(_ slot: Int, at now: UInt64, into outputs: inout [Output]) {
        let target = TargetID(table.hot[slot].target)
        failMessages(of: slot, HeraldError(.sendTimeout, "The device has not been noticed for long."), into: &outputs)
        endContact(slot, at: now, into: &outputs)
        if let visit = table.cold[slot].visit, visit.isTold {
            table.cold[slot].visit = (visit.since, visit.last, true)
            watchVisit(slot, at: .max, into: &outputs)
        }
        let token = table.token(slot)
        for index in links.indices where links[index].token == token { close(index, at: now, into: &outputs) }
        table.remove(slot)
        outputs.append(.event(.forgotten(target)))
    }

    /// Tells of something that went wrong; a flood of it is thinned out.
    mutating func trouble(
        _ code: HeraldError.Code, _ sentence: String, _ target: TargetID?, at now: UInt64, into outputs: inout [Output]
    ) {
        guard troubleBudget.take(at: now) else { return }
        outputs.append(.event(.trouble(HeraldError(code, sentence), target)))
    }
}
