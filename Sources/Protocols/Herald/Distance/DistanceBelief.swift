/// What is believed of one device's distance: a probability for each distance and each lasting offset of the pair.
///
/// A filter over a grid. Between two windows a device may drift a few centimetres; when the level changes by more than
/// it does at rest, it may be anywhere. A window at an unchanged level says little that the one before has not said,
/// because walls reflect as they did: its evidence is weakened, and that of a window at a new level is not.
struct DistanceBelief: Sendable {
    /// The width of a cell, in metres.
    static let cellWidth = 0.05
    /// Cells from 0 to 3.6 m.
    static let cellCount = 73
    /// The lasting offsets that are told apart, in deviations.
    private static let offsetSteps = stride(from: -2.25, through: 2.25, by: 0.75).map { $0 }
    /// The drift between two windows as a kernel over cells: standard deviation 4 cm.
    private static let drift: [Double] = {
        let weights = (-4...4).map { cell -> Double in
            let deviations = Double(cell) * cellWidth / 0.04
            return Logarithms.exponential(-deviations * deviations / 2)
        }
        let sum = weights.reduce(0, +)
        return weights.map { $0 / sum }
    }()
    /// The deviation of a window's level from what is expected, in dB, and the degrees of freedom of its tails.
    private static let noise = (deviation: 6.0, freedom: 8.0)
    /// The weight of a window's evidence at an unchanged level, and what a new level adds.
    private static let weight = (steady: 0.03, changed: 0.5)
    /// The probability of being anywhere at an unchanged level, and what a new level adds.
    private static let jump = (steady: 0.0003, changed: 0.3)
    /// A change that makes a level new, in dB, and how fast the habitual level follows.
    private static let change = (decibels: 12.0, following: 0.3)

    /// Levels expected in each cell, offset after offset.
    private let expected: [Double]
    /// Probabilities of the cells, offset after offset; they sum to 1.
    private var probabilities: [Double]
    private var scratch: [Double]
    private var habitual: Double?

    /// Knows nothing but the pair.
    init(model: DistanceModel, pair: DistancePair) {
        let deviation = model.offsetDeviation(of: pair)
        let levels = (0..<Self.cellCount).map { model.expectedLevel(at: Self.centre(of: $0), pair: pair) }
        expected = Self.offsetSteps.flatMap { step in levels.map { $0 + step * deviation } }
        let weights = Self.offsetSteps.map { Logarithms.exponential(-$0 * $0 / 2) }
        let sum = weights.reduce(0, +) * Double(Self.cellCount)
        probabilities = weights.flatMap { [Double](repeating: $0 / sum, count: Self.cellCount) }
        scratch = probabilities
    }

    /// Takes a window whose strongest reading was `level`; `share` of full evidence, 0 to 1.
    mutating func take(level: Double, share: Double) {
        let novelty = self.novelty(of: level)
        let followed = habitual.map { $0 + Self.change.following * (level - $0) }
        habitual = followed ?? level
        move(jump: min(1, Self.jump.steady + Self.jump.changed * novelty))
        weigh(level: level, by: (Self.weight.steady + Self.weight.changed * novelty) * share)
    }

    /// The distance below which `probability` of the belief lies, in metres.
    func quantile(_ probability: Double) -> Double {
        var sum = 0.0
        for cell in 0..<Self.cellCount {
            sum += mass(of: cell)
            if sum >= probability { return Self.centre(of: cell) }
        }
        return Self.centre(of: Self.cellCount - 1)
    }

    private static func centre(of cell: Int) -> Double { (Double(cell) + 0.5) * cellWidth }

    private func mass(of cell: Int) -> Double {
        var sum = 0.0
        for offset in Self.offsetSteps.indices { sum += probabilities[offset * Self.cellCount + cell] }
        return sum
    }

    /// 0 for a level as usual, 1 for a new one.
    private func novelty(of level: Double) -> Double {
        guard let habitual else { return 1 }
        let ratio = (level - habitual) / Self.change.decibels
        return min(1, ratio * ratio * ratio * ratio)
    }

    private mutating func move(jump: Double) {
        for offset in Self.offsetSteps.indices {
            let base = offset * Self.cellCount
            var total = 0.0
            for cell in 0..<Self.cellCount {
                total += probabilities[base + cell]
                scratch[base + cell] = 0
            }
            for cell in 0..<Self.cellCount { spread(probabilities[base + cell] * (1 - jump), from: cell, base: base) }
            let anywhere = total * jump / Double(Self.cellCount)
            for cell in 0..<Self.cellCount { scratch[base + cell] += anywhere }
        }
        swap(&probabilities, &scratch)
    }

    /// Puts `mass` around `cell`; what would leave the grid stays at its edge.
    private mutating func spread(_ mass: Double, from cell: Int, base: Int) {
        let reach = Self.drift.count / 2
        for (index, share) in Self.drift.enumerated() {
            let target = min(Self.cellCount - 1, max(0, cell + index - reach))
            scratch[base + target] += mass * share
        }
    }

    private mutating func weigh(level: Double, by weight: Double) {
        let exponent = -(Self.noise.freedom + 1) / 2 * weight
        var sum = 0.0
        for index in probabilities.indices {
            let deviations = (level - expected[index]) / Self.noise.deviation
            let evidence = exponent * Logarithms.naturalOfOnePlus(deviations * deviations / Self.noise.freedom)
            probabilities[index] *= Logarithms.exponential(evidence)
            sum += probabilities[index]
        }
        // Evidence is a power of at most (freedom + 1) / 2 of a number of moderate size: the sum cannot vanish.
        for index in probabilities.indices { probabilities[index] /= sum }
    }
}
