import ByteCoding
import Compression
import TestSupport

/// Reads the published test vectors of the deployed libraries: unzipped comma-separated values.
enum PublishedVectors {
    /// Reads the rows of a vector file below `herald/`, without the header line.
    static func rows(of name: String) throws -> [[String]] {
        let bytes = try Gzip.decompress(
            OutsideVectors.contents(of: "herald/\(name).csv.gz"),
            limits: Gzip.Limits(maximumBytes: 4 << 20, maximumRatio: 1000))
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).dropFirst()
        return lines.map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    }
}
