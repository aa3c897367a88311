import ByteCoding

/// A picture of a credential whose kind and size were read from its bytes, before anything decodes it.
///
/// The kind that the credential names counts for nothing. Taken are JPEG, PNG, WebP, GIF and JPEG 2000 up to
/// `maximumBytes` and `maximumSide` pixels a side; a picture that names several sizes is as large as the largest.
public struct Picture: Hashable, Sendable {
    /// Why a picture is not shown.
    public enum Fault: String, CaseIterable, Error, Sendable {
        /// The text is not base 64.
        case notBase64 = "not-base64"
        /// The bytes are of no kind that is shown.
        case unknownKind = "unknown-kind"
        /// There are more bytes than are taken.
        case tooManyBytes = "too-many-bytes"
        /// A side has more pixels than are taken.
        case tooManyPixels = "too-many-pixels"
        /// The size cannot be read.
        case malformed
    }

    /// The most bytes of a picture.
    public static let maximumBytes = 2 << 20
    /// The most pixels of a side.
    public static let maximumSide = 4096

    /// The media type, from the bytes.
    public let mediaType: String
    /// The pixels of a line.
    public let width: Int
    /// The lines.
    public let height: Int
    /// The bytes as they came.
    public let bytes: [UInt8]
    /// Whether browsers draw this kind; JPEG 2000 they do not.
    public let isDrawn: Bool

    /// Reads a text such as `data:image/png;base64,…`, or base 64 alone.
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
        guard let kind = PictureKind(bytes) else { throw .unknownKind }
        guard let size = kind.size(bytes) else { throw .malformed }
        guard size.width > 0, size.height > 0 else { throw .malformed }
        guard size.width <= Self.maximumSide, size.height <= Self.maximumSide else { throw .tooManyPixels }
        mediaType = kind.mediaType
        width = size.width
        height = size.height
        self.bytes = bytes
        isDrawn = kind != .jpeg2000
    }

    private static func decoded(_ text: Substring.UTF8View) -> [UInt8]? {
        let clean = text.filter { $0 > 0x20 }
        return Base64.decode(String(decoding: clean, as: UTF8.self), acceptsBothAlphabets: true)
    }
}

/// The kinds of pictures that are known, by their first bytes.
enum PictureKind: String, CaseIterable {
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
        } else if bytes.count > 16, bytes.starts(with: Array("RIFF".utf8)), bytes[8..<12].elementsEqual("WEBP".utf8) {
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

    /// Width and height as the head says; nil when it cannot be read.
    func size(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        switch self {
        case .jpeg: Self.jpegSize(bytes)
        case .png: Self.pngSize(bytes)
        case .webp: Self.webpSize(bytes)
        case .gif: Self.gifSize(bytes)
        case .jpeg2000: bytes[0] == 0 ? Self.boxedSize(bytes) : Self.codestreamSize(bytes)
        }
    }

    private static func pngSize(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        guard bytes.count >= 33, bytes[12..<16].elementsEqual("IHDR".utf8) else { return nil }
        return (number(bytes[16..<20]), number(bytes[20..<24]))
    }

    /// The largest of all frame headers: a decoder might take any of them.
    private static func jpegSize(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        var (index, width, height) = (2, 0, 0)
        while index + 4 <= bytes.count {
            guard bytes[index] == 0xFF else {
                index += 1
                continue
            }
            let marker = bytes[index + 1]
            switch marker {
            case 0xFF: index += 1
            case 0x00, 0x01, 0xD0...0xD8: index += 2
            case 0xD9: return width > 0 ? (width, height) : nil
            default:
                let length = Int(bytes[index + 2]) << 8 | Int(bytes[index + 3])
                guard length >= 2 else { return nil }
                if isFrame(marker) {
                    guard index + 9 <= bytes.count else { return nil }
                    height = max(height, number(bytes[(index + 5)..<(index + 7)]))
                    width = max(width, number(bytes[(index + 7)..<(index + 9)]))
                }
                index += 2 + length
            }
        }
        return width > 0 ? (width, height) : nil
    }

    private static func isFrame(_ marker: UInt8) -> Bool {
        switch marker {
        case 0xC4, 0xC8, 0xCC: false
        case 0xC0...0xCF: true
        default: false
        }
    }

    /// The canvas of an extended file, else the frame of the one picture.
    private static func webpSize(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        guard bytes.count >= 30 else { return nil }
        if bytes[12..<16].elementsEqual("VP8X".utf8) {
            return (littleEndian(bytes[24..<27]) + 1, littleEndian(bytes[27..<30]) + 1)
        }
        if bytes[12..<16].elementsEqual("VP8L".utf8) {
            let bits = littleEndian(bytes[21..<25])
            return ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        }
        guard bytes[12..<16].elementsEqual("VP8 ".utf8) else { return nil }
        return (littleEndian(bytes[26..<28]) & 0x3FFF, littleEndian(bytes[28..<30]) & 0x3FFF)
    }

    private static func gifSize(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        guard bytes.count >= 10 else { return nil }
        return (littleEndian(bytes[6..<8]), littleEndian(bytes[8..<10]))
    }

    /// The size in the image header box, which stands first in the header box of the file.
    private static func boxedSize(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        var index = boxedStart.count
        while index + 8 <= bytes.count {
            let (length, name) = (number(bytes[index..<(index + 4)]), bytes[(index + 4)..<(index + 8)])
            guard !name.elementsEqual("jp2h".utf8) else { return imageHeader(bytes, at: index + 8) }
            guard length >= 8, length <= bytes.count - index else { return nil }
            index += length
        }
        return nil
    }

    private static func imageHeader(_ bytes: [UInt8], at index: Int) -> (width: Int, height: Int)? {
        guard index + 16 <= bytes.count, bytes[(index + 4)..<(index + 8)].elementsEqual("ihdr".utf8) else { return nil }
        return (number(bytes[(index + 12)..<(index + 16)]), number(bytes[(index + 8)..<(index + 12)]))
    }

    /// The extent of the reference grid less its offset, in the segment SIZ.
    private static func codestreamSize(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        guard bytes.count >= 24 else { return nil }
        let numbers = (0..<4).map { number(bytes[(8 + 4 * $0)..<(12 + 4 * $0)]) }
        return (numbers[0] - numbers[2], numbers[1] - numbers[3])
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    private static func littleEndian(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
