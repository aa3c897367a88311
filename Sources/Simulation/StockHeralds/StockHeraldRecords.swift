import Air
import Bluetooth
import Determinism

/// The record that a deployed library keeps of one device.
struct StockHeraldRecord: Sendable {
    enum StockPhoneSystem: Sendable { case unknown, ios, android, guessedIOS, guessedAndroid, ignored }

    let target: UInt64
    var address: DeviceAddress
    var pseudo: UInt64?
    var system = StockPhoneSystem.unknown
    var isHerald = false
    var isReceiveOnly = false
    var payload: [UInt8]?
    var rssi: Int?
    var updated: MonotonicInstant
    var ignoredUntil: MonotonicInstant?
    var ignoreSeconds = 0
    var lastData: [UInt8] = []
    var payloadWritten: MonotonicInstant?
    var shared: MonotonicInstant?
    var rssiWritten: MonotonicInstant?
    var messages: [[UInt8]] = []
    var failures = 0
    var retryAt = MonotonicInstant.zero

    var isConfirmed: Bool { system == .ios || system == .android }
}

/// The records that a deployed library keeps, found by address, in the order in which they were made.
struct StockHeraldRecords: Sendable {
    private(set) var all: [StockHeraldRecord] = []
    private var indices: [DeviceAddress: Int] = [:]
    private var pseudos: [UInt64: Int] = [:]
    private var lastTarget: UInt64 = 0

    subscript(index: Int) -> StockHeraldRecord {
        get { all[index] }
        set { all[index] = newValue }
    }

    func index(of address: DeviceAddress) -> Int? { indices[address] }

    /// Returns the index of a device's record, and adds one if needed; a known pseudo address means a known device.
    mutating func index(of address: DeviceAddress, pseudo: UInt64? = nil, at now: MonotonicInstant) -> Int {
        if let index = indices[address] {
            if let pseudo, all[index].pseudo != pseudo {
                all[index].pseudo = pseudo
                pseudos[pseudo] = index
            }
            return index
        }
        if let pseudo, let index = pseudos[pseudo] {
            indices[address] = index
            all[index].address = address
            return index
        }
        lastTarget += 1
        all.append(StockHeraldRecord(target: lastTarget, address: address, pseudo: pseudo, updated: now))
        indices[address] = all.count - 1
        if let pseudo { pseudos[pseudo] = all.count - 1 }
        return all.count - 1
    }

    func index(ofTarget target: UInt64) -> Int? { all.firstIndex { $0.target == target } }

    /// Removes the records last updated before `limit`; of more than `count`, also those unheard for longest.
    mutating func forget(before limit: MonotonicInstant, keeping count: Int = .max) {
        var kept = all.filter { $0.updated >= limit }
        while kept.count > count, let oldest = kept.indices.min(by: { kept[$0].updated < kept[$1].updated }) {
            kept.remove(at: oldest)
        }
        guard kept.count != all.count else { return }
        var moved: [UInt64: Int] = [:]
        for (index, record) in kept.enumerated() { moved[record.target] = index }
        let targets = all.map(\.target)
        all = kept
        indices = indices.compactMapValues { moved[targets[$0]] }
        pseudos = pseudos.compactMapValues { moved[targets[$0]] }
    }
}
