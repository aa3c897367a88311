public import Determinism

/// A record of a simulation: lines with columns of fixed width, stamped by its clock, and a digest of them all.
///
/// Two runs with one seed have equal digests, in whichever process they ran. Columns: seconds with nine decimals (18
/// characters), device (`d` and a number, 7), link (`l` and a number, 7), what happened (12), details.
public struct SimulationTrace: Hashable, Sendable {
    /// The number of lines that are kept; older ones are forgotten, but stay in the digest.
    public let capacity: Int

    /// The number of lines that were recorded.
    public private(set) var count = 0

    private var kept: [String] = []
    private var oldest = 0
    private var hash = FowlerNollVo()

    /// Makes an empty trace that keeps the newest `capacity` lines (0: only the digest).
    public init(capacity: Int = 10_000) {
        self.capacity = max(0, capacity)
    }

    /// The kept lines, oldest first.
    public var lines: [String] { Array(kept[oldest...] + kept[..<oldest]) }

    /// The digest of all lines, each with a line feed: 64-bit FNV-1a in 16 hexadecimal digits.
    public var digest: String { hash.hexadecimal }

    /// Adds a line; `device` and `link` are blank when 0.
    public mutating func record(
        at instant: MonotonicInstant, device: UInt32 = 0, link: UInt64 = 0, _ kind: String, _ detail: String = ""
    ) {
        let seconds = instant.nanoseconds / 1_000_000_000
        let fraction = String(instant.nanoseconds % 1_000_000_000)
        let stamp = "\(seconds).\(String(repeating: "0", count: 9 - fraction.count))\(fraction)"
        var line = Self.padded(stamp, to: 18, atStart: true)
        line += " " + Self.padded(device == 0 ? "" : "d\(device)", to: 7)
        line += " " + Self.padded(link == 0 ? "" : "l\(link)", to: 7)
        line += detail.isEmpty ? " " + kind : " " + Self.padded(kind, to: 12) + " " + detail
        append(line)
    }

    private mutating func append(_ line: String) {
        count += 1
        hash.update(line.utf8)
        hash.update(CollectionOfOne(0x0A))
        guard capacity > 0 else { return }
        if kept.count < capacity {
            kept.append(line)
        } else {
            kept[oldest] = line
            oldest = (oldest + 1) % capacity
        }
    }

    private static func padded(_ text: String, to width: Int, atStart: Bool = false) -> String {
        let padding = String(repeating: " ", count: max(0, width - text.utf8.count))
        return atStart ? padding + text : text + padding
    }
}
