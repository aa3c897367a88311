/// The 64-bit FNV-1a hash, to compare traces; it protects nothing.
struct FowlerNollVo: Hashable, Sendable {
    /// The hash of all bytes so far.
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// The hash in 16 hexadecimal digits.
    var hexadecimal: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    mutating func update(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
    }
}
