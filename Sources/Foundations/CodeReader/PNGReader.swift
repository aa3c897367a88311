import Compression

/// Reads the pixels of a PNG (third edition) as brightness.
///
/// Gamma and colour profiles are not applied: a code has dark and light, and no colours.
enum PNGReader {
    /// The most bytes that the pixels may unfold to: 160 MiB, four bytes for each of the most pixels.
    static let maximumUnfoldedBytes = 160 << 20

    /// More than deflate can shrink, so that only the size in the header limits what is unfolded.
    private static let maximumRatio = 1100

    /// Returns the brightness of the pixels of a file whose header was read; what is transparent counts as white.
    ///
    /// Throws `picture.broken`, and `picture.too-large` for pixels of 8 or more bytes that would take too much memory.
    static func pixels(of file: [UInt8], _ header: PNGHeader) throws(CodeReaderError) -> Luminance {
        let parts = try PNGParts(of: file, header)
        let byteCount = header.passes.reduce(0) { $0 + $1.byteCount }
        guard byteCount <= maximumUnfoldedBytes else {
            throw CodeReaderError(
                .tooLarge,
                "The pixels of the PNG take \(byteCount) bytes; at most \(maximumUnfoldedBytes) are unfolded.")
        }
        var rows = try unfolded(parts.data, byteCount: byteCount)
        var pixels = [UInt8](repeating: 255, count: header.width * header.height)
        var start = 0
        for pass in header.passes {
            for row in 0..<pass.rows {
                let place = start + row * (pass.rowBytes + 1)
                try unfilter(&rows, place, pass, isFirst: row == 0, distance: max(1, header.bitsPerPixel / 8))
                let target = (pass.row + row * pass.rowStep) * header.width + pass.column
                try parts.convert(
                    rows[place + 1..<place + 1 + pass.rowBytes], into: &pixels, at: target, pass)
            }
            start += pass.byteCount
        }
        return Luminance(bytes: pixels, width: header.width, height: header.height)
    }

    private static func unfolded(_ data: [UInt8], byteCount: Int) throws(CodeReaderError) -> [UInt8] {
        let rows: [UInt8]
        do {
            rows = try Zlib.decompress(
                data, limits: Gzip.Limits(maximumBytes: byteCount, maximumRatio: maximumRatio))
        } catch {
            let isTooLong = error.code == .tooLarge || error.code == .ratio
            throw PNGHeader.broken(isTooLong ? "it has more pixels than its header says" : error.reason)
        }
        guard rows.count == byteCount else { throw PNGHeader.broken("it has fewer pixels than its header says") }
        return rows
    }

    /// Undoes the filter of a row (9.2), whose first byte says which it is.
    private static func unfilter(
        _ rows: inout [UInt8], _ place: Int, _ pass: PNGPass, isFirst: Bool, distance: Int
    ) throws(CodeReaderError) {
        let (start, end, above) = (place + 1, place + 1 + pass.rowBytes, pass.rowBytes + 1)
        // Bytes to the left of the row and above the first one count as 0.
        func left(_ index: Int, _ rows: borrowing [UInt8]) -> UInt8 {
            index - distance < start ? 0 : rows[index - distance]
        }
        switch rows[place] {
        case 0: break
        case 1:
            guard start + distance < end else { break }
            for index in start + distance..<end { rows[index] &+= rows[index - distance] }
        case 2:
            guard !isFirst else { break }
            for index in start..<end { rows[index] &+= rows[index - above] }
        case 3:
            for index in start..<end {
                let upper = isFirst ? 0 : rows[index - above]
                rows[index] &+= UInt8((UInt16(left(index, rows)) + UInt16(upper)) / 2)
            }
        case 4:
            for index in start..<end {
                let upper = isFirst ? 0 : rows[index - above]
                let corner = isFirst || index - distance < start ? 0 : rows[index - above - distance]
                rows[index] &+= predicted(left(index, rows), upper, corner)
            }
        default: throw PNGHeader.broken("a row has a filter that there is not")
        }
    }

    /// The one of three bytes that is next to left + upper − corner (9.4, Paeth).
    private static func predicted(_ left: UInt8, _ upper: UInt8, _ corner: UInt8) -> UInt8 {
        let toLeft = abs(Int(upper) - Int(corner))
        let toUpper = abs(Int(left) - Int(corner))
        let toCorner = abs(Int(left) + Int(upper) - 2 * Int(corner))
        if toLeft <= toUpper, toLeft <= toCorner { return left }
        return toUpper <= toCorner ? upper : corner
    }
}

/// The chunks of a PNG that say what its pixels are.
struct PNGParts {
    private let header: PNGHeader
    /// The compressed rows.
    let data: [UInt8]
    /// The brightness of each entry of the palette, on white.
    private let palette: [UInt8]
    /// The samples of the one value that is transparent; empty for none.
    private let transparent: [Int]

