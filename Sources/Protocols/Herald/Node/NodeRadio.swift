import Bluetooth
import Determinism

/// Whether a scan is on, since when, and when that changes.
struct ScanState: Sendable {
    var isOn = false
    /// When the scan began or ended.
    var since: UInt64 = 0
    /// When to look at it again; `.max` when never.
    var due: UInt64 = .max
}

/// What this device tells about itself.
struct OwnIdentity: Sendable {
    /// A time on the calendar and the same on the clock.
    var wall = WallTime(millisecondsSinceEpoch: 0)
    var wallAt: UInt64 = 0
    /// What is served; nil without a payload.
    var payload: [UInt8]?
    /// When the payload must be asked for again; `.max`: never.
    var payloadDue: UInt64 = .max
    /// Whether it should have been asked for, and somebody is reading it.
    var isPayloadHeld = false
    var pseudoAddress: PseudoDeviceAddress?
    /// When the pseudo address changes at the latest; `.max`: never.
    var pseudoDue: UInt64 = .max
    var pseudoSince: UInt64 = 0
    /// Whether the system tells when the address changes.
    var hearsAddressChanges = false
    var isAdvertising = false

    var due: UInt64 { min(payloadDue, pseudoDue) }
}

// Starting, stopping, and what this device puts on the air.
extension HeraldNode {
    mutating func start(_ wall: WallTime, at now: UInt64, into outputs: inout [Output]) {
        phase = .running
        own.wall = wall
        own.wallAt = now
        outputs.append(.event(.state(radio)))
        beginRadio(at: now, into: &outputs)
    }

    mutating func stop(at now: UInt64, into outputs: inout [Output]) {
        for link in links where !link.isClosing { outputs.append(.disconnect(Link(link.number))) }
        for central in centrals { outputs.append(.disconnectCentral(Central(central.number))) }
        if scan.isOn { outputs.append(.stopScanning) }
        if own.isAdvertising { outputs.append(.stopAdvertising) }
        for slot in table.slotsInOrder {
            failMessages(of: slot, HeraldError(.sendTimeout, "The node was stopped."), into: &outputs)
            endContact(slot, at: now, into: &outputs)
        }
        links = []
        centrals = []
        phase = .stopped
    }

    private mutating func beginRadio(at now: UInt64, into outputs: inout [Output]) {
        if configuration.platform.canAdvertise { outputs.append(.publish(services)) }
        own.payload = nil
        renewPseudoAddress(at: now)
        refreshPayload(at: now, into: &outputs)
        startScan(at: now, into: &outputs)
    }

    mutating func radioChanged(to state: RadioState, at now: UInt64, into outputs: inout [Output]) {
        guard state != radio else { return }
        radio = state
        outputs.append(.event(.state(state)))
        scan = ScanState()
        own.isAdvertising = false
        dropAllLinks(at: now, into: &outputs)
        guard state == .on else { return }
        beginRadio(at: now, into: &outputs)
        pump(at: now, into: &outputs)
    }

    /// Writes to others from now on what they cannot read here (HP-13, HP-14).
    mutating func becomeWriter(_ reason: String, at now: UInt64, into outputs: inout [Output]) {
        guard configuration.platform.canAdvertise else { return }
        configuration.platform.canAdvertise = false
        own.isAdvertising = false
        own.pseudoAddress = nil
        own.pseudoDue = .max
        outputs.append(.event(.trouble(HeraldError(.advertisingUnsupported, reason), nil)))
        for slot in table.slotsInOrder { lookAfter(slot, at: now, into: &outputs) }
        pump(at: now, into: &outputs)
    }

    /// The services that others find here: each generation that is advertised, with the same characteristics (HP-62).
    var services: [ServiceDefinition] {
        var characteristics = [
            payloadDefinition, signalDefinition,
        ]
        var extra: [ServiceDefinition] = []
        if let legacy = configuration.legacy {
            let definition = CharacteristicDefinition(
                uuid: legacy.characteristic, properties: [.read, .write, .writeWithoutResponse],
                initialValue: Array(legacy.payload.prefix(512)))
            if let service = legacy.service {
                extra = [ServiceDefinition(uuid: service, characteristics: [definition])]
            } else {
                characteristics.append(definition)
            }
        }
        let names = configuration.advertisement.services ?? [HeraldUUIDs.service, HeraldUUIDs.documentedService]
        return names.map { ServiceDefinition(uuid: $0, characteristics: characteristics) } + extra
    }

    /// Read by all; an iPhone's can be subscribed to as well (HP-17).
    private var payloadDefinition: CharacteristicDefinition {
        switch configuration.platform.signal {
        case .compliant: CharacteristicDefinition(uuid: HeraldUUIDs.payload, properties: .read)
        case .nonCompliant:
            CharacteristicDefinition(
                uuid: HeraldUUIDs.payload, properties: [.read, .notify], hasClientConfiguration: true)
        }
    }

