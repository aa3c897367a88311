/// Reads the two-dimensional codes in a picture: QR Code, Aztec, PDF417 and Data Matrix.
///
/// They are found by zxing-cpp, whose library is opened at the first picture; JPEG is read by libturbojpeg, PNG by this
/// module. Nothing of a picture is kept.
public enum CodeReader {
    /// The time that is spent on a picture.
    public enum Effort: Sendable {
        /// A quick search, and one for inverted QR codes, for the frames of a camera: the next is another chance.
        case frame
        /// Up to thirteen searches, for a file: in parts, and on copies that are inverted, mirrored, turned or larger.
        case thorough
    }

    /// The most codes that are returned of one picture.
    public static let maximumCodes = ZXingBackEnd.maximumCodes

    /// True when this machine has the libraries for codes and for JPEG.
    public static var isAvailable: Bool { ZXingBackEnd.isAvailable && TurboJPEGBackEnd.isAvailable }

    /// Returns the codes in a picture, at least one and at most `maximumCodes`, in reading order.
    ///
    /// That is from top to bottom, and those of a row from left to right. Works on the thread of the caller; searches
    /// run in processes of their own, with at most 250 ms of processor time for a frame and 15 s for a file. Throws
    /// `picture.library` when a library that is needed is not installed, `picture.format` for a file that is neither
    /// PNG nor JPEG, `picture.too-large`, `picture.broken`, and `picture.no-code`.
    public static func codes(
        in picture: CodePicture, effort: Effort = .thorough
    ) throws(CodeReaderError) -> [FoundCode] {
        let (pixels, isDamaged) = try picture.luminance()
        try ZXingBackEnd.open()
        let (found, isCutOff) = CodeSearch.codes(in: pixels, effort)
        guard !found.isEmpty else {
            if isDamaged {
                throw CodeReaderError(.broken, "A part of the picture is missing, and no code was found in the rest.")
            }
            throw CodeReaderError(
                .noCode,
                isCutOff
                    ? "No code was found in the time that is spent on a picture." : "No code was found in the picture.")
        }
        return Array(ReadingOrder.sorted(found).prefix(maximumCodes))
    }
}
