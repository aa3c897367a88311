import Determinism

/// Decides from readings when contacts and visits begin and end, and reports them.
struct ContactRules {
    let settings: NodeSettings

    private var timing: HeraldTiming { settings.timing }
    private var parameters: HeraldParameters { settings.parameters }

    /// Ends the contact that a reading does not belong to, and begins a new one with the reading.
    func begin(
        with rssi: Int8, of slot: Int, in table: inout DeviceTable, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) {
        endContact(of: slot, in: &table, at: now, into: &outputs)
        let contact = DeviceRecord.OpenContact(start: now, lastReading: now, readings: 1, strongest: rssi)
        beginContact(contact, of: slot, in: &table, into: &outputs)
    }

    /// Begins a contact, which is reported once the device is identified.
    func beginContact(
        _ contact: DeviceRecord.OpenContact, of slot: Int, in table: inout DeviceTable,
        into outputs: inout [HeraldNode.Output]
    ) {
        table[slot].contact = contact
        if table[slot].identity.contains(.hasPayload) { report(contact, of: slot, in: table, into: &outputs) }
    }

    /// Reports that the contact of an identified device has begun.
    func report(
        _ contact: DeviceRecord.OpenContact, of slot: Int, in table: DeviceTable,
        into outputs: inout [HeraldNode.Output]
    ) {
        outputs.append(
            .event(
                .contactBegan(
                    table[slot].id, payload: table[details: slot].payload,
                    since: MonotonicInstant(nanoseconds: contact.start))))
    }

    /// Ends the contact with the last reading, and reports it if the device was identified (HP-33, HP-55).
    func endContact(
        of slot: Int, in table: inout DeviceTable, at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) {
        guard let contact = table[slot].contact else { return }
        table[slot].contact = nil
        guard table[slot].identity.contains(.hasPayload) else { return }
        outputs.append(
            .event(
                .contactEnded(
                    Contact(
                        target: table[slot].id, payload: table[details: slot].payload,
                        provenance: table[details: slot].provenance,
                        start: MonotonicInstant(nanoseconds: contact.start),
                        lastReading: MonotonicInstant(nanoseconds: contact.lastReading), tail: tail(of: contact),
                        readings: Int(contact.readings), strongest: contact.strongest))))
        followVisit(contact, of: slot, in: &table, at: now, into: &outputs)
    }

    private func tail(of contact: DeviceRecord.OpenContact) -> Duration {
        switch settings.configuration.tail {
        case .none: return .zero
        case .fixed(let tail): return tail
        case .meanInterval:
            let span = contact.lastReading - min(contact.start, contact.lastReading)
            let mean = contact.readings > 1 ? span / UInt64(contact.readings - 1) : 0
            return .nanoseconds(Int64(min(max(mean, .second), 30 * .second)))
        }
    }

    /// Joins the contacts of two records of the same device.
    func join(
        _ new: DeviceRecord.OpenContact, to other: Int, in table: inout DeviceTable, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) {
        if var old = table[other].contact, new.start &- min(old.lastReading, new.start) <= parameters.$contactGap {
            old.readings &+= new.readings
            old.strongest = max(old.strongest, new.strongest)
            old.lastReading = max(old.lastReading, new.lastReading)
            table[other].contact = old
            return
        }
        endContact(of: other, in: &table, at: now, into: &outputs)
        beginContact(new, of: other, in: &table, into: &outputs)
    }

    // MARK: - Visits

    /// Extends the stay at a beacon across contacts with short gaps.
    private func followVisit(
        _ contact: DeviceRecord.OpenContact, of slot: Int, in table: inout DeviceTable, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) {
        guard isBeacon(slot, in: table) else { return }
        extendVisit(by: contact, of: slot, in: &table)
        updateVisit(of: slot, in: &table, at: now, into: &outputs)
    }

    private func extendVisit(by contact: DeviceRecord.OpenContact, of slot: Int, in table: inout DeviceTable) {
        let old = table[details: slot].visit
        table[details: slot].visit = DeviceRecordDetails.OpenVisit(
            since: old?.since ?? contact.start, last: contact.lastReading, isReported: old?.isReported ?? false)
    }

    private func isBeacon(_ slot: Int, in table: DeviceTable) -> Bool {
        table[slot].identity.contains([.mayVisit, .hasPayload]) && HeraldPayload.isBeacon(table[details: slot].payload)
    }

    /// Reports a visit when it has lasted long enough, and its end when the beacon was not received for long.
    func updateVisit(
        of slot: Int, in table: inout DeviceTable, at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) {
        guard table[slot].identity.contains(.mayVisit) else { return }
        if let contact = table[slot].contact, isBeacon(slot, in: table) {
            extendVisit(by: contact, of: slot, in: &table)
        }
        guard var visit = table[details: slot].visit else { return }
        if !visit.isReported, visit.last &- visit.since > timing.$visitMinimum {
            visit.isReported = true
            table[details: slot].visit = visit
            report(visit, of: slot, in: table, until: nil, into: &outputs)
        }
        guard now &- visit.last > timing.$visitGap else { return }
        if visit.isReported { report(visit, of: slot, in: table, until: visit.last, into: &outputs) }
        table[details: slot].visit = nil
    }

    private func report(
        _ visit: DeviceRecordDetails.OpenVisit, of slot: Int, in table: DeviceTable, until: UInt64?,
        into outputs: inout [HeraldNode.Output]
    ) {
        outputs.append(
            .event(
                .visit(
                    BeaconVisit(
                        target: table[slot].id, payload: table[details: slot].payload,
                        since: MonotonicInstant(nanoseconds: visit.since),
                        until: until.map { MonotonicInstant(nanoseconds: $0) }))))
    }
}
