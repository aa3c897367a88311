import Bluetooth
import Determinism

/// The links that this device opens for a need, uses for all work on a device, and closes afterwards (HP-36).
struct OutgoingLinks: Sendable {
    private var links: [OutgoingLink] = []
    private var lastNumber: UInt64 = 0
    private var keeping = LinkRetentionPolicy()

    /// The next time at which the table of outgoing links acts without an input, in nanoseconds; `.max` for never.
    var nextDeadline: UInt64 {
        var next = UInt64.max
        // By index, because a copy of a link counts references.
        for index in links.indices { next = min(next, links[index].deadline) }
        return next
    }

    /// True while a connect is in progress.
    var isConnecting: Bool { links.contains { $0.isConnecting } }

    private func index(of link: LinkID) -> Int? { links.firstIndex { $0.id == link } }

    private func index(of token: DeviceRecordToken, where fits: (OutgoingLink) -> Bool) -> Int? {
        links.firstIndex { $0.token == token && fits($0) }
    }

    // MARK: - Opening

    /// True when a connect may begin: one at a time, within the limit of links in use.
    var mayOpen: Bool {
        var busy = 0
        for index in links.indices {
            if links[index].isConnecting { return false }
            if links[index].isBusy { busy += 1 }
        }
        return busy < HeraldParameters.busyLinks
    }

    /// Opens a link to a device whose address is known.
    mutating func open(
        _ slot: Int, _ records: inout DeviceRecords, at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) {
        guard let address = records[slot].address.flatMap(AddressIndexKey.address) else {
            preconditionFailure("a device without an address is not chosen")
        }
        lastNumber += 1
        let isDoubtful = records[slot].isDoubtful
        records[slot].work.insert(.linked)
        records[slot].work.remove(.justConnected)
        let timing = records.settings.timing
        let patience = min(isDoubtful ? timing.$connectPatience / 2 : timing.$connectPatience, timing.$connectTimeout)
        let id = LinkID(lastNumber)
        links.append(
            OutgoingLink(id, to: records.token(slot), isDoubtful: isDoubtful, until: now &+ patience, at: now))
        outputs.append(.connect(id, address, timeout: timing.connectTimeout))
    }

    /// Returns true when there is room for another link; may close a link that is open without work (HP-40, HP-41).
    mutating func makeRoom(
        for slot: Int, _ records: inout DeviceRecords, at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) -> Bool {
        guard links.count >= records.settings.platform.linkLimit else { return true }
        guard !links.contains(where: \.isGivingWay) else { return false }
        // A link that is only to stay does not replace one that has been open for less than a minute.
        let isForStay = records.need(of: slot, at: now) == .stay
        let youngest = isForStay ? now &- min(60 * .second, now) : now
        // One that is kept for writing gives way to messages alone: any other link would be needed for a moment only.
        let isForMessage = records[slot].work.contains(.message)
        let resting = links.indices.filter {
            let link = links[$0]
            return link.isRetained && !link.isClosing && link.currentMessage == nil && link.openedAt <= youngest
                && (isForMessage || !link.isKept)
        }
        let victim: Int?
        switch records.settings.parameters.quota {
        case .dropOldest: victim = resting.min { links[$0].openedAt < links[$1].openedAt }
        case .dropWeakest:
            let strengths = links.map { link in records.slot(of: link.token).map { records[$0].rssi } ?? -128 }
            victim = resting.min { strengths[$0] < strengths[$1] }
        }
        guard let victim else { return false }
        if let slot = records.slot(of: links[victim].token) {
            // It must not come back at once and take the room of the next.
            records[slot].retryAt = max(records[slot].retryAt, now &+ 30 * .second)
        }
        links[victim].close(givingWay: true, records.settings, at: now, into: &outputs)
        return false
    }

    /// Shortens a doubtful connect, because a device waits that is more likely to be reached.
    mutating func shortenDoubtful() {
        if let index = links.firstIndex(where: \.isConnecting) { links[index].shortenWait() }
    }

