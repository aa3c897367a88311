import Bluetooth
import Determinism
import Simulation

// What a controller hears between two looks.
extension CrowdShard {
    /// Hands a host what its radio has heard since the last look, and counts who is in range.
    mutating func lookAround(_ index: Int, _ sky: Sky) {
        let me = residents[index].index
        put(.look, at: now + look, index)
        if residents[index].listeningSince != .max {
            residents[index].listened += now - residents[index].listeningSince
            residents[index].listeningSince = now
        }
        let share = min(1, Double(residents[index].listened) / Double(look))
        residents[index].listened = 0
        let clear = Self.clearShare(residents[index].heardCount)
        let seconds = now / 1_000_000_000
        survey(me, sky)
        touchNeighbours(of: index)
        var heard = 0
        for place in neighbours.indices {
            let (other, mean) = (neighbours[place].other, neighbours[place].mean)
            if mean >= RadioModel.range {
                let place = residents[index].figures.pairs.place(of: other)
                residents[index].figures.noteInRange(place, at: seconds, canNotice: canNotice(me, other))
                if keepsLog { logNear(index, other, place, sky) }
            }
            guard stations[other].isAdvertising else { continue }
            if hear(index, other, mean, share, clear, sky) { heard += 1 }
        }
        residents[index].heardCount = heard
        let records = residents[index].host.countRecords()
        if records > residents[index].figures.mostRecords { residents[index].figures.mostRecords = records }
        checkLinks(index, sky)
    }

    /// Finds out who is near, and how strong.
    private mutating func survey(_ me: Int, _ sky: Sky) {
        neighbours.removeAll(keepingCapacity: true)
        neighbourAddresses.removeAll(keepingCapacity: true)
        let antenna = sky.antennas[me]
        sky.forEachNeighbour(of: me) { other, its in
            let mean = sky.model.mean(antenna, its, me, other)
            guard mean >= RadioModel.sensitivity - 12 else { return }
            neighbours.append(Neighbour(other: other, mean: mean))
        }
        for neighbour in neighbours { neighbourAddresses.append(stations[neighbour.other].address) }
    }

    /// Has memory bring what is known of all neighbours at once: one after the other, each would be waited for.
    private mutating func touchNeighbours(of index: Int) {
        var sum: UInt64 = 0
        for neighbour in neighbours { sum &+= residents[index].figures.pairs.touch(neighbour.other) }
        for neighbour in neighbours { sum &+= UInt64(stations.bytes[stations.range(of: neighbour.other).lowerBound]) }
        let addresses = neighbourAddresses
        touched &+= sum &+ residents[index].host.touch(addresses.span)
    }

    /// Keeps in the log how near two devices were, and every ten seconds how far apart.
    private mutating func logNear(_ index: Int, _ other: Int, _ place: Int, _ sky: Sky) {
        let state = residents[index].figures.pairs.details[place]
        if let since = state.nearSince, now - min(state.nearUntil, now) > look {
            log(.near(other, since: MonotonicInstant(nanoseconds: since)), index, at: state.nearUntil + look)
            residents[index].figures.pairs.details[place].nearSince = now
        }
        if state.nearSince == nil { residents[index].figures.pairs.details[place].nearSince = now }
        residents[index].figures.pairs.details[place].nearUntil = now
        guard now / look % max(1, 10_000_000_000 / look) == 0 else { return }
        let square = sky.antennas[other].place.squaredDistance(to: sky.antennas[residents[index].index].place)
        log(.distance(other, square.squareRoot()), index, at: now)
    }

    /// Keeps in the log what has not ended yet.
    mutating func logRest(_ index: Int, at end: UInt64) {
        for (place, state) in residents[index].figures.pairs.details.enumerated() {
            guard let since = state.nearSince else { continue }
            let other = Int(residents[index].figures.pairs.others[place])
            let until = min(state.nearUntil + look, end)
            log(.near(other, since: MonotonicInstant(nanoseconds: since)), index, at: until)
        }
    }

    /// Lets a host hear one advertisement of another device, if one of those in this time came through.
    private mutating func hear(
        _ index: Int, _ other: Int, _ mean: Double, _ share: Double, _ clear: UInt64, _ sky: Sky
    ) -> Bool {
        let sent = Double(look) / 1e6 / stations[other].intervalMilliseconds * share
        var tries = min(4, Int(sent))
        if tries < 4, residents[index].random.chance(sent - Double(tries)) { tries += 1 }
        while tries > 0 {
            tries -= 1
            guard let rssi = RadioModel.packet(mean, clear: clear, &residents[index].random) else { continue }
            deliver(stations[other].address, rssi, index, other, sky)
            for _ in 0..<stations[other].phantoms {
                let address = DeviceAddress(staticRandom: residents[index].random.nextWord())
                residents[index].figures.phantomsHeard += 1
                deliver(address, rssi, index, other, sky)
            }
            return true
        }
        return false
    }

    private mutating func deliver(_ address: DeviceAddress, _ rssi: Int, _ index: Int, _ other: Int, _ sky: Sky) {
        residents[index].figures.advertisementsHeard += 1
        residents[index].mix(UInt64(other) << 16 ^ now)
        let bytes = stations.bytes
        residents[index].host.hear(
            address, kind: stations[other].isConnectable ? .connectable : .broadcast, rssi: rssi,
            data: bytes.span.extracting(stations.range(of: other)), at: MonotonicInstant(nanoseconds: now),
            into: &commands)
        settle(index, from: other, sky)
    }

    /// The share of packets that meet no other when so many devices are heard, in 256ths.
    private static func clearShare(_ heard: Int) -> UInt64 {
        // A straight line is near enough to the exponential for what a hall holds.
        UInt64(max(32, 256 - Double(heard) * 2 * RadioModel.packetMilliseconds / 250 * 256))
    }

    /// Whether one of the two can come to know of the other, as their systems are at this time.
    private func canNotice(_ one: Int, _ other: Int) -> Bool {
        guard stations[other].isAdvertising else {
            return !stations[other].canAdvertise && stations[one].isAdvertising
        }
        return !stations[other].isInBackground || !stations[one].isInBackground
    }

    /// Ends links whose signal was too weak for two looks in a row; the central's side decides for both.
    private mutating func checkLinks(_ index: Int, _ sky: Sky) {
        var place = 0
        while place < residents[index].links.count {
            let link = residents[index].links[place]
            place += 1
            guard link.isCentral else { continue }
            guard sky.mean(at: residents[index].index, of: link.peer) < RadioModel.linkFloor else {
                residents[index].links[place - 1].weakLooks = 0
                continue
            }
            residents[index].links[place - 1].weakLooks += 1
            guard link.weakLooks >= 1 else { continue }
            send(.down(link: link.peerNumber, reason: 0x08), to: link.peer, at: now, from: index)
            drop(index, link.number, reason: 0x08, sky)
            place = 0
        }
    }
}
