import Bluetooth
import ByteCoding
import Determinism

/// One connection: two ends that exchange packets in connection events on a grid of anchors.
///
/// In an event the central's packet and the peripheral's answer make an exchange; another follows while an end that
/// had data in the exchange before has more, it fits before the next anchor, and the cap on packets allows. Data that
/// an end queues while it is silent waits for the next exchange of an event that the other end keeps open, or for the
/// next anchor: so a response takes an interval, while a queue refilled on `sent` keeps the event going.
///
/// A corrupted packet is answered, not acknowledged, and sent again in the next exchange; two corrupted in a row at one
/// end close the event. Nothing is lost. Anchors at which neither end has data are not computed: they count as
/// heard by both ends unless every packet is corrupted. In a silence every anchor is computed.
struct AirLink: Sendable {
    /// The activity of the link.
    enum Phase: Hashable, Sendable {
        /// Neither end has data; events are not computed.
        case idle
        /// The next event is computed: the one at the anchor of this index.
        case waiting(index: Int)
        /// The central's packet is on the air; the peripheral may begin new data in its answer only if it had some when
        /// the exchange began.
        case centralSending(until: MonotonicInstant, mayAnswer: Bool)
        /// The peripheral's packet is on the air.
        case peripheralSending(until: MonotonicInstant)
        /// The exchange is over; whether another follows is decided when it would start.
        case between(until: MonotonicInstant)
    }

    let id: LinkID
    let parameters: LinkParameters
    var central: AirLinkEndpoint
    var peripheral: AirLinkEndpoint
    var faults: AirLinkFaults
    private(set) var phase = Phase.idle
    /// The number of the link's valid entry in the air's heap; entries with an older number are stale.
    var ticket: UInt64 = 0
    var scheduled: MonotonicInstant?

    private let firstAnchor: MonotonicInstant
    /// The time at which the link must wake because the next total outage begins.
    private var silenceWake: MonotonicInstant?
    private var lastIndex = -1
    private var exchanges = 0

    init(
        id: LinkID, parameters: LinkParameters, ends: (central: AirLinkEndpoint, peripheral: AirLinkEndpoint),
        faults: AirLinkFaults, firstAnchor: MonotonicInstant
    ) {
        self.id = id
        self.parameters = parameters
        central = ends.central
        peripheral = ends.peripheral
        self.faults = faults
        self.firstAnchor = firstAnchor
        silenceWake = faults.firstSilence
    }

    subscript(side: AirLinkRole) -> AirLinkEndpoint {
        get { side == .central ? central : peripheral }
        _modify {
            if side == .central { yield &central } else { yield &peripheral }
        }
    }

    /// The end of the link that `device` is; nil when it is neither or its end is down.
    func side(of device: AirDeviceID) -> AirLinkRole? {
        if central.device == device, central.isUp { return .central }
        if peripheral.device == device, peripheral.isUp { return .peripheral }
        return nil
    }

    var isDown: Bool { !central.isUp && !peripheral.isUp }

    /// True when only one end is left.
    private var isHalf: Bool { central.isUp != peripheral.isUp }

    // MARK: - Time

    /// The next time at which the link acts; nil while it is idle or down.
    var nextDeadline: MonotonicInstant? {
        [phaseDeadline, timerDeadline(.central), timerDeadline(.peripheral), silenceDeadline].compactMap { $0 }.min()
    }

    /// The time at which an idle link must wake because a silence begins.
    private var silenceDeadline: MonotonicInstant? {
        phase == .idle && !isHalf && !isDown ? silenceWake : nil
    }

    private var phaseDeadline: MonotonicInstant? {
        switch phase {
        case .idle: nil
        case .waiting(let index): anchor(index)
        case .centralSending(let until, _), .peripheralSending(let until), .between(let until): until
        }
    }

    private var isInEvent: Bool {
        switch phase {
        case .idle, .waiting: false
        case .centralSending, .peripheralSending, .between: true
        }
    }

