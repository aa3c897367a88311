public import Bluetooth
public import Determinism

// What is heard: from bytes of the air to records and readings.
extension HeraldNode {
    /// Takes an advertisement or a scan response: what `heard` does, without an array.
    ///
    /// - Parameter rssi: in dBm; nil when the radio did not tell.
    public mutating func hear(
        _ address: DeviceAddress, kind: AdvertisementReport.Kind, rssi: Int?, data: Span<UInt8>,
        at instant: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard phase == .running, radio == .on else { return }
        let now = instant.nanoseconds
        let key = AddressKey.key(of: address)
        let reading = AdvertisementReading(parsing: data, detecting: configuration.detection)
        var slot = table.find(key)
        if slot < 0 {
            guard isInteresting(reading) else { return }
            slot = admit(key, reading, rssi: rssi, at: now, into: &outputs)
            guard slot >= 0 else { return }
        } else {
            slot = follow(key, reading, slot, at: now, into: &outputs)
        }
        guard note(reading, kind, slot, at: now, into: &outputs) else { return }
        if let rssi, kind != .scanResponse {
            measure(slot, rssi, .advertisement, at: now, into: &outputs)
        }
        queueIfWanted(slot, at: now, into: &outputs)
        if isDeadlineStale { updateDeadline() }
    }

    private func isInteresting(_ reading: AdvertisementReading) -> Bool {
        if reading.namesHerald || reading.pseudoAddress != nil { return true }
        switch configuration.introspection {
        case .off: return false
        case .likely: return reading.apple == .heraldLikely
        case .connect: return reading.apple == .heraldLikely || reading.apple == .possible
        }
    }

    /// Finds the record of a new address by its pseudo address, or opens one; −1 when there is no room.
    private mutating func admit(
        _ key: UInt64, _ reading: AdvertisementReading, rssi: Int?, at now: UInt64, into outputs: inout [Output]
    ) -> Int {
        let pseudo = believed(reading.pseudoAddress, at: now)
        if pseudo != 0 {
            let known = table.find(pseudo)
            if known >= 0 {
                table.bind(key, to: known, at: now)
                leaveOldAddress(known, at: now, into: &outputs)
                forgiveAddress(known, at: now)
                table.hot[known].alternations =
                    table.hot[known].alternations &- (table.hot[known].alternations > 0 ? 1 : 0)
                return known
            }
        }
        guard let slot = open(at: now, into: &outputs) else { return -1 }
        table.bind(key, to: slot, at: now)
        if pseudo != 0 { table.setPseudo(pseudo, of: slot) }
        table.hot[slot].rssi = Int8(clamping: rssi ?? -127)
        outputs.append(.event(.detected(TargetID(table.hot[slot].target))))
        return slot
    }

    /// Gives up a connect to an address that its device has left; the next advertisement begins another.
    private mutating func leaveOldAddress(_ slot: Int, at now: UInt64, into outputs: inout [Output]) {
        guard table.hot[slot].flags.contains(.isLinked) else { return }
        let token = table.token(slot)
        guard let index = links.firstIndex(where: { $0.token == token && $0.phase == .connecting }) else { return }
        close(index, at: now, into: &outputs)
    }

    /// A device has another address: a connect that failed was one to the old address, most likely.
    private mutating func forgiveAddress(_ slot: Int, at now: UInt64) {
        guard (1...2).contains(table.hot[slot].failures) else { return }
        table.hot[slot].retryAt = min(table.hot[slot].retryAt, now)
    }

    /// Opens a record, at the cost of the least worthy one when the table is full; nil when that protects all it sees.
    mutating func open(at now: UInt64, into outputs: inout [Output]) -> Int? {
        if table.isFull {
            guard let victim = table.dispensable(at: now) else {
                trouble(.tableFull, "No record gives way for a new device.", nil, at: now, into: &outputs)
                return nil
            }
            forget(victim, at: now, into: &outputs)
        }
        let slot = table.insert(at: now)
        schedule(slot, at: now)
        return slot
    }

    /// The key of a pseudo address that may tell who somebody is; 0 without one.
    private mutating func believed(_ address: PseudoDeviceAddress?, at now: UInt64) -> UInt64 {
        guard let address else { return 0 }
        let key = AddressKey.key(of: address)
        guard !contestedPseudos.isEmpty else { return key }
        contestedPseudos.removeAll { $0.until <= now }
        return contestedPseudos.contains { $0.key == key && $0.times >= Self.maximumContests } ? 0 : key
    }

