public import Determinism
public import Herald

/// An event that a sensor reports, with the time on both clocks and the payload of the device that it is about.
public struct SensorEvent: Hashable, Sendable {
    /// The time of the event on the sensor's monotonic clock.
    public var at: MonotonicInstant
    /// The time of the event on the calendar.
    public var time: WallTime
    /// The event of the node.
    public var event: HeraldEvent
    /// The payload of the device that a reading or a distance is of; nil while it is not known, and with other events.
    public var payload: [UInt8]?

    /// Makes a sensor event from its parts.
    public init(at: MonotonicInstant, time: WallTime, event: HeraldEvent, payload: [UInt8]? = nil) {
        self.at = at
        self.time = time
        self.event = event
        self.payload = payload
    }

    /// The lines for the deployed libraries' contact log; empty for an event that the log does not know.
    public var contactLogLines: [String] {
        entries.map { ContactLog.line($0, at: time) }
    }

    private var entries: [ContactLog.ContactLogEntry] {
        switch event {
        case .detected(let target): [.detect(id: target.description)]
        case .recognised(let target): [.detectHerald(id: target.description)]
        case .read(let target, let payload, _): [.read(id: target.description, payload: payload)]
        case .shared(let payloads, let target, _): payloads.map { .share(id: target.description, payload: $0) }
        case .measured(let reading):
            [
                .measure(
                    id: reading.target.description, rssi: Int(reading.rssi),
                    transmitPower: reading.transmitPower.map(Int.init))
            ]
        case .visit(let visit) where visit.until == nil: [.visit(place: ContactLog.shortName(of: visit.payload))]
        case .forgotten(let target): [.delete(id: target.description)]
        case .state, .distance, .transmitPower, .model, .received, .sent, .notSent, .legacy, .contactBegan,
            .contactEnded, .visit,
            .merged, .ownPayload, .noPayload, .trouble:
            []
        }
    }
}
