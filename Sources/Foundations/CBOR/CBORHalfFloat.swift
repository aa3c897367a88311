/// Numbers of 16 bits (IEEE 754 binary16), in integer arithmetic, because not every platform has the type.
enum CBORHalfFloat {
    /// Returns the value of a 16-bit floating-point number.
    static func double(of bits: UInt16) -> Double {
        let sign: FloatingPointSign = bits >> 15 == 1 ? .minus : .plus
        let exponent = Int(bits >> 10 & 31)
        let fraction = Double(bits & 1023)
        switch exponent {
        case 0: return Double(sign: sign, exponent: -24, significand: fraction)
        case 31:
            if fraction != 0 { return .nan }
            return sign == .plus ? .infinity : -.infinity
        default: return Double(sign: sign, exponent: exponent - 25, significand: fraction + 1024)
        }
    }

    /// Returns the bits of a number; nil when 16 bits do not hold it exactly; every NaN is 7e00.
    static func bits(of number: Float) -> UInt16? {
        let sign: UInt16 = number.sign == .minus ? 0x8000 : 0
        if number.isNaN { return 0x7E00 }
        if number.isInfinite { return sign | 0x7C00 }
        if number == 0 { return sign }
        let exponent = Int(number.exponent)
        if (-14...15).contains(exponent) {
            let fraction = number.significandBitPattern
            guard fraction & 0x1FFF == 0 else { return nil }
            return sign | UInt16(exponent + 15) << 10 | UInt16(fraction >> 13)
        }
        guard exponent < -14 else { return nil }
        let scaled = Double(number.magnitude) * 16_777_216
        guard scaled >= 1, scaled == scaled.rounded() else { return nil }
        return sign | UInt16(scaled)
    }
}
