import ByteCoding
import CBOR
import Compression
package import Credentials
import JSON

/// The text of a printed or shown code, taken apart down to the credential in it.
///
/// A value without state; nothing is verified, followed or fetched. A text that is not understood is *not checked*, and
/// its fault says what it looks like.
package struct CredentialCode: Sendable {
    /// The credential in a code, in the form in which it is verified.
    package enum Content: Sendable {
        /// A credential as a text: JSON, a JSON Web Token or an SD-JWT; or a mobile document in CBOR.
        case credential([UInt8])
        /// A signed CBOR token: COSE_Sign1 with or without its tag, with or without the tag of CWT.
        case token([UInt8])
        /// An encrypted CBOR token (COSE_Encrypt0).
        case encryptedToken([UInt8])
        /// The fields of an Aadhaar code.
        case aadhaar(AadhaarCode)
        /// A SMART Health Card.
        case healthCard(SmartHealthCard)
    }

    /// The layers around the content, the outermost first, as far as they could be taken off.
    package private(set) var layers: [CodeLayer] = []
    /// The credential in the code; the fault says why there is none.
    package private(set) var content: Result<Content, CredentialError>

    /// Reads the text of a code, or the bytes of one in binary mode.
    ///
    /// White space at the ends does not matter, as scanners add and drop it.
    ///
    /// The faults are `code.…`, `credential.limit-depth` and `credential.format-unknown`.
    package init(_ bytes: [UInt8]) {
        content = .failure(CredentialError(.formatUnknown, "The code is empty."))
        do throws(CredentialError) {
            content = .success(try read(bytes))
        } catch {
            content = .failure(error)
        }
    }

    // MARK: Text

    private mutating func read(_ bytes: [UInt8]) throws(CredentialError) -> Content {
        let text = CredentialFormatDetection.trimmed(bytes)
        guard !text.isEmpty else { throw CredentialError(.formatUnknown, "The code is empty.") }
        // Digits are base 64, too, and may begin as a token does.
        if text.count >= AadhaarCode.minimumDigits, text.allSatisfy({ (0x30...0x39).contains($0) }) {
            return try aadhaar(text)
        }
        switch CredentialFormatDetection.format(of: bytes) {
        // The limit of the text is for what is unpacked: a credential as it is has those of its format.
        case .jwt, .sdJWT, .linkedData: return .credential(text)
        case .mobileDocument: return .credential(bytes)
        case .cwt:
            guard let (inner, layer) = decoded(text) else { return try token(bytes) }
            layers.append(layer)
            return try token(inner)
        default: break
        }
        guard bytes.count <= CodeLimits.maximumTextBytes else {
            let isCode = Self.isZlib(bytes) || text.allSatisfy(Base45.isCharacter)
            throw CredentialError(
                isCode ? .codeLimitText : .formatUnknown,
                "The text has \(bytes.count) bytes, and no form that is known.")
        }
        if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
            let file = try ZIPArchive.file(named: "certificate.json", in: bytes)
            layers.append(CodeLayer(.zip, count: file.count))
            return try unpacked(file)
        }
        guard text.allSatisfy({ (0x20...0x7E).contains($0) }) else { return try binary(bytes) }
        if let kind = ForeignCode(text) { throw kind.error }
        if text.starts(with: "HC1:".utf8) { return try healthCertificate(text) }
        if text.starts(with: "shc:/".utf8) { return try healthCard(text) }
        if let content = try base45(text) { return content }
        if let start = Base45.decode(text.prefix(3)), Self.isZlib(start + [0]) {
            throw CredentialError(.codeBase45, "The code is damaged or cut off: it is base 45 at its beginning alone.")
        }
        if let (inner, layer) = decoded(text), let content = try? item(inner) {
            layers.insert(layer, at: 0)
            return content
        }
        throw CredentialError(.formatUnknown, "The text is no code of a credential; it looks like \(looks(text)).")
    }

    /// Returns the bytes that a text of hexadecimal digits or base 64 holds, with their layer; nil for other texts.
    private func decoded(_ text: [UInt8]) -> (bytes: [UInt8], layer: CodeLayer)? {
        guard text.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        let string = String(decoding: text, as: UTF8.self)
        if let decoded = Hex.decode(string), !decoded.isEmpty {
            return (decoded, CodeLayer(.hexadecimal, count: decoded.count))
        }
        guard let decoded = Base64URL.decode(string, acceptsBothAlphabets: true), !decoded.isEmpty else { return nil }
        return (decoded, CodeLayer(.base64, count: decoded.count))
    }

    private func looks(_ text: [UInt8]) -> String {
        let digits = text.allSatisfy { (0x30...0x39).contains($0) }
        if digits { return text.count < 15 ? "the number of a product" : "a number" }
        if text.allSatisfy(Base45.isCharacter) { return "base 45 of something else, or a damaged code" }
        return text.contains(0x20) ? "a plain text" : "one word of \(text.count) characters"
    }

    // MARK: Base 45

    // No base 45 ends with a space: the last character of a group counts most, and is small. So white space at the ends
    // is never a part of it.

    private mutating func healthCertificate(_ text: [UInt8]) throws(CredentialError) -> Content {
        layers = [CodeLayer(.prefix, "HC1:", count: text.count - 4)]
        guard let decoded = Base45.decode(text.dropFirst(4)) else {
            throw CredentialError(.codeBase45, "The text behind HC1: is not base 45.")
        }
        layers.append(CodeLayer(.base45, count: decoded.count))
        // Some issuers leave the compression out.
        return try decoded.first == 0x78 ? unzipped(decoded) : item(decoded)
    }

    /// The most places behind which the base 45 of a text with a prefix may begin.
    private static let maximumPrefixes = 16
    private static let maximumPrefixBytes = 80

    /// Returns the content of a text that is base 45 of zlib, as a whole or behind a prefix; nil for other texts.
    private mutating func base45(_ text: [UInt8]) throws(CredentialError) -> Content? {
        let ends = text.indices.prefix(Self.maximumPrefixBytes).filter {
            text[$0] == UInt8(ascii: ":") || text[$0] == UInt8(ascii: "/")
        }
        var found: CredentialError?
        for start in [0] + ends.prefix(Self.maximumPrefixes).map({ $0 + 1 }) {
            guard let decoded = Base45.decode(text[start...]), Self.isZlib(decoded) else { continue }
            let prefix = String(decoding: text[..<start], as: UTF8.self)
            layers = start == 0 ? [] : [CodeLayer(.prefix, prefix, count: text.count - start)]
            layers.append(CodeLayer(.base45, count: decoded.count))
            do throws(CredentialError) {
                return try unzipped(decoded)
            } catch {
                found = found ?? error
            }
        }
        if let found { throw found }
        return nil
    }

    // MARK: Bytes

    /// Reads the bytes of a code in binary mode, also where a scanner took them for Latin-1 and wrote UTF-8.
    private mutating func binary(_ bytes: [UInt8]) throws(CredentialError) -> Content {
        if Self.isZlib(bytes) { return try unzipped(bytes) }
        if let text = String(validating: bytes, as: UTF8.self), text.unicodeScalars.allSatisfy({ $0.value <= 0xFF }) {
            let latin = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
            if Self.isZlib(latin) || CredentialFormatDetection.format(of: latin) == .cwt {
                layers.append(CodeLayer(.latin1, count: latin.count))
                return try Self.isZlib(latin) ? unzipped(latin) : token(latin)
            }
        }
        if let content = try? item(bytes) { return content }
        throw CredentialError(.formatUnknown, "The bytes are no code of a credential, and no text.")
    }

    /// Returns true for the head of a zlib stream (RFC 1950, section 2.2): deflate, and a check that fits.
    private static func isZlib(_ bytes: [UInt8]) -> Bool {
        bytes.count > 2 && bytes[0] == 0x78 && (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0
    }

    private mutating func unzipped(_ bytes: [UInt8]) throws(CredentialError) -> Content {
        let inner = try CredentialError.converting { () throws(CompressionError) in
            try Zlib.decompress(bytes, limits: CodeLimits.decompression)
        }
        layers.append(CodeLayer(.zlib, count: inner.count))
        return try unpacked(inner)
    }

    /// Returns the content of decompressed bytes: a text of a credential, or CBOR.
    private mutating func unpacked(_ bytes: [UInt8]) throws(CredentialError) -> Content {
        let isText = bytes.first.map { $0 >= 0x20 && $0 < 0x7F || [0x09, 0x0A, 0x0D].contains($0) } ?? false
        if isText {
            switch CredentialFormatDetection.format(of: bytes) {
            case .jwt, .sdJWT, .linkedData: return .credential(CredentialFormatDetection.trimmed(bytes))
            default: break
            }
        }
        return try item(bytes)
    }

    /// Returns the content of one CBOR item.
    private mutating func item(_ bytes: [UInt8]) throws(CredentialError) -> Content {
        let value: CBORValue
        do throws(CBORError) {
            value = try CBORValue(parsing: bytes)
        } catch {
            guard error.code != .tooDeep else {
                throw CredentialError(.limitDepth, "What the code holds is too deep in one another.")
            }
            guard error.code != .duplicateKey else {
                throw CredentialError(.codeNotJSON, "The code holds an object with two members of one name.")
            }
            throw CredentialError(.codeContent, "What the code holds is no CBOR: \(error.reason).")
        }
        if CredentialFormatDetection.isMobileDocument(value) { return .credential(bytes) }
        switch value.content {
        case .tagged: return try token(bytes, value)
        case .array(let parts) where parts.count == 4 && parts[0].bytes != nil: return try token(bytes, value)
        case .map, .array:
            let json = try PixelPass.json(of: value).encoded
            layers.append(CodeLayer(.jsonAsCBOR, count: json.count))
            if case .array(let parts) = value.content {
                throw CredentialError(
                    .codeContent, "The code holds a list of \(parts.count) values, and not one credential.")
            }
            return .credential(json)
        default: throw CredentialError(.codeContent, "The code holds a single value, and no credential.")
        }
    }

    /// Returns the token in CBOR by its tag: signed, or encrypted; `parsed` is its value where it was read already.
    private mutating func token(_ bytes: [UInt8], _ parsed: CBORValue? = nil) throws(CredentialError) -> Content {
        var value = parsed ?? (try? CBORValue(parsing: bytes))
        if let (tag, inner) = value?.tagged, tag == 61 { value = inner }
        switch value?.tagged?.tag {
        case 16:
            layers.append(CodeLayer(.encryption, "COSE_Encrypt0", count: bytes.count))
            return .encryptedToken(bytes)
        // The verifier of tokens says what is wrong with the others.
        case nil, 17, 18, 61, 96, 97, 98: return .token(bytes)
        case let tag?:
            throw CredentialError(.codeContent, "The code holds CBOR with the tag \(tag), and no credential.")
        }
    }

    // MARK: Digits

    private mutating func aadhaar(_ text: [UInt8]) throws(CredentialError) -> Content {
        let packed = try AadhaarCode.bytes(ofDigits: text)
        layers = [CodeLayer(.digits, count: packed.count)]
        let inner = try CredentialError.converting { () throws(CompressionError) in
            try Gzip.decompress(packed, limits: CodeLimits.decompression)
        }
        layers.append(CodeLayer(.gzip, count: inner.count))
        return .aadhaar(try AadhaarCode(parsing: inner))
    }

    private mutating func healthCard(_ text: [UInt8]) throws(CredentialError) -> Content {
        let card = try SmartHealthCard(digits: text)
        layers = [
            CodeLayer(.prefix, "shc:/", count: text.count - 5), CodeLayer(.digits, count: card.tokenCount),
            CodeLayer(.deflate, count: card.payload.count),
        ]
        return .healthCard(card)
    }
}

extension CredentialError {
    /// Runs a decompression, and throws its error as `code.limit-size` or `code.compression`.
    static func converting(_ body: () throws(CompressionError) -> [UInt8]) throws(CredentialError) -> [UInt8] {
        do throws(CompressionError) {
            return try body()
        } catch {
            switch error.code {
            case .tooLarge, .ratio:
                throw CredentialError(.codeLimitSize, "What the code holds is larger than the limit: \(error.reason).")
            default: throw CredentialError(.codeCompression, "The code is damaged or cut off: \(error.reason).")
            }
        }
    }
}
