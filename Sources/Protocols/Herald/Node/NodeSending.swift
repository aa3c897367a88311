public import Determinism

// Messages of the application.
extension HeraldNode {
    /// Takes a message of the application; its fate is told by `sent` and `notSent`.
    ///
    /// It is the next thing that is done with each of its targets (HP-50).
    ///
    /// - Parameter message: 1 to 510 bytes; 1 to 509 for devices that are not compliant.
    /// - Throws: `herald.send.too-large`, `herald.send.unknown-target`, `herald.send.queue-full`; nothing is sent then.
    public mutating func send(
        _ message: [UInt8], to recipients: Recipients, at instant: MonotonicInstant, into outputs: inout [Output]
    ) throws(HeraldError) -> Dispatch {
        let now = instant.nanoseconds
        guard (1...SignalFrame.maximumContentBytes).contains(message.count) else {
            throw HeraldError(.sendTooLarge, "A message has 1 to 510 bytes, this one \(message.count).")
        }
        let slots = try slots(of: recipients, at: now)
        try checkRoom(for: slots)
        lastMessage += 1
        let id = MessageID(lastMessage)
        let targets = slots.map { TargetID(table.hot[$0].target) }
        for slot in slots { enqueue(message, id, slot, at: now, into: &outputs) }
        pump(at: now, into: &outputs)
        for target in targets {
            if let slot = table.slot(of: target.number) { kick(slot, at: now, into: &outputs) }
        }
        updateDeadline()
        return Dispatch(message: id, targets: targets)
    }

    private func slots(of recipients: Recipients, at now: UInt64) throws(HeraldError) -> [Int] {
        let found: [Int]
        switch recipients {
        case .target(let target): found = try slots(of: [target])
        case .targets(let targets): found = try slots(of: targets)
        case .all:
            found = table.hot.indices.filter { isRecipient(table.hot[$0], at: now) }.sorted {
                let (left, right) = (table.hot[$0], table.hot[$1])
                if left.lastNoticed != right.lastNoticed { return left.lastNoticed > right.lastNoticed }
                return left.target < right.target
            }
        }
        guard !found.isEmpty else { throw HeraldError(.sendUnknownTarget, "Nobody is near who could take a message.") }
        return found
    }

    private func slots(of targets: [TargetID]) throws(HeraldError) -> [Int] {
        var found: [Int] = []
        for target in targets {
            guard phase == .running, let slot = table.slot(of: target.number) else {
                throw HeraldError(.sendUnknownTarget, "Device \(target) is not known any more, or never was.")
            }
            if !found.contains(slot) { found.append(slot) }
        }
        return found
    }

    /// Confirmed, able to take messages, and noticed in the last 60 s (HP-54).
    private func isRecipient(_ device: Device, at now: UInt64) -> Bool {
        device.target != 0 && device.flags.contains(.isConfirmed)
            && device.flags.isDisjoint(with: [.lacksSignal, .isReceiveOnly])
            && now &- min(device.lastNoticed, now) <= ticks.sendRecency
    }

    private func checkRoom(for slots: [Int]) throws(HeraldError) {
        let isFull = slots.contains { table.cold[$0].messages.count >= configuration.limits.messagesPerDevice }
        guard !isFull, waitingMessages + slots.count <= configuration.limits.messages else {
            throw HeraldError(.sendQueueFull, "Too many messages wait already.")
        }
    }

    private mutating func enqueue(
        _ message: [UInt8], _ id: MessageID, _ slot: Int, at now: UInt64, into outputs: inout [Output]
    ) {
        let device = table.hot[slot]
        guard device.flags.isDisjoint(with: [.lacksSignal, .isReceiveOnly]) else {
            let error = HeraldError(.sendUnsupported, "The device takes no messages.")
            outputs.append(.event(.notSent(id, to: TargetID(device.target), error)))
            return
        }
        waitingMessages += 1
        table.cold[slot].messages.append(
            DeviceDetails.Message(id: id.number, bytes: message, deadline: now &+ ticks.sendTimeout))
        table.hot[slot].flags.insert([.hasMessage, .isWanted])
        // A message is reason enough to try at once, and to leave the line where the device waits for something else.
        table.hot[slot].retryAt = min(device.retryAt, now)
        table.hot[slot].flags.remove(.isQueued)
        if !device.flags.contains(.isLinked) { enqueue(slot) }
        schedule(slot, at: now)
    }

    mutating func delivered(_ index: Int, _ slot: Int, into outputs: inout [Output]) {
        guard let id = links[index].message else { return }
        links[index].message = nil
        takeMessage(id, of: slot)
        outputs.append(.event(.sent(MessageID(id), to: TargetID(table.hot[slot].target))))
    }

    /// The message that a link was writing is lost.
    mutating func failMessage(
        of index: Int, _ code: HeraldError.Code, _ sentence: String, into outputs: inout [Output]
    ) {
        guard let id = links[index].message, let slot = table.slot(of: links[index].token) else { return }
        links[index].message = nil
        takeMessage(id, of: slot)
        let target = TargetID(table.hot[slot].target)
        outputs.append(.event(.notSent(MessageID(id), to: target, HeraldError(code, sentence))))
    }

    private mutating func takeMessage(_ id: UInt64, of slot: Int) {
        let before = table.cold[slot].messages.count
        table.cold[slot].messages.removeAll { $0.id == id }
        waitingMessages -= before - table.cold[slot].messages.count
        if table.cold[slot].messages.isEmpty { table.hot[slot].flags.remove(.hasMessage) }
    }

    /// No message of a device can be delivered any more.
    mutating func failMessages(of slot: Int, _ error: HeraldError, into outputs: inout [Output]) {
        guard table.hot[slot].flags.contains(.hasMessage) else { return }
        for message in table.cold[slot].messages {
            takeMessage(message.id, of: slot)
            outputs.append(.event(.notSent(MessageID(message.id), to: TargetID(table.hot[slot].target), error)))
        }
    }

    /// Whether a link is writing a message to a device: what comes of it tells the fate of the message, not the time.
    func isBeingWritten(_ message: UInt64, to slot: Int) -> Bool {
        let token = table.token(slot)
        return links.contains { $0.message == message && $0.token == token }
    }

    /// Messages whose time is over, but for one that is being written.
    mutating func expireMessages(of slot: Int, at now: UInt64, into outputs: inout [Output]) {
        guard table.hot[slot].flags.contains(.hasMessage) else { return }
        for message in table.cold[slot].messages where message.deadline <= now && !isBeingWritten(message.id, to: slot)
        {
            takeMessage(message.id, of: slot)
            let error = HeraldError(.sendTimeout, "The device was not reached in time.")
            outputs.append(.event(.notSent(MessageID(message.id), to: TargetID(table.hot[slot].target), error)))
        }
    }
}
