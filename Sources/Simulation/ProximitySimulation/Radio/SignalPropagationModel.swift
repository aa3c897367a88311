import Determinism

/// The model of radio signals between two devices.
///
/// Path loss with the distance, constant shadowing for each pair, the loss by two bodies, and fading from packet to
/// packet. Packets of others collide with some. The figures are typical of measurements indoors: at 1 m −57 dBm, 30 dB
/// for each tenfold distance, fading of 4 dB.
struct SignalPropagationModel: Sendable {
    /// The distance in metres beyond which nothing is heard.
    static let reach = 27.0
    /// The signal strength in dBm below which packets are lost.
    static let sensitivity = -94.0
    /// The least mean signal strength, in dBm, at which two devices count as in range.
    static let range = -90.0
    /// The signal strength in dBm below which links are lost.
    static let linkFloor = -98.0
    /// The length of one advertisement on one channel, in milliseconds.
    static let packetMilliseconds = 0.37

    /// Returns the share of packets that do not collide when `heard` devices are heard, in 256ths.
    static func clearShare(_ heard: Int) -> UInt64 {
        // A linear approximation of the exponential, close enough for the number of devices in a hall.
        UInt64(max(32, 256 - Double(heard) * 2 * packetMilliseconds / 250 * 256))
    }

    private let seed: UInt64

    init(seed: UInt64) { self.seed = seed }

    /// Returns the mean strength at which `receiver` hears `sender`, in dBm, without fading.
    func mean(_ receiver: DevicePlacement, _ sender: DevicePlacement, _ one: Int, _ other: Int) -> Double {
        let (x, y) = (sender.position.x - receiver.position.x, sender.position.y - receiver.position.y)
        let square = max(x * x + y * y, 0.09)
        let distance = square.squareRoot()
        let facing = (x * receiver.heading.x + y * receiver.heading.y) / distance
        let faced = -(x * sender.heading.x + y * sender.heading.y) / distance
        let bodies = 3 * (2 - facing - faced)
        return -57 + sender.transmitOffset + receiver.receiveOffset + shadow(one, other)
            - 15 * PortableLogarithm.decimal(square) - bodies
    }

    /// Returns the shadowing between two devices, the same in both directions: −6 to 6 dB.
    private func shadow(_ one: Int, _ other: Int) -> Double {
        let (low, high) = (UInt64(min(one, other)), UInt64(max(one, other)))
        var word = (low << 32 | high) ^ seed
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return Self.spread(word ^ (word >> 31)) * 2
    }

    /// Draws the strength of one packet, in dBm; nil when it was lost in noise or in a collision.
    ///
    /// - Parameter clear: the share of packets that meet no other, in 256ths.
    static func packet(_ mean: Double, clear: UInt64, _ random: inout SeededRandom) -> Int? {
        let word = random.nextWord()
        guard word >> 56 < clear else { return nil }
        let strength = mean + spread(word) * 4
        return strength >= sensitivity ? Int(strength.rounded()) : nil
    }

    /// Returns an approximately normal value of variance 1, within ±3, from seven bytes of a word.
    private static func spread(_ word: UInt64) -> Double {
        var rest = word
        var sum: UInt64 = 0
        for _ in 0..<7 {
            sum += rest & 0xFF
            rest >>= 8
        }
        return min(max((Double(sum) - 892.5) / 195.5, -3), 3)
    }

    /// Draws the number of transmissions of one packet on a link: more, the weaker the link.
    static func tries(_ mean: Double, _ random: inout SeededRandom) -> Int {
        let loss = min(max((-80 - mean) / 40, 0.01), 0.6)
        var tries = 1
        while tries < 16, random.chance(loss) { tries += 1 }
        return tries
    }

    /// Draws the duration of a connection attempt, in milliseconds.
    ///
    /// As measured on phones: 58 in a hundred within a second, one in three hundred longer than five.
    static func connectMilliseconds(_ random: inout SeededRandom) -> Int {
        let share = random.within(0...999)
        let bounds = [(584, 150, 999), (892, 1000, 1999), (961, 2000, 2999), (981, 3000, 3999), (990, 4000, 4999)]
        for (limit, low, high) in bounds where share < limit { return random.within(low...high) }
        return random.within(share < 997 ? 5000...5999 : 6000...20_000)
    }
}
