/// The choice of an age statement in place of one that a document does not have (ISO/IEC 18013-5, clause 13.4.6).
package enum AgeRule {
    private static let prefix = "age_over_"

    /// Returns the age of an element `age_over_NN`; nil for another element.
    package static func age(of identifier: String) -> Int? {
        let digits = identifier.utf8.dropFirst(prefix.utf8.count)
        guard identifier.utf8.starts(with: prefix.utf8), digits.count == 2, digits.allSatisfy({ 0x30...0x39 ~= $0 })
        else { return nil }
        return Int(String(decoding: Array(digits), as: UTF8.self))
    }

    /// Returns the identifier of the statement about an age from 0 to 99.
    package static func identifier(of age: Int) -> String { prefix + (age < 10 ? "0" : "") + "\(age)" }

    /// Returns the age whose statement answers a question for `age`; nil when none of the statements does.
    ///
    /// The nearest true statement of that age or above, else the nearest false one of that age or below.
    package static func answer(to age: Int, from statements: [Int: Bool]) -> Int? {
        statements.filter { $0.value && $0.key >= age }.map(\.key).min()
            ?? statements.filter { !$0.value && $0.key <= age }.map(\.key).max()
    }
}
