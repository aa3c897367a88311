import Bluetooth
import ByteCoding
import DataStructures
import Determinism

/// The records of all devices, with the time at which each must be checked next.
///
/// Events about devices come out here; what is done over links is decided elsewhere, from the needs that records have.
struct DeviceRecords: Sendable {
    /// The record of the device that has a payload.
    struct IdentificationResult {
        let slot: Int
        /// The record that was merged into the identified one; nil for none.
        var ended: DeviceRecordToken?
    }

    private(set) var settings: NodeSettings
    /// The own payload that is written to devices that cannot read it; nil without one.
    private(set) var ownPayload: [UInt8]?
    private var table: DeviceTable
    /// The deadlines of records, at most one valid entry each; renewed only when due, so advertisements cost nothing.
    private var wakes = PriorityQueue<DeviceDeadline>()
    private var isDeadlineStale = false
    private var random: any RandomSource
    private var troubleBudget = TokenBucket(Self.troubleLimit, at: .zero)

    private static let troubleLimit = TokenBucket.Limit(
        burst: HeraldParameters.troublesPerMinute, perSecond: Double(HeraldParameters.troublesPerMinute) / 60)

    init(_ configuration: HeraldConfiguration, random: any RandomSource) {
        settings = NodeSettings(configuration)
        self.random = random
        let secret = Self.word(&self.random)
        table = DeviceTable(
            limit: configuration.limits.devices, addressLimit: HeraldParameters.addressesPerDevice, secret: secret)
    }

    private var contacts: ContactRules { ContactRules(settings: settings) }
    private var needs: LinkNeedRules { LinkNeedRules(settings: settings, hasOwnPayload: ownPayload != nil) }
    private var timing: HeraldTiming { settings.timing }
    private var parameters: HeraldParameters { settings.parameters }

    mutating func randomWord() -> UInt64 { Self.word(&random) }

    private static func word(_ random: inout any RandomSource) -> UInt64 {
        UInt64(bigEndianBytes: random.bytes(count: 8))
    }

    // MARK: - Access

    subscript(_ slot: Int) -> DeviceRecord {
        @inline(__always) _read { yield table[slot] }
        @inline(__always) _modify { yield &table[slot] }
    }

    subscript(details slot: Int) -> DeviceRecordDetails {
        _read { yield table[details: slot] }
        _modify { yield &table[details: slot] }
    }

    var count: Int { table.count }
    var slotsInOrder: [Int] { table.slotsInOrder }

    @inline(__always)
    func find(_ key: UInt64) -> Int? { table.find(key) }
    func prefetch(_ addresses: Span<DeviceAddress>) -> UInt64 { table.prefetch(addresses) }
    func slot(of target: TargetID) -> Int? { table.slot(of: target.number) }
    func slot(of token: DeviceRecordToken) -> Int? { table.slot(of: token) }
    func token(_ slot: Int) -> DeviceRecordToken { table.token(slot) }
    func level(of token: DeviceRecordToken) -> Int { table.level(of: token) }
    func slots(where fits: (DeviceRecord) -> Bool) -> [Int] { table.slots(where: fits) }
    func count(where fits: (DeviceRecord) -> Bool) -> Int { table.count(where: fits) }

    mutating func bind(_ key: UInt64, to slot: Int) { table.bind(key, to: slot) }
    mutating func setPseudo(_ key: UInt64?, of slot: Int) { table.setPseudo(key, of: slot) }

    // MARK: - This device

    /// Switches to writing payloads and readings to other devices, because this one cannot advertise them.
    mutating func stopAdvertising() {
        var configuration = settings.configuration
        configuration.platform.canAdvertise = false
        settings = NodeSettings(configuration)
    }

    /// Sets this device's own payload, or none; if others cannot read it, it is written to all devices again.
    mutating func setOwnPayload(_ payload: [UInt8]?) {
        ownPayload = payload
        guard payload != nil, !settings.platform.canAdvertise else { return }
        for slot in table.slotsInOrder { table[details: slot].payloadWrittenAt = nil }
    }

    // MARK: - Opening and closing

