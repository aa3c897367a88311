import Bluetooth

// What is done on a link that is up.
extension HeraldNode {
    /// Does the next thing that is needed, or ends the link.
    mutating func advance(_ index: Int, at now: UInt64, into outputs: inout [Output]) {
        guard let slot = table.slot(of: links[index].token) else { return close(index, at: now, into: &outputs) }
        while let need = need(of: slot, at: now), need != .stay {
            if perform(need, index, slot, at: now, into: &outputs) { return }
        }
        table.hot[slot].failures = 0
        table.hot[slot].flags.remove(.isWanted)
        schedule(slot, at: now)
        if shouldStay(slot), !links[index].isGivingWay {
            stay(index, at: now, into: &outputs)
        } else if mayKeep(index, slot, at: now) {
            links[index].isKept = true
            links[index].isStaying = true
            links[index].hardDeadline = .max
            restUntilNeeded(index, slot, at: now, into: &outputs)
        } else {
            close(index, at: now, into: &outputs)
        }
    }

    /// Begins something; false when it turned out to be done, or not to be possible.
    private mutating func perform(
        _ need: Need, _ index: Int, _ slot: Int, at now: UInt64, into outputs: inout [Output]
    ) -> Bool {
        switch need {
        case .send: return beginSend(index, slot, at: now, into: &outputs)
        case .readPayload: return beginRead(HeraldUUIDs.payload, need, index, at: now, into: &outputs)
        case .readModel: return beginRead(HeraldUUIDs.modelNumber, need, index, at: now, into: &outputs)
        case .readLegacy:
            guard let legacy = configuration.legacy else { return false }
            return beginRead(legacy.characteristic, need, index, at: now, into: &outputs)
        case .writePayload:
            table.cold[slot].payloadWrittenAt = now
            return begin(own.payload.map(SignalFrame.payload), need, index, at: now, into: &outputs)
        case .writeRSSI:
            table.cold[slot].rssiWrittenAt = now
            table.hot[slot].flags.remove(.sharedLast)
            return begin(.rssi(Int(table.hot[slot].rssi)), need, index, at: now, into: &outputs)
        case .share:
            table.cold[slot].sharedAt = now
            table.hot[slot].flags.insert(.sharedLast)
            let room = links[index].signal == .compliant ? 510 : 507
            let payloads = payloadsToShare(with: slot, at: now, limit: room)
            let frame = SignalFrame.sharing(rssi: Int(table.hot[slot].rssi), payloads)
            return begin(payloads.isEmpty ? nil : frame, need, index, at: now, into: &outputs)
        case .stay: return false
        }
    }

    private mutating func beginRead(
        _ uuid: BluetoothUUID, _ need: Need, _ index: Int, at now: UInt64, into outputs: inout [Output]
    ) -> Bool {
        links[index].phase = .reading(need)
        links[index].deadline = now &+ ticks.requestTimeout
        outputs.append(.read(Link(links[index].number), uuid))
        return true
    }

    /// Begins to write a frame; false when there is none, when it does not fit, or when the device takes none.
    private mutating func begin(
        _ frame: SignalFrame?, _ need: Need, _ index: Int, at now: UInt64, into outputs: inout [Output]
    ) -> Bool {
        guard let signal = links[index].signal, let frame, let pieces = try? frame.writes(to: signal) else {
            return false
        }
        links[index].phase = .writing(need)
        links[index].pieces = pieces.reversed()
        writeNext(index, at: now, into: &outputs)
        return true
    }

    private mutating func writeNext(_ index: Int, at now: UInt64, into outputs: inout [Output]) {
        guard let signal = links[index].signal, let piece = links[index].pieces.popLast() else { return }
        links[index].deadline = now &+ ticks.requestTimeout
        outputs.append(.write(Link(links[index].number), signal.uuid, piece))
    }

    private mutating func beginSend(
        _ index: Int, _ slot: Int, at now: UInt64, into outputs: inout [Output]
    ) -> Bool {
        guard let message = table.cold[slot].messages.first else {
            table.hot[slot].flags.remove(.hasMessage)
            return false
        }
        links[index].message = message.id
        if begin(.immediate(message.bytes), .send, index, at: now, into: &outputs) { return true }
        let code = links[index].signal == nil ? HeraldError.Code.sendUnsupported : .sendTooLarge
        failMessage(of: index, code, "The device takes no such message.", into: &outputs)
        return false
    }

