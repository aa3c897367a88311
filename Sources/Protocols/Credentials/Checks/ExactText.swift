/// Comparing identifiers by their code points: strings of Swift are equal, too, when they would be after normalisation.
extension StringProtocol {
    /// Whether the code points are the same.
    func isExactly(_ other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension Sequence where Element == String {
    /// Whether one of the texts has the same code points.
    func containsExactly(_ text: String) -> Bool { contains { $0.isExactly(text) } }
}