    /// Cancels the connect to a candidate, because a device that speaks Herald waits.
    mutating func interruptCandidate(
        _ records: inout DeviceRecords, at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) {
        guard let index = links.firstIndex(where: \.isConnecting), let slot = records.slot(of: links[index].token),
            records[slot].isCandidate
        else { return }
        records[slot].retryAt = now &+ HeraldParameters.firstRetry
        close(index, &records, at: now, into: &outputs)
    }

    /// Cancels the connect to an address that its device has left; the next advertisement begins another.
    mutating func leaveOldAddress(
        of slot: Int, _ records: inout DeviceRecords, at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) {
        guard records[slot].work.contains(.linked),
            let index = index(of: records.token(slot), where: { $0.isConnecting })
        else { return }
        close(index, &records, at: now, into: &outputs)
    }

    /// Moves links to the record into which their own record was merged.
    mutating func replace(_ ended: DeviceRecordToken, by slot: Int, _ records: inout DeviceRecords) {
        for index in links.indices where links[index].token == ended {
            links[index].token = records.token(slot)
            records[slot].work.insert(.linked)
        }
    }

    // MARK: - Work

    mutating func connected(
        _ link: LinkID, _ records: inout DeviceRecords, at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) -> LinkConsequence {
        guard let index = index(of: link), links[index].isConnecting else {
            // The connection came up after the node had given it up.
            outputs.append(.disconnect(link))
            return .none
        }
        guard let slot = records.slot(of: links[index].token) else {
            close(index, &records, at: now, into: &outputs)
            return .none
        }
        records[slot].lastNoticed = now
        links[index].discover(records.settings, at: now, into: &outputs)
        return .mayConnect
    }

    mutating func discovered(
        _ link: LinkID, _ uuids: [BluetoothUUID], _ records: inout DeviceRecords,
        _ messages: inout OutgoingHeraldMessages,
        at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) -> LinkConsequence {
        guard let index = index(of: link), links[index].isDiscovering else { return .none }
        guard let slot = records.slot(of: links[index].token) else {
            close(index, &records, at: now, into: &outputs)
            return .none
        }
        let legacy = records.settings.configuration.legacy.map { uuids.contains($0.characteristic) } ?? false
        let hasPayload = uuids.contains(HeraldUUIDs.payload)
        let signal = links[index].discovered(uuids)
        guard hasPayload || signal != nil || legacy else {
            if records[slot].verdict == .confirmed {
                // Of a device that offered it before, this is a link that was going down.
                let sentence = "A device does not offer the Herald service that it had."
                records.fail(records.token(slot), .linkServiceNotFound, sentence, at: now, into: &outputs)
            } else {
                records.ignore(slot, at: now, into: &outputs)
            }
            close(index, &records, at: now, into: &outputs)
            return .none
        }
        records[slot].signal =
            signal.map(DeviceRecord.SignalCharacteristicState.offered) ?? .missing(last: records[slot].signal.last)
        if !hasPayload { records[slot].reads.insert(.payload) }
        if !uuids.contains(HeraldUUIDs.modelNumber) { records[slot].reads.insert(.model) }
        if !legacy { records[slot].reads.insert(.legacy) }
        records.confirm(slot, into: &outputs)
        return advance(index, &records, &messages, at: now, into: &outputs)
    }

    mutating func discoveryFailed(
        _ link: LinkID, _ records: inout DeviceRecords, at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) {
        guard let index = index(of: link), links[index].isDiscovering else { return }
        records.fail(
            links[index].token, .linkReadFailed, "The services could not be found.", at: now, into: &outputs)
        close(index, &records, at: now, into: &outputs)
    }

    /// Handles the value of a characteristic that was read.
    ///
    /// - Parameter wall: the time on the calendar.
    mutating func hasRead(
        _ link: LinkID, _ uuid: BluetoothUUID, _ value: [UInt8], wall: WallTime, _ records: inout DeviceRecords,
        _ messages: inout OutgoingHeraldMessages, at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) -> LinkConsequence {
        guard let index = index(of: link), links[index].isAwaiting(uuid, records.settings),
            let read = links[index].currentRead, var slot = records.slot(of: links[index].token)
        else { return .none }
        switch read {
        case .payload: slot = takePayload(value, slot, wall: wall, &records, at: now, into: &outputs)
        case .model:
            records[slot].reads.insert(.model)
            let model = String(decoding: value.prefix(64).prefix { $0 != 0 }, as: UTF8.self)
            records[details: slot].model = model
            outputs.append(.event(.model(records[slot].id, model)))
        case .legacy:
            records[slot].reads.insert(.legacy)
            outputs.append(.event(.legacy(records[slot].id, payload: Array(value.prefix(512)), .link)))
        }
        records[slot].lastNoticed = now
        return advance(index, &records, &messages, at: now, into: &outputs)
    }