    /// How often devices that use one pseudo address are told apart before it tells nothing any more.
    private static let maximumContests = 8

    /// Takes note that two addresses use one pseudo address at the same time.
    ///
    /// It stays good for who shows it next from another address than the one that keeps the record: a copyist who stays at his own
    /// address is known by that from now on, and whom he copies is followed as before.
    private mutating func contest(_ pseudo: UInt64, at now: UInt64) {
        let until = now &+ ticks.recordExpiry
        if let place = contestedPseudos.firstIndex(where: { $0.key == pseudo }) {
            contestedPseudos[place].times += 1
            contestedPseudos[place].until = until
        } else {
            if contestedPseudos.count >= 64 { contestedPseudos.removeFirst() }
            contestedPseudos.append((pseudo, until, 1))
        }
    }

    /// Follows a device that is known by this address: its other addresses, and its pseudo address.
    @inline(__always)
    private mutating func follow(
        _ key: UInt64, _ reading: AdvertisementReading, _ slot: Int, at now: UInt64, into outputs: inout [Output]
    ) -> Int {
        if table.hot[slot].address != key {
            return goBack(key, reading, slot, at: now, into: &outputs)
        }
        guard let address = reading.pseudoAddress, AddressKey.key(of: address) != table.hot[slot].pseudo else {
            return slot
        }
        return changePseudo(address, slot, at: now, into: &outputs)
    }

    /// The pseudo address of a device has changed, or is told for the first time.
    private mutating func changePseudo(
        _ address: PseudoDeviceAddress, _ slot: Int, at now: UInt64, into outputs: inout [Output]
    ) -> Int {
        let pseudo = believed(address, at: now)
        guard pseudo != 0 else { return slot }
        let owner = table.find(pseudo)
        guard owner < 0 else {
            guard isKnownWriter(slot, as: owner) else { return slot }
            merge(slot, into: owner, at: now, into: &outputs)
            leaveOldAddress(owner, at: now, into: &outputs)
            return owner
        }
        let isNew = table.hot[slot].pseudo == 0
        table.setPseudo(pseudo, of: slot)
        // Whoever changes his pseudo address may have changed his payload with it.
        if !isNew, now &- min(table.cold[slot].payloadReadAt, now) > 60 * HeraldTicks.second {
            table.hot[slot].flags.remove(.wasRead)
            updateWanted(slot, at: now)
        }
        return slot
    }

    /// Whether a record of one that only wrote so far, from an address that had not been heard yet, is of a device with another
    /// record, which it says by its pseudo address and does not deny by its payload.
    private func isKnownWriter(_ slot: Int, as owner: Int) -> Bool {
        guard table.hot[slot].flags.contains(.isReceiveOnly) else { return false }
        return !table.hot[slot].flags.contains(.hasPayload) || table.cold[slot].payload == table.cold[owner].payload
    }

    /// A device was heard under an address that it had left: two devices that pass for one do that all the time, one device
    /// does not.
    private mutating func goBack(
        _ key: UInt64, _ reading: AdvertisementReading, _ slot: Int, at now: UInt64, into outputs: inout [Output]
    ) -> Int {
        let other = table.hot[slot].address
        table.hot[slot].address = key
        guard other != 0 else { return slot }
        table.hot[slot].alternations &+= 2
        if table.hot[slot].alternations >= 6 { tellApart(key, slot, at: now, into: &outputs) }
        return slot
    }

    /// Leaves a record to one address; whoever uses the others gets a record of his own when he is heard next.
    private mutating func tellApart(_ key: UInt64, _ slot: Int, at now: UInt64, into outputs: inout [Output]) {
        let target = TargetID(table.hot[slot].target)
        let pseudo = table.hot[slot].pseudo
        if pseudo != 0 {
            trouble(
                .identityContested, "Two addresses use one pseudo address at the same time.", target, at: now,
                into: &outputs)
            contest(pseudo, at: now)
            table.setPseudo(0, of: slot)
        } else {
            trouble(
                .identityDuplicated, "One payload comes from two addresses at the same time.", target, at: now,
                into: &outputs)
        }
        table.hot[slot].flags.insert(.isContested)
        table.hot[slot].alternations = 0
        for address in table.cold[slot].addresses where address != key { table.unbind(address, from: slot) }
    }

