import ByteCoding
import Determinism
import Herald
import Terminal

/// One event of a device: one line of `events.jsonl`.
///
/// Every line has `at` (milliseconds), `device` (the one that noticed it) and `kind`; nearly all have `peer` (the
/// device that it is about). The other members depend on the kind; members without a value are left out.
struct ProximityRecord: Hashable, Sendable {
    /// The kinds of events, with their members.
    enum Kind: String, CaseIterable, Sendable {
        /// A device that speaks Herald, or may: `peer`.
        case detect
        /// The device speaks Herald: `peer`.
        case recognise
        /// The device's payload is known or has changed: `peer`, `payload`, `via`.
        case read
        /// The device shared the payload of another device: `peer`, `payload`, `rssi`.
        case share
        /// A reading: `peer`, `rssi`, `via`, and `power` where it is known.
        case measure
        /// A distance: `peer`, `centimetres`, the 80 % interval `low` and `high`, and `readings` of its window.
        case distance
        /// The device stated a transmit power: `peer`, `power`.
        case power
        /// The device's model was read: `peer`, `text`.
        case model
        /// A message of the application was received: `peer`, `payload`.
        case receive
        /// A message was delivered: `peer`.
        case sent
        /// A message was not delivered: `peer`, `text` (the code).
        case unsent
        /// A contact began: `peer`, `since`, `payload`.
        case begin
        /// A contact ended: `peer`, `since`, `until` (the last reading), `readings`, `rssi` (the strongest), `payload`.
        case end
        /// A visit to a beacon's venue: `peer`, `since`, `payload`, and `until` when it ended.
        case visit
        /// Two names are one device, and the second is used from then on: `peer`, `text` (the second).
        case merge
        /// The device's record was removed: `peer`.
        case forget
        /// The radio: `text` is `on`, `off` or `unavailable`.
        case state
        /// An operation was refused or went wrong: `text` (the code), and `peer` where it is known.
        case trouble
        /// The payload that this device serves: `payload`.
        case own
    }

    /// The time of the event in milliseconds since the start of the run.
    var at: Int
    var device: String
    var kind: Kind
    var peer: String?
    /// The signal strength in dBm.
    var rssi: Int?
    /// The transmit power in dBm.
    var power: Int?
    /// The source of a reading or a payload.
    var via: ObservationSource?
    /// The payload: at most 512 bytes; hexadecimal digits in the file.
    var payload: [UInt8]?
    var centimetres: Int?
    var low: Int?
    var high: Int?
    var readings: Int?
    /// The start of a contact or visit in milliseconds since the start of the run; negative when it began before that.
    var since: Int?
    var until: Int?
    /// The text of the record, at most 100 characters.
    var text: String?

    init(at: Int, device: String, kind: Kind, peer: String? = nil) {
        self.at = at
        self.device = device
        self.kind = kind
        self.peer = peer
    }

    /// The line as it is written, with its end; by hand, because with `JSONText` writing the log of a crowd takes 1.7
    /// times as long.
    func append(to bytes: inout [UInt8]) {
        bytes += "{\"at\":".utf8
        bytes += String(at).utf8
        Self.append("device", device, to: &bytes)
        Self.append("kind", kind.rawValue, to: &bytes)
        if let peer { Self.append("peer", peer, to: &bytes) }
        for (name, value) in numbers where value != nil { Self.append(name, value ?? 0, to: &bytes) }
        if let via { Self.append("via", via.word, to: &bytes) }
        if let payload { Self.append("payload", Hex.encode(payload), to: &bytes) }
        if let text { bytes += ",\"text\":\(JSONText.string(text).line)".utf8 }
        bytes += "}\n".utf8
    }

    private var numbers: [(name: StaticString, value: Int?)] {
        switch kind {
        case .measure: [("rssi", rssi), ("power", power)]
        default:
            [
                ("rssi", rssi), ("power", power), ("centimetres", centimetres), ("low", low), ("high", high),
                ("readings", readings), ("since", since), ("until", until),
            ]
        }
    }