    mutating func hasRead(
        _ link: Link, _ uuid: BluetoothUUID, _ value: [UInt8], at now: UInt64, into outputs: inout [Output]
    ) {
        guard let index = index(of: link), case .reading(let need) = links[index].phase,
            var slot = table.slot(of: links[index].token)
        else { return }
        let target = TargetID(table.hot[slot].target)
        switch need {
        case .readPayload where uuid == HeraldUUIDs.payload:
            slot = takePayload(value, slot, at: now, into: &outputs)
        case .readModel where uuid == HeraldUUIDs.modelNumber:
            table.hot[slot].flags.insert(.modelIsDone)
            let model = String(decoding: value.prefix(64).prefix { $0 != 0 }, as: UTF8.self)
            table.cold[slot].model = model
            outputs.append(.event(.model(target, model)))
        case .readLegacy where uuid == configuration.legacy?.characteristic:
            table.hot[slot].flags.insert(.legacyIsDone)
            outputs.append(.event(.legacy(target, payload: Array(value.prefix(512)), .link)))
        default: return
        }
        table.hot[slot].lastNoticed = now
        guard let index = self.index(of: link) else { return }
        advance(index, at: now, into: &outputs)
    }

    private mutating func takePayload(
        _ value: [UInt8], _ slot: Int, at now: UInt64, into outputs: inout [Output]
    ) -> Int {
        let token = table.token(slot)
        table.hot[slot].flags.insert(.wasRead)
        table.cold[slot].payloadReadAt = now
        guard !value.isEmpty, value.count <= HeraldPayload.maximumBytes else {
            // Whoever has no payload now may have one later.
            table.hot[slot].flags.remove(.wasRead)
            fail(token, .payloadMalformed, "A payload has \(value.count) bytes.", at: now, into: &outputs)
            endWork(of: token, at: now, into: &outputs)
            return slot
        }
        let record = identify(slot, value, .link, at: now, into: &outputs)
        table.hot[record].flags.insert(.wasRead)
        table.cold[record].payloadReadAt = now
        return record
    }

    private mutating func endWork(of token: SlotToken, at now: UInt64, into outputs: inout [Output]) {
        for index in links.indices where links[index].token == token { close(index, at: now, into: &outputs) }
    }

    mutating func readFailed(_ link: Link, _ uuid: BluetoothUUID, at now: UInt64, into outputs: inout [Output]) {
        guard let index = index(of: link), case .reading(let need) = links[index].phase,
            let slot = table.slot(of: links[index].token)
        else { return }
        switch need {
        case .readModel: table.hot[slot].flags.insert(.modelIsDone)
        case .readLegacy: table.hot[slot].flags.insert(.legacyIsDone)
        default:
            fail(links[index].token, .linkReadFailed, "The payload could not be read.", at: now, into: &outputs)
            return close(index, at: now, into: &outputs)
        }
        advance(index, at: now, into: &outputs)
    }

    mutating func written(_ link: Link, at now: UInt64, into outputs: inout [Output]) {
        guard let index = index(of: link), let slot = table.slot(of: links[index].token) else { return }
        switch links[index].phase {
        case .writing(let need):
            table.hot[slot].lastNoticed = now
            guard links[index].pieces.isEmpty else { return writeNext(index, at: now, into: &outputs) }
            if need == .send { delivered(index, slot, into: &outputs) }
            advance(index, at: now, into: &outputs)
        case .waking:
            table.hot[slot].lastNoticed = now
            afterWake(index, at: now, into: &outputs)
        default: break
        }
    }

    mutating func writeFailed(_ link: Link, at now: UInt64, into outputs: inout [Output]) {
        guard let index = index(of: link), let slot = table.slot(of: links[index].token) else { return }
        switch links[index].phase {
        case .writing(let need):
            links[index].pieces = []
            if need == .send {
                failMessage(of: index, .sendRefused, "The device refused the message.", into: &outputs)
            } else {
                let target = TargetID(table.hot[slot].target)
                trouble(.linkWriteFailed, "A device refused a write.", target, at: now, into: &outputs)
            }
            advance(index, at: now, into: &outputs)
        case .waking: afterWake(index, at: now, into: &outputs)
        default: break
        }
    }
}

// A link that stays.
extension HeraldNode {
    private mutating func stay(_ index: Int, at now: UInt64, into outputs: inout [Output]) {
        links[index].isStaying = true
        links[index].hardDeadline = .max
        if links[index].isSubscribed { return rest(index, at: now, into: &outputs) }
        links[index].phase = .subscribing
        links[index].deadline = now &+ ticks.requestTimeout
        outputs.append(.subscribe(Link(links[index].number), HeraldUUIDs.nonCompliantSignal))
    }