    /// The time at which `side` ends the link: after the supervision timeout, or when a disconnect takes too long.
    private func timerDeadline(_ side: AirLinkRole) -> MonotonicInstant? {
        let end = self[side]
        guard end.isUp else { return nil }
        let canStarve = phase != .idle || isHalf || faults.isDeaf
        let starves = canStarve ? end.lastHeard.adding(microseconds: supervisionMicroseconds) : nil
        return [starves, end.closeDeadline].compactMap { $0 }.min()
    }

    private var supervisionMicroseconds: Int { parameters.supervisionTimeoutMilliseconds * 1000 }

    private func anchor(_ index: Int) -> MonotonicInstant {
        firstAnchor.adding(microseconds: index * parameters.intervalMicroseconds)
    }

    /// The index of the first anchor at `now` or later whose event was not computed.
    private func nextIndex(at now: MonotonicInstant) -> Int {
        guard now > firstAnchor else { return lastIndex + 1 }
        let interval = UInt64(parameters.intervalMicroseconds) * 1000
        let elapsed = now.nanoseconds - firstAnchor.nanoseconds
        return max(lastIndex + 1, Int(clamping: (elapsed + interval - 1) / interval))
    }

    /// Takes into account that both ends heard each other at the anchors before `index` that were not computed.
    private mutating func hearSkippedAnchors(before index: Int) {
        guard index > lastIndex + 1, !faults.isDeaf, !isHalf, !isDown else { return }
        let heard = anchor(index - 1)
        central.lastHeard = max(central.lastHeard, heard)
        peripheral.lastHeard = max(peripheral.lastHeard, heard)
    }

    // MARK: - What hosts ask

    /// Queues `item` of `side`, and looks at the next anchor if the link was idle.
    mutating func enqueue(_ item: AirLinkEndpoint.TransmitItem, from side: AirLinkRole, at now: MonotonicInstant) {
        self[side].enqueue(item)
        guard phase == .idle, !isHalf else { return }
        let index = nextIndex(at: now)
        hearSkippedAnchors(before: index)
        phase = .waiting(index: index)
    }

    /// Ends the link once the queue of `side` is empty, and in any case after the supervision timeout.
    mutating func close(from side: AirLinkRole, at now: MonotonicInstant) {
        guard !self[side].isClosing else { return }
        self[side].closeDeadline = now.adding(microseconds: supervisionMicroseconds)
        enqueue(.terminate, from: side, at: now)
    }

    /// Takes one end off the link; the peer's end stays up until it notices.
    ///
    /// The host receives an event if there is a `reason`.
    mutating func drop(_ side: AirLinkRole, reason: UInt8?, into outlet: inout AirOutputs) {
        guard self[side].isUp else { return }
        hearSkippedAnchors(before: skippedLimit(at: outlet.now))
        if isInEvent { closeEvent(hadRoom: false) }
        self[side].isUp = false
        phase = .idle
        guard let reason else { return }
        let end = self[side]
        outlet.note("disconnect", device: end.device, link: id, "reason=\(Hex.encode([reason]))")
        outlet.emit(.disconnected(id, reason: reason, end.statistics), to: end.device)
    }

    /// The first anchor that has not passed at `now`, at most the one that is to be computed next.
    private func skippedLimit(at now: MonotonicInstant) -> Int {
        switch phase {
        case .idle: return nextIndex(at: now.adding(microseconds: 1))
        case .waiting(let index): return min(index, nextIndex(at: now.adding(microseconds: 1)))
        case .centralSending, .peripheralSending, .between: return lastIndex + 1
        }
    }

    // MARK: - Steps

