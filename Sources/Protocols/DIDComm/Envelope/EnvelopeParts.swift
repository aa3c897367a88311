import ByteCoding
import CryptoSuite
import JSON

/// The decoded parts of an envelope: header, nonce, ciphertext and tag.
struct EnvelopeParts: Hashable, Sendable {
    enum MemberName: String, CaseIterable {
        case protected
        case iv
        case ciphertext
        case tag
    }

    /// The header's base 64 as it was transmitted, which the tag protects together with the ciphertext.
    var protectedText: [UInt8] = []
    /// The header after decoding its base 64.
    var header: [UInt8] = []
    var nonce: [UInt8] = []
    /// The ciphertext with the tag behind it.
    var sealed: [UInt8] = []

    /// Parses an envelope: first in the form that all known agents write, then as any JSON.
    init(parsing bytes: [UInt8], limits: EnvelopeLimits) throws(DIDCommError) {
        guard bytes.count <= limits.maximumBytes else {
            throw DIDCommError(.envelopeTooLarge, "an envelope has at most \(limits.maximumBytes) bytes here")
        }
        if let parts = EnvelopeScanner.parts(of: bytes, limits: limits) {
            self = parts
        } else {
            try self.init(parsingAnyForm: bytes, limits: limits)
        }
    }

    /// Parses any JSON, with white space, escapes and further members.
    init(parsingAnyForm bytes: [UInt8], limits: EnvelopeLimits) throws(DIDCommError) {
        let jsonLimits = JSONLimits(
            maximumBytes: limits.maximumBytes, maximumDepth: 8, maximumStringBytes: limits.maximumBytes,
            maximumMembers: 16, maximumElements: 64)
        var texts: [MemberName: String] = [:]
        do {
            let reader = JSONValueReader(try JSONValue(parsing: bytes, limits: jsonLimits))
            for name in MemberName.allCases { texts[name] = try reader.string(name.rawValue) }
        } catch {
            throw DIDCommError(.envelopeMalformed, "the envelope is not JSON that is taken: \(error)")
        }
        let protectedText = texts[.protected] ?? ""
        guard let header = Self.decode(protectedText), let nonce = Self.decode(texts[.iv] ?? ""),
            let ciphertext = Self.decode(texts[.ciphertext] ?? ""), let tag = Self.decode(texts[.tag] ?? "")
        else { throw DIDCommError(.envelopeMalformed, "a part of the envelope is not base 64") }
        self.init(protectedText: Array(protectedText.utf8), header: header, nonce: nonce)
        guard set(ciphertext: ciphertext, tag: tag) else {
            throw DIDCommError(.envelopeMalformed, "the nonce or the tag has another length than it must")
        }
    }

    init(protectedText: [UInt8], header: [UInt8], nonce: [UInt8]) {
        self.protectedText = protectedText
        self.header = header
        self.nonce = nonce
    }

    /// Stores ciphertext and tag; false when the tag or the nonce has a wrong length for the cipher.
    mutating func set(ciphertext: consuming [UInt8], tag: [UInt8]) -> Bool {
        guard tag.count == AuthenticatedCipher.tagCount, nonce.count == AuthenticatedCipher.chaChaPoly.nonceCount else {
            return false
        }
        sealed = ciphertext
        sealed.append(contentsOf: tag)
        return true
    }

    private static func decode(_ text: String) -> [UInt8]? { Base64URL.decode(text, acceptsBothAlphabets: true) }
}

extension EnvelopeParts {
    private static let beginning = Array("{\"protected\":\"".utf8)
    private static let beforeNonce = Array("\",\"iv\":\"".utf8)
    private static let beforeCiphertext = Array("\",\"ciphertext\":\"".utf8)
    private static let beforeTag = Array("\",\"tag\":\"".utf8)
    private static let end = Array("\"}".utf8)

    /// Encrypts and writes a whole envelope: base64url with padding, which older agents need, and no white space.
    static func encode(
        _ plaintext: some Collection<UInt8>, header: [UInt8], key: Secret, nonce: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        var bytes = beginning
        bytes.reserveCapacity((header.count + plaintext.count) / 3 * 4 + 128)
        Base64URL.append(header, to: &bytes, isPadded: true)
        let sealed = try AuthenticatedCipher.chaChaPoly.seal(
            plaintext, key: key, nonce: nonce, additionalData: Array(bytes[beginning.count...]))
        bytes.append(contentsOf: beforeNonce)
        Base64URL.append(nonce, to: &bytes, isPadded: true)
        bytes.append(contentsOf: beforeCiphertext)
        Base64URL.append(sealed.dropLast(AuthenticatedCipher.tagCount), to: &bytes, isPadded: true)
        bytes.append(contentsOf: beforeTag)
        Base64URL.append(sealed.suffix(AuthenticatedCipher.tagCount), to: &bytes, isPadded: true)
        bytes.append(contentsOf: end)
        return bytes
    }
}
