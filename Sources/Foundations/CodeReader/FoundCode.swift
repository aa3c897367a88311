/// A code that was found in a picture.
public struct FoundCode: Hashable, Sendable {
    /// The kinds of two-dimensional codes that are read.
    public enum Symbology: String, CaseIterable, Sendable {
        /// QR Code (ISO/IEC 18004).
        case qrCode = "qr"
        /// Aztec Code (ISO/IEC 24778).
        case aztec
        /// PDF417 (ISO/IEC 15438).
        case pdf417
        /// Data Matrix (ISO/IEC 16022).
        case dataMatrix = "data-matrix"
    }

    /// A place in the picture in pixels, from the top left corner; it may lie a little outside.
    public struct PicturePoint: Hashable, Sendable {
        /// The number of pixels from the left edge.
        public let x: Int
        /// The number of pixels from the top edge.
        public let y: Int

        /// Makes a place.
        public init(x: Int, y: Int) {
            self.x = x
            self.y = y
        }
    }

    /// The bytes in the code, at least one: as they are in byte mode, ASCII in numeric and alphanumeric mode.
    ///
    /// No character set is applied.
    public let bytes: [UInt8]
    /// The kind of the code.
    public let symbology: Symbology
    /// The four corners as the code is read: top left, top right, bottom right, bottom left.
    ///
    /// In a code that stands upright these are the corners of the picture in this order; in one that is turned or
    /// mirrored they are where it is turned to.
    public let corners: [PicturePoint]

    /// Makes a code; there are four corners.
    public init(bytes: [UInt8], symbology: Symbology, corners: [PicturePoint]) {
        precondition(corners.count == 4, "a code has four corners")
        self.bytes = bytes
        self.symbology = symbology
        self.corners = corners
    }

    /// The rows of the picture that the code takes.
    var rows: ClosedRange<Int> { Self.extent(corners.map(\.y)) }
    /// The columns of the picture that the code takes.
    var columns: ClosedRange<Int> { Self.extent(corners.map(\.x)) }

    private static func extent(_ values: [Int]) -> ClosedRange<Int> { (values.min() ?? 0)...(values.max() ?? 0) }

    /// Returns the code with each corner moved.
    func mapped(_ move: (PicturePoint) -> PicturePoint) -> FoundCode {
        FoundCode(bytes: bytes, symbology: symbology, corners: corners.map(move))
    }

    /// True when both are the same code in the same place, perhaps seen a little differently.
    func isSeenAgain(as other: FoundCode) -> Bool {
        bytes == other.bytes && symbology == other.symbology && rows.overlaps(other.rows)
            && columns.overlaps(other.columns)
    }
}

/// The order in which people read the codes of a page.
enum ReadingOrder {
    /// Sorts codes from top to bottom, and those of a row from left to right.
    ///
    /// A code belongs to the row of the one above it when its middle lies within that one's height, or the other way
    /// round.
    static func sorted(_ codes: [FoundCode]) -> [FoundCode] {
        var rows: [[FoundCode]] = []
        for code in codes.sorted(by: {
            ($0.rows.lowerBound, $0.columns.lowerBound) < ($1.rows.lowerBound, $1.columns.lowerBound)
        }) {
            if let first = rows.last?.first, first.rows.contains(middle(code)) || code.rows.contains(middle(first)) {
                rows[rows.count - 1].append(code)
            } else {
                rows.append([code])
            }
        }
        return rows.flatMap { $0.sorted { $0.columns.lowerBound < $1.columns.lowerBound } }
    }

    private static func middle(_ code: FoundCode) -> Int { (code.rows.lowerBound + code.rows.upperBound) / 2 }
}
