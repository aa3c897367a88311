import Bluetooth

/// The table of device records, each found by any of its device's addresses.
///
/// It is bounded, and needs no sorting and no iteration of hashed tables.
///
/// A record has a slot, which stays the same as long as the record lives. Its frequent and its rare fields lie in two
/// arrays.
struct DeviceTable: Sendable {
    /// The frequently used fields of all slots; the target of a free slot is 0.
    private var hot: [DeviceRecord] = []
    private var cold: [DeviceRecordDetails] = []
    private(set) var count = 0

    private var index: SlotIndex
    private var byPayload: [[UInt8]: UInt32] = [:]
    private var byTarget: [UInt64: UInt32] = [:]
    private var free: [UInt32] = []
    private var hand = 0
    private var lastTarget: UInt64 = 0
    private let limit: Int
    private let addressLimit: Int

    init(limit: Int, addressLimit: Int, secret: UInt64) {
        self.limit = limit
        self.addressLimit = addressLimit
        index = SlotIndex(secret: secret)
    }

    /// The frequently used fields of the record in a slot.
    subscript(_ slot: Int) -> DeviceRecord {
        @inline(__always) _read { yield hot[slot] }
        @inline(__always) _modify { yield &hot[slot] }
    }

    /// The rarely used fields of the record in a slot.
    subscript(details slot: Int) -> DeviceRecordDetails {
        _read { yield cold[slot] }
        _modify { yield &cold[slot] }
    }

    /// Records an advertisement or a scan response; returns the signs before it.
    ///
    /// A function of its own, as `measure`, because the compiler does not always inline access through the subscript.
    @inline(__always)
    mutating func hear(_ signs: DeviceRecord.AdvertisementFlags, of slot: Int, at now: UInt64)
        -> DeviceRecord.AdvertisementFlags
    {
        hot[slot].hear(signs, at: now)
    }

    /// Records a reading; true when a contact must begin with it.
    @inline(__always)
    mutating func measure(_ rssi: Int8, of slot: Int, isOwn: Bool, gap: UInt64, at now: UInt64) -> Bool {
        hot[slot].measure(rssi, isOwn: isOwn, gap: gap, at: now)
    }

    /// Reads part of the records of these devices so that the CPU caches them.
    ///
    /// The returned sum only keeps the reads alive.
    func prefetch(_ addresses: Span<DeviceAddress>) -> UInt64 {
        var sum: UInt64 = 0
        for index in addresses.indices {
            guard let slot = find(AddressIndexKey.key(of: addresses[index])) else { continue }
            sum &+= hot[slot].target &+ UInt64(hot[slot].generation) &+ hot[slot].retryAt
        }
        return sum
    }

    /// Returns the slot of an address or pseudo address; nil without a record.
    @inline(__always)
    func find(_ key: UInt64) -> Int? { index.find(key) }

    /// Returns the slot of the record with this target number.
    func slot(of target: UInt64) -> Int? { byTarget[target].map(Int.init) }

    /// Returns the slot of the record with a payload.
    func slot(of payload: [UInt8]) -> Int? { byPayload[payload].map(Int.init) }

    /// Returns the token that identifies the record in a slot.
    func token(_ slot: Int) -> DeviceRecordToken {
        DeviceRecordToken(slot: UInt32(truncatingIfNeeded: slot), generation: hot[slot].generation)
    }

    /// Returns the slot of a token; nil when the record has been removed.
    func slot(of token: DeviceRecordToken) -> Int? {
        let slot = Int(token.slot)
        guard slot < hot.count, hot[slot].generation == token.generation, isInUse(slot) else { return nil }
        return slot
    }

    private func isInUse(_ slot: Int) -> Bool { hot[slot].target != 0 }

    /// Returns the level of a token's device in sixteenths of a dBm; the maximum when its record has been removed.
    func level(of token: DeviceRecordToken) -> Int { slot(of: token).map { Int(hot[$0].level ?? 0) } ?? .max }

    /// The slots in use, in the order of their targets.
    var slotsInOrder: [Int] { slots { _ in true }.sorted { hot[$0].target < hot[$1].target } }

    /// Returns the slots in use whose records satisfy the condition, in the order of the slots.
    func slots(where fits: (DeviceRecord) -> Bool) -> [Int] { hot.indices.filter { isInUse($0) && fits(hot[$0]) } }

