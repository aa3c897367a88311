import ByteCoding
import Compression

/// The chunk IHDR of a PNG (third edition, 11.2.1), which was checked.
struct PNGHeader: Hashable, Sendable {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// The colour types.
    enum ColourType: UInt8, Sendable {
        case grey = 0
        case colour = 2
        case palette = 3
        case greyWithAlpha = 4
        case colourWithAlpha = 6

        /// The number of samples of a pixel.
        var sampleCount: Int {
            switch self {
            case .grey, .palette: 1
            case .greyWithAlpha: 2
            case .colour: 3
            case .colourWithAlpha: 4
            }
        }

        /// The bit depths that the type may have.
        var depths: Set<UInt8> {
            switch self {
            case .grey: [1, 2, 4, 8, 16]
            case .palette: [1, 2, 4, 8]
            case .colour, .greyWithAlpha, .colourWithAlpha: [8, 16]
            }
        }
    }

    let width: Int
    let height: Int
    let bitDepth: Int
    let colourType: ColourType
    let isInterlaced: Bool

    /// Reads the first chunk of a file that begins with the signature.
    init(of file: [UInt8]) throws(CodeReaderError) {
        var chunks = PNGChunks(file)
        guard let chunk = try chunks.next(), chunk.name == "IHDR", chunk.content.count == 13 else {
            throw Self.broken("it does not begin with its size")
        }
        var reader = ByteReader(chunk.content)
        guard let width = reader.bigEndian(UInt32.self), let height = reader.bigEndian(UInt32.self),
            let bitDepth = reader.byte(), let type = reader.byte().flatMap(ColourType.init(rawValue:)),
            type.depths.contains(bitDepth), reader.byte() == 0, reader.byte() == 0, let interlacing = reader.byte(),
            interlacing < 2
        else { throw Self.broken("its header has a value that there is not") }
        try CodePicture.check(width: Int(width), height: Int(height))
        (self.width, self.height, self.bitDepth) = (Int(width), Int(height), Int(bitDepth))
        colourType = type
        isInterlaced = interlacing == 1
    }

    static func broken(_ words: String) -> CodeReaderError { CodeReaderError(.broken, "The PNG is damaged: \(words).") }

    /// The bits of a pixel.
    var bitsPerPixel: Int { bitDepth * colourType.sampleCount }

    /// The passes in which the pixels come (8.1): one, or the seven of Adam7 without those that have no pixels.
    var passes: [PNGPass] {
        guard isInterlaced else { return [PNGPass(self, column: 0, row: 0, columnStep: 1, rowStep: 1)] }
        return [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
            .map { PNGPass(self, column: $0.0, row: $0.1, columnStep: $0.2, rowStep: $0.3) }
            .filter { $0.columns > 0 && $0.rows > 0 }
    }
}

/// The pixels of a PNG that come together: every `columnStep`th of every `rowStep`th row, from a first one on.
struct PNGPass: Hashable, Sendable {
    let column: Int
    let row: Int
    let columnStep: Int
    let rowStep: Int
    /// The number of pixels in a row.
    let columns: Int
    /// The number of rows.
    let rows: Int
    /// The bytes of a row without the one of its filter.
    let rowBytes: Int

    fileprivate init(_ header: PNGHeader, column: Int, row: Int, columnStep: Int, rowStep: Int) {
        (self.column, self.row, self.columnStep, self.rowStep) = (column, row, columnStep, rowStep)
        columns = (header.width - column + columnStep - 1) / columnStep
        rows = (header.height - row + rowStep - 1) / rowStep
        rowBytes = (columns * header.bitsPerPixel + 7) / 8
    }

    /// The bytes of all rows, each with the one of its filter.
    var byteCount: Int { rows * (rowBytes + 1) }
}

/// A walk over the chunks of a PNG (5.3).
struct PNGChunks {
    /// A chunk.
    struct PNGChunk {
        /// The four letters of its type.
        let name: String
        let content: ArraySlice<UInt8>

        /// True when a reader that does not know the chunk can do without it.
        var isAncillary: Bool { name.utf8.first.map { $0 & 0x20 != 0 } ?? true }
    }

    private var reader: ByteReader

    /// Begins behind the signature.
    init(_ file: [UInt8]) { reader = ByteReader(file.dropFirst(PNGHeader.signature.count)) }

    /// Reads the next chunk and compares its checksum; nil at the end of the file.
    mutating func next() throws(CodeReaderError) -> PNGChunk? {
        guard !reader.isAtEnd else { return nil }
        guard let length = reader.bigEndian(UInt32.self), let body = reader.bytes(Int(length) + 4),
            let checksum = reader.bigEndian(UInt32.self)
        else { throw PNGHeader.broken("it ends within a part") }
        let name = body.prefix(4)
        guard name.allSatisfy({ (0x41...0x5A).contains($0 & 0xDF) }), CRC32.checksum(of: body) == checksum else {
            throw PNGHeader.broken("a part of it has a wrong checksum")
        }
        return PNGChunk(name: String(decoding: name, as: UTF8.self), content: body.dropFirst(4))
    }
}