    /// Opens a record, evicting another if the table is full; nil when all candidates for eviction are protected.
    mutating func open(at now: UInt64, into outputs: inout [HeraldNode.Output]) -> Int? {
        if table.isFull {
            guard let victim = table.victim(at: now) else {
                report(.tableFull, "No record gives way for a new device.", nil, at: now, into: &outputs)
                return nil
            }
            forget(victim, at: now, into: &outputs)
        }
        let slot = table.insert(at: now)
        schedule(slot, at: now)
        return slot
    }

    /// Closes a record, and reports the end of its contact, visit and messages.
    mutating func forget(_ slot: Int, at now: UInt64, into outputs: inout [HeraldNode.Output]) {
        let target = table[slot].id
        contacts.endContact(of: slot, in: &table, at: now, into: &outputs)
        if table[details: slot].visit?.isReported == true {
            contacts.updateVisit(of: slot, in: &table, at: .max, into: &outputs)
        }
        table.remove(slot)
        outputs.append(.event(.forgotten(target)))
    }

    /// Ends the contact of a device because the node stops.
    mutating func endContact(of slot: Int, at now: UInt64, into outputs: inout [HeraldNode.Output]) {
        contacts.endContact(of: slot, in: &table, at: now, into: &outputs)
    }

    // MARK: - Needs and deadlines

    /// Returns the work that a device needs over a link; nil when it needs none.
    func need(of slot: Int, at now: UInt64) -> LinkNeed? { needs.need(of: slot, in: table, at: now) }

    /// Returns the next task for a device on an open link; nil when there is none.
    func task(of slot: Int, at now: UInt64) -> LinkTask? {
        switch need(of: slot, at: now) {
        case .task(let task): task
        case .stay, nil: nil
        }
    }

    func shouldStay(_ slot: Int) -> Bool { needs.shouldStay(table[slot]) }

    func nextNeed(of slot: Int) -> UInt64 { needs.nextNeed(of: slot, in: table) }

    /// Records whether a device has work to do over a link.
    mutating func updateWanted(_ slot: Int, at now: UInt64) {
        if need(of: slot, at: now) != nil {
            table[slot].work.insert(.wanted)
        } else {
            table[slot].work.remove(.wanted)
        }
    }

    /// The earliest deadline of a record; `.max` when there is none.
    var nextDeadline: UInt64 { wakes.first?.at ?? .max }

    /// Returns true when `nextDeadline` may have changed since the last call.
    mutating func takeDeadlineChange() -> Bool {
        defer { isDeadlineStale = false }
        return isDeadlineStale
    }

    /// Removes and returns the next record that is due; nil when there is none.
    mutating func popDue(at now: UInt64) -> Int? {
        while let entry = wakes.popFirst(where: { $0.at <= now }) {
            guard let slot = table.slot(of: entry.token), table[slot].wakeAt == entry.at else { continue }
            table[slot].wakeAt = .max
            return slot
        }
        return nil
    }

    /// Ends the contact and the visit of a device when they have expired.
    mutating func expireContact(of slot: Int, at now: UInt64, into outputs: inout [HeraldNode.Output]) {
        if let contact = table[slot].contact, now &- min(contact.lastReading, now) > parameters.$contactGap {
            contacts.endContact(of: slot, in: &table, at: now, into: &outputs)
        }
        contacts.updateVisit(of: slot, in: &table, at: now, into: &outputs)
    }

    /// Schedules the next check of a record.
    mutating func schedule(_ slot: Int, at now: UInt64) {
        let device = table[slot]
        var next = device.lastNoticed &+ timing.$recordExpiry
        if let contact = device.contact { next = min(next, contact.lastReading &+ parameters.$contactGap &+ 1) }
        if device.identity.contains(.mayVisit), let visit = table[details: slot].visit {
            next = min(next, visit.last &+ timing.$visitGap &+ 1)
        }
        if device.work.contains(.message) {
            for message in table[details: slot].messages where message.id != table[details: slot].messageInFlight {
                next = min(next, message.deadline)
            }
        }
        if !device.work.contains(.wanted) { next = min(next, max(nextNeed(of: slot), now &+ 5 * .second)) }
        if device.retryAt > now { next = min(next, device.retryAt) }
        next = max(next, now &+ 1)
        guard next < device.wakeAt || device.wakeAt <= now else { return }
        isDeadlineStale = true
        table[slot].wakeAt = next
        wakes.insert(DeviceDeadline(at: next, token: table.token(slot)))
    }

