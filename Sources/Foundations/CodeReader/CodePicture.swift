/// A picture in which codes are searched: a file, or the pixels of a camera's frame.
///
/// Making one checks nothing; `CodeReader.codes(in:effort:)` does.
public struct CodePicture: Sendable {
    /// The largest file that is read, in bytes: 16 MiB.
    public static let maximumFileBytes = 16 << 20
    /// The most pixels of a picture: 40 million.
    public static let maximumPixels = 40_000_000
    /// The most pixels of a side.
    public static let maximumSide = 16_384

    /// The form in which the picture is there.
    enum Content: Sendable {
        case file([UInt8])
        case luminance(Luminance)
    }

    let content: Content

    /// Makes a picture of the bytes of a PNG (third edition) or JPEG (ITU-T T.81) file.
    ///
    /// PNG: each colour type, bit depth and interlacing; what is transparent counts as white. JPEG: 8 bits for each
    /// sample, baseline or progressive, grey or of three colours. An orientation in EXIF is not applied, because codes
    /// are read at any angle.
    public init(file bytes: [UInt8]) { content = .file(bytes) }

    /// Makes a picture of one byte for each pixel, 0 for black to 255 for white, row by row from the top left corner.
    ///
    /// There are `width` · `height` bytes.
    public init(luminance: [UInt8], width: Int, height: Int) {
        content = .luminance(Luminance(bytes: luminance, width: width, height: height))
    }

    /// Returns the brightness of each pixel; throws all codes of the module but `picture.no-code`.
    ///
    /// `isDamaged` is true when a part of the picture could not be read.
    func luminance() throws(CodeReaderError) -> (pixels: Luminance, isDamaged: Bool) {
        switch content {
        case .luminance(let luminance):
            try Self.check(width: luminance.width, height: luminance.height)
            guard luminance.bytes.count == luminance.width * luminance.height else {
                throw CodeReaderError(
                    .broken,
                    "A picture of \(luminance.width) × \(luminance.height) pixels has \(luminance.bytes.count) bytes.")
            }
            return (luminance, false)
        case .file(let bytes):
            switch try PictureHeader(of: bytes) {
            case .png(let header): return (try PNGReader.pixels(of: bytes, header), false)
            case .jpeg(let header): return try TurboJPEGBackEnd.pixels(of: bytes, header)
            }
        }
    }

    /// Throws `picture.broken` for a side without pixels, and `picture.too-large` for too many pixels.
    static func check(width: Int, height: Int) throws(CodeReaderError) {
        guard width > 0, height > 0 else {
            throw CodeReaderError(.broken, "A picture of \(width) × \(height) has no pixels.")
        }
        guard width <= maximumSide, height <= maximumSide, width * height <= maximumPixels else {
            throw CodeReaderError(
                .tooLarge,
                "The picture has \(width) × \(height) pixels; at most \(maximumSide) on a side and \(maximumPixels) "
                    + "in all are read.")
        }
    }
}