    /// Stores a payload that was read, which may move the device to another record.
    private mutating func takePayload(
        _ value: [UInt8], _ slot: Int, wall: WallTime, _ records: inout DeviceRecords, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) -> Int {
        records[details: slot].payloadReadAt = now
        guard !value.isEmpty, value.count <= HeraldPayload.maximumBytes else {
            // A device that has no payload now may have one later.
            records[slot].reads.remove(.payload)
            let token = records.token(slot)
            records.fail(token, .payloadMalformed, "A payload has \(value.count) bytes.", at: now, into: &outputs)
            close(token, &records, at: now, into: &outputs)
            return slot
        }
        records[slot].reads.insert(.payload)
        let identified = records.identify(slot, value, .link, wall: wall, at: now, into: &outputs)
        if let ended = identified.ended { replace(ended, by: identified.slot, &records) }
        records[identified.slot].reads.insert(.payload)
        records[details: identified.slot].payloadReadAt = now
        return identified.slot
    }

    mutating func readFailed(
        _ link: LinkID, _ records: inout DeviceRecords, _ messages: inout OutgoingHeraldMessages, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) -> LinkConsequence {
        guard let index = index(of: link), let read = links[index].currentRead,
            let slot = records.slot(of: links[index].token)
        else { return .none }
        switch read {
        case .model: records[slot].reads.insert(.model)
        case .legacy: records[slot].reads.insert(.legacy)
        case .payload:
            records.fail(
                links[index].token, .linkReadFailed, "The payload could not be read.", at: now, into: &outputs)
            close(index, &records, at: now, into: &outputs)
            return .none
        }
        return advance(index, &records, &messages, at: now, into: &outputs)
    }

    mutating func written(
        _ link: LinkID, _ records: inout DeviceRecords, _ messages: inout OutgoingHeraldMessages, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) -> LinkConsequence {
        guard let index = index(of: link), let slot = records.slot(of: links[index].token) else { return .none }
        if links[index].isWaking {
            records[slot].lastNoticed = now
            return afterWake(index, &records, &messages, at: now, into: &outputs)
        }
        guard links[index].isWriting else { return .none }
        records[slot].lastNoticed = now
        if links[index].writeNext(records.settings, at: now, into: &outputs) { return .none }
        if let message = links[index].currentMessage {
            messages.delivered(message, to: slot, &records, into: &outputs)
        }
        return advance(index, &records, &messages, at: now, into: &outputs)
    }

    mutating func writeFailed(
        _ link: LinkID, _ records: inout DeviceRecords, _ messages: inout OutgoingHeraldMessages, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) -> LinkConsequence {
        guard let index = index(of: link), let slot = records.slot(of: links[index].token) else { return .none }
        if links[index].isWaking { return afterWake(index, &records, &messages, at: now, into: &outputs) }
        guard links[index].isWriting else { return .none }
        links[index].abandonFrame()
        if let message = links[index].currentMessage {
            let error = HeraldError(.sendRefused, "The device refused the message.")
            messages.failed(message, to: slot, error, &records, into: &outputs)
        } else {
            records.report(
                .linkWriteFailed, "A device refused a write.", records[slot].id, at: now, into: &outputs)
        }
        return advance(index, &records, &messages, at: now, into: &outputs)
    }