    /// Collects the chunks of a PNG up to the one that ends it.
    init(of file: [UInt8], _ header: PNGHeader) throws(CodeReaderError) {
        var chunks = PNGChunks(file)
        _ = try chunks.next()
        var (data, colours, alpha): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
        var (previous, isWhole) = ("IHDR", false)
        while !isWhole, let chunk = try chunks.next() {
            switch chunk.name {
            case "IDAT":
                guard data.isEmpty || previous == "IDAT" else { throw PNGHeader.broken("its data are not together") }
                data += chunk.content
            case "PLTE" where data.isEmpty && colours.isEmpty: colours = Array(chunk.content)
            case "tRNS" where data.isEmpty && alpha.isEmpty: alpha = Array(chunk.content)
            case "IEND": isWhole = true
            default:
                guard chunk.isAncillary else { throw PNGHeader.broken("a part is where it may not be") }
            }
            previous = chunk.name
        }
        guard isWhole, !data.isEmpty else { throw PNGHeader.broken("it ends before its last part") }
        self.header = header
        self.data = data
        palette = header.colourType == .palette ? try Self.palette(colours, alpha) : []
        transparent =
            header.colourType == .palette
            ? []
            : stride(from: 0, to: alpha.count - 1, by: 2).map {
                Int(alpha[$0]) << 8 | Int(alpha[$0 + 1])
            }
    }

    private static func palette(_ colours: [UInt8], _ alpha: [UInt8]) throws(CodeReaderError) -> [UInt8] {
        let count = colours.count / 3
        guard colours.count % 3 == 0, (1...256).contains(count), alpha.count <= count else {
            throw PNGHeader.broken("its palette has a wrong length")
        }
        return (0..<count).map {
            let level = brightness(colours[3 * $0], colours[3 * $0 + 1], colours[3 * $0 + 2])
            return onWhite(level, alpha: $0 < alpha.count ? alpha[$0] : 255)
        }
    }

    /// Writes the brightness of the pixels in a row of a pass, the first at `target`.
    func convert(
        _ row: ArraySlice<UInt8>, into pixels: inout [UInt8], at target: Int, _ pass: PNGPass
    ) throws(CodeReaderError) {
        let step = pass.columnStep
        let depth = header.bitDepth
        switch header.colourType {
        case .palette:
            for column in 0..<pass.columns {
                let entry = depth == 8 ? Int(row[row.startIndex + column]) : Self.sample(row, column, depth)
                guard entry < palette.count else { throw PNGHeader.broken("a pixel is not in its palette") }
                pixels[target + column * step] = palette[entry]
            }
        case .grey where depth < 8:
            let scale = 255 / (1 << depth - 1)
            for column in 0..<pass.columns {
                let sample = Self.sample(row, column, depth)
                pixels[target + column * step] = transparent == [sample] ? 255 : UInt8(sample * scale)
            }
        default: convertWhole(row, into: &pixels, at: target, pass)
        }
    }

    /// Converts pixels whose samples are whole bytes, or pairs of bytes of which the first counts.
    private func convertWhole(_ row: ArraySlice<UInt8>, into pixels: inout [UInt8], at target: Int, _ pass: PNGPass) {
        let width = header.bitDepth / 8
        let size = header.bitsPerPixel / 8
        let hasTransparency = !transparent.isEmpty
        for column in 0..<pass.columns {
            let first = row.startIndex + column * size
            let level =
                switch header.colourType {
                case .grey, .palette: row[first]
                case .greyWithAlpha: Self.onWhite(row[first], alpha: row[first + width])
                case .colour: Self.brightness(row[first], row[first + width], row[first + 2 * width])
                case .colourWithAlpha:
                    Self.onWhite(
                        Self.brightness(row[first], row[first + width], row[first + 2 * width]),
                        alpha: row[first + 3 * width])
                }
            let isTransparent = hasTransparency && isTransparent(row[first..<first + size], width)
            pixels[target + column * pass.columnStep] = isTransparent ? 255 : level
        }
    }

    private func isTransparent(_ pixel: ArraySlice<UInt8>, _ width: Int) -> Bool {
        let samples = stride(from: pixel.startIndex, to: pixel.endIndex, by: width).map {
            width == 1 ? Int(pixel[$0]) : Int(pixel[$0]) << 8 | Int(pixel[$0 + 1])
        }
        return samples == transparent
    }

    /// The sample of a pixel that is smaller than a byte (7.2): the first is in the highest bits.
    private static func sample(_ row: ArraySlice<UInt8>, _ column: Int, _ depth: Int) -> Int {
        let bit = column * depth
        return Int(row[row.startIndex + bit / 8]) >> (8 - depth - bit % 8) & (1 << depth - 1)
    }

    /// The brightness of a colour (ITU-R BT.601).
    private static func brightness(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> UInt8 {
        let (red, green, blue) = (UInt32(red), UInt32(green), UInt32(blue))
        return UInt8((306 * red + 601 * green + 117 * blue + 512) >> 10)
    }

    private static func onWhite(_ level: UInt8, alpha: UInt8) -> UInt8 {
        let (level, alpha) = (UInt32(level), UInt32(alpha))
        return UInt8((level * alpha + 255 * (255 - alpha) + 127) / 255)
    }
}