    /// Keeps what an advertisement says; false when nothing more is to be done with it.
    @inline(__always)
    private mutating func note(
        _ reading: AdvertisementReading, _ kind: AdvertisementReport.Kind, _ slot: Int, at now: UInt64,
        into outputs: inout [Output]
    ) -> Bool {
        table.hot[slot].lastNoticed = now
        table.hot[slot].lastHeard = now
        var flags = table.hot[slot].flags
        let before = flags
        if reading.namesHerald || reading.pseudoAddress != nil { flags.insert(.namesHerald) }
        if reading.isApple { flags.insert(.isApple) }
        if kind == .connectable { flags.insert(.isConnectable) }
        flags.remove(.isReceiveOnly)
        if flags != before {
            table.hot[slot].flags = flags
            characterise(slot, before, at: now)
        }
        if flags.contains(.isForeign) {
            guard table.hot[slot].retryAt <= now || flags.contains(.namesHerald) && !before.contains(.namesHerald)
            else {
                return false
            }
            table.hot[slot].flags.remove(.isForeign)
            updateWanted(slot, at: now)
        }
        if let power = reading.transmitPower, !flags.contains(.hasPower) || table.hot[slot].power != power {
            table.hot[slot].power = power
            table.hot[slot].flags.insert(.hasPower)
            outputs.append(.event(.transmitPower(TargetID(table.hot[slot].target), power)))
        }
        return true
    }

    /// What a device shows has changed.
    private mutating func characterise(_ slot: Int, _ before: Device.Flags, at now: UInt64) {
        let flags = table.hot[slot].flags
        if flags.contains(.namesHerald) {
            table.hot[slot].flags.remove(.isCandidate)
            if !before.contains(.namesHerald) { table.hot[slot].retryAt = min(table.hot[slot].retryAt, now) }
        } else if !flags.contains(.isConfirmed) {
            table.hot[slot].flags.insert(.isCandidate)
        }
        updateWanted(slot, at: now)
    }
}

// Readings and contacts.
extension HeraldNode {
    /// Takes a reading: tells it, and lets the contact go on or begin.
    @inline(__always)
    mutating func measure(
        _ slot: Int, _ rssi: Int, _ provenance: Provenance, at now: UInt64, into outputs: inout [Output]
    ) {
        guard SignalFrame.plausibleRSSI.contains(rssi) else { return }
        let value = Int8(truncatingIfNeeded: rssi)
        let isOwn = provenance.isOwnObservation
        if isOwn {
            table.hot[slot].follow(value)
            table.hot[slot].rssi = value
            table.hot[slot].flags.insert(.hasRSSI)
            if table.hot[slot].failures > 0 { forgive(slot, at: now) }
        }
        // What a device writes is a claim: it makes a contact only of one that cannot be heard.
        if isOwn || table.hot[slot].flags.contains(.isReceiveOnly) {
            count(slot, value, at: now, into: &outputs)
        }
        let device = table.hot[slot]
        outputs.append(
            .event(
                .measured(
                    Measurement(
                        target: TargetID(device.target), at: MonotonicInstant(nanoseconds: now), rssi: value,
                        transmitPower: device.flags.contains(.hasPower) ? device.power : nil, provenance: provenance,
                        isConfirmed: !device.flags.isDisjoint(with: [.namesHerald, .isConfirmed])))))
    }

    /// A device that came much nearer since a connect to it failed is tried anew.
    private mutating func forgive(_ slot: Int, at now: UInt64) {
        let device = table.hot[slot]
        guard !device.isFaint, device.level >= device.failureLevel &+ Device.recovery else { return }
        table.hot[slot].failures = 0
        table.hot[slot].retryAt = min(device.retryAt, now)
    }

    @inline(__always)
    private mutating func count(_ slot: Int, _ rssi: Int8, at now: UInt64, into outputs: inout [Output]) {
        if table.hot[slot].contactStart == 0 || now &- table.hot[slot].lastReading > ticks.contactGap {
            endContact(slot, at: now, into: &outputs)
            beginContact(slot, rssi, at: now, into: &outputs)
        }
        table.hot[slot].lastReading = now
        table.hot[slot].readings &+= 1
        if rssi > table.hot[slot].strongest { table.hot[slot].strongest = rssi }
    }