    private var signalDefinition: CharacteristicDefinition {
        switch configuration.platform.signal {
        case .compliant: CharacteristicDefinition(uuid: HeraldUUIDs.compliantSignal, properties: .write)
        case .nonCompliant:
            CharacteristicDefinition(
                uuid: HeraldUUIDs.nonCompliantSignal, properties: [.write, .notify], hasClientConfiguration: true)
        }
    }

    /// Advertises, or goes on with it: a connection ends it in the controller.
    mutating func advertise(into outputs: inout [Output]) {
        guard configuration.platform.canAdvertise, radio == .on, own.payload != nil,
            let advertisement = try? HeraldAdvertisement(configuration.advertisement, pseudoAddress: own.pseudoAddress)
        else { return }
        own.isAdvertising = true
        outputs.append(.startAdvertising(advertisement))
    }
}

// The own payload and pseudo address.
extension HeraldNode {
    /// The time on the calendar.
    func wall(at now: UInt64) -> WallTime {
        let elapsed = Int64(clamping: (now - min(own.wallAt, now)) / 1_000_000)
        let (sum, overflow) = own.wall.millisecondsSinceEpoch.addingReportingOverflow(elapsed)
        return WallTime(millisecondsSinceEpoch: overflow ? .max : sum)
    }

    mutating func setWall(_ wall: WallTime, at now: UInt64, into outputs: inout [Output]) {
        own.wall = wall
        own.wallAt = now
        refreshPayload(at: now, into: &outputs)
    }

    /// Asks for the payload, and tells it to the radio and the user when it is another.
    mutating func refreshPayload(at now: UInt64, into outputs: inout [Output]) {
        let wall = wall(at: now)
        own.isPayloadHeld = false
        do throws(HeraldError) {
            let supplied = try supplier.payload(at: wall)
            guard (1...HeraldPayload.maximumBytes).contains(supplied.bytes.count) else {
                throw HeraldError(.payloadMalformed, "The supplier gave \(supplied.bytes.count) bytes.")
            }
            own.payloadDue = supplied.validUntil.map { due(at: $0, from: wall, now) } ?? .max
            serve(supplied.bytes, at: now, into: &outputs)
        } catch {
            own.payloadDue = now &+ 60 * HeraldTicks.second
            withdraw(error, into: &outputs)
        }
    }

    private func due(at time: WallTime, from wall: WallTime, _ now: UInt64) -> UInt64 {
        let (wait, overflow) = time.millisecondsSinceEpoch.subtractingReportingOverflow(wall.millisecondsSinceEpoch)
        // At least a second, so that a supplier that never advances costs little.
        let milliseconds = overflow ? Int64.max : max(1000, wait)
        let (nanoseconds, tooFar) = UInt64(milliseconds).multipliedReportingOverflow(by: 1_000_000)
        let (sum, carry) = now.addingReportingOverflow(nanoseconds)
        return tooFar || carry ? .max : sum
    }

    private mutating func serve(_ payload: [UInt8], at now: UInt64, into outputs: inout [Output]) {
        guard payload != own.payload else { return }
        let isFirst = own.payload == nil
        own.payload = payload
        if configuration.platform.canAdvertise {
            outputs.append(.setValue(payload, of: HeraldUUIDs.payload))
            for central in centrals where central.wantsPayload {
                outputs.append(.notify(Central(central.number), HeraldUUIDs.payload, payload))
            }
            if !isFirst, configuration.changesPseudoAddressWithPayload { renewPseudoAddress(at: now) }
            if isFirst || own.pseudoAddress != nil { advertise(into: &outputs) }
        } else {
            for slot in table.slotsInOrder { table.cold[slot].payloadWrittenAt = nil }
        }
        outputs.append(.event(.ownPayload(payload)))
    }

    private mutating func withdraw(_ error: HeraldError, into outputs: inout [Output]) {
        let hadPayload = own.payload != nil
        own.payload = nil
        if hadPayload, configuration.platform.canAdvertise { outputs.append(.setValue([], of: HeraldUUIDs.payload)) }
        if own.isAdvertising { outputs.append(.stopAdvertising) }
        own.isAdvertising = false
        outputs.append(.event(.noPayload(error)))
    }

    /// Whether a device that connected may be in the course of reading the payload.
    private func heldUntil(at now: UInt64) -> UInt64? {
        centrals.map { $0.since &+ ticks.payloadHold }.filter { $0 > now }.max()
    }

    private mutating func renewPayload(at now: UInt64, into outputs: inout [Output]) {
        if !own.isPayloadHeld, let held = heldUntil(at: now) {
            own.isPayloadHeld = true
            own.payloadDue = held
        } else {
            refreshPayload(at: now, into: &outputs)
        }
    }

