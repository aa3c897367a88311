import CSodium

/// Gives libsodium a random generator with a seed, so that keys, nonces and identifiers repeat in every run.
enum ChosenRandomness {
    // Invariant: used by the one thread of the process alone.
    nonisolated(unsafe) private static var state: UInt64 = 0

    /// Installs the seeded generator in libsodium, before anything is drawn.
    static func install() {
        let made = UnsafeMutablePointer<randombytes_implementation>.allocate(capacity: 1)
        made.initialize(
            to: randombytes_implementation(
                implementation_name: { ChosenRandomness.name.baseAddress },
                random: { UInt32(truncatingIfNeeded: ChosenRandomness.next() >> 32) },
                stir: nil, uniform: nil,
                buf: { bytes, count in
                    guard let bytes else { return }
                    for index in 0..<count {
                        bytes.storeBytes(
                            of: UInt8(truncatingIfNeeded: ChosenRandomness.next() >> 56), toByteOffset: index,
                            as: UInt8.self)
                    }
                }, close: nil))
        guard randombytes_set_implementation(made) == 0, sodium_init() >= 0 else {
            fatalError("libsodium does not take another generator")
        }
    }

    /// Sets the seed that decides all draws from now on.
    static func begin(_ seed: UInt64) { state = seed }

    nonisolated(unsafe) private static let name: UnsafeBufferPointer<CChar> = {
        let made = UnsafeMutableBufferPointer<CChar>.allocate(capacity: 5)
        _ = made.initialize(from: "seed".utf8CString)
        return UnsafeBufferPointer(made)
    }()

    private static func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
