/// The numbers by which PostgreSQL knows the types of values (`pg_type.dat`).
enum PostgresTypeOID {
    static let bytes: UInt32 = 17
    static let long: UInt32 = 20
    static let short: UInt32 = 21
    static let int: UInt32 = 23
    static let byteArrays: UInt32 = 1001
    static let longs: UInt32 = 1016
}

/// The values of a statement in PostgreSQL's binary format, one after the other.
struct PostgresParameters {
    private(set) var bytes: [UInt8] = []
    /// The index of the first byte of each value; nil for NULL.
    private(set) var starts: [Int?] = []
    /// The number of bytes of each value; 0 for NULL.
    private(set) var lengths: [Int32] = []

    mutating func append(_ value: PostgresValue) {
        guard value != .null else {
            starts.append(nil)
            return lengths.append(0)
        }
        let start = bytes.count
        switch value {
        case .null: break
        case .integer(let number): put(number)
        case .bytes(let value): bytes.append(contentsOf: value)
        case .integers(let numbers):
            bytes.reserveCapacity(bytes.count + 20 + 12 * numbers.count)
            putHeader(of: PostgresTypeOID.long, count: numbers.count)
            for number in numbers {
                put(Int32(8))
                put(number)
            }
        case .byteArrays(let values):
            bytes.reserveCapacity(values.reduce(bytes.count + 20) { $0 + 4 + $1.count })
            putHeader(of: PostgresTypeOID.bytes, count: values.count)
            for value in values {
                put(Int32(clamping: value.count))
                bytes.append(contentsOf: value)
            }
        }
        starts.append(start)
        lengths.append(Int32(clamping: bytes.count - start))
    }

    /// The head of an array (`array_recv`): dimensions, whether there are NULLs, the type of the elements, and for the
    /// dimension the number of elements and the index of the first one.
    private mutating func putHeader(of element: UInt32, count: Int) {
        put(Int32(count == 0 ? 0 : 1))
        put(Int32(0))
        put(Int32(bitPattern: element))
        guard count > 0 else { return }
        put(Int32(clamping: count))
        put(Int32(1))
    }

    private mutating func put(_ number: some FixedWidthInteger) {
        for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}
