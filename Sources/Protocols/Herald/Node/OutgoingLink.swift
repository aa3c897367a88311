import Bluetooth

/// The state machine of one link that this device opened or is opening.
struct OutgoingLink: Sendable {
    private enum Phase: Hashable, Sendable {
        /// The connection was requested, and its result is pending; a doubtful connect is likely to fail.
        case connecting(isDoubtful: Bool)
        /// The characteristics of the device are being discovered.
        case discovering
        /// A characteristic is being read.
        case reading(CharacteristicRead)
        /// A frame is being written; `pieces` holds its remaining part.
        case writing
        /// A message of the application is being written, like a frame in `writing`.
        case sending(message: UInt64)
        /// The node is subscribing on a link that stays open.
        case subscribing
        /// A link that stays open is being kept awake by an empty write.
        case waking
        /// The signal strength of a link that stays open is being read.
        case measuring
        /// A link that stays open is idle until its deadline.
        case resting
        /// The link is being closed, perhaps to make room for another; `disconnected` is pending.
        case closing(isGivingWay: Bool)
    }

    private enum Retention: Hashable, Sendable {
        /// The link ends as soon as no work is left.
        case none
        /// The link stays open because the device's advertisements are not received (HP-37).
        case forReadings(isSubscribed: Bool)
        /// The link stays open because this device cannot advertise, and has many devices to write to (HP-14).
        case forWrites
    }

    /// The effect of the link's deadline.
    enum LinkDeadlineEffect {
        /// The link counts as down, because the radio did not report its end in time.
        case ended
        /// The pause of the link is over, and its next task can begin.
        case rested
        /// The connect timed out.
        case connectFailed
        /// A request on the link timed out; it may have been a message.
        case silent
    }

    let id: LinkID
    /// The token of the device record that the link belongs to.
    var token: DeviceRecordToken
    let openedAt: UInt64
    private var phase: Phase
    private var retention = Retention.none
    /// The deadline of the link's present phase.
    private var phaseDeadline: UInt64
    /// The time at which the link ends in any phase; `.max` for a link that stays open.
    private var useDeadline = UInt64.max
    /// The characteristic that frames are written to; nil when the device offers no such characteristic.
    private var signal: SignalCharacteristicKind?
    /// The pieces of the frame still to be written, the next one last.
    private var pieces: [[UInt8]] = []

    init(_ id: LinkID, to token: DeviceRecordToken, isDoubtful: Bool, until deadline: UInt64, at now: UInt64) {
        self.id = id
        self.token = token
        openedAt = now
        phase = .connecting(isDoubtful: isDoubtful)
        phaseDeadline = deadline
    }

    // MARK: - State

    /// The time at which `expire` must be called.
    var deadline: UInt64 { min(phaseDeadline, useDeadline) }

    var isConnecting: Bool { if case .connecting = phase { true } else { false } }
    var isClosing: Bool { if case .closing = phase { true } else { false } }
    var isGivingWay: Bool { phase == .closing(isGivingWay: true) }
    var isResting: Bool { phase == .resting }
    var isKept: Bool { retention == .forWrites }
    var isRetained: Bool { retention != .none }
    var isDiscovering: Bool { phase == .discovering }
    var isMeasuring: Bool { phase == .measuring }
    var isSubscribing: Bool { phase == .subscribing }
    var isWaking: Bool { phase == .waking }

    /// True when the link counts towards the limit of links in use.
    var isBusy: Bool { !isRetained && !isClosing }

    /// The characteristic that is being read; nil for none.
    var currentRead: CharacteristicRead? { if case .reading(let read) = phase { read } else { nil } }

    /// The message that is being written; nil for none.
    var currentMessage: UInt64? { if case .sending(let message) = phase { message } else { nil } }

    var isWriting: Bool { phase == .writing || currentMessage != nil }

    // MARK: - Steps