    // MARK: - Advertisements and readings

    /// Applies an advertisement to a record; false when the device is to be ignored.
    @inline(__always)
    mutating func note(
        _ reading: HeraldAdvertisementFields, _ kind: AdvertisementReport.Kind, _ slot: Int, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) -> Bool {
        var signs = DeviceRecord.AdvertisementFlags.heard
        if reading.namesHerald || reading.pseudoAddress != nil { signs.insert(.namesHerald) }
        if reading.isApple { signs.insert(.apple) }
        if kind == .connectable { signs.insert(.connectable) }
        let before = table.hear(signs, of: slot, at: now)
        let isFirstName = signs.contains(.namesHerald) && !before.contains(.namesHerald)
        if !before.isSuperset(of: signs) {
            if isFirstName { table[slot].retryAt = min(table[slot].retryAt, now) }
            updateWanted(slot, at: now)
        }
        if table[slot].verdict == .foreign {
            guard table[slot].retryAt <= now || isFirstName else { return false }
            table[slot].verdict = .unknown
            updateWanted(slot, at: now)
        }
        if let power = reading.transmitPower, table[slot].power != power {
            table[slot].power = power
            outputs.append(.event(.transmitPower(table[slot].id, power)))
        }
        return true
    }

    /// Reports a reading, and continues or begins the contact.
    @inline(__always)
    mutating func measure(
        _ slot: Int, _ rssi: Int, _ provenance: ObservationSource, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) {
        guard SignalFrame.plausibleRSSI.contains(rssi) else { return }
        let value = Int8(truncatingIfNeeded: rssi)
        let isOwn = provenance.isOwnObservation
        let begins = table.measure(value, of: slot, isOwn: isOwn, gap: parameters.$contactGap, at: now)
        if isOwn, table[slot].failures > 0 { forgive(slot, at: now) }
        if begins {
            contacts.begin(with: value, of: slot, in: &table, at: now, into: &outputs)
            schedule(slot, at: now)
        }
        let device = table[slot]
        outputs.append(
            .event(
                .measured(
                    SignalReading(
                        target: device.id, at: MonotonicInstant(nanoseconds: now), rssi: value,
                        transmitPower: device.power, provenance: provenance,
                        isConfirmed: device.signs.contains(.namesHerald) || device.verdict == .confirmed))))
    }

    /// Retries a device at once when its signal has become much stronger since a failed connect.
    private mutating func forgive(_ slot: Int, at now: UInt64) {
        let device = table[slot]
        guard let level = device.level, !device.isFaint, level >= device.failureLevel &+ DeviceRecord.recovery else {
            return
        }
        table[slot].failures = 0
        table[slot].retryAt = min(device.retryAt, now)
    }

    // MARK: - Failures

    /// Reports a problem, no more often than the rate limit allows.
    mutating func report(
        _ code: HeraldError.Code, _ sentence: String, _ target: TargetID?, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) {
        guard troubleBudget.take(Self.troubleLimit, at: MonotonicInstant(nanoseconds: now)) else { return }
        outputs.append(.event(.trouble(HeraldError(code, sentence), target)))
    }

    /// Records a failed connect to a device; the back-off doubles with each.
    mutating func fail(
        _ token: DeviceRecordToken, _ code: HeraldError.Code, _ sentence: String, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) {
        guard let slot = table.slot(of: token) else { return }
        let failures = min(table[slot].failures, 16)
        table[slot].failures = failures + 1
        table[slot].failureLevel = table[slot].level ?? 0
        let wait = min(HeraldParameters.firstRetry << UInt64(failures), HeraldParameters.maximumRetry)
        // Jitter of half the time, so that two devices do not collide at every retry.
        table[slot].retryAt = now &+ wait &+ randomWord() % (wait / 2 + 1)
        report(code, sentence, table[slot].id, at: now, into: &outputs)
    }

    /// Ignores a device that does not speak Herald: for a minute, and for longer each time, up to 215 s.
    mutating func ignore(_ slot: Int, at now: UInt64, into outputs: inout [HeraldNode.Output]) {
        var seconds: UInt16 = 60
        if let last = table[slot].ignoreSeconds { seconds = last < 180 ? (last * 12 + 5) / 10 : last }
        table[slot].ignoreSeconds = seconds
        table[slot].retryAt = now &+ UInt64(seconds) * .second
        table[slot].verdict = .foreign
        table[slot].work.remove(.wanted)
        report(
            .linkServiceNotFound, "A device does not offer the Herald service.", table[slot].id, at: now,
            into: &outputs)
    }

