/// The true positions of two devices to each other: one line of `truth.jsonl`.
///
/// The lines of a pair come in the order of their `at`; `device` is the one that hears, `peer` the one that is heard,
/// as in the events.
enum TruePositions: Hashable, Sendable {
    /// The two were in range of each other: `at` and `until` in milliseconds, the end not included.
    case near(device: String, peer: String, from: Int, until: Int)
    /// The distance of two devices: `at` in milliseconds, `centimetres`.
    case distance(device: String, peer: String, at: Int, centimetres: Int)

    /// Appends the line of `truth.jsonl`, with its line end.
    func append(to bytes: inout [UInt8]) {
        switch self {
        case .near(let device, let peer, let from, let until):
            bytes += "{\"at\":\(from),\"device\":\"\(device)\",\"peer\":\"\(peer)\",\"until\":\(until)}\n".utf8
        case .distance(let device, let peer, let at, let centimetres):
            bytes +=
                "{\"at\":\(at),\"device\":\"\(device)\",\"peer\":\"\(peer)\",\"centimetres\":\(centimetres)}\n".utf8
        }
    }

    /// Parses one line of `truth.jsonl`, given without its line end.
    ///
    /// - Returns: nil when the line is none.
    init?(parsing line: [UInt8]) {
        guard let fields = ProximityLogFields(line), let at = fields.milliseconds(fields.at),
            let device = fields.device,
            let peer = fields.peer
        else { return nil }
        if let until = fields.milliseconds(fields.until), until >= at {
            self = .near(device: device, peer: peer, from: at, until: until)
        } else if let centimetres = fields.centimetres, (0...100_000_000).contains(centimetres) {
            self = .distance(device: device, peer: peer, at: at, centimetres: centimetres)
        } else {
            return nil
        }
    }
}