    /// Discovers the characteristics, now that the connection is up.
    mutating func discover(_ settings: NodeSettings, at now: UInt64, into outputs: inout [HeraldNode.Output]) {
        phase = .discovering
        phaseDeadline = now &+ HeraldParameters.requestTimeout
        useDeadline = now &+ settings.parameters.$linkTime
        outputs.append(.discover(id, services: HeraldServices.wanted(settings.configuration)))
    }

    /// Records the characteristics of the device; returns the one that frames can be written to.
    mutating func discovered(_ uuids: [BluetoothUUID]) -> SignalCharacteristicKind? {
        if uuids.contains(HeraldUUIDs.compliantSignal) {
            signal = .compliant
        } else if uuids.contains(HeraldUUIDs.nonCompliantSignal) {
            signal = .nonCompliant
        }
        return signal
    }

    /// Begins a task; false when it is done already or impossible.
    mutating func begin(
        _ task: LinkTask, _ slot: Int, _ records: inout DeviceRecords, _ messages: inout OutgoingHeraldMessages,
        at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) -> Bool {
        let settings = records.settings
        switch task {
        case .send: return send(slot, &records, &messages, at: now, into: &outputs)
        case .read(let read):
            guard let uuid = Self.uuid(of: read, settings) else { return false }
            phase = .reading(read)
            phaseDeadline = now &+ HeraldParameters.requestTimeout
            outputs.append(.read(id, uuid))
            return true
        case .writePayload:
            records[details: slot].payloadWrittenAt = now
            return write(records.ownPayload.map(SignalFrame.payload), .writing, settings, at: now, into: &outputs)
        case .writeRSSI:
            records[details: slot].rssiWrittenAt = now
            records[details: slot].sharedLast = false
            return write(.rssi(Int(records[slot].rssi)), .writing, settings, at: now, into: &outputs)
        case .share:
            records[details: slot].sharedAt = now
            records[details: slot].sharedLast = true
            let payloads = records.payloadsToShare(with: slot, at: now, limit: signal == .compliant ? 510 : 507)
            let frame = SignalFrame.sharing(rssi: Int(records[slot].rssi), payloads)
            return write(payloads.isEmpty ? nil : frame, .writing, settings, at: now, into: &outputs)
        }
    }

    private static func uuid(of read: CharacteristicRead, _ settings: NodeSettings) -> BluetoothUUID? {
        switch read {
        case .payload: HeraldUUIDs.payload
        case .model: HeraldUUIDs.modelNumber
        case .legacy: settings.configuration.legacy?.characteristic
        }
    }

    private mutating func send(
        _ slot: Int, _ records: inout DeviceRecords, _ messages: inout OutgoingHeraldMessages, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) -> Bool {
        guard let message = records[details: slot].messages.first else {
            records[slot].work.remove(.message)
            return false
        }
        let isBegun = write(
            .immediate(message.bytes), .sending(message: message.id), records.settings, at: now, into: &outputs)
        if isBegun {
            records[details: slot].messageInFlight = message.id
        } else {
            let code = signal == nil ? HeraldError.Code.sendUnsupported : .sendTooLarge
            let error = HeraldError(code, "The device takes no such message.")
            messages.failed(message.id, to: slot, error, &records, into: &outputs)
        }
        return isBegun
    }

    /// Begins to write a frame; false when there is none, it is too long, or the device accepts none.
    private mutating func write(
        _ frame: SignalFrame?, _ phase: Phase, _ settings: NodeSettings, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) -> Bool {
        guard let signal, let frame, let pieces = try? frame.writes(to: signal) else { return false }
        self.phase = phase
        self.pieces = pieces.reversed()
        writeNext(settings, at: now, into: &outputs)
        return true
    }

    /// Writes the next piece of a frame; false when none is left.
    @discardableResult
    mutating func writeNext(
        _ settings: NodeSettings, at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) -> Bool {
        guard let signal, let piece = pieces.popLast() else { return false }
        phaseDeadline = now &+ HeraldParameters.requestTimeout
        outputs.append(.write(id, signal.uuid, piece))
        return true
    }