    /// Handles the deadlines that are due at the outlet's present instant.
    mutating func step(into outlet: inout AirOutputs) {
        for side in [AirLinkRole.central, .peripheral] {
            guard let deadline = timerDeadline(side), deadline <= outlet.now else { continue }
            let reason = ControllerErrorCode.self
            drop(side, reason: self[side].isClosing ? reason.hostTerminated : reason.supervisionTimeout, into: &outlet)
        }
        if let wake = silenceDeadline, wake <= outlet.now { wakeForSilence(at: outlet.now) }
        guard let due = phaseDeadline, due <= outlet.now else { return }
        switch phase {
        case .idle: break
        case .waiting(let index): beginEvent(index, into: &outlet)
        case .centralSending(_, let mayAnswer): centralPacketEnded(mayAnswer: mayAnswer, into: &outlet)
        case .peripheralSending: peripheralPacketEnded(into: &outlet)
        case .between: continueOrClose(into: &outlet)
        }
    }

    private mutating func wakeForSilence(at now: MonotonicInstant) {
        silenceWake = faults.nextSilence(after: now)
        guard faults.isSilenced(at: now) else { return }
        let index = nextIndex(at: now)
        hearSkippedAnchors(before: index)
        phase = .waiting(index: index)
    }

    private mutating func beginEvent(_ index: Int, into outlet: inout AirOutputs) {
        hearSkippedAnchors(before: index)
        let skipped = lastIndex < 0 ? 0 : index - lastIndex - 1
        central.beginEvent(skipped: skipped)
        peripheral.beginEvent(skipped: skipped)
        lastIndex = index
        exchanges = 0
        beginExchange(into: &outlet)
    }

    private mutating func beginExchange(into outlet: inout AirOutputs) {
        exchanges += 1
        let mayAnswer = peripheral.hasNewPacket
        send(from: .central, mayBegin: true, into: &outlet) { .centralSending(until: $0, mayAnswer: mayAnswer) }
    }

    private mutating func send(
        from side: AirLinkRole, mayBegin: Bool, after spaceMicroseconds: Int = 0, into outlet: inout AirOutputs,
        _ next: (MonotonicInstant) -> Phase
    ) {
        let packet = self[side].beginPacket(dataLength: parameters.dataLengthBytes, mayBegin: mayBegin)
        if packet.isRetry {
            outlet.note("retry", device: self[side].device, link: id, "bytes=\(packet.byteCount)")
        }
        let duration = parameters.packetMicroseconds(payload: packet.byteCount)
        phase = next(outlet.now.adding(microseconds: spaceMicroseconds + duration))
    }

    private mutating func centralPacketEnded(mayAnswer: Bool, into outlet: inout AirOutputs) {
        receive(from: .central, into: &outlet)
        guard !isHalf, !isDown else { return }
        let answer = peripheral.outstanding?.byteCount ?? 0
        guard peripheral.corruptedInRow < 2, fits(answer, at: outlet.now) else { return closeEvent(hadRoom: false) }
        let space = LinkParameters.interFrameSpaceMicroseconds
        send(from: .peripheral, mayBegin: mayAnswer, after: space, into: &outlet) { .peripheralSending(until: $0) }
    }

    private mutating func peripheralPacketEnded(into outlet: inout AirOutputs) {
        receive(from: .peripheral, into: &outlet)
        guard !isHalf, !isDown else { return }
        guard central.corruptedInRow < 2 else { return closeEvent(hadRoom: false) }
        phase = .between(until: outlet.now.adding(microseconds: LinkParameters.interFrameSpaceMicroseconds))
    }

    private mutating func continueOrClose(into outlet: inout AirOutputs) {
        let isUnderCap = parameters.packetsPerEvent.map { exchanges < $0 } ?? true
        let length = parameters.dataLengthBytes
        let centralBytes = central.outstanding?.byteCount ?? central.plannedByteCount(dataLength: length)
        let peripheralBytes = peripheral.plannedByteCount(dataLength: length)
        let goesOn = hasMore(.central) || hasMore(.peripheral)
        if goesOn, isUnderCap, fits(centralBytes, peripheralBytes, at: outlet.now) {
            return beginExchange(into: &outlet)
        }
        closeEvent(hadRoom: !goesOn && isUnderCap && fits(length, 0, at: outlet.now))
    }

