import Determinism

/// The messages of the application, queued in the records of their targets until they are written, fail or expire.
struct OutgoingHeraldMessages: Sendable {
    private var lastID: UInt64 = 0
    private var waiting = 0

    /// Queues a message; reports targets that accept none at once.
    ///
    /// - Returns: the message with all its targets, and the slots of those for which it waits.
    /// - Throws: as `HeraldNode.send`.
    mutating func accept(
        _ message: [UInt8], to recipients: HeraldNode.MessageTargets, isRunning: Bool, _ records: inout DeviceRecords,
        at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) throws(HeraldError) -> (dispatch: HeraldNode.DispatchedMessage, slots: [Int]) {
        guard (1...SignalFrame.maximumContentBytes).contains(message.count) else {
            throw HeraldError(.sendTooLarge, "A message has 1 to 510 bytes, this one \(message.count).")
        }
        let slots = try Self.slots(of: recipients, isRunning: isRunning, records, at: now)
        let limits = records.settings.limits
        let isFull = slots.contains { records[details: $0].messages.count >= HeraldParameters.messagesPerDevice }
        guard !isFull, waiting + slots.count <= limits.messages else {
            throw HeraldError(.sendQueueFull, "Too many messages wait already.")
        }
        lastID += 1
        let id = HeraldMessageID(lastID)
        var taken: [Int] = []
        for slot in slots where add(message, id, slot, &records, at: now, into: &outputs) { taken.append(slot) }
        let targets = slots.map { records[$0].id }
        return (HeraldNode.DispatchedMessage(message: id, targets: targets), taken)
    }

    private static func slots(
        of recipients: HeraldNode.MessageTargets, isRunning: Bool, _ records: DeviceRecords, at now: UInt64
    ) throws(HeraldError) -> [Int] {
        var found: [Int] = []
        switch recipients {
        case .target(let target): found = try slots(of: [target], isRunning: isRunning, records)
        case .targets(let targets): found = try slots(of: targets, isRunning: isRunning, records)
        case .all:
            // Confirmed, able to take messages, and noticed in the last 60 s (HP-54).
            let recency = HeraldParameters.sendRecency
            found = records.slots { $0.verdict == .confirmed && $0.takesFrames && $0.age(at: now) <= recency }
            found.sort {
                let (left, right) = (records[$0], records[$1])
                if left.lastNoticed != right.lastNoticed { return left.lastNoticed > right.lastNoticed }
                return left.target < right.target
            }
        }
        guard !found.isEmpty else {
            throw HeraldError(.sendUnknownTarget, "No device is near that could take a message.")
        }
        return found
    }

    private static func slots(
        of targets: [TargetID], isRunning: Bool, _ records: DeviceRecords
    ) throws(HeraldError) -> [Int] {
        var found: [Int] = []
        for target in targets {
            guard isRunning, let slot = records.slot(of: target) else {
                throw HeraldError(.sendUnknownTarget, "Device \(target) is not known any more, or never was.")
            }
            if !found.contains(slot) { found.append(slot) }
        }
        return found
    }

    /// Adds a message to the record of a target; false when the device accepts none.
    private mutating func add(
        _ message: [UInt8], _ id: HeraldMessageID, _ slot: Int, _ records: inout DeviceRecords, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) -> Bool {
        guard records[slot].takesFrames else {
            let error = HeraldError(.sendUnsupported, "The device accepts no messages.")
            outputs.append(.event(.notSent(id, to: records[slot].id, error)))
            return false
        }
        waiting += 1
        records[details: slot].messages.append(
            DeviceRecordDetails.PendingDeviceMessage(
                id: id.number, bytes: message, deadline: now &+ HeraldParameters.sendTimeout))
        records[slot].work.insert([.message, .wanted])
        // A message is reason enough to connect at once, and to leave the queue where the device waits for something
        // else.
        records[slot].retryAt = min(records[slot].retryAt, now)
        records[slot].waiting.leaveForMessage()
        return true
    }

    /// Reports that a message was written to a device.
    mutating func delivered(
        _ id: UInt64, to slot: Int, _ records: inout DeviceRecords, into outputs: inout [HeraldNode.Output]
    ) {
        remove(id, of: slot, &records)
        outputs.append(.event(.sent(HeraldMessageID(id), to: records[slot].id)))
    }

    /// Reports that a message cannot be written to a device.
    mutating func failed(
        _ id: UInt64, to slot: Int, _ error: HeraldError, _ records: inout DeviceRecords,
        into outputs: inout [HeraldNode.Output]
    ) {
        remove(id, of: slot, &records)
        outputs.append(.event(.notSent(HeraldMessageID(id), to: records[slot].id, error)))
    }

    private mutating func remove(_ id: UInt64, of slot: Int, _ records: inout DeviceRecords) {
        let before = records[details: slot].messages.count
        records[details: slot].messages.removeAll { $0.id == id }
        let after = records[details: slot].messages.count
        waiting -= before - after
        if records[details: slot].messageInFlight == id { records[details: slot].messageInFlight = nil }
        if after == 0 { records[slot].work.remove(.message) }
    }

    /// Reports all messages of a device as failed, because they cannot be delivered any more.
    mutating func failAll(
        of slot: Int, _ error: HeraldError, _ records: inout DeviceRecords, into outputs: inout [HeraldNode.Output]
    ) {
        guard records[slot].work.contains(.message) else { return }
        for message in records[details: slot].messages {
            failed(message.id, to: slot, error, &records, into: &outputs)
        }
    }

    /// Fails the expired messages of a device, except one that is being written, whose link decides its outcome.
    mutating func expire(
        of slot: Int, _ records: inout DeviceRecords, at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) {
        guard records[slot].work.contains(.message) else { return }
        let inFlight = records[details: slot].messageInFlight
        for message in records[details: slot].messages where message.deadline <= now && message.id != inFlight {
            let error = HeraldError(.sendTimeout, "The device was not reached in time.")
            failed(message.id, to: slot, error, &records, into: &outputs)
        }
    }
}
