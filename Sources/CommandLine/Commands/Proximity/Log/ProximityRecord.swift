import ByteCoding
import Herald
import Terminal

/// Something that a device noticed: one line of `events.jsonl`.
///
/// Every line has `at` (milliseconds), `device` (who noticed it) and `kind`; nearly all have `peer` (whom it is about). What
/// else a line has, its kind says; members that say nothing are left out.
struct ProximityRecord: Hashable, Sendable {
    /// What was noticed, with the members that come along.
    enum Kind: String, CaseIterable, Sendable {
        /// A device that speaks Herald, or may: `peer`.
        case detect
        /// It speaks Herald: `peer`.
        case recognise
        /// Its payload is known or has changed: `peer`, `payload`, `via`.
        case read
        /// It told the payload of another: `peer`, `payload`, `rssi`.
        case share
        /// A reading: `peer`, `rssi`, `via`, and `power` where it is known.
        case measure
        /// A distance: `peer`, `centimetres`, the 80 % interval `low` and `high`, and `readings` of its window.
        case distance
        /// It claims a transmit power: `peer`, `power`.
        case power
        /// Its model was read: `peer`, `text`.
        case model
        /// A message of the application came: `peer`, `payload`.
        case receive
        /// A message was delivered: `peer`.
        case sent
        /// A message was not delivered: `peer`, `text` (the code).
        case unsent
        /// A contact began: `peer`, `since`, `payload`.
        case begin
        /// A contact ended: `peer`, `since`, `until` (the last reading), `readings`, `rssi` (the strongest), `payload`.
        case end
        /// A stay at a beacon: `peer`, `since`, `payload`, and `until` when it is over.
        case visit
        /// Two names are one device, and the second lives on: `peer`, `text` (the second).
        case merge
        /// It was forgotten: `peer`.
        case forget
        /// The radio: `text` is `on`, `off` or `unavailable`.
        case state
        /// Something was refused or went wrong: `text` (the code), and `peer` where it is known.
        case trouble
        /// What the device itself serves: `payload`.
        case own
    }

    /// Milliseconds since the start of the run.
    var at: Int
    var device: String
    var kind: Kind
    var peer: String?
    /// dBm.
    var rssi: Int?
    /// dBm.
    var power: Int?
    /// How a reading or a payload was come by.
    var via: Provenance?
    /// At most 512 bytes; hexadecimal digits in the file.
    var payload: [UInt8]?
    var centimetres: Int?
    var low: Int?
    var high: Int?
    var readings: Int?
    /// Milliseconds since the start of the run; what began before it is negative.
    var since: Int?
    var until: Int?
    /// At most 100 characters.
    var text: String?

    init(at: Int, device: String, kind: Kind, peer: String? = nil) {
        self.at = at
        self.device = device
        self.kind = kind
        self.peer = peer
    }

    /// The line as it is written, with its end.
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

    /// For texts that need no escapes.
    private static func append(_ name: StaticString, _ value: String, to bytes: inout [UInt8]) {
        bytes += ",\"\(name)\":\"".utf8
        bytes += value.utf8
        bytes.append(UInt8(ascii: "\""))
    }
}

extension Provenance {
    /// How the log spells it.
    var word: String {
        switch self {
        case .advertisement: "advertisement"
        case .link: "link"
        case .writtenByPeer: "written"
        case .relayed: "relayed"
        }
    }

    /// Reads what the log spells.
    init?(word: String) {
        guard let found = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = found
    }
}

extension ProximityRecord {
    /// Reads one line without its end.
    ///
    /// - Returns: nil when the line is none.
    init?(parsing line: [UInt8]) {
        guard line.count <= ProximityLog.maximumLineBytes, let members = try? FlatJSON.members(of: line) else {
            return nil
        }
        let fields = LogFields(members)
        guard let at = fields.milliseconds("at"), let device = fields.identifier("device"),
            let kind = fields.string("kind").flatMap(Kind.init(rawValue:)), fields.isIdentifierOrAbsent("peer")
        else { return nil }
        self.init(at: at, device: device, kind: kind, peer: fields.identifier("peer"))
        rssi = fields.integer("rssi", in: -128...127)
        power = fields.integer("power", in: -128...127)
        via = fields.string("via").flatMap(Provenance.init(word:))
        payload = fields.string("payload").flatMap { $0.utf8.count <= 1024 ? Hex.decode($0) : nil }
        centimetres = fields.integer("centimetres", in: 0...10_000_000)
        low = fields.integer("low", in: 0...10_000_000)
        high = fields.integer("high", in: 0...10_000_000)
        readings = fields.integer("readings", in: 0...Int.max)
        since = fields.integer("since", in: -ProximityLog.maximumMilliseconds...ProximityLog.maximumMilliseconds)
        until = fields.integer("until", in: -ProximityLog.maximumMilliseconds...ProximityLog.maximumMilliseconds)
        text = fields.string("text").map { String($0.prefix(ProximityLog.maximumLabel)) }
        guard hasWhatItNeeds else { return nil }
    }

    /// Whether the members are there without which the kind means nothing.
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

/// The members of one line by name.
struct LogFields {
    private let members: [(name: String, value: FlatJSON.Value)]

    init(_ members: [(name: String, value: FlatJSON.Value)]) { self.members = members }

    func string(_ name: String) -> String? {
        if case .string(let text) = value(name) { return text }
        return nil
    }

    func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
        if case .integer(let value) = value(name), range.contains(value) { return value }
        return nil
    }

    func milliseconds(_ name: String) -> Int? { integer(name, in: 0...ProximityLog.maximumMilliseconds) }

    func identifier(_ name: String) -> String? {
        string(name).flatMap { ProximityLog.isIdentifier($0) ? $0 : nil }
    }

    func isIdentifierOrAbsent(_ name: String) -> Bool { value(name) == nil || identifier(name) != nil }

    private func value(_ name: String) -> FlatJSON.Value? { members.first { $0.name == name }?.value }
}
