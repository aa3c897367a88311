import Bluetooth
import Determinism

// The life of a link: opened for what is needed, used for all of it, closed as soon as nothing is left (HP-36).
extension HeraldNode {
    func index(of link: Link) -> Int? { links.firstIndex { $0.number == link.number } }

    mutating func open(_ slot: Int, at now: UInt64, into outputs: inout [Output]) {
        guard let address = AddressKey.address(of: table.hot[slot].address) else { return }
        lastLink += 1
        table.hot[slot].flags.insert(.isLinked)
        let isDoubtful = isDoubtful(slot)
        table.hot[slot].flags.remove(.isAtDoor)
        let patience = min(isDoubtful ? ticks.connectPatience / 2 : ticks.connectPatience, ticks.connectTimeout)
        links.append(
            OpenLink(
                number: lastLink, token: table.token(slot), deadline: now &+ patience, openedAt: now,
                isDoubtful: isDoubtful))
        outputs.append(.connect(Link(lastLink), address, timeout: configuration.timing.connectTimeout))
    }

    /// Whether a connect to a device is likely to be for nothing.
    func isDoubtful(_ slot: Int) -> Bool {
        guard table.hot[slot].flags.isDisjoint(with: [.hasMessage, .isAtDoor]) else { return false }
        return table.hot[slot].isFaint || table.hot[slot].failures > 2
    }

    mutating func connected(_ link: Link, at now: UInt64, into outputs: inout [Output]) {
        guard let index = index(of: link), links[index].phase == .connecting else {
            // It came up after it had been given up.
            return outputs.append(.disconnect(link))
        }
        guard let slot = table.slot(of: links[index].token) else { return close(index, at: now, into: &outputs) }
        table.hot[slot].lastNoticed = now
        links[index].phase = .discovering
        links[index].deadline = now &+ ticks.requestTimeout
        links[index].hardDeadline = now &+ ticks.linkTime
        outputs.append(.discover(link, services: wantedServices))
        pump(at: now, into: &outputs)
    }

    /// The services that are looked for on a link.
    private var wantedServices: [BluetoothUUID] {
        let detection = configuration.detection
        var services = detection.services
        if detection.findsDocumented { services.insert(HeraldUUIDs.documentedService, at: 0) }
        if detection.findsCurrent { services.insert(HeraldUUIDs.service, at: 0) }
        if let legacy = configuration.legacy?.service { services.append(legacy) }
        if configuration.readsModel { services.append(HeraldUUIDs.deviceInformation) }
        return services
    }

    mutating func connectFailed(_ link: Link, at now: UInt64, into outputs: inout [Output]) {
        guard let index = index(of: link) else { return }
        if links[index].phase == .connecting {
            fail(links[index].token, .linkConnectFailed, "A device could not be connected to.", at: now, into: &outputs)
        }
        remove(index, at: now, into: &outputs)
    }

    mutating func discovered(
        _ link: Link, _ uuids: [BluetoothUUID], at now: UInt64, into outputs: inout [Output]
    ) {
        guard let index = index(of: link), links[index].phase == .discovering else { return }
        guard let slot = table.slot(of: links[index].token) else { return close(index, at: now, into: &outputs) }
        links[index].hasPayload = uuids.contains(HeraldUUIDs.payload)
        if uuids.contains(HeraldUUIDs.compliantSignal) {
            links[index].signal = .compliant
        } else if uuids.contains(HeraldUUIDs.nonCompliantSignal) {
            links[index].signal = .nonCompliant
        }
        links[index].hasModel = uuids.contains(HeraldUUIDs.modelNumber)
        links[index].hasLegacy = configuration.legacy.map { uuids.contains($0.characteristic) } ?? false
        guard links[index].hasPayload || links[index].signal != nil || links[index].hasLegacy else {
            miss(slot, at: now, into: &outputs)
            return close(index, at: now, into: &outputs)
        }
        keep(links[index], slot)
        recognise(slot, into: &outputs)
        advance(index, at: now, into: &outputs)
    }

    /// Keeps what the characteristics say of a device.
    private mutating func keep(_ link: OpenLink, _ slot: Int) {
        table.hot[slot].signal = link.signal ?? table.hot[slot].signal
        if link.signal == nil {
            table.hot[slot].flags.insert(.lacksSignal)
        } else {
            table.hot[slot].flags.remove(.lacksSignal)
        }
        if !link.hasPayload { table.hot[slot].flags.insert(.wasRead) }
        if !link.hasModel { table.hot[slot].flags.insert(.modelIsDone) }
        if !link.hasLegacy { table.hot[slot].flags.insert(.legacyIsDone) }
    }

    /// A device showed nothing of Herald: of one that did before, that is a link that was going down.
    private mutating func miss(_ slot: Int, at now: UInt64, into outputs: inout [Output]) {
        guard table.hot[slot].flags.contains(.isConfirmed) else { return ignore(slot, at: now, into: &outputs) }
        let sentence = "A device does not offer the Herald service that it had."
        fail(table.token(slot), .linkServiceNotFound, sentence, at: now, into: &outputs)
    }

