/// Recognises Apple devices that cannot be running Herald, by their advertisements.
///
/// Apple's manufacturer data are messages one after the other: type, length, data. Only the overflow area, type 0x01,
/// has no length and takes all the rest: 16 bytes, one bit for each service of applications in the background. Sources:
/// the captures and patterns in the deployed Android library; its specification of "introspection" (HP-30).
public enum AppleFilter {
    /// The verdict on Apple's messages in one advertisement.
    public enum AppleFilterResult: Hashable, Sendable {
        /// No Apple message can be read.
        case none
        /// The overflow area has the bit that Herald's documented service sets.
        case heraldLikely
        /// The overflow area has some bit, or the messages are such as an iPhone sends.
        case possible
        /// A message shows that the device is not an iPhone with Herald in the background.
        case excluded
    }

    /// The byte of the overflow area in which Herald's documented service has its bit, counted from the area's first.
    public static let heraldOverflowByte = 10
    /// The bit of Herald's documented service in that byte.
    public static let heraldOverflowBit: UInt8 = 0x20

    /// Types of which one alone excludes a device.
    private static let excludedTypes: UInt64 = [0x00, 0x03, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F]
        .reduce(0) { $0 | 1 << $1 }

    /// Judges the data of one Apple structure, without the company number.
    ///
    /// A last message that is cut short ends the reading; what stood before it counts.
    public static func verdict(of data: Span<UInt8>) -> AppleFilterResult {
        var verdict = AppleFilterResult.none
        var index = 0
        while index < data.count {
            let type = data[index]
            if type == 0x01 { return merge(verdict, overflow(data, from: index + 1)) }
            guard index + 1 < data.count else { break }
            let end = index + 2 + Int(data[index + 1])
            guard end <= data.count else { break }
            verdict = merge(verdict, isExcluded(data, index, end) ? .excluded : .possible)
            index = end
        }
        return verdict
    }

    /// The verdict on advertising data in an array, as `verdict(of:)`.
    public static func verdict(of data: [UInt8]) -> AppleFilterResult { verdict(of: data.span) }

    /// The joint verdict of two structures, or two messages, of one advertisement.
    ///
    /// Herald's bit counts more than a message that excludes: a phone shows both when several of its applications
    /// advertise.
    static func merge(_ left: AppleFilterResult, _ right: AppleFilterResult) -> AppleFilterResult {
        if left == .heraldLikely || right == .heraldLikely { return .heraldLikely }
        if left == .excluded || right == .excluded { return .excluded }
        return left == .possible || right == .possible ? .possible : .none
    }

    private static func overflow(_ data: Span<UInt8>, from start: Int) -> AppleFilterResult {
        guard data.count - start == 16 else { return .none }
        var isZero = true
        for index in start..<data.count where data[index] != 0 { isZero = false }
        if isZero { return .excluded }
        return data[start + heraldOverflowByte] & heraldOverflowBit != 0 ? .heraldLikely : .possible
    }

    /// Returns true for nearby messages of televisions and tablets at home, and every message of the types listed.
    private static func isExcluded(_ data: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
        let type = data[start]
        if type == 0x10 {
            if data[start + 1] == 2 { return true }
            return end - start > 3 && (data[start + 3] == 0x04 || data[start + 3] == 0x14)
        }
        return type < 0x10 && excludedTypes & (1 << UInt64(type)) != 0
    }
}
