import ByteCoding
import CryptoSuite

/// Reads envelopes in the form that all known agents write: one object of the four members in any order, with white
/// space and without escapes.
///
/// It reads a subset of JSON and returns nil for the rest, so that the long text in an envelope is scanned once, while
/// it is decoded.
struct EnvelopeScanner {
    private let bytes: [UInt8]
    private var position = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The members of `bytes`; nil for other valid or invalid forms.
    static func parts(of bytes: [UInt8], limits: EnvelopeLimits) -> EnvelopeParts? {
        var scanner = EnvelopeScanner(bytes)
        return scanner.parts(limits)
    }

    private mutating func parts(_ limits: EnvelopeLimits) -> EnvelopeParts? {
        var found = ScannedMembers()
        guard takes("{") else { return nil }
        for index in 0..<EnvelopeParts.MemberName.allCases.count {
            guard index == 0 || takes(","), let name = name(), takes(":"), takes("\"") else { return nil }
            let start = position
            guard let value = digits(name, limits) else { return nil }
            found.take(value, as: name)
            if name == .protected { found.protectedText = Array(bytes[start..<position - 1]) }
        }
        return takes("}") && isAtEnd() ? found.parts() : nil
    }

    /// The members that were found: as many are read as there are names, so that a repeated name leaves another one
    /// missing.
    private struct ScannedMembers {
        var protectedText: [UInt8] = []
        private var header: [UInt8]?
        private var nonce: [UInt8]?
        private var ciphertext: [UInt8]?
        private var tag: [UInt8]?

        mutating func take(_ value: [UInt8], as name: EnvelopeParts.MemberName) {
            switch name {
            case .protected: header = value
            case .iv: nonce = value
            case .ciphertext: ciphertext = value
            case .tag: tag = value
            }
        }

        consuming func parts() -> EnvelopeParts? {
            guard let header, let nonce, let tag, let ciphertext = ciphertext.take() else { return nil }
            var parts = EnvelopeParts(protectedText: protectedText, header: header, nonce: nonce)
            return parts.set(ciphertext: ciphertext, tag: tag) ? parts : nil
        }
    }

    /// The bytes of the base 64 here, and of the quotation mark behind it.
    private mutating func digits(_ name: EnvelopeParts.MemberName, _ limits: EnvelopeLimits) -> [UInt8]? {
        let limit =
            switch name {
            case .protected: limits.maximumHeaderBytes / 3 * 4 + 4
            case .iv, .tag: 32
            case .ciphertext: Int.max
            }
        let run = Base64URL.decodeRun(
            in: bytes, from: position, limit: limit, acceptsBothAlphabets: true, room: AuthenticatedCipher.tagCount)
        guard let run, run.end < bytes.count, bytes[run.end] == UInt8(ascii: "\"") else { return nil }
        position = run.end + 1
        return run.bytes
    }

    private mutating func name() -> EnvelopeParts.MemberName? {
        guard takes("\"") else { return nil }
        let rest = bytes[position...]
        for name in EnvelopeParts.MemberName.allCases where rest.starts(with: name.rawValue.utf8) {
            position += name.rawValue.utf8.count
            return position < bytes.count && bytes[position] == UInt8(ascii: "\"") ? step(name) : nil
        }
        return nil
    }

    private mutating func step(_ name: EnvelopeParts.MemberName) -> EnvelopeParts.MemberName {
        position += 1
        return name
    }

    /// Skips white space, and then the character if it follows; true when it did.
    private mutating func takes(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func isAtEnd() -> Bool {
        skipSpace()
        return position == bytes.count
    }

    private mutating func skipSpace() {
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
    }
}
