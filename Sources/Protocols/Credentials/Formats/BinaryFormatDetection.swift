import CBOR

/// Recognises mobile documents and CBOR tokens, whole or damaged, among other bytes.
enum BinaryFormatDetection {
    /// The map keys that only mobile document structures have: response, document, issuer-signed data.
    private static let members = [
        "documents", "documentErrors", "issuerSigned", "deviceSigned", "docType", "issuerAuth", "nameSpaces",
    ]

    /// Returns the format that `bytes` appear to have.
    ///
    /// - Parameter isDecoded: true for bytes that were base 64, as many words are by chance: broken CBOR is `unknown`
    ///   there unless it shows a member of a document.
    static func format(of bytes: [UInt8], isDecoded: Bool = false) -> CredentialFormat {
        guard let first = bytes.first else { return .unknown }
        return switch first {
        case 0xA0...0xBF: isMobileDocument(bytes, isDecoded: isDecoded) ? .mobileDocument : .unknown
        case 0x84, 0x9F: isStringHead(bytes, at: 1) ? .cwt : .unknown
        case 0xC0...0xDB: isTagged(bytes) ? .cwt : .unknown
        default: .unknown
        }
    }

    // Mobile documents.

    private static func isMobileDocument(_ bytes: [UInt8], isDecoded: Bool) -> Bool {
        // The first member decides without reading all; a version stands before the documents of a response.
        let start = head(bytes) ?? 0
        guard let first = shortText(bytes, at: start) else { return hasMember(bytes) }
        if isMember(bytes[first]) { return true }
        if bytes[first].elementsEqual("version".utf8), let version = shortText(bytes, at: first.upperBound),
            let second = shortText(bytes, at: version.upperBound), isMember(bytes[second])
        {
            return true
        }
        // A map with names that breaks off before any of ours may have been one.
        return hasMember(bytes) || !isDecoded && (try? CredentialCBORReader.value(bytes, VerificationLimits())) == nil
    }

    /// Returns true for a map with a key of a mobile document.
    static func isMobileDocument(_ value: CBORValue) -> Bool {
        value.map?.contains { entry in entry.key.text.map(members.contains) ?? false } ?? false
    }

    /// Returns true when a map has a key of a mobile document, or a damaged map contains its name.
    private static func hasMember(_ bytes: [UInt8]) -> Bool {
        if let value = try? CredentialCBORReader.value(bytes, VerificationLimits()) {
            return isMobileDocument(value)
        }
        return ["issuerAuth", "issuerSigned"].contains { ByteSearch.contains(Array($0.utf8), in: bytes[...]) }
    }

    private static func isMember(_ name: ArraySlice<UInt8>) -> Bool {
        members.contains { name.elementsEqual($0.utf8) }
    }

    /// Returns the index of a map's first entry; nil when the input ends before.
    private static func head(_ bytes: [UInt8]) -> Int? {
        guard let first = bytes.first else { return nil }
        return switch first {
        case 0xA0...0xB7, 0xBF: 1
        case 0xB8...0xBB: 1 + (1 << Int(first - 0xB8))
        default: nil
        }
    }

    /// Returns the byte range of a CBOR text of at most 23 bytes; nil for anything else.
    private static func shortText(_ bytes: [UInt8], at place: Int) -> Range<Int>? {
        guard place < bytes.count, (0x60...0x77).contains(bytes[place]) else { return nil }
        let end = place + 1 + Int(bytes[place] - 0x60)
        return end <= bytes.count ? (place + 1)..<end : nil
    }

    // Tokens.

    /// The bytes of CBOR tags of COSE and CWT, in one or two bytes.
    private static let shortTags: Set<UInt8> = [0xD0, 0xD1, 0xD2]
    private static let longTags: Set<UInt8> = [16, 17, 18, 61, 96, 97, 98]

    /// Returns true when COSE tags come before an array or a break, and the bytes are no text.
    ///
    /// The bytes begin with a tag.
    private static func isTagged(_ bytes: [UInt8]) -> Bool {
        var place = 0
        while place < min(bytes.count, 8) {
            switch bytes[place] {
            case let tag where shortTags.contains(tag): place += 1
            case 0xD8 where place + 1 < bytes.count && longTags.contains(bytes[place + 1]): place += 2
            case 0x80...0x9F, 0xFF: return !isText(bytes)
            default: return false
            }
        }
        return place == bytes.count
    }

    private static func isText(_ bytes: [UInt8]) -> Bool {
        String(validating: bytes, as: UTF8.self) != nil && bytes.allSatisfy { $0 >= 0x20 || (0x09...0x0D).contains($0) }
    }

    /// Returns true when a byte string begins at `place`, as the protected headers do.
    private static func isStringHead(_ bytes: [UInt8], at place: Int) -> Bool {
        place < bytes.count && (0x40...0x5F).contains(bytes[place])
    }
}
