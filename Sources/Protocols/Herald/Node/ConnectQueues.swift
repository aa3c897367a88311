/// The queues of devices that wait for a link, by urgency; most are first in, first out.
struct ConnectQueues: Sendable {
    private enum Kind { case message, identify, fleeting, faint, recurring, candidate }

    private var message = DeviceRecordQueue()
    private var identify = DeviceRecordQueue()
    /// The queue of devices to identify that have a pseudo address, which comes first.
    ///
    /// Their Bluetooth address soon changes.
    private var fleeting = DeviceRecordQueue()
    /// The queue of devices to identify that are weakly received or not reached yet; the strongest goes first.
    private var faint = DeviceRecordQueue()
    /// The queue of devices to write to or to read again.
    private var recurring = DeviceRecordQueue()
    /// The queue of candidates: devices that may not speak Herald.
    private var candidate = DeviceRecordQueue()
    /// The counter of choices, by which no queue starves another.
    private var turn = 0

    /// True when no device is queued except candidates, which may not speak Herald.
    var isIdle: Bool {
        message.isEmpty && identify.isEmpty && fleeting.isEmpty && recurring.isEmpty && faint.isEmpty
    }

    /// Adds a device to its queue.
    mutating func add(_ slot: Int, _ records: inout DeviceRecords) {
        guard !records[slot].waiting.isQueued else { return }
        let kind = mark(slot, &records)
        if records[slot].work.contains(.justConnected) {
            withQueue(kind) { $0.prepend(records.token(slot)) }
        } else {
            withQueue(kind) { $0.append(records.token(slot)) }
        }
    }

    /// Puts a device that was removed back at the front of its queue.
    mutating func putBack(_ slot: Int, _ records: inout DeviceRecords) {
        let kind = mark(slot, &records)
        withQueue(kind) { $0.prepend(records.token(slot)) }
    }

    /// Moves a device whose signal became stronger from the queue of weakly received devices to its other queue.
    mutating func promote(_ slot: Int, _ records: inout DeviceRecords) {
        guard !records[slot].belongsToFaint else { return }
        removeFromFaint(slot, &records)
        add(slot, &records)
    }

    /// Removes a device from the queue of weakly received devices.
    mutating func removeFromFaint(_ slot: Int, _ records: inout DeviceRecords) {
        guard records[slot].waiting.isInFaint else { return }
        faint.remove(records.token(slot))
        records[slot].waiting = .no
    }

    private mutating func mark(_ slot: Int, _ records: inout DeviceRecords) -> Kind {
        let kind = Self.kind(of: records[slot])
        records[slot].waiting.enter(isFaint: kind == .faint)
        return kind
    }

    private static func kind(of device: DeviceRecord) -> Kind {
        if device.work.contains(.message) { return .message }
        if device.isCandidate { return .candidate }
        if device.work.contains(.justConnected) { return .identify }
        if device.belongsToFaint { return .faint }
        return device.reads.contains(.payload) ? .recurring : device.isFleeting ? .fleeting : .identify
    }

    private mutating func withQueue(_ kind: Kind, _ body: (inout DeviceRecordQueue) -> Void) {
        switch kind {
        case .message: body(&message)
        case .identify: body(&identify)
        case .fleeting: body(&fleeting)
        case .faint: body(&faint)
        case .recurring: body(&recurring)
        case .candidate: body(&candidate)
        }
    }

    // MARK: - Choosing

    /// Removes and returns the device to connect to next; nil when there is none.
    ///
    /// - Parameter endsScan: true when the connect ends a scan.
    mutating func next(endsScan: Bool, _ records: inout DeviceRecords, at now: UInt64) -> Int? {
        while let token = nextToken(endsScan: endsScan, records) {
            guard let slot = records.slot(of: token) else { continue }
            records[slot].waiting = .no
            records.updateWanted(slot, at: now)
            let device = records[slot]
            let isFresh = Self.isReachable(device, records.settings, at: now) || justConnected(slot, records, at: now)
            guard device.work.contains(.wanted), !device.work.contains(.linked), device.retryAt <= now,
                device.address != nil, isFresh || device.work.contains(.message)
            else {
                records[slot].work.remove(.justConnected)
                continue
            }
            return slot
        }
        return nil
    }

    private func justConnected(_ slot: Int, _ records: DeviceRecords, at now: UInt64) -> Bool {
        guard records[slot].work.contains(.justConnected), let since = records[details: slot].connectedToUsAt else {
            return false
        }
        return now &- min(since, now) <= records.settings.parameters.$connectFreshness
    }

    /// Returns true when a device was received so recently that a connect can reach it.
    private static func isReachable(_ device: DeviceRecord, _ settings: NodeSettings, at now: UInt64) -> Bool {
        // A device with a pseudo address will soon have left the address under which it was heard.
        let parameters = settings.parameters
        let freshness = device.pseudo == nil ? parameters.$connectFreshness : parameters.$connectFreshness / 2
        if now &- min(device.lastHeard, now) <= freshness { return true }
        // A device that is not heard in the background may be near all the same.
        return !settings.platform.hearsBackgroundPeers && device.signal.last == .nonCompliant
            && device.age(at: now) <= HeraldParameters.sendRecency
    }

    private mutating func nextToken(endsScan: Bool, _ records: DeviceRecords) -> DeviceRecordToken? {
        if let token = message.popFirst() { return token }
        // Where a connect ends the scan, the next one begins seconds later: a device that was just heard will have left
        // its address by then, one that is heard all the time can still be reached.
        if endsScan, let token = fleeting.popFirst() { return token }
        turn &+= 1
        if turn % 4 == 0, let token = recurring.popFirst() { return token }
        if turn % 8 == 3, let token = candidate.popFirst() { return token }
        if turn % 8 == 6, let token = bestFaint(records) { return token }
        if turn % 2 == 1, let token = fleeting.popFirst() { return token }
        return nextToIdentify(records) ?? fleeting.popFirst() ?? recurring.popFirst() ?? bestFaint(records)
            ?? candidate.popFirst()
    }

    /// Removes and returns the next device to identify: the strongest one, or every other time the first.
    ///
    /// The strongest is reached most surely, and the first does not wait for ever.
    private mutating func nextToIdentify(_ records: DeviceRecords) -> DeviceRecordToken? {
        guard turn % 4 >= 2, identify.count > 1 else { return identify.popFirst() }
        return identify.popBest(of: 32) { records.level(of: $0) }
    }

    /// Removes and returns the strongest of the first few weakly received devices.
    private mutating func bestFaint(_ records: DeviceRecords) -> DeviceRecordToken? {
        faint.popBest(of: 32) { records.level(of: $0) }
    }
}
