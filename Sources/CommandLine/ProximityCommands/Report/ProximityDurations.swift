/// The times for which pairs were near each other, by the distance that was estimated.
///
/// Each estimate stands for its window of 30 s; a pair counts in each direction in which there are estimates.
struct ProximityDurations: Hashable, Sendable {
    /// The upper bounds of the distance classes in centimetres, the bound not included; the last class has none.
    static let bounds = [100, 200, 300]

    /// The seconds near each other, in each distance class.
    private(set) var seconds = [Int](repeating: 0, count: bounds.count + 1)

    init(_ pairs: [ProximityAnalysis.PairAnalysis]) {
        for pair in pairs {
            for estimate in pair.estimates {
                let index = Self.bounds.firstIndex { estimate.centimetres < $0 } ?? Self.bounds.count
                seconds[index] += ProximityAnalysis.windowMilliseconds / 1000
            }
        }
    }

    /// The names of the distance classes for a page, such as `under 1 m`.
    static let names =
        bounds.indices.map { index in
            index == 0 ? "under \(bounds[0] / 100) m" : "\(bounds[index - 1] / 100) to \(bounds[index] / 100) m"
        } + ["\((bounds.last ?? 0) / 100) m and more"]
}
