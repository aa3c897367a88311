import Bluetooth
import DataStructures
import Determinism

/// Applies other devices' writes to their records.
///
/// All of it is unauthenticated: no more than a claim.
struct PeerWriteHandler: Sendable {
    /// The rate limit of records for devices that write and were never received.
    private static let unheardLimit = TokenBucket.Limit(
        burst: HeraldParameters.unheardWritersPerMinute,
        perSecond: Double(HeraldParameters.unheardWritersPerMinute) / 60)

    private var unheardBudget = TokenBucket(Self.unheardLimit, at: .zero)

    /// Handles a write of the device with an address.
    mutating func take(
        _ write: IncomingLinks.IncomingWriteContent, from address: UInt64, own: NodeIdentity,
        _ records: inout DeviceRecords,
        _ links: inout OutgoingLinks, at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) {
        let target = records.find(address).map { records[$0].id }
        switch write {
        case .ignored: break
        case .limited: records.report(.signalRateLimited, "A device writes too much.", target, at: now, into: &outputs)
        case .legacy(let value): takeLegacy(value, from: address, &records, at: now, into: &outputs)
        case .frames(let frames, let error):
            for frame in frames { take(frame, from: address, own: own, &records, &links, at: now, into: &outputs) }
            if let error { records.report(error.code, error.reason, target, at: now, into: &outputs) }
        }
    }

    private mutating func take(
        _ frame: SignalFrame, from address: UInt64, own: NodeIdentity, _ records: inout DeviceRecords,
        _ links: inout OutgoingLinks, at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) {
        // A wake has no contents; the connection itself is its effect.
        guard frame != .wake, let slot = writer(address, &records, at: now, into: &outputs) else { return }
        records[slot].lastNoticed = now
        records.confirm(slot, into: &outputs)
        switch frame {
        case .wake: break
        case .payload(let payload):
            let wall = own.wall(at: now)
            let identified = records.identify(
                slot, payload, .writtenByPeer, wall: wall, at: now, into: &outputs)
            if let ended = identified.ended { links.replace(ended, by: identified.slot, &records) }
        case .rssi(let rssi): Self.takeReading(rssi, slot, &records, at: now, into: &outputs)
        case .sharing(let rssi, let joined):
            // It has the writer's reading of this device as well as what the writer shares.
            Self.takeReading(rssi, slot, &records, at: now, into: &outputs)
            Self.takeShared(joined, rssi, slot, own: own, records, at: now, into: &outputs)
        case .immediate(let message): outputs.append(.event(.received(message, from: records[slot].id)))
        }
    }

    /// Returns the record of a writing device; opens one, within limits, for a device that was never received.
    private mutating func writer(
        _ address: UInt64, _ records: inout DeviceRecords, at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) -> Int? {
        if let known = records.find(address) { return known }
        guard records.settings.parameters.acceptsUnheardWriters else {
            records.report(.signalUnheard, "A device writes that was never heard.", nil, at: now, into: &outputs)
            return nil
        }
        guard unheardBudget.take(Self.unheardLimit, at: MonotonicInstant(nanoseconds: now)) else {
            records.report(
                .signalRateLimited, "Too many devices write that were never heard.", nil, at: now, into: &outputs)
            return nil
        }
        guard let slot = records.open(at: now, into: &outputs) else { return nil }
        records.bind(address, to: slot)
        records[slot].rssi = -127
        outputs.append(.event(.detected(records[slot].id)))
        return slot
    }

    /// Stores another device's reading unless this device's own reading contradicts it.
    private static func takeReading(
        _ rssi: Int, _ slot: Int, _ records: inout DeviceRecords, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) {
        let device = records[slot]
        let settings = records.settings
        let isHeard = device.level != nil && now &- min(device.lastHeard, now) <= settings.parameters.$contactGap
        if isHeard, abs(Int(device.rssi) - rssi) > HeraldParameters.writtenRSSITolerance {
            return records.report(
                .frameImplausibleRSSI, "A device writes a signal strength that does not fit what is heard of it.",
                device.id, at: now, into: &outputs)
        }
        records.measure(slot, rssi, .writtenByPeer, at: now, into: &outputs)
    }

    private static func takeShared(
        _ joined: [UInt8], _ rssi: Int, _ slot: Int, own: NodeIdentity, _ records: DeviceRecords, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) {
        var seen: Set<[UInt8]> = []
        let wall = own.wall(at: now)
        let freshness = records.settings.configuration.freshness
        let payloads = own.split(joined).filter { payload in
            !payload.isEmpty && payload != records.ownPayload && freshness?.admits(payload, at: wall) ?? true
                && seen.insert(payload).inserted
        }.prefix(SignalFrame.maximumContentBytes)
        guard !payloads.isEmpty else { return }
        outputs.append(.event(.shared(Array(payloads), by: records[slot].id, rssi: rssi)))
    }

    private mutating func takeLegacy(
        _ value: [UInt8], from address: UInt64, _ records: inout DeviceRecords, at now: UInt64,
        into outputs: inout [HeraldNode.Output]
    ) {
        guard !value.isEmpty, value.count <= SignalFrame.maximumWriteBytes,
            let slot = writer(address, &records, at: now, into: &outputs)
        else { return }
        records[slot].lastNoticed = now
        outputs.append(.event(.legacy(records[slot].id, payload: value, .writtenByPeer)))
    }
}