    mutating func subscribed(_ link: Link, at now: UInt64, into outputs: inout [Output]) {
        guard let index = index(of: link), links[index].phase == .subscribing else { return }
        links[index].isSubscribed = true
        rest(index, at: now, into: &outputs)
    }

    private mutating func rest(_ index: Int, at now: UInt64, into outputs: inout [Output]) {
        if let slot = table.slot(of: links[index].token), let need = need(of: slot, at: now), need != .stay {
            return advance(index, at: now, into: &outputs)
        }
        links[index].phase = .resting
        links[index].deadline = now &+ ticks.linkRSSIInterval
        pump(at: now, into: &outputs)
    }

    /// A link that stays is asked for a sign of life: an empty write, which keeps the other application awake.
    mutating func poll(_ index: Int, at now: UInt64, into outputs: inout [Output]) {
        if links[index].isKept { return advance(index, at: now, into: &outputs) }
        if let slot = table.slot(of: links[index].token), let need = need(of: slot, at: now), need != .stay {
            return advance(index, at: now, into: &outputs)
        }
        links[index].phase = .waking
        links[index].deadline = now &+ ticks.linkSilence
        outputs.append(.write(Link(links[index].number), HeraldUUIDs.nonCompliantSignal, []))
    }

    private mutating func afterWake(_ index: Int, at now: UInt64, into outputs: inout [Output]) {
        guard configuration.platform.readsLinkRSSI else { return rest(index, at: now, into: &outputs) }
        links[index].phase = .measuring
        links[index].deadline = now &+ ticks.linkSilence
        outputs.append(.readRSSI(Link(links[index].number)))
    }

    mutating func measured(_ link: Link, _ rssi: Int?, at now: UInt64, into outputs: inout [Output]) {
        guard let index = index(of: link), links[index].phase == .measuring,
            let slot = table.slot(of: links[index].token)
        else { return }
        if let rssi {
            table.hot[slot].lastNoticed = now
            measure(slot, rssi, .link, at: now, into: &outputs)
        }
        rest(index, at: now, into: &outputs)
    }

    mutating func notified(_ link: Link, at now: UInt64, into outputs: inout [Output]) {
        guard let index = index(of: link), let slot = table.slot(of: links[index].token) else { return }
        table.hot[slot].lastNoticed = now
    }

    /// Lets a link that has nothing to do see at once what has come up.
    mutating func kick(_ slot: Int, at now: UInt64, into outputs: inout [Output]) {
        let token = table.token(slot)
        guard let index = links.firstIndex(where: { $0.token == token && $0.phase == .resting }) else { return }
        advance(index, at: now, into: &outputs)
    }
}

// Links that a device keeps that cannot advertise.
extension HeraldNode {
    /// So many devices are written to one after the other; to those beyond, links are kept.
    ///
    /// In turn each takes two seconds, and of half a minute scanning and failures take some.
    static let writtenInTurn = 9
    /// So many places for links are left to those that come and go.
    private static let unkeptLinks = 2

    /// Whether a link stays open because its device and many others are written to again and again (HP-14), which takes a twentieth
    /// of a second on a link that is there.
    private mutating func mayKeep(_ index: Int, _ slot: Int, at now: UInt64) -> Bool {
        guard !configuration.platform.canAdvertise, configuration.writesUnasked, !links[index].isGivingWay,
            table.hot[slot].signal != nil, !table.hot[slot].flags.contains(.lacksSignal)
        else { return false }
        countReaders(at: now)
        let kept = links.count { $0.isKept && !$0.isClosing }
        let wanted = min(readers.count - Self.writtenInTurn, configuration.platform.linkLimit - Self.unkeptLinks)
        // Not so soon given up as begun, so that a number at the edge does not make links come and go.
        return links[index].isKept ? kept <= wanted + 2 && readers.count > Self.writtenInTurn - 2 : kept < wanted
    }

    /// Counts the devices that are written to, every five seconds at most.
    private mutating func countReaders(at now: UInt64) {
        guard readers.count == 0 || now &- readers.at >= 5 * HeraldTicks.second else { return }
        let count = table.hot.count { device in
            device.target != 0 && device.signal != nil && now &- min(device.lastNoticed, now) <= ticks.sendRecency
                && device.flags.isDisjoint(with: [.isForeign, .isReceiveOnly, .lacksSignal])
        }
        readers = (count, now)
    }

    private mutating func restUntilNeeded(_ index: Int, _ slot: Int, at now: UInt64, into outputs: inout [Output]) {
        links[index].phase = .resting
        let next = max(nextNeed(of: slot), now &+ HeraldTicks.second)
        links[index].deadline = min(next, now &+ ticks.rssiWriteInterval)
        pump(at: now, into: &outputs)
    }
}