    /// Returns true when `side`, which had data in the exchange before, has more or must send it again.
    private func hasMore(_ side: AirLinkRole) -> Bool {
        let end = self[side]
        return end.carriesData
            && (end.hasNewPacket || end.outstanding.map { !$0.hasArrived || side == .central } ?? false)
    }

    private func fits(_ centralBytes: Int, _ peripheralBytes: Int, at now: MonotonicInstant) -> Bool {
        let duration = parameters.exchangeMicroseconds(
            centralPayload: centralBytes, peripheralPayload: peripheralBytes)
        return now.adding(microseconds: duration) <= anchor(lastIndex + 1)
    }

    /// Returns true when the peripheral's answer still fits before the next connection event.
    ///
    /// It may not when the peripheral must repeat a packet that it thought was through.
    private func fits(_ answerBytes: Int, at now: MonotonicInstant) -> Bool {
        let spaces = 2 * LinkParameters.interFrameSpaceMicroseconds
        let duration = spaces + parameters.packetMicroseconds(payload: answerBytes)
        return now.adding(microseconds: duration) <= anchor(lastIndex + 1)
    }

    private mutating func closeEvent(hadRoom: Bool) {
        central.endEvent(hadRoom: hadRoom)
        peripheral.endEvent(hadRoom: hadRoom)
        let mustGoOn = central.isBusy || peripheral.isBusy || faults.isSilenced(at: anchor(lastIndex + 1))
        phase = mustGoOn ? .waiting(index: lastIndex + 1) : .idle
    }

    // MARK: - Packets that arrive

    private mutating func receive(from side: AirLinkRole, into outlet: inout AirOutputs) {
        let receiver = side.other
        guard !faults.corruptsPacket(from: side, at: outlet.now) else {
            self[receiver].corruptedInRow += 1
            return
        }
        self[receiver].corruptedInRow = 0
        self[receiver].lastHeard = outlet.now
        // Read what the packet carries before its acknowledgement frees the queue that it comes from.
        let packet = self[side].carriesData ? self[side].packetArrived() : nil
        if self[receiver].packetAcknowledged() { outlet.emit(.sent(id), to: self[receiver].device) }
        guard let packet else { return }
        if !packet.isControl { self[receiver].statistics.packetsReceived += 1 }
        guard packet.isLastOfItem, let item = self[side].queue.first else { return }
        switch item {
        case .frame(let bytes): deliver(bytes, from: side, into: &outlet)
        case .terminate: terminate(from: side, into: &outlet)
        }
    }

    private mutating func deliver(_ frame: [UInt8], from side: AirLinkRole, into outlet: inout AirOutputs) {
        let receiver = self[side.other].device
        if faults.dropsFrame(frame, from: side) {
            self[side.other].statistics.droppedByHost += 1
            outlet.note("drop", device: receiver, link: id, L2CAPFrameSummary.describe(frame))
            return
        }
        outlet.note("frame", device: receiver, link: id, L2CAPFrameSummary.describe(frame))
        outlet.emit(.received(id, frame: frame), to: receiver)
    }

    /// Handles a received LL_TERMINATE_IND of `side`: both ends go down.
    private mutating func terminate(from side: AirLinkRole, into outlet: inout AirOutputs) {
        let reason = ControllerErrorCode.self
        drop(
            side.other, reason: self[side.other].isClosing ? reason.hostTerminated : reason.peerTerminated,
            into: &outlet)
        drop(side, reason: reason.hostTerminated, into: &outlet)
    }

    /// Ends the link from the end of `device`, if it has one.
    mutating func close(from device: AirDeviceID, at now: MonotonicInstant) {
        if let side = side(of: device) { close(from: side, at: now) }
    }

    /// Takes the end of `device` off the link without an event or a packet, as a loss of power does.
    mutating func abandon(_ device: AirDeviceID, into outlet: inout AirOutputs) {
        if let side = side(of: device) { drop(side, reason: nil, into: &outlet) }
    }
}