    // MARK: - Identity

    /// Records that a device speaks Herald.
    mutating func confirm(_ slot: Int, into outputs: inout [HeraldNode.Output]) {
        guard table[slot].verdict != .confirmed else { return }
        table[slot].verdict = .confirmed
        table[slot].ignoreSeconds = nil
        outputs.append(.event(.recognised(table[slot].id)))
    }

    /// Stores the payload of a device, which may move it to another record.
    mutating func identify(
        _ slot: Int, _ payload: [UInt8], _ provenance: ObservationSource, wall: WallTime, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) -> IdentificationResult {
        let target = table[slot].id
        guard !payload.isEmpty, payload.count <= HeraldPayload.maximumBytes else {
            let code = payload.isEmpty ? HeraldError.Code.payloadMalformed : .payloadTooLong
            report(code, "A device gave a payload of \(payload.count) bytes.", target, at: now, into: &outputs)
            return IdentificationResult(slot: slot)
        }
        if let freshness = settings.configuration.freshness, !freshness.admits(payload, at: wall) {
            report(.payloadStale, "A payload does not hold at this time.", target, at: now, into: &outputs)
            return IdentificationResult(slot: slot)
        }
        let isRead = provenance == .link
        if table[slot].identity.contains(.hasPayload), table[details: slot].payload == payload {
            if isRead { table[details: slot].provenance = provenance }
            return IdentificationResult(slot: slot)
        }
        // A payload that this device read itself counts for more than one that the peer wrote to it since.
        if !isRead, table[slot].reads.contains(.payload), !table[slot].isReceiveOnly {
            return IdentificationResult(slot: slot)
        }
        let record = settle(slot, payload, at: now, into: &outputs)
        adopt(record.slot, payload, provenance, at: now, into: &outputs)
        return record
    }

    /// Returns the record of a payload: another one if that is the same device under an earlier address.
    private mutating func settle(
        _ slot: Int, _ payload: [UInt8], at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) -> IdentificationResult {
        guard let other = table.slot(of: payload), other != slot else { return IdentificationResult(slot: slot) }
        guard isSuccessor(slot, of: other) else {
            report(
                .identityDuplicated, "One payload comes from two devices at the same time.", table[slot].id, at: now,
                into: &outputs)
            return IdentificationResult(slot: slot)
        }
        return IdentificationResult(slot: other, ended: merge(slot, into: other, at: now, into: &outputs))
    }

    private mutating func adopt(
        _ slot: Int, _ payload: [UInt8], _ provenance: ObservationSource, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) {
        guard table[details: slot].payload != payload || !table[slot].identity.contains(.hasPayload) else { return }
        if table[slot].identity.contains(.hasPayload), let contact = table[slot].contact {
            // Another identity is another contact, which begins where the former ends.
            let last = contact.lastReading
            contacts.endContact(of: slot, in: &table, at: now, into: &outputs)
            table[slot].contact = DeviceRecord.OpenContact(
                start: last, lastReading: last, readings: 1, strongest: contact.strongest)
        }
        table.setPayload(payload, of: slot)
        table[details: slot].provenance = provenance
        outputs.append(.event(.read(table[slot].id, payload: payload, provenance)))
        if let contact = table[slot].contact { contacts.report(contact, of: slot, in: table, into: &outputs) }
    }

    /// Returns true when a record may continue the other one, last heard at most 3 s after the record's first sign.
    private func isSuccessor(_ slot: Int, of other: Int) -> Bool {
        let (new, old) = (table[slot], table[other])
        guard !old.identity.contains(.contested) else { return false }
        if old.isReceiveOnly || new.isReceiveOnly { return true }
        return old.lastHeard <= new.firstNoticed &+ 3 * .second
    }

