/// The source of a core's randomness: the system's generator in production, a seed in simulation.
public protocol RandomSource: Sendable {
    /// Returns `count` fresh random bytes.
    mutating func bytes(count: Int) -> [UInt8]
}

/// A repeatable generator for simulation and tests; never for keys that protect anything.
///
/// Algorithm: xoshiro256**, its state filled from the seed by SplitMix64. Everything drawn from it (ranges,
/// chances) is written here, so that a seed means the same with every compiler.
public struct SeededRandom: RandomSource {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    /// Makes the generator whose whole output `seed` decides.
    public init(seed: UInt64) {
        var mixer = seed
        func next() -> UInt64 {
            mixer &+= 0x9E37_79B9_7F4A_7C15
            var value = mixer
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
        state = (next(), next(), next(), next())
    }

    /// Returns the next 64 random bits.
    public mutating func nextWord() -> UInt64 {
        func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 { (value << count) | (value >> (64 - count)) }
        let result = rotate(state.1 &* 5, 7) &* 9
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = rotate(state.3, 45)
        return result
    }

    /// Random bytes, taken from each word in little-endian order.
    public mutating func bytes(count: Int) -> [UInt8] {
        precondition(count >= 0, "a count of bytes is never negative")
        var result: [UInt8] = []
        result.reserveCapacity(count)
        while result.count < count {
            var word = nextWord()
            for _ in 0..<min(8, count - result.count) {
                result.append(UInt8(truncatingIfNeeded: word))
                word >>= 8
            }
        }
        return result
    }

    /// Returns a number from 0 up to, not including, `bound`, without modulo bias.
    ///
    /// - Parameter bound: at least 1.
    public mutating func below(_ bound: UInt64) -> UInt64 {
        precondition(bound > 0, "an empty range holds no number")
        let threshold = (0 &- bound) % bound
        while true {
            let (high, low) = nextWord().multipliedFullWidth(by: bound)
            if low >= threshold { return high }
        }
    }

    /// Returns a number from `range`, both ends included.
    public mutating func within(_ range: ClosedRange<Int>) -> Int {
        let span = UInt64(bitPattern: Int64(range.upperBound &- range.lowerBound))
        if span == .max { return Int(truncatingIfNeeded: nextWord()) }
        return range.lowerBound &+ Int(truncatingIfNeeded: below(span + 1))
    }

    /// Returns true `numerator` times in `denominator` on average.
    public mutating func chance(_ numerator: UInt64, in denominator: UInt64) -> Bool {
        below(denominator) < numerator
    }

    /// Returns true with the probability `share`, from 0 (never) to 1 (always) in steps of 2⁻⁵³.
    public mutating func chance(_ share: Double) -> Bool {
        Double(nextWord() >> 11) * 0x1p-53 < share
    }

    /// Returns an independent generator whose seed is drawn from this one.
    public mutating func split() -> SeededRandom {
        SeededRandom(seed: nextWord())
    }
}
