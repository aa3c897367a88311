import Bluetooth
import Determinism

extension Air {
    /// The least time from a connection request to the window in which the first packet may start.
    ///
    /// Source: Core Specification 5.3, Vol 6 Part B §4.5.3.
    static let transmitWindowMicroseconds = 1250

    /// Brings a connection up: both hosts are told, the peripheral stops advertising, and the first connection event
    /// follows one interval and the transmit window later.
    mutating func establish(central: AirDeviceID, peripheral: AirDeviceID) {
        guard let one = devices[central], let other = devices[peripheral], lastLink < .max else { return }
        forgetTarget(of: central)
        stopAdvertising(peripheral)
        lastLink += 1
        let id = LinkID(UInt64(lastLink))
        let parameters = LinkParameters.agreed(one.conditions.link, other.conditions.link)
        let faults = AirLinkFaults(central: one.conditions, peripheral: other.conditions, random: &random)
        let link = AirLink(
            id: id, parameters: parameters, central: end(of: central, one, peer: other),
            peripheral: end(of: peripheral, other, peer: one), faults: faults,
            firstAnchor: now.adding(microseconds: parameters.intervalMicroseconds + Self.transmitWindowMicroseconds))
        links[id] = link
        devices[central]?.links.append(id)
        devices[peripheral]?.links.append(id)
        outlet.note("connect", device: central, link: id, "to=d\(peripheral.number) \(parameters.summary)")
        announce(link, .central)
        announce(link, .peripheral)
        settle(id)
    }

    private func end(of device: AirDeviceID, _ state: AirDevice, peer: AirDevice) -> AirLinkEnd {
        AirLinkEnd(device: device, address: peer.address, queueCapacity: state.conditions.queueCapacity, now: now)
    }

    private mutating func announce(_ link: AirLink, _ side: AirSide) {
        let end = link[side]
        outlet.emit(
            .connected(
                link.id, peer: end.address, isCentral: side == .central, link.parameters,
                queueCapacity: end.queueCapacity),
            to: end.device)
    }

    /// Queues a frame; one too many, too short or too long ends the link at once for both.
    mutating func send(_ frame: [UInt8], on id: LinkID, by device: AirDeviceID) {
        // No copy of the link is kept here, or queueing would copy the queue.
        guard let side = links[id]?.side(of: device), links[id]?[side].isClosing == false else { return }
        let isValid = frame.count > FrameSummary.headerBytes && frame.count <= FrameSummary.maximumBytes
        if isValid, links[id]?[side].isFull == false {
            let instant = now
            links[id]?.enqueue(.frame(frame), from: side, at: instant)
        } else {
            outlet.note(isValid ? "overflow" : "refused", device: device, link: id, "bytes=\(frame.count)")
            links[id]?.drop(side, reason: DisconnectReason.memoryExceeded, into: &outlet)
            links[id]?.drop(side.other, reason: DisconnectReason.peerLowOnResources, into: &outlet)
        }
        settle(id)
    }

    /// A link's turn; stale tickets are of links that were scheduled anew since.
    mutating func step(_ id: LinkID, ticket: UInt64) {
        guard links[id]?.ticket == ticket else { return }
        links[id]?.scheduled = nil
        links[id]?.step(into: &outlet)
        settle(id)
    }

    /// Schedules a link anew after anything happened to it, and forgets it when both ends are down.
    mutating func settle(_ id: LinkID) {
        guard let link = links[id] else { return }
        guard !link.isDown else { return forget(link) }
        let deadline = link.nextDeadline
        guard deadline != link.scheduled else { return }
        let ticket = takeTicket()
        links[id]?.ticket = ticket
        links[id]?.scheduled = deadline
        if let deadline { heap.insert(.link(id, ticket: ticket), at: deadline) }
    }

    private mutating func forget(_ link: AirLink) {
        links[link.id] = nil
        for device in [link.central.device, link.peripheral.device] {
            devices[device]?.links.removeAll { $0 == link.id }
            removeIfGone(device)
        }
    }

    /// Forgets a device that was detached and has no connection left.
    mutating func removeIfGone(_ device: AirDeviceID) {
        guard let state = devices[device], state.isLeaving else { return }
        let isNeeded = state.links.contains { links[$0]?.side(of: device) != nil }
        guard !isNeeded else { return }
        devices[device] = nil
        owners[state.address] = nil
    }
}

/// Why a link went down.
///
/// Source: Core Specification 5.3, Vol 1 Part F §1.3.
enum DisconnectReason {
    static let memoryExceeded: UInt8 = 0x07
    static let supervisionTimeout: UInt8 = 0x08
    static let peerTerminated: UInt8 = 0x13
    static let peerLowOnResources: UInt8 = 0x14
    static let hostTerminated: UInt8 = 0x16
}

extension AirLink {
    /// Ends the link from the end of `device`, if it has one.
    mutating func close(from device: AirDeviceID, at now: MonotonicInstant) {
        if let side = side(of: device) { close(from: side, at: now) }
    }

    /// The device is gone without a word.
    mutating func abandon(_ device: AirDeviceID, into outlet: inout AirOutlet) {
        if let side = side(of: device) { drop(side, reason: nil, into: &outlet) }
    }
}

extension LinkParameters {
    /// What two controllers agree on: the lesser of both in every field, within what the specification allows.
    static func agreed(_ one: LinkParameters?, _ other: LinkParameters?) -> LinkParameters {
        let fallback = LinkParameters(phy: .le2M, intervalMicroseconds: 15_000)
        let left = one ?? other ?? fallback
        let right = other ?? left
        let interval = min(4_000_000, max(7500, left.intervalMicroseconds, right.intervalMicroseconds)) / 1250 * 1250
        let timeout = min(left.supervisionTimeoutMilliseconds, right.supervisionTimeoutMilliseconds)
        return LinkParameters(
            phy: left.phy == .le2M && right.phy == .le2M ? .le2M : .le1M, intervalMicroseconds: interval,
            dataLengthBytes: min(251, max(27, min(left.dataLengthBytes, right.dataLengthBytes))),
            packetsPerEvent: [left.packetsPerEvent, right.packetsPerEvent].compactMap { $0 }.min().map { max(1, $0) },
            maximumMTU: min(517, max(23, min(left.maximumMTU, right.maximumMTU))),
            isEncrypted: left.isEncrypted || right.isEncrypted,
            supervisionTimeoutMilliseconds: min(32_000, max(100, timeout, interval / 500 + 10)))
    }

    /// One line for the trace.
    var summary: String {
        let cap = packetsPerEvent.map(String.init) ?? "any"
        return "phy=\(phy) interval=\(intervalMicroseconds) length=\(dataLengthBytes) packets=\(cap) mtu=\(maximumMTU)"
    }
}
