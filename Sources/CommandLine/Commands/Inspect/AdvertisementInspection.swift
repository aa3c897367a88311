import Bluetooth
import ByteCoding
import CommandProgram
import Terminal
import Tuvali

/// Explains advertising data.
struct AdvertisementInspection {
    /// The most advertisements that are read, one on each line.
    private static let maximumLines = 64
    /// The most bytes of one line: the capacity of extended advertising.
    private static let maximumBytes = 1650

    private let reporter: EventReporter

    init(_ reporter: EventReporter) { self.reporter = reporter }

    /// The bytes of each line of `text`, if all of them are hexadecimal digits, perhaps with spaces, colons, dashes,
    /// bars or a leading `0x` between.
    static func hexadecimalLines(_ text: String) -> [[UInt8]]? {
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.allSatisfy(\.isWhitespace) }
        guard !lines.isEmpty, lines.count <= maximumLines else { return nil }
        var result: [[UInt8]] = []
        for line in lines {
            let pieces = line.split { " \t:-|,".contains($0) }.map { $0.hasPrefix("0x") ? $0.dropFirst(2) : $0 }
            guard let bytes = Hex.decode(pieces.joined()), !bytes.isEmpty, bytes.count <= maximumBytes else {
                return nil
            }
            result.append(bytes)
        }
        return result
    }

    /// Explains advertisements, one for each line, then their combined contents.
    ///
    /// - Throws: `inspect.advertisement-malformed` when one does not follow the format.
    func run(_ lines: [[UInt8]]) throws {
        var problem: CommandError?
        let all = lines.map(AdvertisingData.init(parsing:))
        for (bytes, data) in zip(lines, all) {
            let defect = data.problem.map(Self.sentence)
            reporter.event(
                .advertisement,
                [
                    .init("bytes", .integer(bytes.count)), .init("value", .string(Hex.encode(bytes))),
                    .init("remark", .string(defect)),
                ])
            reporter.put(
                "Advertising data of \(bytes.count) bytes"
                    + (bytes.count > 31 ? " (more than the 31 of legacy advertising)" : ""))
            for structure in data.structures { explain(structure) }
            if let defect {
                reporter.put("  problem: \(defect)")
                problem = problem ?? CommandError(.advertisementMalformed, defect)
            }
        }
        for profile in WireProfile.allCases { recognise(all, profile) }
        if let problem { throw problem }
    }

    private func explain(_ structure: AdvertisingStructure) {
        let meaning = Self.meaning(of: structure)
        reporter.event(
            .structure,
            [
                .init("type", .integer(Int(structure.kind.rawValue))),
                .init("name", .string(structure.kind.description)),
                .init("value", .string(Hex.encode(structure.value))), .init("meaning", .string(meaning)),
            ])
        let type = Hex.encode([structure.kind.rawValue])
        reporter.put(
            "  \(type)  \(TerminalText.padded(structure.kind.description, to: 37)) \(Hex.encode(structure.value))")
        if let meaning { reporter.put("      \(meaning)") }
    }

    /// The meaning of a structure's value; nil where it is not known.
    static func meaning(of structure: AdvertisingStructure) -> String? {
        let data = AdvertisingData([structure])
        if let flags = data.flags { return flagNames(flags) }
        if let name = data.localName { return "“\(TerminalText.sanitised(name, limit: 40))”" }
        if let power = data.transmitPower { return "\(power) dBm" }
        if let entry = data.serviceData.first { return "\(name(of: entry.uuid)): \(entry.data.count) bytes" }
        if let entry = data.manufacturerData.first {
            let number = Hex.encode([UInt8(entry.company >> 8), UInt8(truncatingIfNeeded: entry.company)])
            let meaning = HeraldNames.meaning(company: entry.company, data: Array(entry.data))
            return "company 0x\(number)" + (meaning.map { " (\($0))" } ?? "")
        }
        let services = data.serviceUUIDs
        return services.isEmpty ? nil : services.map(name(of:)).joined(separator: ", ")
    }

    /// The short form of a UUID, with Tuvali's or Herald's name for it.
    static func name(of uuid: BluetoothUUID) -> String {
        let text = uuid.short.map { "0x" + Hex.encode([UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)]).uppercased() }
        for profile in WireProfile.allCases {
            if uuid == profile.service { return "\(text ?? uuid.description) (\(profile.rawValue) verifier)" }
            if uuid == profile.scanResponseService {
                return "\(text ?? uuid.description) (\(profile.rawValue) scan response)"
            }
        }
        return (text ?? uuid.description) + (HeraldNames.name(of: uuid).map { " (\($0))" } ?? "")
    }

    private static func flagNames(_ flags: UInt8) -> String {
        let names = [
            "limited discoverable", "general discoverable", "no BR/EDR", "LE and BR/EDR controller",
            "LE and BR/EDR host",
        ]
        let set = names.indices.filter { flags >> $0 & 1 == 1 }.map { names[$0] }
        return set.isEmpty ? "no flag set" : set.joined(separator: ", ")
    }

    private func recognise(_ all: [AdvertisingData], _ profile: WireProfile) {
        let content = all.lazy.compactMap { $0.serviceData(of: profile.service) }.first
        let rest = all.lazy.compactMap { $0.serviceData(of: profile.scanResponseService) }.first
        let parsed = content.flatMap(TuvaliAdvertisement.parse)
        guard parsed != nil || rest?.count == 27 else { return }
        let name = parsed.map { TerminalText.sanitised(String(decoding: $0.name, as: UTF8.self)) }
        let key = rest.flatMap { rest in rest.count == 27 ? parsed.map { $0.leadingKey + rest } : nil }
        reporter.event(
            .tuvaliAdvertisement,
            [
                .init("profile", .string(profile.rawValue)),
                .init("name", .string(parsed.map { String(decoding: $0.name, as: UTF8.self) })),
                .init("leadingKey", .string(parsed.map { Hex.encode($0.leadingKey) })),
                .init("key", .string(key.map(Hex.encode))),
                .init("words", key.map { .array(KeyCheckWords.words(for: $0).map(JSONText.string)) } ?? .null),
            ])
        reporter.put("Tuvali verifier, profile \(profile.rawValue)")
        if let name { reporter.put("  name          \(name)") }
        if let parsed, key == nil {
            reporter.put(
                "  key begins    \(Hex.encode(parsed.leadingKey)) (the other 27 bytes are in the scan response)")
        }
        if let rest, key == nil {
            reporter.put("  key ends      \(Hex.encode(rest)) (the first 5 bytes are in the advertisement)")
        }
        if let key {
            reporter.put("  key           \(Hex.encode(key))")
            reporter.put("  check words   \(KeyCheckWords.words(for: key).joined(separator: " "))")
        }
    }

    private static func sentence(_ problem: AdvertisingData.Problem) -> String {
        switch problem {
        case .lengthPastEnd(let offset, let announced, let tail):
            "The structure at byte \(offset) announces \(announced) bytes and has \(tail.count)."
        case .dataAfterEnd(let offset, let tail):
            "The length 0 at byte \(offset) ends the data, but \(tail.count) bytes follow."
        }
    }
}
