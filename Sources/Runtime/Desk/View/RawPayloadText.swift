import ByteCoding
import JSON

/// The raw data of a payload as lines of text for people: JSON in order with long texts shortened, else the text, else
/// hexadecimal digits.
struct RawPayloadText {
    private static let maximumLines = 2000
    private static let maximumText = 300
    private static let maximumPlain = 20_000

    /// The lines, each safe to show.
    private(set) var lines: [String] = []
    /// True when the data is longer than `lines` shows.
    private(set) var isCut = false

    init(_ bytes: [UInt8], limits: JSONLimits) {
        if let value = try? JSONValue(parsing: bytes, limits: limits) {
            append(value, name: nil, depth: 0, end: "")
        } else if let text = String(validating: bytes.prefix(4 * Self.maximumPlain), as: UTF8.self) {
            for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
                appendPlain(Substring(line))
            }
        } else {
            for start in stride(from: 0, to: bytes.count, by: 32) {
                append(Hex.encode(bytes[start..<min(start + 32, bytes.count)]), depth: 0)
            }
        }
    }

    private mutating func appendPlain(_ line: Substring) {
        let text = DisplayText(String(line), limit: Self.maximumPlain)
        isCut = isCut || text.isCut
        append(text.text, depth: 0)
    }

    private mutating func append(_ line: String, depth: Int) {
        guard lines.count < Self.maximumLines else {
            isCut = true
            return
        }
        lines.append(String(repeating: "  ", count: min(depth, 40)) + line)
    }

    private mutating func append(_ value: JSONValue, name: String?, depth: Int, end: String) {
        guard lines.count < Self.maximumLines else {
            isCut = true
            return
        }
        let head = name.map { "\(Self.quoted($0)): " } ?? ""
        if let object = value.object, !object.isEmpty {
            append(head + "{", depth: depth)
            for (index, member) in object.members.enumerated() {
                let comma = index + 1 < object.count ? "," : ""
                append(member.value, name: member.name, depth: depth + 1, end: comma)
            }
            append("}" + end, depth: depth)
        } else if let array = value.array, !array.isEmpty {
            append(head + "[", depth: depth)
            for (index, entry) in array.enumerated() {
                append(entry, name: nil, depth: depth + 1, end: index + 1 < array.count ? "," : "")
            }
            append("]" + end, depth: depth)
        } else if let text = value.string {
            append(head + Self.quoted(text) + end, depth: depth)
        } else {
            append(head + DisplayText(value.text, limit: Self.maximumText).text + end, depth: depth)
        }
    }

    private static func quoted(_ text: String) -> String {
        let shown = DisplayText(text, limit: maximumText)
        let rest = shown.isCut ? " … \(text.utf8.count) bytes" : ""
        return "\"" + shown.text + "\"" + rest
    }
}
