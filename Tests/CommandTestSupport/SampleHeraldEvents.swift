import Determinism
package import Herald

/// One sample of each kind of event that a Herald node reports.
package enum SampleHeraldEvents {
    package static let events: [HeraldEvent] = {
        let target = TargetID(4)
        let start = MonotonicInstant(nanoseconds: 1_000_000_000)
        let contact = Contact(
            target: target, payload: [1], provenance: .link, start: start, lastReading: start + .seconds(2),
            tail: .seconds(1), readings: 3, strongest: -40)
        let error = HeraldError(.sendTimeout, "x")
        return [
            .detected(target), .recognised(target), .read(target, payload: [0xAB, 2], .link),
            .shared([[1], [2]], by: target, rssi: -60),
            .measured(SignalReading(target: target, at: start, rssi: -57, transmitPower: 12)),
            .transmitPower(target, -8), .model(target, "A \"model\"\n"), .received([104, 105], from: target),
            .sent(HeraldMessageID(1), to: target), .notSent(HeraldMessageID(2), to: target, error),
            .contactBegan(target, payload: [1], since: start), .contactEnded(contact),
            .visit(BeaconVisit(target: target, payload: [0x30], since: start, until: start + .seconds(9))),
            .merged(target, into: TargetID(5)), .forgotten(target), .state(.off), .trouble(error, nil),
            .ownPayload([7]), .noPayload(error), .legacy(target, payload: [3], .writtenByPeer),
        ]
    }()

    package static let estimate = DistanceEstimate(
        at: MonotonicInstant(nanoseconds: 1_000_000_000), metres: 1.234, interval: 0.5...2.345, readings: 30)
}
