import ByteCoding

/// The size of a JPEG (ITU-T T.81), whose segments were walked to its end.
struct JPEGHeader: Hashable, Sendable {
    static let signature: [UInt8] = [0xFF, 0xD8, 0xFF]

    /// The most scans of a picture; a progressive one has about ten, and each takes as long as a whole picture.
    static let maximumScans = 50

    let width: Int
    let height: Int

    /// Reads the segments: their lengths, the one frame, and the number of scans.
    ///
    /// Bytes behind the end of the image are not looked at: cameras put more there. A file that ends within the data of
    /// a scan is accepted.
    init(of file: [UInt8]) throws(CodeReaderError) {
        var segments = JPEGSegments(file)
        var size: (width: Int, height: Int)?
        var scans = 0
        while let marker = try segments.next() {
            switch marker {
            case 0xC0...0xC2:
                guard size == nil else { throw Self.broken("it has two frames") }
                size = try Self.size(of: try segments.content())
            case 0xC3, 0xC5...0xC7, 0xC8...0xCB, 0xCD...0xCF:
                throw CodeReaderError(.format, "This is a JPEG of a rare kind (SOF\(marker - 0xC0)). \(Self.advice)")
            case 0xDA:
                guard size != nil else { throw Self.broken("its data come before its size") }
                scans += 1
                guard scans <= Self.maximumScans else {
                    throw Self.broken("it has more than \(Self.maximumScans) scans")
                }
                _ = try segments.content()
                segments.skipData()
            default: _ = try segments.content()
            }
        }
        guard let size, scans > 0 else { throw Self.broken("it ends before its data") }
        (width, height) = size
    }

    private static let advice = "Make a PNG of it: convert FILE page.png"

    /// Reads a frame header (B.2.2).
    private static func size(of frame: ArraySlice<UInt8>) throws(CodeReaderError) -> (width: Int, height: Int) {
        var reader = ByteReader(frame)
        guard let precision = reader.byte(), let height = reader.bigEndian(UInt16.self),
            let width = reader.bigEndian(UInt16.self), let components = reader.byte(),
            reader.remainingCount == 3 * Int(components)
        else { throw broken("its frame header has a wrong length") }
        guard precision == 8 else {
            throw CodeReaderError(.format, "This is a JPEG of \(precision) bits for each sample. \(advice)")
        }
        guard components == 1 || components == 3 else {
            let kind = components == 4 ? "in CMYK, the colours of printers" : "of \(components) components"
            throw CodeReaderError(.format, "This is a JPEG \(kind). \(advice)")
        }
        try CodePicture.check(width: Int(width), height: Int(height))
        return (Int(width), Int(height))
    }

    static func broken(_ words: String) -> CodeReaderError {
        CodeReaderError(.broken, "The JPEG is damaged: \(words).")
    }
}

/// A walk over the segments of a JPEG.
struct JPEGSegments {
    private let file: [UInt8]
    private var position = 2

    /// Begins behind the first marker, SOI.
    init(_ file: [UInt8]) { self.file = file }

    /// Returns the next marker; nil at the end of the image, or of a file that ends between two segments.
    mutating func next() throws(CodeReaderError) -> UInt8? {
        while position < file.count {
            guard file[position] == 0xFF else { throw JPEGHeader.broken("a segment has a wrong length") }
            while position < file.count, file[position] == 0xFF { position += 1 }
            guard position < file.count else { return nil }
            let marker = file[position]
            position += 1
            switch marker {
            case 0xD9: return nil
            // Markers without a length.
            case 0x01, 0xD0...0xD7: continue
            case 0x00, 0xD8: throw JPEGHeader.broken("a marker is where none may be")
            default: return marker
            }
        }
        return nil
    }

    /// Reads the content of the segment whose marker was read.
    mutating func content() throws(CodeReaderError) -> ArraySlice<UInt8> {
        guard position + 2 <= file.count else { throw JPEGHeader.broken("it ends within a segment") }
        let length = Int(file[position]) << 8 | Int(file[position + 1])
        guard length >= 2, length <= file.count - position else { throw JPEGHeader.broken("it ends within a segment") }
        defer { position += length }
        return file[position + 2..<position + length]
    }

    /// Goes on to the marker that ends the data of a scan (B.1.1.5), or to the end of the file.
    mutating func skipData() {
        while position < file.count {
            if file[position] == 0xFF, position + 1 < file.count {
                switch file[position + 1] {
                case 0x00, 0xD0...0xD7: position += 1
                case 0xFF: break
                default: return
                }
            }
            position += 1
        }
    }
}
