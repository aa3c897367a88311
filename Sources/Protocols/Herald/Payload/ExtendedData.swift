import ByteCoding

/// The extended data of a payload: entries of code, length and value after its fixed part (HP-46).
///
/// On the wire, for each entry: code (one byte), length of the value (one byte, at least 1), value. Source: Herald
/// extended data payload.
public struct ExtendedData: Hashable, Sendable {
    /// The code of an entry, which gives its value a meaning.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The byte on the wire.
        public let rawValue: UInt8

        /// Makes a code from the byte on the wire.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The version of the extended data.
        public static let version = Code(rawValue: 0x00)
        /// The kind of a signal strength.
        public static let rssiKind = Code(rawValue: 0x01)
        /// The possible error of a signal strength.
        public static let rssiError = Code(rawValue: 0x02)
        /// A distance measured by sound.
        public static let sonarRange = Code(rawValue: 0x03)
        /// The possible error of a distance measured by sound.
        public static let sonarError = Code(rawValue: 0x04)
        /// An area such as a postal district, UTF-8.
        public static let areaText = Code(rawValue: 0x05)
        /// The name of the premises, UTF-8.
        public static let premises = Code(rawValue: 0x10)
        /// The name of the location, UTF-8.
        public static let location = Code(rawValue: 0x11)
        /// The name of the area in it, UTF-8.
        public static let area = Code(rawValue: 0x12)
        /// An https address, UTF-8.
        public static let url = Code(rawValue: 0x13)
        /// A postal address, UTF-8.
        public static let address = Code(rawValue: 0x14)
        /// The time from which the payload is valid: seconds since 1970, four bytes.
        public static let start = Code(rawValue: 0x20)
        /// The time until which the payload is valid: seconds since 1970, four bytes.
        public static let end = Code(rawValue: 0x21)
        /// The sender's reading of the receiver: one byte with a sign.
        public static let rssi = Code(rawValue: 0x40)
        /// The sender's transmit power: one byte.
        public static let transmitPower = Code(rawValue: 0x41)
        /// The sender's model, UTF-8.
        public static let model = Code(rawValue: 0x42)
    }

    /// An entry of code and value.
    public struct ExtendedDataEntry: Hashable, Sendable {
        /// The code, which gives the value its meaning.
        public var code: Code
        /// The value: 1 to 255 bytes.
        public var value: [UInt8]

        /// Makes an entry; its length is checked when it is written.
        public init(_ code: Code, _ value: [UInt8]) {
            self.code = code
            self.value = value
        }

        /// Makes an entry of text, in UTF-8.
        public init(_ code: Code, _ text: String) { self.init(code, Array(text.utf8)) }
    }

    /// The entries in the order of the wire; a code may come more than once.
    public var entries: [ExtendedDataEntry]

    /// Makes extended data of `entries`.
    public init(_ entries: [ExtendedDataEntry] = []) { self.entries = entries }

    /// Reads entries to the end.
    ///
    /// - Throws: `herald.extended-data.malformed` when the last entry is cut short,
    ///   `herald.extended-data.wrong-length` for an entry without a value.
    public init(parsing bytes: [UInt8]) throws(HeraldError) {
        entries = []
        var reader = ByteReader(bytes)
        while let code = reader.byte() {
            guard let length = reader.byte(), let value = reader.bytes(Int(length)) else {
                throw HeraldError(.extendedDataMalformed, "Extended data end in the middle of an entry.")
            }
            guard length > 0 else {
                throw HeraldError(.extendedDataWrongLength, "An entry of extended data has no value.")
            }
            entries.append(ExtendedDataEntry(Code(rawValue: code), Array(value)))
        }
    }

    /// The entries as they are on the wire.
    ///
    /// - Throws: `herald.extended-data.wrong-length` for a value of 0 or more than 255 bytes.
    public func encoded() throws(HeraldError) -> [UInt8] {
        var bytes: [UInt8] = []
        for entry in entries {
            guard (1...255).contains(entry.value.count) else {
                throw HeraldError(
                    .extendedDataWrongLength, "An entry has 1 to 255 bytes, this one \(entry.value.count).")
            }
            bytes += [entry.code.rawValue, UInt8(entry.value.count)] + entry.value
        }
        return bytes
    }

    /// The first value with a code; nil without one.
    public func value(of code: Code) -> [UInt8]? { entries.first { $0.code == code }?.value }

    /// The first value with a code as text; bytes that are no UTF-8 are replaced.
    public func text(of code: Code) -> String? { value(of: code).map { String(decoding: $0, as: UTF8.self) } }

    /// The first value with a code as an unsigned number of at most four bytes; nil without one, or with a longer one.
    public func number(of code: Code, order: PayloadByteOrder = .deployed) -> UInt32? {
        guard let value = value(of: code), value.count <= 4 else { return nil }
        return order == .documented ? UInt32(bigEndianBytes: value) : UInt32(littleEndianBytes: value)
    }
}
