import Bluetooth
import Determinism
import Simulation

// Connections: how they come up, carry frames and end.
extension CrowdShard {
    mutating func perform(_ command: AirCommand, _ index: Int, _ sky: Sky) {
        let me = residents[index].index
        switch command {
        case .configure: break
        case .startAdvertising(let data, _, let interval, let isConnectable):
            guard data.count <= 31 else { return }
            residents[index].isAdvertising = isConnectable
            let advertisement = StationAdvertisement(
                data: data, isConnectable: isConnectable,
                intervalMilliseconds: Double(min(max(interval, 20_000), 10_240_000)) / 1000,
                isInBackground: data == HeraldHost.backgroundAdvertisement)
            outcome.updates.append(.advertisement(me, advertisement))
        case .stopAdvertising:
            residents[index].isAdvertising = false
            outcome.updates.append(.advertisement(me, nil))
        case .startScanning:
            residents[index].isScanning = true
            residents[index].updateListening(at: now)
        case .stopScanning:
            residents[index].isScanning = false
            residents[index].updateListening(at: now)
        case .connect(let address): connect(index, to: address)
        case .cancelConnect:
            guard residents[index].attempt.ticket != 0 else { return }
            endAttempt(index)
            put(.cancelled, at: now, index)
        case .send(let link, let frame): send(frame, link, index, sky)
        case .disconnect(let link): close(UInt32(truncatingIfNeeded: link.number), index)
        case .readStatistics(let link): tellStatistics(UInt32(truncatingIfNeeded: link.number), index, sky)
        }
    }

    // MARK: - Connecting

    private mutating func connect(_ index: Int, to address: DeviceAddress) {
        residents[index].lastTicket &+= 1
        residents[index].attempt = CrowdResident.Attempt(ticket: residents[index].lastTicket, address: address)
        residents[index].updateListening(at: now)
        let share = residents[index].phone.silentConnectShare
        guard share == 0 || !residents[index].random.chance(share) else { return }
        let wait = RadioModel.connectMilliseconds(&residents[index].random)
        put(.initiate(ticket: residents[index].lastTicket), at: now + UInt64(wait) * 1_000_000, index)
    }

    private mutating func endAttempt(_ index: Int) {
        residents[index].attempt = CrowdResident.Attempt()
        residents[index].updateListening(at: now)
    }

    private mutating func initiate(_ ticket: UInt32, _ index: Int, _ sky: Sky) {
        let attempt = residents[index].attempt
        guard attempt.ticket == ticket else { return }
        let me = residents[index].index
        guard residents[index].links.count < residents[index].phone.linkLimit,
            let peer = stations.owner(of: attempt.address), peer != me, stations[peer].isConnectable,
            sky.mean(at: me, of: peer) >= RadioModel.sensitivity
        else { return tryAgain(ticket, index) }
        residents[index].lastLink += 1
        send(.request(link: residents[index].lastLink, ticket: ticket), to: peer, at: now, from: index)
    }

    private mutating func tryAgain(_ ticket: UInt32, _ index: Int) {
        let wait = UInt64(residents[index].random.within(300...1500))
        put(.initiate(ticket: ticket), at: now + wait * 1_000_000, index)
    }

    mutating func handleLink(_ event: CrowdEvent, _ index: Int, _ sky: Sky) {
        let source = Int(event.source)
        switch event.kind {
        case .initiate(let ticket): initiate(ticket, index, sky)
        case .request(let link, let ticket): answer(link, ticket, of: source, index, sky)
        case .accept(let yours, let mine, let ticket):
            guard residents[index].attempt.ticket == ticket else {
                return send(.down(link: mine, reason: 0x13), to: source, at: now, from: index)
            }
            endAttempt(index)
            open(yours, mine, with: source, isCentral: true, index, sky)
        case .refuse(let ticket):
            if residents[index].attempt.ticket == ticket { tryAgain(ticket, index) }
        case .frame(let link, let frame):
            guard place(of: link, index) != nil else { return }
            let arrived = AirEvent.received(LinkID(UInt64(link)), frame: frame)
            act(index, from: source, sky) { $0.handle(arrived, at: $1, into: &$2) }
        case .down(let link, let reason): drop(index, link, reason: reason, sky)
        case .cancelled: act(index, from: nil, sky) { $0.handle(.connectCancelled, at: $1, into: &$2) }
        case .strength(let link, let peer, let rssi):
            var statistics = AirLinkStatistics()
            statistics.rssi = rssi.map(Int.init)
            let told = AirEvent.statistics(LinkID(UInt64(link)), statistics)
            act(index, from: Int(peer), sky) { $0.handle(told, at: $1, into: &$2) }
        case .look, .deadline, .rotate: break
        }
    }