    /// A device turned out to be something else: it is passed over for a minute, and for longer each time, up to 215 s.
    private mutating func ignore(_ slot: Int, at now: UInt64, into outputs: inout [Output]) {
        let last = table.hot[slot].ignoreSeconds
        let next = last == 0 ? 60 : last < 180 ? (last * 12 + 5) / 10 : last
        table.hot[slot].ignoreSeconds = next
        table.hot[slot].retryAt = now &+ UInt64(next) * HeraldTicks.second
        table.hot[slot].flags.insert(.isForeign)
        table.hot[slot].flags.remove(.isWanted)
        trouble(
            .linkServiceNotFound, "A device does not offer the Herald service.", TargetID(table.hot[slot].target),
            at: now, into: &outputs)
    }

    mutating func discoveryFailed(_ link: Link, at now: UInt64, into outputs: inout [Output]) {
        guard let index = index(of: link), links[index].phase == .discovering else { return }
        fail(links[index].token, .linkReadFailed, "The services could not be found.", at: now, into: &outputs)
        close(index, at: now, into: &outputs)
    }

    mutating func linkDown(_ link: Link, at now: UInt64, into outputs: inout [Output]) {
        guard let index = index(of: link) else { return }
        switch links[index].phase {
        case .closing, .resting: break
        default:
            failMessage(of: index, .sendTimeout, "The link was lost.", into: &outputs)
            fail(links[index].token, .linkTimeout, "The link was lost at work.", at: now, into: &outputs)
        }
        remove(index, at: now, into: &outputs)
    }

    /// Counts a failure: the device is tried again later, and later each time.
    mutating func fail(
        _ token: SlotToken, _ code: HeraldError.Code, _ sentence: String, at now: UInt64, into outputs: inout [Output]
    ) {
        guard let slot = table.slot(of: token) else { return }
        let failures = min(table.hot[slot].failures, 16)
        table.hot[slot].failures = failures + 1
        table.hot[slot].failureLevel = table.hot[slot].level
        let wait = min(ticks.firstRetry << UInt64(failures), ticks.maximumRetry)
        // Spread over half as long again, so that two devices do not miss each other for ever.
        table.hot[slot].retryAt = now &+ wait &+ randomWord() % (wait / 2 + 1)
        trouble(code, sentence, TargetID(table.hot[slot].target), at: now, into: &outputs)
    }

    /// Ends a link, which counts until the radio says that it is down, or for a while.
    mutating func close(_ index: Int, at now: UInt64, into outputs: inout [Output]) {
        guard !links[index].isClosing else { return }
        outputs.append(.disconnect(Link(links[index].number)))
        links[index].phase = .closing
        links[index].deadline = now &+ ticks.closeTimeout
        links[index].hardDeadline = .max
    }

    /// Forgets a link that is down.
    mutating func remove(_ index: Int, at now: UInt64, into outputs: inout [Output]) {
        let token = links.remove(at: index).token
        if let slot = table.slot(of: token) {
            table.hot[slot].flags.remove(.isLinked)
            updateWanted(slot, at: now)
            // Whoever left his address while he was connected to was heard under the new one just now, and soon leaves that too.
            let isPressing = table.hot[slot].flags.contains(.hasMessage) || isFleeting(slot)
            if isPressing, table.hot[slot].flags.contains(.isWanted), table.hot[slot].retryAt <= now { enqueue(slot) }
            schedule(slot, at: now)
        }
        pump(at: now, into: &outputs)
    }

    /// The radio is gone, and all links with it.
    mutating func dropAllLinks(at now: UInt64, into outputs: inout [Output]) {
        for link in links {
            guard let slot = table.slot(of: link.token) else { continue }
            table.hot[slot].flags.remove(.isLinked)
        }
        links = []
        centrals = []
    }

    /// What is due of links.
    mutating func expireLinks(at now: UInt64, into outputs: inout [Output]) {
        var index = 0
        while index < links.count {
            let number = links[index].number
            guard min(links[index].deadline, links[index].hardDeadline) <= now else {
                index += 1
                continue
            }
            expire(index, at: now, into: &outputs)
            if index < links.count, links[index].number == number { index += 1 }
        }
    }

    private mutating func expire(_ index: Int, at now: UInt64, into outputs: inout [Output]) {
        // A connect that has not come about yet gives way to others that wait, and a doubtful one to the scan where the radio hears
        // nothing meanwhile.
        let isInTheWay = links[index].isDoubtful && !configuration.platform.scansWhileConnecting
        let isWorthWaiting = now < links[index].openedAt &+ ticks.connectTimeout && lines.isIdle && !isInTheWay
        switch links[index].phase {
        case .closing: remove(index, at: now, into: &outputs)
        case .resting where links[index].hardDeadline > now: poll(index, at: now, into: &outputs)
        case .connecting where isWorthWaiting:
            links[index].deadline = min(now &+ HeraldTicks.second, links[index].openedAt &+ ticks.connectTimeout)
        case .connecting:
            fail(links[index].token, .linkConnectFailed, "A connect took too long.", at: now, into: &outputs)
            close(index, at: now, into: &outputs)
            pump(at: now, into: &outputs)
        default:
            failMessage(of: index, .sendTimeout, "The device stopped answering.", into: &outputs)
            fail(links[index].token, .linkTimeout, "A device stopped answering.", at: now, into: &outputs)
            close(index, at: now, into: &outputs)
        }
    }
}
