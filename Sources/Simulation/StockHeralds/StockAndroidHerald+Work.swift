import Bluetooth
import Determinism
import Simulation

// What the Android library does on its links, and what others do to it.
extension StockAndroidHerald {
    enum Task: Hashable { case readPayload, send, writePayload, share, writeRSSI }

    /// What is to be done with a device next; nil when nothing is.
    func task(for record: StockHeraldRecord, at now: MonotonicInstant) -> Task? {
        if record.system == .ignored {
            guard let until = record.ignoredUntil, until <= now else { return nil }
            return .readPayload
        }
        if record.isReceiveOnly { return nil }
        if !record.isConfirmed { return .readPayload }
        if !record.messages.isEmpty { return .send }
        if record.payload == nil { return .readPayload }
        if !canAdvertise {
            if isDue(record.payloadWritten, .seconds(300), at: now) { return .writePayload }
            if record.system == .ios, isDue(record.shared, .seconds(15), at: now), !shareable(record, at: now).isEmpty {
                return .share
            }
            return isDue(record.rssiWritten, .seconds(15), at: now) && record.rssi != nil ? .writeRSSI : nil
        }
        guard record.system == .ios else { return nil }
        if library == .android22, record.payloadWritten == nil { return .writePayload }
        return isDue(record.shared, .seconds(15), at: now) && !shareable(record, at: now).isEmpty ? .share : nil
    }

    private func isDue(_ last: MonotonicInstant?, _ interval: Duration, at now: MonotonicInstant) -> Bool {
        last.map { $0 + interval <= now } ?? true
    }

    /// The payloads of iPhones that were heard in the last five minutes, but for the recipient's.
    private func shareable(_ recipient: StockHeraldRecord, at now: MonotonicInstant) -> [UInt8] {
        var joined: [UInt8] = []
        for record in records.all.sorted(by: { $0.updated > $1.updated }) {
            guard let payload = record.payload, record.target != recipient.target, record.system == .ios,
                record.updated + .seconds(300) > now, joined.count + payload.count <= 510
            else { continue }
            joined += payload
        }
        return joined
    }

    mutating func take(_ event: StackEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        switch event {
        case .connectCancelled: if work?.link == nil { processNext(at: now, into: &commands) }
        case .connected(let link, let peer, let isCentral):
            guard isCentral else {
                centrals.append((link, peer))
                return advertise(into: &commands)
            }
            guard work?.stage == .connecting else { return commands.append(.disconnect(link)) }
            work?.link = link
            work?.stage = .discovering
            extendWork(at: now)
            stack.discover(
                [StockHeraldWire.assignedService, StockHeraldWire.documentedService], on: link, at: now,
                into: &commands, &events)
        case .discovered(let link, let found): discovered(link, found, at: now, into: &commands)
        case .read(let link, StockHeraldWire.payload, let value): hasRead(link, value, at: now, into: &commands)
        case .wrote(let link, let isDone): wrote(link, isDone, at: now, into: &commands)
        case .disconnected(let link):
            buffers[centrals.first { $0.link == link }?.address ?? DeviceAddress(value: 0, kind: .public)] = nil
            centrals.removeAll { $0.link == link }
            if work?.link == link { processNext(at: now, into: &commands) }
        case .centralWrote(let link, StockHeraldWire.androidSignal, let value, _): received(value, on: link, at: now)
        default: break
        }
    }

    private mutating func discovered(
        _ link: LinkID, _ found: [RemoteCharacteristic]?, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        guard let work, work.link == link, let place = records.place(ofTarget: work.target) else { return }
        let uuids = found?.map(\.uuid) ?? []
        if uuids.contains(StockHeraldWire.androidSignal) {
            records[place].system = .android
        } else if uuids.contains(StockHeraldWire.iosSignal) {
            records[place].system = .ios
        } else {
            let last = records[place].ignoreSeconds
            records[place].ignoreSeconds = last == 0 ? 60 : last < 180 ? (last * 12 + 5) / 10 : last
            records[place].ignoredUntil = now + .seconds(records[place].ignoreSeconds)
            records[place].system = .ignored
            return close(into: &commands)
        }
        if records[place].payload == nil {
            self.work?.stage = .working
            stack.read(StockHeraldWire.payload, on: link, at: now, into: &commands, &events)
        } else {
            advance(at: now, into: &commands)
        }
    }