    /// Begins the next task of a link, or ends the link.
    private mutating func advance(
        _ index: Int, _ records: inout DeviceRecords, _ messages: inout OutgoingHeraldMessages, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) -> LinkConsequence {
        guard let slot = records.slot(of: links[index].token) else {
            close(index, &records, at: now, into: &outputs)
            return .none
        }
        while let task = records.task(of: slot, at: now) {
            if links[index].begin(task, slot, &records, &messages, at: now, into: &outputs) { return .none }
        }
        records[slot].failures = 0
        records[slot].work.remove(.wanted)
        records.schedule(slot, at: now)
        if records.shouldStay(slot) {
            guard links[index].beginStay(records.settings, at: now, into: &outputs) else { return .none }
            return rest(index, &records, &messages, at: now, into: &outputs)
        }
        let kept = links.count { $0.isKept && !$0.isClosing }
        guard keeping.mayKeep(slot, isKept: links[index].isKept, kept: kept, records, at: now) else {
            close(index, &records, at: now, into: &outputs)
            return .none
        }
        let next = max(records.nextNeed(of: slot), now &+ .second)
        links[index].keep(until: min(next, now &+ HeraldParameters.rssiWriteInterval))
        return .mayConnect
    }

    // MARK: - Links that stay

    mutating func subscribed(
        _ link: LinkID, _ records: inout DeviceRecords, _ messages: inout OutgoingHeraldMessages, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) -> LinkConsequence {
        guard let index = index(of: link), links[index].isSubscribing else { return .none }
        links[index].subscribed()
        return rest(index, &records, &messages, at: now, into: &outputs)
    }

    private mutating func rest(
        _ index: Int, _ records: inout DeviceRecords, _ messages: inout OutgoingHeraldMessages, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) -> LinkConsequence {
        if let slot = records.slot(of: links[index].token), records.task(of: slot, at: now) != nil {
            return advance(index, &records, &messages, at: now, into: &outputs)
        }
        links[index].rest(until: now &+ HeraldParameters.linkRSSIInterval)
        return .mayConnect
    }

    private mutating func poll(
        _ index: Int, _ records: inout DeviceRecords, _ messages: inout OutgoingHeraldMessages, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) -> LinkConsequence {
        let task = records.slot(of: links[index].token).flatMap { records.task(of: $0, at: now) }
        if links[index].isKept || task != nil {
            return advance(index, &records, &messages, at: now, into: &outputs)
        }
        links[index].wake(records.settings, at: now, into: &outputs)
        return .none
    }

    private mutating func afterWake(
        _ index: Int, _ records: inout DeviceRecords, _ messages: inout OutgoingHeraldMessages, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) -> LinkConsequence {
        guard records.settings.platform.readsLinkRSSI else {
            return rest(index, &records, &messages, at: now, into: &outputs)
        }
        links[index].measure(records.settings, at: now, into: &outputs)
        return .none
    }

    /// Handles the signal strength of a link; nil when it could not be read.
    mutating func measured(
        _ link: LinkID, _ rssi: Int?, _ records: inout DeviceRecords, _ messages: inout OutgoingHeraldMessages,
        at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) -> LinkConsequence {
        guard let index = index(of: link), links[index].isMeasuring, let slot = records.slot(of: links[index].token)
        else { return .none }
        if let rssi {
            records[slot].lastNoticed = now
            records.measure(slot, rssi, .link, at: now, into: &outputs)
        }
        return rest(index, &records, &messages, at: now, into: &outputs)
    }

    mutating func notified(_ link: LinkID, _ records: inout DeviceRecords, at now: UInt64) {
        guard let index = index(of: link), let slot = records.slot(of: links[index].token) else { return }
        records[slot].lastNoticed = now
    }

    /// Ends the pause of a link, so that it does new work at once.
    mutating func rouse(
        _ slot: Int, _ records: inout DeviceRecords, _ messages: inout OutgoingHeraldMessages, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) -> LinkConsequence {
        guard let index = index(of: records.token(slot), where: { $0.isResting }) else { return .none }
        return advance(index, &records, &messages, at: now, into: &outputs)
    }

    // MARK: - Ends

    mutating func connectFailed(
        _ link: LinkID, _ records: inout DeviceRecords, at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) -> LinkConsequence {
        guard let index = index(of: link) else { return .none }
        if links[index].isConnecting {
            let sentence = "A device could not be connected to."
            records.fail(links[index].token, .linkConnectFailed, sentence, at: now, into: &outputs)
        }
        return remove(index, &records)
    }