    /// Returns true when a record in use satisfies the condition.
    func contains(where fits: (Int, DeviceRecord) -> Bool) -> Bool {
        hot.indices.contains { isInUse($0) && fits($0, hot[$0]) }
    }

    /// Returns the number of records in use that satisfy the condition.
    func count(where fits: (DeviceRecord) -> Bool) -> Int { hot.count { $0.target != 0 && fits($0) } }

    var isFull: Bool { count >= limit }

    /// Allocates a record for a new device, and returns its slot.
    mutating func insert(at now: UInt64) -> Int {
        lastTarget += 1
        let slot: Int
        if let last = free.popLast() {
            slot = Int(last)
        } else {
            slot = hot.count
            hot.append(DeviceRecord())
            cold.append(DeviceRecordDetails())
        }
        let generation = hot[slot].generation
        hot[slot] = DeviceRecord()
        hot[slot].generation = generation &+ 1
        hot[slot].target = lastTarget
        hot[slot].firstNoticed = now
        hot[slot].lastNoticed = now
        byTarget[lastTarget] = UInt32(slot)
        count += 1
        return slot
    }

    /// Closes a record and removes it from every index.
    mutating func remove(_ slot: Int) {
        for key in cold[slot].addresses { index.remove(key, of: slot) }
        if let pseudo = hot[slot].pseudo { index.remove(pseudo, of: slot) }
        removePayloadIndex(of: slot)
        byTarget[hot[slot].target] = nil
        hot[slot].target = 0
        cold[slot] = DeviceRecordDetails()
        free.append(UInt32(slot))
        count -= 1
    }

    /// Adds an address to a record; beyond the limit the oldest address is removed.
    mutating func bind(_ key: UInt64, to slot: Int) {
        index.set(key, slot)
        hot[slot].address = key
        cold[slot].addresses.removeAll { $0 == key }
        cold[slot].addresses.append(key)
        if cold[slot].addresses.count > addressLimit { index.remove(cold[slot].addresses.removeFirst(), of: slot) }
    }

    /// Removes an address from a record.
    mutating func unbind(_ key: UInt64, from slot: Int) {
        index.remove(key, of: slot)
        cold[slot].addresses.removeAll { $0 == key }
        if hot[slot].address == key { hot[slot].address = cold[slot].addresses.last }
    }

    /// Replaces the pseudo address of a record; nil removes it.
    mutating func setPseudo(_ key: UInt64?, of slot: Int) {
        if let old = hot[slot].pseudo { index.remove(old, of: slot) }
        hot[slot].pseudo = key
        if let key { index.set(key, slot) }
    }

    /// Sets the payload of a record; of several records with one payload, the first is found by it.
    mutating func setPayload(_ payload: [UInt8], of slot: Int) {
        removePayloadIndex(of: slot)
        cold[slot].payload = payload
        hot[slot].identity.insert(.hasPayload)
        if HeraldPayload.isBeacon(payload) { hot[slot].identity.insert(.mayVisit) }
        if byPayload[payload] == nil { byPayload[payload] = UInt32(slot) }
    }

    private mutating func removePayloadIndex(of slot: Int) {
        let payload = cold[slot].payload
        if byPayload[payload] == UInt32(slot) { byPayload[payload] = nil }
    }

    /// Returns the record to evict for a new device: of the next few slots, the one of least value.
    ///
    /// Links, messages and identified devices that were noticed within a minute protect a record; of the others an
    /// unidentified one goes before an identified one, and a weak or old one before a strong or new one.
    mutating func victim(at now: UInt64) -> Int? {
        var best: (slot: Int, worth: Int64)?
        for _ in 0..<min(16, hot.count) {
            hand = hand + 1 < hot.count ? hand + 1 : 0
            guard isInUse(hand), let worth = worth(of: hot[hand], at: now) else { continue }
            if best.map({ worth < $0.worth }) ?? true { best = (hand, worth) }
        }
        return best?.slot
    }

    /// Returns the value of keeping a record when one must be evicted; nil for a protected record.
    private func worth(of device: DeviceRecord, at now: UInt64) -> Int64? {
        guard device.work.isDisjoint(with: [.linked, .message]) else { return nil }
        let age = Int64(clamping: device.age(at: now) / 1_000_000_000)
        if device.identity.contains(.hasPayload) { return age < 60 ? nil : 1_000_000 - age }
        return Int64(device.rssi) * 10 - age * 20
    }
}