    private static func append(_ name: StaticString, _ value: Int, to bytes: inout [UInt8]) {
        bytes += ",\"\(name)\":\(value)".utf8
    }

    /// Appends a member whose text needs no escapes.
    private static func append(_ name: StaticString, _ value: String, to bytes: inout [UInt8]) {
        bytes += ",\"\(name)\":\"".utf8
        bytes += value.utf8
        bytes.append(UInt8(ascii: "\""))
    }
}

extension ObservationSource {
    /// The spelling of an observation's source in the log.
    var word: String {
        switch self {
        case .advertisement: "advertisement"
        case .link: "link"
        case .writtenByPeer: "written"
        case .relayed: "relayed"
        }
    }

    /// Reads the source of an observation from its spelling in the log.
    init?(word: String) {
        guard let found = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = found
    }
}

extension ProximityRecord {
    /// Parses one line of `events.jsonl`, given without its line end.
    ///
    /// - Returns: nil when the line is none.
    init?(parsing line: [UInt8]) {
        guard let fields = ProximityLogFields(line), let at = fields.milliseconds(fields.at),
            let device = fields.device,
            let kind = fields.kind, !fields.hasWrongPeer
        else { return nil }
        self.init(at: at, device: device, kind: kind, peer: fields.peer)
        rssi = fields.rssi.flatMap { (-128...127).contains($0) ? $0 : nil }
        power = fields.power.flatMap { (-128...127).contains($0) ? $0 : nil }
        via = fields.via
        payload = fields.payload.flatMap { $0.utf8.count <= 1024 ? Hex.decode($0) : nil }
        centimetres = Self.distance(fields.centimetres)
        low = Self.distance(fields.low)
        high = Self.distance(fields.high)
        readings = fields.readings.flatMap { $0 >= 0 ? $0 : nil }
        since = Self.moment(fields.since)
        until = Self.moment(fields.until)
        text = fields.text.map { String($0.prefix(ProximityLog.maximumLabel)) }
        guard hasWhatItNeeds else { return nil }
    }

    private static func distance(_ centimetres: Int?) -> Int? {
        centimetres.flatMap { (0...10_000_000).contains($0) ? $0 : nil }
    }

    private static func moment(_ milliseconds: Int?) -> Int? {
        milliseconds.flatMap { $0.magnitude <= ProximityLog.maximumMilliseconds ? $0 : nil }
    }

    /// True when the record has the members that its kind requires.
    private var hasWhatItNeeds: Bool {
        switch kind {
        case .measure: peer != nil && rssi != nil
        case .distance: peer != nil && centimetres != nil
        case .begin: peer != nil && since != nil
        case .end: peer != nil && since != nil && until != nil
        case .read, .share, .receive: peer != nil && payload != nil
        case .merge, .model: peer != nil && text != nil
        case .state, .trouble: text != nil
        case .own: payload != nil
        default: peer != nil
        }
    }
}

extension ProximityRecord {
    /// Makes the log records of one event of a node: mostly one, one for each shared payload, none if it is not logged.
    ///
    /// - Parameters:
    ///   - at: milliseconds since the start of the run.
    ///   - device: the device of the node.
    ///   - milliseconds: turns an instant of the node's clock into milliseconds since the start of the run.
    ///   - name: the name in the log of a device that the node noticed.
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
        case .distance(let target, let estimate):
            return [ProximityRecord(estimate, of: name(target), at: at, device: device)]
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

    /// Makes the record of a contact that began or ended, or of a visit.
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

    /// Makes the record of an estimated distance.
    init(_ estimate: DistanceEstimate, of peer: String, at: Int, device: String) {
        self.init(at: at, device: device, kind: .distance, peer: peer)
        centimetres = Self.centimetres(estimate.metres)
        low = Self.centimetres(estimate.interval.lowerBound)
        high = Self.centimetres(estimate.interval.upperBound)
        readings = estimate.readings
    }

    private static func centimetres(_ metres: Double) -> Int { Int((min(max(0, metres), 1e5) * 100).rounded()) }
}
