/// Logarithms in plain arithmetic, so that a run gives the same result on every machine.
enum PortableLogarithm {
    /// The logarithm to the base 10 of a number above 0, to six digits.
    static func decimal(_ value: Double) -> Double {
        let part = value.significand
        let ratio = (part - 1) / (part + 1)
        let square = ratio * ratio
        let series = 1 + square * (1 / 3 + square * (1 / 5 + square * (1 / 7 + square * (1 / 9 + square / 11))))
        return (Double(value.exponent) * 0.693_147_180_559_945_3 + 2 * ratio * series) * 0.434_294_481_903_251_8
    }
}