    /// Drops the remaining pieces of a refused frame.
    mutating func abandonFrame() { pieces = [] }

    /// Returns true when the link has requested the value of this characteristic.
    func isAwaiting(_ uuid: BluetoothUUID, _ settings: NodeSettings) -> Bool {
        guard let currentRead else { return false }
        return Self.uuid(of: currentRead, settings) == uuid
    }

    // MARK: - A link that stays

    /// Keeps the link open from now on; returns true when it is subscribed already.
    mutating func beginStay(_ settings: NodeSettings, at now: UInt64, into outputs: inout [HeraldNode.Output]) -> Bool {
        useDeadline = .max
        if retention == .forReadings(isSubscribed: true) { return true }
        retention = .forReadings(isSubscribed: false)
        phase = .subscribing
        phaseDeadline = now &+ HeraldParameters.requestTimeout
        outputs.append(.subscribe(id, HeraldUUIDs.nonCompliantSignal))
        return false
    }

    /// Keeps the link open after the device confirmed or refused the subscription.
    ///
    /// The link stays for readings; notifications are optional here.
    mutating func subscribed() { retention = .forReadings(isSubscribed: true) }

    /// Pauses the link until a deadline.
    mutating func rest(until deadline: UInt64) {
        phase = .resting
        phaseDeadline = deadline
    }

    /// Keeps the link open from now on, and pauses it.
    mutating func keep(until deadline: UInt64) {
        retention = .forWrites
        useDeadline = .max
        rest(until: deadline)
    }

    /// Checks by an empty write that the other device responds; this also keeps its application awake.
    mutating func wake(_ settings: NodeSettings, at now: UInt64, into outputs: inout [HeraldNode.Output]) {
        phase = .waking
        phaseDeadline = now &+ HeraldParameters.linkSilence
        outputs.append(.write(id, HeraldUUIDs.nonCompliantSignal, []))
    }

    /// Requests the signal strength of the link from the radio.
    mutating func measure(_ settings: NodeSettings, at now: UInt64, into outputs: inout [HeraldNode.Output]) {
        phase = .measuring
        phaseDeadline = now &+ HeraldParameters.linkSilence
        outputs.append(.readRSSI(id))
    }

    // MARK: - The end

    /// Shortens a doubtful connect to one second, within which most succeed, because a better device waits.
    mutating func shortenWait() {
        guard phase == .connecting(isDoubtful: true) else { return }
        phaseDeadline = min(phaseDeadline, openedAt &+ .second)
    }

    /// Ends the link, which counts as open until the radio reports its end or a time-out passes.
    mutating func close(
        givingWay isGivingWay: Bool = false, _ settings: NodeSettings, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) {
        guard !isClosing else { return }
        outputs.append(.disconnect(id))
        phase = .closing(isGivingWay: isGivingWay)
        phaseDeadline = now &+ HeraldParameters.closeTimeout
        useDeadline = .max
    }

    /// Ends a phase whose deadline has passed; nil when a connect continues because no other device waits.
    mutating func expire(othersWait: Bool, _ settings: NodeSettings, at now: UInt64) -> LinkDeadlineEffect? {
        switch phase {
        case .closing: return .ended
        case .resting where useDeadline > now: return .rested
        case .connecting(let isDoubtful):
            // A doubtful connect gives way to the scan as well where the radio hears nothing meanwhile.
            let isInTheWay = isDoubtful && !settings.platform.scansWhileConnecting
            let timeout = openedAt &+ settings.timing.$connectTimeout
            guard now < timeout, !othersWait, !isInTheWay else { return .connectFailed }
            phaseDeadline = min(now &+ .second, timeout)
            return nil
        case .discovering, .reading, .writing, .sending, .subscribing, .waking, .measuring, .resting: return .silent
        }
    }
}
