/// The kind of a received payload, which decides the ending of its file name; nothing is verified.
enum PayloadKind: String, CaseIterable, Sendable {
    /// A JSON object or list.
    case json
    /// Three parts of base64url joined by points: a signed token.
    case jwt
    /// Such a token followed by disclosures, each after a `~`.
    case sdJWT = "sd-jwt"
    /// Other text in UTF-8 without control characters.
    case text = "txt"
    /// The payload is of another kind.
    case binary = "bin"

    /// Recognises the kind of `bytes`.
    init(of bytes: [UInt8]) {
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

    private static func token(_ content: ArraySlice<UInt8>) -> PayloadKind {
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
