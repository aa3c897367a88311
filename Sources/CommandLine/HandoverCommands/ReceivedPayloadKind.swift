/// The kind of a received payload, which decides the ending of its file name; nothing is verified.
enum ReceivedPayloadKind: String, CaseIterable, Sendable {
    /// A JSON object or list.
    case json
    /// Three parts of base64url joined by points: a signed token.
    case jwt
    /// A signed token followed by disclosures, each after a `~`.
    case sdJWT = "sd-jwt"
    /// A picture in PNG, JPEG, GIF or WebP.
    case png
    case jpeg = "jpg"
    case gif
    case webP = "webp"
    /// A document in PDF.
    case pdf
    /// An archive or a compressed file.
    case zip
    case gzip = "gz"
    case tar
    /// Other text in UTF-8 without control characters.
    case text = "txt"
    /// A payload of no kind that is recognised.
    case binary = "bin"

    /// The magic bytes by which file formats are recognised, with their offsets.
    private static let signatures: [(kind: ReceivedPayloadKind, offset: Int, bytes: [UInt8])] = [
        (.png, 0, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), (.jpeg, 0, [0xFF, 0xD8, 0xFF]),
        (.gif, 0, Array("GIF8".utf8)), (.webP, 8, Array("WEBP".utf8)), (.pdf, 0, Array("%PDF-".utf8)),
        (.zip, 0, [0x50, 0x4B, 3, 4]), (.gzip, 0, [0x1F, 0x8B, 8]), (.tar, 257, Array("ustar".utf8)),
    ]

    /// Recognises the kind of a payload by its bytes; nothing is verified.
    init(of bytes: [UInt8]) {
        if let found = Self.signatures.first(where: { bytes.dropFirst($0.offset).starts(with: $0.bytes) }) {
            self = found.kind
            return
        }
        guard let text = String(validating: bytes, as: UTF8.self), !text.isEmpty,
            !bytes.contains(where: { ($0 < 32 && ![9, 10, 13].contains($0)) || $0 == 127 })
        else {
            self = .binary
            return
        }
        let spaces: Set<UInt8> = [9, 10, 13, 32]
        let start = bytes.firstIndex { !spaces.contains($0) } ?? bytes.endIndex
        let end = bytes.lastIndex { !spaces.contains($0) }.map { $0 + 1 } ?? start
        let trimmed = bytes[start..<end]
        switch (trimmed.first, trimmed.last) {
        case (UInt8(ascii: "{"), UInt8(ascii: "}")), (UInt8(ascii: "["), UInt8(ascii: "]")): self = .json
        default: self = Self.token(trimmed)
        }
    }

    private static func token(_ content: ArraySlice<UInt8>) -> ReceivedPayloadKind {
        let pieces = content.split(separator: UInt8(ascii: "~"), omittingEmptySubsequences: true)
        let hasParts = pieces.first.map { $0.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) }
        let isToken = hasParts?.count == 3 && hasParts?.allSatisfy { $0.allSatisfy(isBase64URL) } == true
        let isWhole = isToken && pieces.dropFirst().allSatisfy { $0.allSatisfy { isBase64URL($0) || $0 == 46 } }
        guard isWhole, hasParts?.first?.isEmpty == false else { return .text }
        return content.contains(UInt8(ascii: "~")) ? .sdJWT : .jwt
    }

    private static func isBase64URL(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