    /// Somebody who may have been reading the payload has gone.
    mutating func releasePayload(at now: UInt64, into outputs: inout [Output]) {
        guard own.isPayloadHeld, heldUntil(at: now) == nil else { return }
        refreshPayload(at: now, into: &outputs)
    }

    /// What is due of the own payload and pseudo address.
    mutating func renewIdentity(at now: UInt64, into outputs: inout [Output]) {
        if own.payloadDue <= now { renewPayload(at: now, into: &outputs) }
        if own.pseudoDue <= now {
            renewPseudoAddress(at: now)
            if own.isAdvertising { advertise(into: &outputs) }
        }
    }

    /// The pseudo address changes in the same instant as the address, once it has lived its time (HP-25).
    mutating func addressChanged(at now: UInt64, into outputs: inout [Output]) {
        own.hearsAddressChanges = true
        guard own.pseudoAddress != nil else { return }
        guard now - min(own.pseudoSince, now) >= ticks.pseudoAddressLife else {
            own.pseudoDue = own.pseudoSince &+ ticks.pseudoAddressLife &+ 60 * HeraldTicks.second
            return
        }
        renewPseudoAddress(at: now)
        if own.isAdvertising { advertise(into: &outputs) }
    }

    private mutating func renewPseudoAddress(at now: UInt64) {
        guard !configuration.platform.hasStableAddress, configuration.platform.canAdvertise else { return }
        own.pseudoAddress = PseudoDeviceAddress(value: randomWord())
        own.pseudoSince = now
        // Where changes of the address are told, one is waited for, but not long.
        own.pseudoDue = now &+ ticks.pseudoAddressLife &+ (own.hearsAddressChanges ? 60 * HeraldTicks.second : 0)
    }

    mutating func randomWord() -> UInt64 {
        random.bytes(count: 8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

// Scanning.
extension HeraldNode {
    /// The services that a scan is filtered by; none where devices without services must be heard too.
    var scannedServices: [BluetoothUUID] {
        guard configuration.introspection == .off else { return [] }
        let detection = configuration.detection
        let wanted = [
            (HeraldUUIDs.service, detection.findsCurrent), (HeraldUUIDs.documentedService, detection.findsDocumented),
        ]
        return wanted.filter(\.1).map(\.0) + detection.services
    }

    mutating func startScan(at now: UInt64, into outputs: inout [Output]) {
        guard radio == .on, !scan.isOn else { return }
        scan.isOn = true
        scan.since = now
        scan.due = ticks.scanPause > 0 ? now &+ ticks.scanWindow : .max
        outputs.append(.startScanning(services: scannedServices))
    }

    private mutating func endScan(until due: UInt64, at now: UInt64, into outputs: inout [Output]) {
        guard scan.isOn else { return }
        scan.isOn = false
        scan.since = now
        scan.due = due
        outputs.append(.stopScanning)
    }

    /// What is due of the scan.
    mutating func renewScan(at now: UInt64, into outputs: inout [Output]) {
        guard scan.due <= now else { return }
        scan.due = .max
        if !scan.isOn {
            // A radio that hears nothing while it connects scans when the connect has ended, and before it begins another.
            if !isDeafNow { startScan(at: now, into: &outputs) }
        } else if ticks.scanPause > 0 {
            endScan(until: now &+ min(ticks.scanPause, ticks.maximumScanGap), at: now, into: &outputs)
        }
    }

    /// Makes room for a connect; false when the scan must have its turn first (HP-38).
    mutating func yieldScan(at now: UInt64, into outputs: inout [Output]) -> Bool {
        guard !configuration.platform.scansWhileConnecting else { return true }
        if scan.isOn {
            guard now - min(scan.since, now) >= ticks.scanWindow else {
                scan.due = min(scan.due, scan.since &+ ticks.scanWindow)
                return false
            }
            endScan(until: now &+ ticks.maximumScanGap, at: now, into: &outputs)
            return true
        }
        return !isScanOwed && now &+ ticks.connectTimeout <= scan.since &+ ticks.maximumScanGap
    }

    /// Gives the air back to the scan when nothing is being connected to.
    mutating func resumeScan(at now: UInt64, into outputs: inout [Output]) {
        guard !configuration.platform.scansWhileConnecting, !scan.isOn, ticks.scanPause == 0 || isScanOwed, !isDeafNow
        else { return }
        startScan(at: now, into: &outputs)
    }

    /// Whether a connect keeps the radio from hearing.
    private var isDeafNow: Bool {
        !configuration.platform.scansWhileConnecting && links.contains { $0.phase == .connecting }
    }

    /// Whether a scan has been due since before a connect that is under way.
    private var isScanOwed: Bool { !scan.isOn && scan.due == .max }
}