    private mutating func hasRead(
        _ link: LinkID, _ value: [UInt8]?, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        guard let work, work.link == link, let place = records.place(ofTarget: work.target) else { return }
        guard let value, !value.isEmpty else { return close(into: &commands) }
        records[place].payload = value
        notes.append(.payloadRead(value))
        notes.append(.identified(target: work.target, payload: value))
        advance(at: now, into: &commands)
    }

    private mutating func wrote(
        _ link: LinkID, _ isDone: Bool, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        guard let work, work.link == link, let place = records.place(ofTarget: work.target) else { return }
        guard isDone else { return close(into: &commands) }
        guard work.pieces.isEmpty else { return writeNext(at: now, into: &commands) }
        if work.isMessage, !records[place].messages.isEmpty { records[place].messages.removeFirst() }
        self.work?.isMessage = false
        advance(at: now, into: &commands)
    }

    private mutating func close(into commands: inout [AirCommand]) {
        guard let link = work?.link else { return }
        work?.stage = .closing
        commands.append(.disconnect(link))
    }

    /// Does the next thing on the link, or ends it.
    private mutating func advance(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard let work, let link = work.link, let place = records.place(ofTarget: work.target) else { return }
        self.work?.stage = .working
        switch task(for: records[place], at: now) {
        case nil: close(into: &commands)
        case .readPayload?: stack.read(StockHeraldWire.payload, on: link, at: now, into: &commands, &events)
        case .send?:
            self.work?.isMessage = true
            write(.immediate(records[place].messages[0]), place, at: now, into: &commands)
        case .writePayload?:
            records[place].payloadWritten = now
            write(.payload(payload), place, at: now, into: &commands)
        case .share?:
            records[place].shared = now
            let joined = shareable(records[place], at: now)
            write(.sharing(rssi: records[place].rssi ?? 0, joined), place, at: now, into: &commands)
        case .writeRSSI?:
            records[place].rssiWritten = now
            write(.rssi(records[place].rssi ?? 0), place, at: now, into: &commands)
        }
    }

    private mutating func write(
        _ frame: StockHeraldWire.Frame, _ place: Int, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        let bytes = StockHeraldWire.bytes(frame)
        // To an iPhone a frame goes in one write, which the stack cuts as it must.
        work?.pieces = records[place].system == .ios ? [bytes] : StockHeraldWire.pieces(bytes)
        writeNext(at: now, into: &commands)
    }

    private mutating func writeNext(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard let work, let link = work.link, let place = records.place(ofTarget: work.target), !work.pieces.isEmpty
        else { return }
        let piece = work.pieces[0]
        self.work?.pieces.removeFirst()
        let signal = records[place].system == .ios ? StockHeraldWire.iosSignal : StockHeraldWire.androidSignal
        stack.write(piece, to: signal, on: link, at: now, into: &commands, &events)
    }

    // MARK: - What others write

    /// Pieces are joined by address; only a payload empties the buffer, so that a second frame on one link is lost.
    private mutating func received(_ value: [UInt8], on link: LinkID, at now: MonotonicInstant) {
        guard let address = centrals.first(where: { $0.link == link })?.address else { return }
        let bytes = buffers[address, default: []] + value
        buffers[address] = bytes
        guard let frame = StockHeraldWire.frame(bytes) else { return }
        let place = records.place(of: address, at: now)
        records[place].updated = now
        let target = records[place].target
        switch frame {
        case .payload(let payload):
            buffers[address] = nil
            records[place].isReceiveOnly = true
            records[place].system = .android
            records[place].payload = payload
            notes.append(.identified(target: target, payload: payload))
        case .rssi(let rssi): notes.append(.measured(target: target, rssi: rssi))
        // A message is taken apart and thrown away; what is shared is told under the payload's own name.
        case .immediate, .sharing: break
        }
    }
}
