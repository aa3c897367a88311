import ByteCoding
import CodedErrors
import CommandProgram
import Herald
import Terminal

/// Reports the events of a sensor, as JSON Lines and as text.
struct ProximityReporter: Sendable {
    let reporter: EventReporter
    /// True when readings and distances are reported too.
    var reportsReadings = true

    /// Reports one event of a sensor.
    ///
    /// - Parameter identity: the short name of the device's payload.
    func report(_ record: ProximityRecord, identity: String?) {
        let device: [JSONText.Member] = [.init("peer", .string(record.peer)), .init("identity", .string(identity))]
        switch record.kind {
        case .measure: if reportsReadings { reporter.event(.reading, device + reading(record)) }
        case .distance: if reportsReadings { reporter.event(.distance, device + distance(record)) }
        case .begin, .end: reportContact(record, device, identity)
        case .receive, .sent, .unsent: reportMessage(record, device, identity)
        default:
            if record.kind == .trouble, record.peer == nil { reportTrouble(record) }
            reporter.event(
                .proximity,
                [.init("kind", .string(record.kind.rawValue))] + device + [
                    .init("payload", .string(record.payload.map { Hex.encode($0) })),
                    .init("via", .string(record.via?.word)), .init("rssi", .integer(record.rssi)),
                    .init("power", .integer(record.power)), .init("text", .string(record.text)),
                ])
        }
    }

    /// Reports a failure; one without a peer concerns this machine, so the next step is shown.
    private func reportTrouble(_ record: ProximityRecord) {
        let code = record.text ?? ""
        let explanation = (HeraldError.Code(rawValue: code) ?? .radioUnavailable).explanation
        reporter.console.say("\(explanation.meaning) \(explanation.nextStep) (\(code))")
    }

    private func reading(_ record: ProximityRecord) -> [JSONText.Member] {
        [
            .init("rssi", .integer(record.rssi ?? 0)), .init("power", .integer(record.power)),
            .init("via", .string(record.via?.word ?? "")),
        ]
    }

    private func distance(_ record: ProximityRecord) -> [JSONText.Member] {
        [
            .init("metres", .number(metres(record.centimetres), places: 2)),
            .init("low", .number(metres(record.low), places: 2)),
            .init("high", .number(metres(record.high), places: 2)), .init("readings", .integer(record.readings ?? 0)),
        ]
    }

    private func metres(_ centimetres: Int?) -> Double { Double(centimetres ?? 0) / 100 }

    private func reportContact(_ record: ProximityRecord, _ device: [JSONText.Member], _ identity: String?) {
        let stage = record.kind == .begin ? "began" : "ended"
        let since = Double(record.since ?? 0) / 1000
        let until = record.until.map { Double($0) / 1000 }
        reporter.event(
            .contact,
            device + [
                .init("stage", .string(stage)), .init("payload", .string(Hex.encode(record.payload ?? []))),
                .init("since", .number(since, places: 3)), .init("until", .number(until, places: 3)),
                .init("readings", .integer(record.readings)), .init("strongest", .integer(record.rssi)),
            ])
        guard !reporter.console.showsMovingLines else { return }
        let name = "\(identity ?? "unknown") (\(record.peer ?? ""))"
        guard let until else { return reporter.console.say("\(name) is near.") }
        let span = NumberText.seconds(max(0, until - since))
        reporter.console.say("\(name) is gone; near for \(span), \(record.readings ?? 0) readings.")
    }

    private func reportMessage(_ record: ProximityRecord, _ device: [JSONText.Member], _ identity: String?) {
        reporter.event(
            .proximityMessage,
            [.init("kind", .string(record.kind.rawValue))] + device + [
                .init("payload", .string(record.payload.map { Hex.encode($0) })), .init("code", .string(record.text)),
            ])
        let name = "\(identity ?? "unknown") (\(record.peer ?? ""))"
        switch record.kind {
        case .receive:
            let bytes = record.payload ?? []
            let text = String(validating: bytes, as: UTF8.self) ?? Hex.encode(bytes)
            reporter.console.say("Message from \(name): \(TerminalText.sanitised(text, limit: 600))")
        case .sent: reporter.console.say("Delivered to \(name).")
        default: reporter.console.say("Not delivered to \(name): \(record.text ?? "").")
        }
    }
}
