import ByteCoding

/// A picture of a credential whose kind and size were read from its bytes, before they are decoded.
///
/// The kind that the credential names counts for nothing. Taken are JPEG, PNG, WebP, GIF and JPEG 2000 up to
/// `maximumBytes`, `maximumSide` pixels a side, `maximumFrames` and `maximumPixels`; a picture that names several sizes
/// is as large as the largest.
public struct Picture: Hashable, Sendable {
    /// The reason why a picture is not shown.
    public enum Fault: String, CaseIterable, Error, Sendable {
        /// The text is not base 64.
        case notBase64 = "not-base64"
        /// The bytes are of no kind that is shown.
        case unknownKind = "unknown-kind"
        /// There are more bytes than are taken.
        case tooManyBytes = "too-many-bytes"
        /// A side, or all frames together, have more pixels than are taken.
        case tooManyPixels = "too-many-pixels"
        /// There are more frames than are taken.
        case tooManyFrames = "too-many-frames"
        /// The pictures before it left too few pixels for it.
        case tooManyTogether = "too-many-together"
        /// The size cannot be read.
        case malformed
    }

    /// The most bytes of a picture.
    public static let maximumBytes = 2 << 20
    /// The most pixels of a side.
    public static let maximumSide = 4096
    /// The most frames of a picture that moves.
    public static let maximumFrames = 64
    /// The most pixels of all frames of a picture, and of all pictures that are shown at once: 16 Mi, 64 MiB decoded.
    public static let maximumPixels = 16 << 20

    /// The media type, as the first bytes of the picture show it.
    public let mediaType: String
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int
    /// The pixels of all frames.
    public let pixels: Int
    /// The bytes as they came.
    public let bytes: [UInt8]
    /// True when browsers draw this kind; JPEG 2000 they do not.
    public let isDrawn: Bool

    /// Reads a text such as `data:image/png;base64,…`, or plain base 64.
    public init(text: String) throws(Fault) {
        let body: Substring.UTF8View
        if text.utf8.starts(with: "data:".utf8) {
            guard let comma = text.utf8.firstIndex(of: UInt8(ascii: ",")) else { throw .notBase64 }
            body = text.utf8[text.utf8.index(after: comma)...]
        } else {
            body = text.utf8[...]
        }
        guard body.count <= Self.maximumBytes / 3 * 4 + 4 else { throw .tooManyBytes }
        guard let bytes = Self.decoded(body) else { throw .notBase64 }
        try self.init(bytes: bytes)
    }

    /// Reads the head of a picture.
    public init(bytes: [UInt8]) throws(Fault) {
        guard bytes.count <= Self.maximumBytes else { throw .tooManyBytes }
        guard let kind = PictureFormat(bytes) else { throw .unknownKind }
        guard let extent = PictureDecodeCost(kind, bytes) else { throw .malformed }
        guard max(extent.width, extent.height) <= Self.maximumSide else { throw .tooManyPixels }
        guard extent.frames <= Self.maximumFrames else { throw .tooManyFrames }
        guard extent.pixels <= Self.maximumPixels else { throw .tooManyPixels }
        mediaType = kind.mediaType
        width = extent.width
        height = extent.height
        pixels = extent.pixels
        self.bytes = bytes
        isDrawn = kind != .jpeg2000
    }

    private static func decoded(_ text: Substring.UTF8View) -> [UInt8]? {
        let clean = text.filter { $0 > 0x20 }
        return Base64.decode(String(decoding: clean, as: UTF8.self), acceptsBothAlphabets: true)
    }
}

/// The kinds of pictures that are known, by their first bytes.
enum PictureFormat: String, CaseIterable {
    case jpeg
    case png
    case webp
    case gif
    /// JPEG 2000, as a file with boxes (ISO/IEC 15444-1, annex I) or a bare codestream (annex A).
    case jpeg2000 = "jp2"

    private static let boxedStart: [UInt8] = [0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A]
    private static let codestreamStart: [UInt8] = [0xFF, 0x4F, 0xFF, 0x51]

    init?(_ bytes: [UInt8]) {
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
            self = .webp
        } else if bytes.starts(with: Array("GIF87a".utf8)) || bytes.starts(with: Array("GIF89a".utf8)) {
            self = .gif
        } else if bytes.starts(with: Self.boxedStart) || bytes.starts(with: Self.codestreamStart) {
            self = .jpeg2000
        } else {
            return nil
        }
    }

    var mediaType: String { "image/\(rawValue)" }
}
