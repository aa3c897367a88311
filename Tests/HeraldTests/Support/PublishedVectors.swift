import ByteCoding
import Compression
import TestSupport

/// The vectors of the deployed libraries: comma-separated values, unpacked.
enum PublishedVectors {
    /// The rows of a file below `herald/`, without their header.
    static func rows(of name: String) throws -> [[String]] {
        let bytes = try Gzip.decompress(
            OutsideVectors.contents(of: "herald/\(name).csv.gz"),
            limits: Gzip.Limits(maximumBytes: 4 << 20, maximumRatio: 1000))
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).dropFirst()
        return lines.map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    }
}
