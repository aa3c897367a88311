/// The head of a picture file, read before any library sees a byte of it.
enum PictureHeader: Hashable, Sendable {
    case png(PNGHeader)
    case jpeg(JPEGHeader)

    /// Reads the head of a file, and checks its size in bytes and pixels.
    ///
    /// Throws `picture.format`, which names what the file is, `picture.too-large` and `picture.broken`.
    init(of file: [UInt8]) throws(CodeReaderError) {
        let isPNG = file.starts(with: PNGHeader.signature)
        guard isPNG || file.starts(with: JPEGHeader.signature) else { throw ForeignFormat.error(for: file) }
        guard file.count <= CodePicture.maximumFileBytes else {
            throw CodeReaderError(
                .tooLarge, "The file has \(file.count) bytes; at most \(CodePicture.maximumFileBytes) are read.")
        }
        self = isPNG ? .png(try PNGHeader(of: file)) : .jpeg(try JPEGHeader(of: file))
    }
}

/// Files that people take for pictures that are read here.
enum ForeignFormat {
    /// The format with the words for it, the bytes that show it, and the offset of these bytes.
    private static let signatures: [(offset: Int, bytes: String, words: String)] = [
        (0, "%PDF-", "a PDF. Make a picture of the page: pdftoppm -png -r 200 FILE page"),
        (0, "GIF8", "a GIF. Make a PNG of it: convert FILE page.png"),
        (8, "WEBP", "a WebP. Make a PNG of it: dwebp FILE -o page.png"),
        (4, "ftyphei", "a HEIC. Make a PNG of it: heif-convert FILE page.png"),
        (4, "ftyphev", "a HEIC. Make a PNG of it: heif-convert FILE page.png"),
        (4, "ftypmif1", "a HEIC. Make a PNG of it: heif-convert FILE page.png"),
        (4, "ftypavi", "an AVIF. Make a PNG of it: heif-convert FILE page.png"),
        (4, "jP  ", "a JPEG 2000. Make a PNG of it: opj_decompress -i FILE -o page.png"),
        (0, "BM", "a BMP. Make a PNG of it: convert FILE page.png"),
        (0, "II*\0", "a TIFF. Make a PNG of it: convert FILE page.png"),
        (0, "MM\0*", "a TIFF. Make a PNG of it: convert FILE page.png"),
    ]

    private static let drawing = "an SVG. Make a PNG of it: rsvg-convert -o page.png FILE"

    /// The first bytes, in which an SVG and a text are recognised.
    private static let headBytes = 1024

    /// Makes the error of a file that is neither PNG nor JPEG.
    static func error(for file: [UInt8]) -> CodeReaderError {
        guard !file.isEmpty else { return CodeReaderError(.broken, "The picture has no bytes.") }
        let signature = signatures.first { file.dropFirst($0.offset).starts(with: $0.bytes.utf8) }
        if let signature { return CodeReaderError(.format, "This is \(signature.words)") }
        let head = file.prefix(headBytes)
        if holds("<svg", head) { return CodeReaderError(.format, "This is \(drawing)") }
        let isText = head.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }
        return CodeReaderError(
            .format, isText ? "This is a text, not a picture." : "The file begins as no picture does that is known.")
    }

    private static func holds(_ word: String, _ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.indices.contains { bytes[$0...].starts(with: word.utf8) }
    }
}
