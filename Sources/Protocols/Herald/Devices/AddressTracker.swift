import Bluetooth

/// Finds the device record of an advertisement, and follows devices across changes of their addresses.
struct AddressTracker: Sendable {
    /// The effect of an advertisement on the addresses of a device's record.
    enum AddressChange {
        case none
        /// The device has a new address, so that a connect to the old one is useless.
        case moved
        /// The device moved as in `moved`, and the record with this token was merged into its record.
        case merged(DeviceRecordToken)
    }

    /// The conflict about a pseudo address that several devices use.
    struct AddressConflict {
        let key: UInt64
        /// The time at which the conflict is removed.
        var until: UInt64
        /// The number of times that two devices with this pseudo address were separated.
        var times: Int
    }

    /// The most times that devices with the same pseudo address are separated.
    ///
    /// After that the address identifies no device.
    private static let maximumContests = 8
    /// The most conflicts that are stored; beyond it, the first is removed.
    private static let maximumKept = 64

    private(set) var contests: [AddressConflict] = []
    private let detection: HeraldAdvertisementFields.DetectionCriteria

    /// Makes a tracker.
    ///
    /// - Parameter detection: the services by which advertisements count.
    init(_ detection: HeraldAdvertisementFields.DetectionCriteria = HeraldAdvertisementFields.DetectionCriteria()) {
        self.detection = detection
    }

    /// Parses the advertising data of a device.
    @inline(__always)
    func read(_ data: Span<UInt8>) -> HeraldAdvertisementFields {
        HeraldAdvertisementFields(parsing: data, detecting: detection)
    }

    /// Returns the record of an advertisement; nil when it is to be ignored, or the table is full.
    @inline(__always)
    mutating func record(
        _ key: UInt64, _ reading: HeraldAdvertisementFields, rssi: Int?, in records: inout DeviceRecords,
        at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) -> (slot: Int, change: AddressChange)? {
        guard let slot = records.find(key) else {
            guard Self.isInteresting(reading, records.settings.configuration.introspection) else { return nil }
            return admit(key, reading, rssi: rssi, in: &records, at: now, into: &outputs)
        }
        if records[slot].address != key {
            returnToAddress(key, slot, in: &records, at: now, into: &outputs)
            return (slot, .none)
        }
        guard let address = reading.pseudoAddress, AddressIndexKey.key(of: address) != records[slot].pseudo else {
            return (slot, .none)
        }
        return changePseudo(address, slot, in: &records, at: now, into: &outputs)
    }

    private static func isInteresting(
        _ reading: HeraldAdvertisementFields, _ introspection: HeraldConfiguration.AppleIntrospection
    ) -> Bool {
        if reading.namesHerald || reading.pseudoAddress != nil { return true }
        switch introspection {
        case .off: return false
        case .likely: return reading.apple == .heraldLikely
        case .connect: return reading.apple == .heraldLikely || reading.apple == .possible
        }
    }

    /// Finds the record of a new address by its pseudo address, or opens one.
    private mutating func admit(
        _ key: UInt64, _ reading: HeraldAdvertisementFields, rssi: Int?, in records: inout DeviceRecords,
        at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) -> (slot: Int, change: AddressChange)? {
        let pseudo = trusted(reading.pseudoAddress, at: now)
        if let pseudo, let known = records.find(pseudo) {
            records.bind(key, to: known)
            // A connect that failed was one to the old address, most likely.
            if (1...2).contains(records[known].failures) { records[known].retryAt = min(records[known].retryAt, now) }
            if records[known].alternations > 0 { records[known].alternations -= 1 }
            return (known, .moved)
        }
        guard let slot = records.open(at: now, into: &outputs) else { return nil }
        records.bind(key, to: slot)
        if let pseudo { records.setPseudo(pseudo, of: slot) }
        records[slot].rssi = Int8(clamping: rssi ?? -127)
        outputs.append(.event(.detected(records[slot].id)))
        return (slot, .none)
    }

    /// Handles a new or first pseudo address of a device.
    private mutating func changePseudo(
        _ address: PseudoDeviceAddress, _ slot: Int, in records: inout DeviceRecords, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) -> (slot: Int, change: AddressChange) {
        guard let pseudo = trusted(address, at: now) else { return (slot, .none) }
        if let owner = records.find(pseudo) {
            guard Self.isKnownWriter(slot, as: owner, in: records) else { return (slot, .none) }
            return (owner, .merged(records.merge(slot, into: owner, at: now, into: &outputs)))
        }
        let isNew = records[slot].pseudo == nil
        records.setPseudo(pseudo, of: slot)
        // A device that changes its pseudo address may have changed its payload with it.
        if !isNew, now &- min(records[details: slot].payloadReadAt, now) > 60 * .second {
            records[slot].reads.remove(.payload)
            records.updateWanted(slot, at: now)
        }
        return (slot, .none)
    }

    /// Returns true when a record known only by writes belongs to the device of another record.
    ///
    /// The pseudo address is the same, and the payload does not contradict.
    private static func isKnownWriter(_ slot: Int, as owner: Int, in records: DeviceRecords) -> Bool {
        guard records[slot].isReceiveOnly else { return false }
        return !records[slot].identity.contains(.hasPayload)
            || records[details: slot].payload == records[details: owner].payload
    }

    /// Handles a device that was received under an address that it had left.
    ///
    /// Two devices that share a record do that all the time, one device does not.
    private mutating func returnToAddress(
        _ key: UInt64, _ slot: Int, in records: inout DeviceRecords, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) {
        let hadAddress = records[slot].address != nil
        records[slot].address = key
        guard hadAddress else { return }
        records[slot].alternations &+= 2
        guard records[slot].alternations >= 6 else { return }
        if let pseudo = records[slot].pseudo {
            records.report(
                .identityContested, "Two addresses use one pseudo address at the same time.", records[slot].id,
                at: now, into: &outputs)
            contest(pseudo, until: now &+ records.settings.timing.$recordExpiry)
            records.setPseudo(nil, of: slot)
        } else {
            records.report(
                .identityDuplicated, "One payload comes from two addresses at the same time.", records[slot].id,
                at: now, into: &outputs)
        }
        records.separate(slot, keeping: key)
    }

    // MARK: - Contested pseudo addresses

    /// Returns the key of a pseudo address that may identify a device; nil for one contested too often.
    private mutating func trusted(_ address: PseudoDeviceAddress?, at now: UInt64) -> UInt64? {
        guard let address else { return nil }
        let key = AddressIndexKey.key(of: address)
        guard !contests.isEmpty else { return key }
        contests.removeAll { $0.until <= now }
        return contests.contains { $0.key == key && $0.times >= Self.maximumContests } ? nil : key
    }

    /// Records that two addresses use one pseudo address at the same time.
    ///
    /// It still identifies a device that shows it from another address than the one that keeps the record: a device
    /// that replays another's advertisements keeps its own record, by its address, and the other is followed as before.
    private mutating func contest(_ pseudo: UInt64, until: UInt64) {
        if let index = contests.firstIndex(where: { $0.key == pseudo }) {
            contests[index].times += 1
            contests[index].until = until
        } else {
            if contests.count >= Self.maximumKept { contests.removeFirst() }
            contests.append(AddressConflict(key: pseudo, until: until, times: 1))
        }
    }
}
