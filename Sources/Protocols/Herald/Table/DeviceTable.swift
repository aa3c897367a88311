/// One record per device, found by any of its addresses; bounded, without sorting and without iteration of hashed tables.
struct DeviceTable: Sendable {
    /// Slots, free ones among them.
    var hot: [Device] = []
    var cold: [DeviceDetails] = []
    private(set) var count = 0

    private var index: FlatIndex
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
        index = FlatIndex(secret: secret)
    }

    /// The slot of an address or pseudo address; −1 without one.
    func find(_ key: UInt64) -> Int { index.find(key) }

    /// The slot of a target; nil without one.
    func slot(of target: UInt64) -> Int? { byTarget[target].map(Int.init) }

    /// The slot of the record with a payload; nil without one.
    func slot(of payload: [UInt8]) -> Int? { byPayload[payload].map(Int.init) }

    /// Names the record in a slot.
    func token(_ slot: Int) -> SlotToken {
        SlotToken(slot: UInt32(truncatingIfNeeded: slot), generation: hot[slot].generation)
    }

    /// The slot of a token; nil when the record is gone.
    func slot(of token: SlotToken) -> Int? {
        let slot = Int(token.slot)
        guard slot < hot.count, hot[slot].generation == token.generation, hot[slot].target != 0 else { return nil }
        return slot
    }

    /// How well the device of a token is heard, in sixteenths of a dBm; of a record that is gone the most there is.
    func level(of token: SlotToken) -> Int { slot(of: token).map { Int(hot[$0].level) } ?? .max }

    /// The slots in use, in the order of their targets.
    var slotsInOrder: [Int] {
        hot.indices.filter { hot[$0].target != 0 }.sorted { hot[$0].target < hot[$1].target }
    }

    var isFull: Bool { count >= limit }

    /// Opens a record.
    mutating func insert(at now: UInt64) -> Int {
        lastTarget += 1
        let slot: Int
        if let last = free.popLast() {
            slot = Int(last)
        } else {
            slot = hot.count
            hot.append(Device())
            cold.append(DeviceDetails())
        }
        let generation = hot[slot].generation
        hot[slot] = Device()
        hot[slot].generation = generation &+ 1
        hot[slot].target = lastTarget
        hot[slot].firstNoticed = now
        hot[slot].lastNoticed = now
        byTarget[lastTarget] = UInt32(slot)
        count += 1
        return slot
    }

    /// Closes a record and frees all that led to it.
    mutating func remove(_ slot: Int) {
        for key in cold[slot].addresses { index.remove(key, of: slot) }
        if hot[slot].pseudo != 0 { index.remove(hot[slot].pseudo, of: slot) }
        forgetPayload(of: slot)
        byTarget[hot[slot].target] = nil
        hot[slot].target = 0
        hot[slot].flags = []
        cold[slot] = DeviceDetails()
        free.append(UInt32(slot))
        count -= 1
    }

    /// Binds an address to a record; the oldest of too many is let go.
    mutating func bind(_ key: UInt64, to slot: Int, at now: UInt64) {
        index.set(key, slot)
        hot[slot].address = key
        hot[slot].addressSince = now
        cold[slot].addresses.removeAll { $0 == key }
        cold[slot].addresses.append(key)
        if cold[slot].addresses.count > addressLimit { index.remove(cold[slot].addresses.removeFirst(), of: slot) }
    }

    /// Takes an address from a record.
    mutating func unbind(_ key: UInt64, from slot: Int) {
        index.remove(key, of: slot)
        cold[slot].addresses.removeAll { $0 == key }
        if hot[slot].address == key { hot[slot].address = cold[slot].addresses.last ?? 0 }
    }

    /// Gives a record another pseudo address, or none with 0.
    mutating func setPseudo(_ key: UInt64, of slot: Int) {
        if hot[slot].pseudo != 0 { index.remove(hot[slot].pseudo, of: slot) }
        hot[slot].pseudo = key
        if key != 0 { index.set(key, slot) }
    }

    /// Gives a record a payload.
    ///
    /// Of several records with one payload, the first is found by it.
    mutating func setPayload(_ payload: [UInt8], of slot: Int) {
        forgetPayload(of: slot)
        cold[slot].payload = payload
        hot[slot].flags.insert(.hasPayload)
        if HeraldPayload.isBeacon(payload) { hot[slot].flags.insert(.mayVisit) }
        if byPayload[payload] == nil { byPayload[payload] = UInt32(slot) }
    }

    private mutating func forgetPayload(of slot: Int) {
        let payload = cold[slot].payload
        if byPayload[payload] == UInt32(slot) { byPayload[payload] = nil }
    }

    /// Who could make room for a new device: of the next few slots the one that is worth least.
    ///
    /// Links, messages and identified devices that were noticed within a minute protect a record; of the others an unidentified
    /// one goes before an identified one, and a weak or old one before a strong or new one.
    mutating func dispensable(at now: UInt64) -> Int? {
        var best: (slot: Int, worth: Int64)?
        for _ in 0..<min(16, hot.count) {
            hand = hand + 1 < hot.count ? hand + 1 : 0
            guard hot[hand].target != 0, let worth = worth(of: hand, at: now) else { continue }
            if best.map({ worth < $0.worth }) ?? true { best = (hand, worth) }
        }
        return best?.slot
    }

    private func worth(of slot: Int, at now: UInt64) -> Int64? {
        let device = hot[slot]
        let age = Int64(clamping: (now - min(device.lastNoticed, now)) / 1_000_000_000)
        guard device.flags.isDisjoint(with: [.isLinked, .hasMessage]) else { return nil }
        if device.flags.contains(.hasPayload) { return age < 60 ? nil : 1_000_000 - age }
        return Int64(device.rssi) * 10 - age * 20
    }
}