    /// Merges the record in `slot` into that in `other`; returns the token of the record that ended.
    ///
    /// The links of the ended record continue for the other.
    mutating func merge(
        _ slot: Int, into other: Int, at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) -> DeviceRecordToken {
        // A contact that was reported under the target that ends, ends with it.
        if table[slot].identity.contains(.hasPayload) {
            contacts.endContact(of: slot, in: &table, at: now, into: &outputs)
        }
        let token = table.token(slot)
        let new = table[slot]
        for key in table[details: slot].addresses {
            table.unbind(key, from: slot)
            table.bind(key, to: other)
        }
        if let pseudo = new.pseudo {
            table.setPseudo(nil, of: slot)
            table.setPseudo(pseudo, of: other)
        }
        let wasForeign = table[other].verdict == .foreign
        table[other].inherit(from: new)
        let details = table[details: slot]
        table[details: other].messages += details.messages
        table[details: other].messageInFlight = table[details: other].messageInFlight ?? details.messageInFlight
        if !table[details: other].messages.isEmpty { table[other].work.insert(.message) }
        if wasForeign { updateWanted(other, at: now) }
        if let contact = new.contact { contacts.join(contact, to: other, in: &table, at: now, into: &outputs) }
        table.remove(slot)
        outputs.append(.event(.merged(new.id, into: table[other].id)))
        schedule(other, at: now)
        return token
    }

    /// Separates addresses of one record that are used at the same time: it keeps `key`, others get own records.
    mutating func separate(_ slot: Int, keeping key: UInt64) {
        table[slot].identity.insert(.contested)
        table[slot].alternations = 0
        for address in table[details: slot].addresses where address != key { table.unbind(address, from: slot) }
    }

    // MARK: - Sharing

    /// Returns the joined payloads to share with a device, each once, as many as fit.
    ///
    /// Those that the device was not sent come before the others, then the newest.
    mutating func payloadsToShare(with slot: Int, at now: UInt64, limit: Int) -> [UInt8] {
        let sent = Set(table[details: slot].sharedTargets)
        let needs = needs
        let others = table.slots { needs.isShareable($0, at: now) }.filter { $0 != slot }.sorted { left, right in
            let (left, right) = (table[left], table[right])
            let wasSent = (left: sent.contains(left.target), right: sent.contains(right.target))
            if wasSent.left != wasSent.right { return !wasSent.left }
            return left.lastNoticed != right.lastNoticed
                ? left.lastNoticed > right.lastNoticed : left.target < right.target
        }
        var joined: [UInt8] = []
        var seen: Set<[UInt8]> = [table[details: slot].payload]
        for other in others {
            let payload = table[details: other].payload
            guard joined.count + payload.count <= limit, seen.insert(payload).inserted else { continue }
            joined += payload
            let target = table[other].target
            table[details: slot].sharedTargets.removeAll { $0 == target }
            table[details: slot].sharedTargets.append(target)
        }
        let extra = table[details: slot].sharedTargets.count - 32
        if extra > 0 { table[details: slot].sharedTargets.removeFirst(extra) }
        return joined
    }

    // MARK: - Look-ups

    /// Returns the payload of a device; nil while it is not known.
    func payload(_ slot: Int) -> [UInt8]? {
        table[slot].identity.contains(.hasPayload) ? table[details: slot].payload : nil
    }

    /// Returns the public snapshot of a device record.
    func snapshot(_ slot: Int) -> DeviceSnapshot {
        let (device, details) = (table[slot], table[details: slot])
        let isKnown = device.identity.contains(.hasPayload)
        return DeviceSnapshot(
            target: device.id, address: device.address.flatMap(AddressIndexKey.address),
            pseudoAddress: device.pseudo.flatMap(AddressIndexKey.pseudoAddress),
            isConfirmed: device.verdict == .confirmed, signal: device.signal.last,
            isReceiveOnly: device.isReceiveOnly, payload: payload(slot),
            provenance: isKnown ? details.provenance : nil,
            firstNoticed: MonotonicInstant(nanoseconds: device.firstNoticed),
            lastNoticed: MonotonicInstant(nanoseconds: device.lastNoticed),
            rssi: device.level == nil ? nil : Int(device.rssi), transmitPower: device.power.map(Int.init),
            model: details.model, contactSince: device.contact.map { MonotonicInstant(nanoseconds: $0.start) },
            failures: Int(device.failures), hasLink: device.work.contains(.linked))
    }
}
