import Determinism
import Herald

extension ProximityRecord {
    /// The records that an event of a node makes; most make one, shared payloads one each, and what the log does not know
    /// none.
    ///
    /// - Parameters:
    ///   - at: milliseconds since the start of the run.
    ///   - device: whose node it is.
    ///   - milliseconds: turns an instant of the node's clock into milliseconds since the start of the run.
    ///   - name: what the log calls a device that the node noticed.
    static func records(
        of event: HeraldEvent, at: Int, device: String, milliseconds: (MonotonicInstant) -> Int,
        name: (TargetID) -> String
    ) -> [ProximityRecord] {
        let head = ProximityRecord(at: at, device: device, kind: .detect)
        func record(_ kind: Kind, _ target: TargetID?, _ fill: (inout ProximityRecord) -> Void = { _ in })
            -> [ProximityRecord]
        {
            head.filled(kind, target.map(name), fill)
        }
        switch event {
        case .detected(let target): return record(.detect, target)
        case .recognised(let target): return record(.recognise, target)
        case .forgotten(let target): return record(.forget, target)
        case .merged(let target, let other): return record(.merge, target) { $0.text = name(other) }
        case .state(let state): return record(.state, nil) { $0.text = state.rawValue }
        case .trouble(let error, let target): return record(.trouble, target) { $0.text = error.code.rawValue }
        case .noPayload(let error): return record(.trouble, nil) { $0.text = error.code.rawValue }
        case .ownPayload(let payload): return record(.own, nil) { $0.payload = payload }
        case .transmitPower(let target, let power): return record(.power, target) { $0.power = Int(power) }
        case .model(let target, let model): return record(.model, target) { $0.text = String(model.prefix(100)) }
        case .received(let message, let target): return record(.receive, target) { $0.payload = message }
        case .sent(_, let target): return record(.sent, target)
        case .notSent(_, let target, let error): return record(.unsent, target) { $0.text = error.code.rawValue }
        case .measured(let reading):
            return record(.measure, reading.target) {
                $0.rssi = Int(reading.rssi)
                $0.power = reading.transmitPower.map(Int.init)
                $0.via = reading.provenance
            }
        case .read(let target, let payload, let provenance), .legacy(let target, let payload, let provenance):
            return record(.read, target) {
                $0.payload = payload
                $0.via = provenance
            }
        case .shared(let payloads, let target, let rssi):
            return payloads.flatMap { payload in
                record(.share, target) {
                    $0.payload = payload
                    $0.rssi = rssi
                }
            }
        case .contactBegan, .contactEnded, .visit:
            return head.contact(event, milliseconds: milliseconds, name: name)
        }
    }

    private func filled(_ kind: Kind, _ peer: String?, _ fill: (inout ProximityRecord) -> Void) -> [ProximityRecord] {
        var record = self
        record.kind = kind
        record.peer = peer
        fill(&record)
        return [record]
    }

    /// What is told of times in which a device was near.
    private func contact(
        _ event: HeraldEvent, milliseconds: (MonotonicInstant) -> Int, name: (TargetID) -> String
    ) -> [ProximityRecord] {
        switch event {
        case .contactBegan(let target, let payload, let since):
            return filled(.begin, name(target)) {
                $0.payload = payload
                $0.since = milliseconds(since)
            }
        case .contactEnded(let contact):
            return filled(.end, name(contact.target)) {
                $0.payload = contact.payload
                $0.since = milliseconds(contact.start)
                $0.until = milliseconds(contact.lastReading)
                $0.readings = contact.readings
                $0.rssi = Int(contact.strongest)
            }
        case .visit(let visit):
            return filled(.visit, name(visit.target)) {
                $0.payload = visit.payload
                $0.since = milliseconds(visit.since)
                $0.until = visit.until.map(milliseconds)
            }
        default: return []
        }
    }

    /// The record of an estimated distance.
    init(_ estimate: DistanceEstimate, of peer: String, at: Int, device: String) {
        self.init(at: at, device: device, kind: .distance, peer: peer)
        centimetres = Self.centimetres(estimate.metres)
        low = Self.centimetres(estimate.interval.lowerBound)
        high = Self.centimetres(estimate.interval.upperBound)
        readings = estimate.readings
    }

    private static func centimetres(_ metres: Double) -> Int { Int((min(max(0, metres), 1e5) * 100).rounded()) }
}
