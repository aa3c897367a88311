/// The reason why a link to a device is needed.
enum LinkNeed: Hashable, Sendable {
    /// This task must be done over a link.
    case task(LinkTask)
    /// The link must stay open, because the device's advertisements are not received otherwise (HP-37).
    case stay
}

/// A task to do on an open link, most urgent first.
enum LinkTask: Hashable, Sendable {
    /// Send a queued message of the application (HP-50).
    case send
    /// Read a characteristic of the device.
    case read(CharacteristicRead)
    /// Write the own payload to the device (HP-14).
    case writePayload
    /// Write the own reading of the device's signal strength to it.
    case writeRSSI
    /// Share the payloads of other devices with it.
    case share
}

/// A characteristic that is read over a link.
enum CharacteristicRead: Hashable, Sendable { case payload, model, legacy }

/// Decides from a device's record what must be done over a link.
struct LinkNeedRules {
    let settings: NodeSettings
    /// True when this device has a payload that could be written to others.
    let hasOwnPayload: Bool

    private var timing: HeraldTiming { settings.timing }
    private var parameters: HeraldParameters { settings.parameters }

    /// Returns the next work that a device needs over a link; nil when it needs none.
    func need(of slot: Int, in table: DeviceTable, at now: UInt64) -> LinkNeed? {
        let device = table[slot]
        if device.work.contains(.message) { return .task(.send) }
        guard isReachable(device) else { return nil }
        if !device.reads.contains(.payload) || isRereadDue(slot, in: table, at: now) { return .task(.read(.payload)) }
        let configuration = settings.configuration
        if configuration.readsModel, !device.reads.contains(.model) { return .task(.read(.model)) }
        if configuration.legacy?.isReadOnPeers == true, !device.reads.contains(.legacy) { return .task(.read(.legacy)) }
        if let task = writeTask(of: slot, in: table, at: now) { return .task(task) }
        return shouldStay(device) && !device.work.contains(.linked) ? .stay : nil
    }

    private func isReachable(_ device: DeviceRecord) -> Bool {
        device.signs.contains(.connectable) && device.verdict != .foreign && !device.isReceiveOnly
    }

    /// Returns true when a link to a device must stay open: neither end would hear the other otherwise (HP-36, HP-37).
    func shouldStay(_ device: DeviceRecord) -> Bool {
        !settings.platform.hearsBackgroundPeers && device.signal == .offered(.nonCompliant)
    }

    private func isRereadDue(_ slot: Int, in table: DeviceTable, at now: UInt64) -> Bool {
        guard let interval = timing.payloadReread else { return false }
        return now >= table[details: slot].payloadReadAt &+ interval.ticks
    }

    private func writeTask(of slot: Int, in table: DeviceTable, at now: UInt64) -> LinkTask? {
        let device = table[slot]
        guard settings.configuration.writesUnasked, let signal = device.signal.writable, hasOwnPayload else {
            return nil
        }
        let payloadWrittenAt = table[details: slot].payloadWrittenAt
        if settings.platform.canAdvertise {
            guard signal == .nonCompliant else { return nil }
            if payloadWrittenAt == nil { return .writePayload }
            return isShareDue(slot, in: table, at: now) ? .share : nil
        }
        if Self.isDue(payloadWrittenAt, HeraldParameters.payloadWriteInterval, at: now) { return .writePayload }
        let mayShare = signal == .nonCompliant && isShareDue(slot, in: table, at: now)
        if mayShare, !table[details: slot].sharedLast { return .share }
        if isReadingDue(slot, in: table, at: now) { return .writeRSSI }
        return mayShare ? .share : nil
    }

    /// Returns true when a recent reading of a device has not been written to that device lately.
    private func isReadingDue(_ slot: Int, in table: DeviceTable, at now: UInt64) -> Bool {
        guard table[slot].level != nil, let contact = table[slot].contact else { return false }
        return now &- min(contact.lastReading, now) <= parameters.$contactGap
            && Self.isDue(table[details: slot].readingWrittenAt, HeraldParameters.rssiWriteInterval, at: now)
    }

    private static func isDue(_ last: UInt64?, _ interval: UInt64, at now: UInt64) -> Bool {
        guard let last else { return true }
        return now >= last &+ interval
    }

    private func isShareDue(_ slot: Int, in table: DeviceTable, at now: UInt64) -> Bool {
        guard let interval = parameters.sharingInterval?.ticks, table[slot].level != nil else { return false }
        guard Self.isDue(table[details: slot].readingWrittenAt, interval, at: now) else { return false }
        let payload = table[details: slot].payload
        return table.contains { other, device in
            other != slot && isShareable(device, at: now) && table[details: other].payload != payload
        }
    }

    /// Returns true when the payload of a device is to be shared with others.
    func isShareable(_ device: DeviceRecord, at now: UInt64) -> Bool {
        device.identity.contains(.hasPayload)
            && (device.signal.last == .nonCompliant || device.isReceiveOnly)
            && device.age(at: now) <= HeraldParameters.sharingExpiry
    }

    /// Returns the next time at which a device may need work without an input; `.max` for never.
    func nextNeed(of slot: Int, in table: DeviceTable) -> UInt64 {
        let device = table[slot]
        guard isReachable(device) else { return .max }
        var next = UInt64.max
        if let interval = timing.payloadReread { next = table[details: slot].payloadReadAt &+ interval.ticks }
        guard settings.configuration.writesUnasked, let signal = device.signal.writable else { return next }
        let wrote = table[details: slot].readingWrittenAt ?? 0
        if !settings.platform.canAdvertise {
            next = min(next, (table[details: slot].payloadWrittenAt ?? 0) &+ HeraldParameters.payloadWriteInterval)
            next = min(next, wrote &+ HeraldParameters.rssiWriteInterval)
        }
        if signal == .nonCompliant, let interval = parameters.sharingInterval {
            next = min(next, wrote &+ interval.ticks)
        }
        return next
    }
}