    private mutating func beginContact(_ slot: Int, _ rssi: Int8, at now: UInt64, into outputs: inout [Output]) {
        table.hot[slot].contactStart = max(1, now)
        table.hot[slot].lastReading = now
        table.hot[slot].readings = 0
        table.hot[slot].strongest = rssi
        if table.hot[slot].flags.contains(.hasPayload) { tellContact(slot, into: &outputs) }
        schedule(slot, at: now)
    }

    mutating func tellContact(_ slot: Int, into outputs: inout [Output]) {
        outputs.append(
            .event(
                .contactBegan(
                    TargetID(table.hot[slot].target), payload: table.cold[slot].payload,
                    since: MonotonicInstant(nanoseconds: table.hot[slot].contactStart))))
    }

    /// Ends the contact with the last reading (HP-33, HP-55); of a device that was never identified nothing is told.
    mutating func endContact(_ slot: Int, at now: UInt64, into outputs: inout [Output]) {
        let device = table.hot[slot]
        guard device.contactStart != 0 else { return }
        table.hot[slot].contactStart = 0
        guard device.flags.contains(.hasPayload) else { return }
        outputs.append(
            .event(
                .contactEnded(
                    Contact(
                        target: TargetID(device.target), payload: table.cold[slot].payload,
                        provenance: table.cold[slot].provenance,
                        start: MonotonicInstant(nanoseconds: device.contactStart),
                        lastReading: MonotonicInstant(nanoseconds: device.lastReading), tail: tail(of: device),
                        readings: Int(device.readings), strongest: device.strongest))))
        followVisit(slot, device, at: now, into: &outputs)
    }

    private func tail(of device: Device) -> Duration {
        switch configuration.tail {
        case .none: return .zero
        case .fixed(let tail): return tail
        case .meanInterval:
            let span = device.lastReading - min(device.contactStart, device.lastReading)
            let mean = device.readings > 1 ? span / UInt64(device.readings - 1) : 0
            return .nanoseconds(Int64(min(max(mean, HeraldTicks.second), 30 * HeraldTicks.second)))
        }
    }

    /// Keeps the stay at a beacon, across contacts that are not too far apart.
    private mutating func followVisit(_ slot: Int, _ device: Device, at now: UInt64, into outputs: inout [Output]) {
        guard device.flags.contains(.mayVisit), isBeacon(slot) else { return }
        var visit = table.cold[slot].visit ?? (device.contactStart, device.lastReading, false)
        visit.last = device.lastReading
        table.cold[slot].visit = visit
        watchVisit(slot, at: now, into: &outputs)
    }

    private func isBeacon(_ slot: Int) -> Bool { HeraldPayload.isBeacon(table.cold[slot].payload) }

    /// Tells a visit when it has lasted long enough, and its end when the beacon has been unheard for long.
    mutating func watchVisit(_ slot: Int, at now: UInt64, into outputs: inout [Output]) {
        guard table.hot[slot].flags.contains(.mayVisit) else { return }
        let device = table.hot[slot]
        if device.contactStart != 0, device.flags.contains(.hasPayload), isBeacon(slot) {
            let since = table.cold[slot].visit?.since ?? device.contactStart
            table.cold[slot].visit = (since, device.lastReading, table.cold[slot].visit?.isTold ?? false)
        }
        guard let visit = table.cold[slot].visit else { return }
        if !visit.isTold, visit.last &- visit.since > ticks.visitMinimum {
            table.cold[slot].visit?.isTold = true
            tellVisit(slot, visit.since, until: nil, into: &outputs)
        }
        guard now &- visit.last > ticks.visitGap else { return }
        if table.cold[slot].visit?.isTold == true { tellVisit(slot, visit.since, until: visit.last, into: &outputs) }
        table.cold[slot].visit = nil
    }

    private func tellVisit(_ slot: Int, _ since: UInt64, until: UInt64?, into outputs: inout [Output]) {
        outputs.append(
            .event(
                .visit(
                    Visit(
                        target: TargetID(table.hot[slot].target), payload: table.cold[slot].payload,
                        since: MonotonicInstant(nanoseconds: since),
                        until: until.map { MonotonicInstant(nanoseconds: $0) }))))
    }
}
