import Bluetooth
import ByteCoding
import Terminal

/// Records of a capture for which no event is shown, in words.
struct SkippedRecordCounts {
    /// The most kinds that one sentence names.
    private static let maximumNamed = 8

    private let counts: [(kind: CaptureOmission, count: Int)]

    /// Takes the counts of a decoder; those of most records come first.
    init(_ omissions: [CaptureOmission: Int]) {
        counts = omissions.map { (kind: $0.key, count: $0.value) }
            .sorted { $0.count == $1.count ? $0.kind < $1.kind : $0.count > $1.count }
    }

    /// The counts by kind, as a list of texts.
    var json: JSONText {
        .array(counts.map { .string("\(NumberText.count($0.count)) × \(Self.name($0.kind))") })
    }

    /// The counts as a sentence; nil without any.
    var sentence: String? {
        guard !counts.isEmpty else { return nil }
        let named = counts.prefix(Self.maximumNamed).map { "\(NumberText.count($0.count)) × \(Self.name($0.kind))" }
        let rest = counts.dropFirst(Self.maximumNamed).reduce(0) { $0 + $1.count }
        return "Not shown: "
            + (named + (rest > 0 ? ["\(NumberText.count(rest)) × others"] : [])).joined(separator: ", ")
    }

    private static func name(_ kind: CaptureOmission) -> String {
        func hexadecimal(_ byte: UInt8) -> String { "0x" + Hex.encode([byte]).uppercased() }
        switch kind {
        case .command: return "HCI command"
        case .event(let code):
            let names: [UInt8: String] = [
                0x0E: "command complete", 0x0F: "command status", 0x13: "number of completed packets",
                0xFF: "of the vendor",
            ]
            return "HCI event \(hexadecimal(code))" + (names[code].map { " (\($0))" } ?? "")
        case .metaEvent(let code): return "LE event \(hexadecimal(code))"
        case .packet(let type): return "packet of H4 type \(type)"
        case .dataPDU: return "packet of a connection"
        case .pointer: return "announcement of an extended advertisement on another channel"
        case .scanRequest: return "scan request"
        case .connectRequest: return "connection request"
        case .reservedPDU(let type): return "advertising packet of reserved type \(type)"
        case .damaged: return "packet with a wrong checksum"
        case .whitened: return "packet that is still whitened"
        case .remark: return "remark of the recording program"
        case .linkType(let number): return "packet of link type \(number)"
        }
    }
}
