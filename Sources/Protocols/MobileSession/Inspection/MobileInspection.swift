import ByteCoding
import CBOR

/// The explanation of one structure of ISO/IEC 18013-5: its items with their places, and its deviations.
///
/// Nothing is verified and nothing is decrypted. A structure that the session refuses is explained as far as it can be
/// read. Memory stays in proportion to the input, whatever lengths it states.
package struct MobileInspection: Sendable {
    /// The structures that are recognised.
    package enum InspectedStructure: String, CaseIterable, Sendable {
        case engagement
        case establishment = "session-establishment"
        case sessionData = "session-data"
        case request = "device-request"
        case itemsRequest = "items-request"
        case response = "device-response"
        case document
        /// A document with the private key of its device, as a holder keeps it, or an array of such documents.
        case heldDocument = "held-document"
        case issuerSigned = "issuer-signed"
        case transcript = "session-transcript"
        /// The bytes that a device or a reader signs, without the tag around them.
        case authentication

        /// The name in the standard, or of our own form.
        package var name: String {
            switch self {
            case .engagement: "DeviceEngagement"
            case .establishment: "SessionEstablishment"
            case .sessionData: "SessionData"
            case .request: "DeviceRequest"
            case .itemsRequest: "ItemsRequest"
            case .response: "DeviceResponse"
            case .document: "Document"
            case .heldDocument: "Document with the key of its device"
            case .issuerSigned: "IssuerSigned"
            case .transcript: "SessionTranscript"
            case .authentication: "DeviceAuthentication or ReaderAuthentication"
            }
        }
    }

    /// The most bytes of a structure.
    package static let maximumBytes = ReaderSession.maximumResponseBytes

    /// The structure.
    package let structure: InspectedStructure
    /// The bytes of the structure, to which the places refer.
    package let bytes: [UInt8]
    /// The items in the order of the bytes; empty when the bytes cannot be read.
    package let items: [InspectedItem]
    /// True when there are more items than are listed.
    package let isCutOff: Bool
    /// The deviations, in the order of their places; that of a scheme has its place in the text.
    package let deviations: [PlacedDeviation]
    /// The first byte that is no part of a readable item; nil when all are.
    package let unreadableOffset: Int?
    /// The error with which the session refuses the structure; nil when it takes it, or does not read it alone.
    package let failure: MobileSessionError?

    /// True for a structure that has documents.
    package var isDocument: Bool {
        switch structure {
        case .response, .document, .heldDocument, .issuerSigned: true
        case .engagement, .establishment, .sessionData, .request, .itemsRequest, .transcript, .authentication: false
        }
    }

    /// True for a message whose data only the two sides of the session can read.
    package var isEncrypted: Bool {
        switch structure {
        case .establishment, .sessionData: items.contains { $0.depth == 1 && $0.name == "data" }
        case .engagement, .request, .itemsRequest, .response, .document, .heldDocument, .issuerSigned, .transcript,
            .authentication:
            false
        }
    }

    /// Explains the text of a code, or a structure in hexadecimal digits, base64url or bytes; nil for another input.
    package init?(_ input: [UInt8]) {
        guard !Self.isCode(input) else {
            self.init(code: input)
            return
        }
        if let decoded = Self.decoded(input), let value = Self.recognise(decoded) {
            self.init(decoded, value)
            return
        }
        guard let value = Self.recognise(input) else { return nil }
        self.init(input, value)
    }

    /// True for a text that begins with the scheme of a code, whatever its case.
    package static func isCode(_ input: [UInt8]) -> Bool {
        let start = input.drop { [0x09, 0x0A, 0x0D, 0x20].contains($0) }.prefix(5)
        let text = String(decoding: start, as: UTF8.self).lowercased()
        return text == "mdoc:" || text.hasPrefix("mdl:")
    }

    private init(code text: [UInt8]) {
        let content: (bytes: [UInt8], deviations: [PlacedDeviation])
        do throws(MobileSessionError) {
            content = try DeviceEngagement.content(ofText: text)
        } catch {
            self.init(.engagement, bytes: [], nil, failure: error)
            return
        }
        self.init(.engagement, bytes: content.bytes, try? CBORValue(parsing: content.bytes), more: content.deviations)
    }

    private init(_ bytes: [UInt8], _ found: RecognisedItem) {
        var more: [PlacedDeviation] = []
        if let offset = found.unreadableOffset {
            let isMessage = found.structure == .establishment || found.structure == .sessionData
            if found.value != nil {
                if isMessage { more.append(PlacedDeviation(.messageAppended, offset..<bytes.count)) }
            } else if found.hasLabelTwice {
                more.append(PlacedDeviation(.labelTwice, offset..<min(offset + 1, bytes.count)))
            }
        }
        self.init(
            found.structure, bytes: bytes, found.value, more: more, unreadableOffset: found.unreadableOffset)
    }

    private init(
        _ structure: InspectedStructure, bytes: [UInt8], _ value: CBORValue?, more: [PlacedDeviation] = [],
        unreadableOffset: Int? = nil, failure: MobileSessionError? = nil
    ) {
        self.structure = structure
        self.bytes = bytes
        self.unreadableOffset = unreadableOffset
        self.failure = failure ?? Self.failure(of: structure, bytes)
        guard let value else {
            (items, isCutOff, deviations) = ([], false, more)
            return
        }
        let list = InspectedItemList(value, name: structure.name, shape: structure.shape)
        items = list.items
        isCutOff = list.isCutOff
        var finder = MobileDeviationFinder()
        finder.look(at: value, as: structure)
        // By place; those of one place in the order in which they were found.
        deviations = (more + finder.found + list.deviations).enumerated()
            .sorted { ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset) }
            .map(\.element)
    }

    /// Returns the error of the session's reader of a structure.
    private static func failure(of structure: InspectedStructure, _ bytes: [UInt8]) -> MobileSessionError? {
        do throws(MobileSessionError) {
            switch structure {
            case .engagement: _ = try DeviceEngagement(bytes: bytes)
            case .establishment: _ = try SessionEstablishment(bytes, limit: maximumBytes)
            case .sessionData: _ = try SessionData(bytes, limit: maximumBytes)
            case .request: _ = try DeviceRequest(bytes)
            case .response: _ = try DeviceResponse(bytes, limit: maximumBytes)
            case .heldDocument: _ = try HeldMobileDocument.documents(file: bytes)
            case .itemsRequest, .document, .issuerSigned, .transcript, .authentication: break
            }
            return nil
        } catch {
            return error
        }
    }

    // MARK: Recognising

    /// A recognised input: its structure, and the item if it can be read.
    private struct RecognisedItem {
        let structure: InspectedStructure
        var value: CBORValue?
        var unreadableOffset: Int?
        var hasLabelTwice = false
    }

    /// Returns the bytes of hexadecimal digits or of base64url, white space aside; nil for another text.
    private static func decoded(_ input: [UInt8]) -> [UInt8]? {
        guard input.count <= 3 * maximumBytes, let first = input.first, first < 0x80, input.last ?? 0x80 < 0x80 else {
            return nil
        }
        let blanks: [UInt8] = [0x09, 0x0A, 0x0D, 0x20]
        let text = String(decoding: input.filter { !blanks.contains($0) }, as: UTF8.self)
        return Hex.decode(text) ?? Base64URL.decode(text, acceptsBothAlphabets: true)
    }

    private static func recognise(_ bytes: [UInt8]) -> RecognisedItem? {
        var limits = CBORLimits()
        limits.maximumBytes = maximumBytes
        do throws(CBORError) {
            let value = try CBORValue(parsing: bytes, limits: limits)
            return structure(of: value).map { RecognisedItem(structure: $0, value: value) }
        } catch {
            if error.code == .trailingData, error.offset > 0,
                let value = try? CBORValue(parsing: Array(bytes[..<error.offset]), limits: limits)
            {
                return structure(of: value)
                    .map { RecognisedItem(structure: $0, value: value, unreadableOffset: error.offset) }
            }
            guard error.code != .tooLarge, let structure = structure(ofUnreadable: bytes) else { return nil }
            return RecognisedItem(
                structure: structure, unreadableOffset: error.offset, hasLabelTwice: error.code == .duplicateKey)
        }
    }

    private static func structure(of value: CBORValue) -> InspectedStructure? {
        if value.tagged?.tag == 24 { return value.placedItem.flatMap(structure) }
        func isWrapped(_ part: CBORValue) -> Bool {
            if case .null = part.content { true } else { part.tagged?.tag == 24 }
        }
        if let parts = value.array {
            switch parts.count {
            case 1...HeldMobileDocument.maximumFileCount
            where parts.allSatisfy { $0["issuerSigned"] != nil && $0["deviceKey"] != nil }:
                return .heldDocument
            case 3 where parts.allSatisfy { $0.text == nil } && isWrapped(parts[0]) && isWrapped(parts[1]):
                return .transcript
            case 3...4 where ["DeviceAuthentication", "ReaderAuthentication"].contains(parts[0].text),
                4 where parts[0].text == "ReaderAuthenticationAll":
                return .authentication
            case 2... where parts[0].text.flatMap { DeviceEngagement.major(of: $0) } != nil:
                return parts[1].array?.first?.int == nil ? nil : .engagement
            default: return nil
            }
        }
        guard value.map != nil else { return nil }
        if value[0]?.text != nil, value[1]?.array != nil { return .engagement }
        func has(_ names: String...) -> Bool { names.contains { value[$0] != nil } }
        if has("eReaderKey", "e_reader_key") { return .establishment }
        if has("docRequests") { return .request }
        if has("documents", "documentErrors") || has("version") && has("status") { return .response }
        if has("issuerSigned") { return has("deviceKey") ? .heldDocument : .document }
        if has("issuerAuth") { return .issuerSigned }
        if has("docType") && has("nameSpaces") { return .itemsRequest }
        return value["data"]?.bytes != nil || value["status"]?.int != nil ? .sessionData : nil
    }

    /// Returns the structure that bytes begin like, which are no item of CBOR that is taken.
    private static func structure(ofUnreadable bytes: [UInt8]) -> InspectedStructure? {
        guard let first = bytes.first, 0xA1...0xB7 ~= first || first == 0xBF else { return nil }
        let rest = bytes.dropFirst()
        func begins(with name: String) -> Bool { rest.starts(with: [0x60 + UInt8(name.utf8.count)] + name.utf8) }
        let names: [(String, InspectedStructure)] = [
            ("eReaderKey", .establishment), ("e_reader_key", .establishment), ("data", .sessionData),
            ("status", .sessionData), ("docRequests", .request), ("documents", .response),
        ]
        if let found = names.first(where: { begins(with: $0.0) }) { return found.1 }
        // Key 0 with a version of three letters.
        if rest.starts(with: [0, 0x63, UInt8(ascii: "1"), UInt8(ascii: ".")]) { return .engagement }
        guard begins(with: "version") else { return nil }
        let key = [0x6B] + Array("docRequests".utf8)
        let isRequest = bytes.prefix(32).indices.contains { bytes[$0...].starts(with: key) }
        return isRequest ? .request : .response
    }
}

extension MobileInspection.InspectedStructure {
    /// The shape of the structure's items.
    fileprivate var shape: InspectedShape {
        switch self {
        case .engagement: .engagement
        case .transcript: .transcript
        case .authentication: .authentication
        case .establishment, .sessionData, .request, .itemsRequest, .response, .document, .heldDocument,
            .issuerSigned:
            .plain
        }
    }
}