    mutating func disconnected(
        _ link: LinkID, _ records: inout DeviceRecords, _ messages: inout OutgoingHeraldMessages, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) -> LinkConsequence {
        guard let index = index(of: link) else { return .none }
        if !links[index].isClosing, !links[index].isResting {
            failMessage(of: index, "The link was lost.", &records, &messages, into: &outputs)
            records.fail(links[index].token, .linkTimeout, "The link was lost at work.", at: now, into: &outputs)
        }
        return remove(index, &records)
    }

    /// Reports the message that a lost link was writing as failed.
    private mutating func failMessage(
        of index: Int, _ sentence: String, _ records: inout DeviceRecords, _ messages: inout OutgoingHeraldMessages,
        into outputs: inout [HeraldNode.Output]
    ) {
        guard let message = links[index].currentMessage, let slot = records.slot(of: links[index].token) else { return }
        messages.failed(message, to: slot, HeraldError(.sendTimeout, sentence), &records, into: &outputs)
    }

    /// Ends the links to a device.
    mutating func close(
        _ token: DeviceRecordToken, _ records: inout DeviceRecords, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) {
        for index in links.indices where links[index].token == token {
            close(index, &records, at: now, into: &outputs)
        }
    }

    private mutating func close(
        _ index: Int, _ records: inout DeviceRecords, at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) {
        releaseMessage(of: links[index], &records)
        links[index].close(records.settings, at: now, into: &outputs)
    }

    /// Queues the message again that a link was writing, unless it has expired.
    private func releaseMessage(of link: OutgoingLink, _ records: inout DeviceRecords) {
        guard let message = link.currentMessage, let slot = records.slot(of: link.token),
            records[details: slot].messageInFlight == message
        else { return }
        records[details: slot].messageInFlight = nil
    }

    /// Removes a link that is down.
    private mutating func remove(_ index: Int, _ records: inout DeviceRecords) -> LinkConsequence {
        releaseMessage(of: links[index], &records)
        return .ended(links.remove(at: index).token)
    }

    /// Removes all links, because the radio is gone.
    mutating func removeAll(_ records: inout DeviceRecords) {
        for link in links {
            releaseMessage(of: link, &records)
            if let slot = records.slot(of: link.token) { records[slot].work.remove(.linked) }
        }
        links = []
    }

    /// Closes all outgoing links.
    mutating func stop(into outputs: inout [HeraldNode.Output]) {
        for link in links where !link.isClosing { outputs.append(.disconnect(link.id)) }
        links = []
    }

    /// Returns the first link, from the index `start` on, whose deadline has passed.
    func firstDue(from start: Int, at now: UInt64) -> (index: Int, link: LinkID)? {
        for index in start..<max(start, links.count) where links[index].deadline <= now {
            return (index, links[index].id)
        }
        return nil
    }

    /// Returns true when the link is at this index of the list.
    func contains(_ link: LinkID, at index: Int) -> Bool { index < links.count && links[index].id == link }

    /// Handles the deadline of the link at an index of the list.
    ///
    /// - Parameter othersWait: true when devices wait for a connect.
    mutating func expire(
        _ index: Int, othersWait: Bool, _ records: inout DeviceRecords, _ messages: inout OutgoingHeraldMessages,
        at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) -> LinkConsequence {
        switch links[index].expire(othersWait: othersWait, records.settings, at: now) {
        case nil: return .none
        case .ended: return remove(index, &records)
        case .rested: return poll(index, &records, &messages, at: now, into: &outputs)
        case .connectFailed:
            records.fail(links[index].token, .linkConnectFailed, "A connect took too long.", at: now, into: &outputs)
            close(index, &records, at: now, into: &outputs)
            return .mayConnect
        case .silent:
            failMessage(of: index, "The device stopped answering.", &records, &messages, into: &outputs)
            records.fail(links[index].token, .linkTimeout, "A device stopped answering.", at: now, into: &outputs)
            close(index, &records, at: now, into: &outputs)
            return .none
        }
    }
}
