/// Compares identifiers by code points, because Swift strings are also equal when they differ in normalisation.
extension StringProtocol {
    /// Returns true when both texts have the same code points.
    func isExactly(_ other: some StringProtocol) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        // Bytes side by side in memory are compared several times as fast as by the views' indices.
        let result = utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { other in own.elementsEqual(other) }
        }
        return result.flatMap { $0 } ?? utf8.elementsEqual(other.utf8)
    }
}

extension Sequence where Element == String {
    /// Returns true when one of the texts has the same code points as `text`.
    func containsExactly(_ text: String) -> Bool { contains { $0.isExactly(text) } }
}
