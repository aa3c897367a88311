import ByteCoding
import CBOR
import MobileSession

/// The text of a code, with what a deviant holder makes of it.
struct MobileEngagementText {
    let text: String

    init(_ engagement: DeviceEngagement, deviation: MobilePeerDeviation?) {
        let bytes = engagement.bytes
        switch deviation {
        case .schemeSlashes: text = "mdoc://" + Base64URL.encode(bytes)
        case .engagementArray:
            text = "mdoc:" + Base64URL.encode(CBORItem.array([.text("1.0"), .int(1)]).encoded)
        case .uuidText: text = "mdoc:" + Base64URL.encode(Self.withTextUUIDs(bytes))
        case .newerMembers:
            // A map of one member more: A3 becomes A4.
            text = "mdoc:" + Base64URL.encode([bytes[0] + 1] + bytes.dropFirst() + [0x05, 0x80])
        default: text = engagement.text
        }
    }

    private static func withTextUUIDs(_ bytes: [UInt8]) -> [UInt8] {
        guard let value = try? CBORValue(parsing: bytes), let options = value[2]?.array?.first?.array?.last?.map else {
            return bytes
        }
        let changed = options.map { entry -> [CBORItem] in
            guard let uuid = entry.value.bytes, uuid.count == 16 else {
                return [.raw(Array(entry.key.encoding)), .raw(Array(entry.value.encoding))]
            }
            let digits = Hex.encode(uuid)
            var text = ""
            for (index, digit) in digits.enumerated() {
                if [8, 12, 16, 20].contains(index) { text += "-" }
                text.append(digit)
            }
            return [.raw(Array(entry.key.encoding)), .text(text)]
        }
        return CBORItem.ordered([
            [.int(0), .text("1.0")], [.int(1), .raw(Array(value[1]?.encoding ?? []))],
            [.int(2), .array([.array([.int(2), .int(1), .ordered(changed)])])],
        ]).encoded
    }
}