    /// A central asks for a connection, which ends advertising as in a controller.
    private mutating func answer(_ link: UInt32, _ ticket: UInt32, of central: Int, _ index: Int, _ sky: Sky) {
        guard residents[index].isAdvertising, residents[index].links.count < residents[index].phone.linkLimit else {
            return send(.refuse(ticket: ticket), to: central, at: now, from: index)
        }
        residents[index].isAdvertising = false
        outcome.updates.append(.advertisement(residents[index].index, nil))
        residents[index].lastLink += 1
        let mine = residents[index].lastLink
        send(.accept(yours: link, mine: mine, ticket: ticket), to: central, at: now, from: index)
        open(mine, link, with: central, isCentral: false, index, sky)
    }

    /// Where a connection is in the list of a device.
    private func place(of number: UInt32, _ index: Int) -> Int? {
        for place in residents[index].links.indices where residents[index].links[place].number == number {
            return place
        }
        return nil
    }

    private mutating func open(
        _ number: UInt32, _ other: UInt32, with peer: Int, isCentral: Bool, _ index: Int, _ sky: Sky
    ) {
        residents[index].links.append(
            CrowdLink(
                number: number, peer: peer, peerNumber: other, isCentral: isCentral, openedAt: now, lastArrival: now))
        residents[index].figures.linksOpened += isCentral ? 1 : 0
        residents[index].mix(UInt64(peer) ^ now << 1)
        let event = AirEvent.connected(
            LinkID(UInt64(number)), peer: stations[peer].address, isCentral: isCentral, Self.parameters,
            queueCapacity: 8)
        act(index, from: peer, sky) { $0.handle(event, at: $1, into: &$2) }
    }

    private static let parameters =
        LinkParameters.named.first { $0.name == "phone-5" }?.parameters ?? LinkParameters.named[0].parameters

    // MARK: - Frames

    private mutating func send(_ frame: [UInt8], _ id: LinkID, _ index: Int, _ sky: Sky) {
        guard let place = place(of: UInt32(truncatingIfNeeded: id.number), index),
            !residents[index].links[place].isClosing
        else { return }
        let link = residents[index].links[place]
        let mean = sky.mean(at: link.peer, of: residents[index].index)
        let tries = UInt64(RadioModel.tries(mean, &residents[index].random))
        let interval = UInt64(residents[index].phone.linkInterval) * 1_000_000
        let arrival = max(link.lastArrival, now + interval / 2) + interval / 2 * tries
        residents[index].links[place].lastArrival = arrival
        residents[index].figures.linkBytes += frame.count
        send(.frame(link: link.peerNumber, frame), to: link.peer, at: arrival, from: index)
        sent.append(id)
    }

    /// Tells a host that its controller has taken its frames: it has room for all, and what waits there waits in order.
    mutating func tellSent(_ index: Int) {
        for link in sent {
            residents[index].host.handle(.sent(link), at: MonotonicInstant(nanoseconds: now), into: &commands)
        }
        sent.removeAll(keepingCapacity: true)
    }

    private mutating func close(_ number: UInt32, _ index: Int) {
        guard let place = place(of: number, index),
            !residents[index].links[place].isClosing
        else { return }
        residents[index].links[place].isClosing = true
        let link = residents[index].links[place]
        let end = max(link.lastArrival, now) + UInt64(residents[index].phone.linkInterval) * 1_000_000
        send(.down(link: link.peerNumber, reason: 0x13), to: link.peer, at: end, from: index)
        put(.down(link: number, reason: 0x16), at: end, index)
    }

    /// A connection is no more.
    mutating func drop(_ index: Int, _ number: UInt32, reason: UInt8, _ sky: Sky) {
        guard let place = place(of: number, index) else { return }
        let link = residents[index].links.remove(at: place)
        if link.isCentral { residents[index].figures.linkNanoseconds += now - min(link.openedAt, now) }
        residents[index].mix(UInt64(link.peer) ^ now << 2)
        let event = AirEvent.disconnected(LinkID(UInt64(number)), reason: reason, AirLinkStatistics())
        act(index, from: link.peer, sky) { $0.handle(event, at: $1, into: &$2) }
    }

    private mutating func tellStatistics(_ number: UInt32, _ index: Int, _ sky: Sky) {
        guard let place = place(of: number, index) else { return }
        let link = residents[index].links[place]
        let mean = sky.mean(at: residents[index].index, of: link.peer)
        let rssi = RadioModel.packet(mean, clear: 256, &residents[index].random).map { Int8(clamping: $0) }
        put(.strength(link: number, peer: UInt32(link.peer), rssi: rssi), at: now, index)
    }
}
