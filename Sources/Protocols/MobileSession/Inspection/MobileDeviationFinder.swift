import CBOR
import CryptoSuite
import Determinism

/// Finds the deviations of a structure and their places, without a check of signatures or digests.
struct MobileDeviationFinder {
    /// The most deviations that are kept.
    static let maximumCount = 256
    /// The most documents, signatures and certificates of one list that are looked at.
    private static let maximumParts = 16
    /// The most elements of a namespace that are looked at.
    private static let maximumElements = 1024

    /// The deviations in the order in which they were found.
    private(set) var found: [PlacedDeviation] = []

    /// Looks at an item that is a structure, or has it in a byte string with tag 24.
    mutating func look(at value: CBORValue, as structure: MobileInspection.InspectedStructure) {
        let value = value.tagged?.tag == 24 ? value.placedItem ?? value : value
        switch structure {
        case .engagement: engagement(value)
        case .establishment:
            if let entry = value.map?.first(where: { $0.key.text == "e_reader_key" }) {
                note(.readerKeyName, entry.key.range)
            }
        case .sessionData:
            if value["data"] != nil, let status = value["status"], status.int == SessionData.Status.termination {
                note(.statusWithData, status.range)
            }
        case .request: request(value)
        case .itemsRequest: break
        case .response:
            for document in (value["documents"]?.array ?? []).prefix(Self.maximumParts) { self.document(document) }
        case .document: document(value)
        case .heldDocument: for one in value.array ?? [value] { document(one) }
        case .issuerSigned: issuerSigned(value)
        case .transcript: transcript(value)
        case .authentication: authentication(value)
        }
    }

    private mutating func note(_ deviation: MobileDeviation, _ range: Range<Int>) {
        if found.count < Self.maximumCount { found.append(PlacedDeviation(deviation, range)) }
    }

    // MARK: Engagement and transcript

    private mutating func engagement(_ value: CBORValue) {
        if value.array != nil { return note(.engagementArray, value.range) }
        guard let engagement = try? DeviceEngagement(bytes: Array(value.encoding)) else { return }
        let start = value.range.lowerBound
        for placed in engagement.placedDeviations {
            note(placed.deviation, placed.range.lowerBound + start..<placed.range.upperBound + start)
        }
    }

    private mutating func transcript(_ value: CBORValue) {
        guard let first = value.array?.first, let inner = first.placedItem else { return }
        guard inner.tagged?.tag == 24 else { return engagement(inner) }
        note(.engagementTwice, inner.range)
    }

    private mutating func authentication(_ value: CBORValue) {
        guard let parts = value.array, parts.count > 1 else { return }
        guard parts[1].tagged?.tag == 24 else { return transcript(parts[1]) }
        note(.transcriptTagged, parts[1].range)
        if let inner = parts[1].placedItem { transcript(inner) }
    }

    // MARK: Signatures

    private mutating func request(_ value: CBORValue) {
        for request in (value["docRequests"]?.array ?? []).prefix(Self.maximumParts) {
            if let signature = request["readerAuth"] { readerSignature(signature) }
        }
        guard let all = value["readerAuthAll"] else { return }
        guard let list = all.array, list.first?.bytes == nil else {
            note(.signatureOfAllNotListed, all.range)
            return readerSignature(all)
        }
        for signature in list.prefix(Self.maximumParts) { readerSignature(signature) }
    }

    private mutating func readerSignature(_ value: CBORValue) {
        if signature(value) == nil { note(.readerSignatureMalformed, value.range) }
    }

    /// Looks at an object of COSE with a signature or a code; returns its certificates, or nil for another value.
    private mutating func signature(_ value: CBORValue) -> [Certificate]? {
        var object = value
        if let (tag, content) = value.tagged, tag == 17 || tag == 18 {
            note(.coseTag, value.range)
            object = content
        }
        guard let parts = object.array, parts.count == 4, let protectedBytes = parts[0].bytes, parts[3].bytes != nil,
            let unprotected = parts[1].map
        else { return nil }
        var protected: CBORValue?
        if !protectedBytes.isEmpty {
            do throws(CBORError) {
                protected = try parts[0].encoded()
            } catch {
                guard error.code == .duplicateKey else { return nil }
                note(.labelTwice, error.offset..<error.offset + 1)
            }
        }
        for entry in unprotected.prefix(64) {
            let label = entry.key
            let isTwice = label.int.map { protected?[$0] != nil } ?? label.text.map { protected?[$0] != nil } ?? false
            if isTwice { note(.labelTwice, label.range) }
        }
        return certificates(in: (protected?.map ?? []) + unprotected)
    }

    private mutating func certificates(in headers: [CBORContent.CBORMapEntry]) -> [Certificate] {
        var certificates: [Certificate] = []
        for entry in headers {
            if entry.key.text == "33" { note(.certificatesUnderText, entry.key.range) }
            guard entry.key.int == 33 || entry.key.text == "33" else { continue }
            let list = entry.value.array
            if list?.count == 1 { note(.certificateListOfOne, entry.value.range) }
            for value in (list ?? [entry.value]).prefix(Self.maximumParts) {
                guard let der = value.bytes, let certificate = try? Certificate(der: der) else { continue }
                certificates.append(certificate)
                // In two's complement.
                let number = certificate.serialNumber
                if number.allSatisfy({ $0 == 0 }) || number.first ?? 0 >= 0x80 {
                    note(.serialNumberNotPositive, value.range)
                }
            }
        }
        return certificates
    }

    // MARK: Documents

    private mutating func document(_ value: CBORValue) {
        if let signed = value["issuerSigned"] { issuerSigned(signed) }
        let proof = value["deviceSigned"]?["deviceAuth"]
        for name in ["deviceSignature", "deviceMac"] {
            if let value = proof?[name] { _ = signature(value) }
        }
    }

    private mutating func issuerSigned(_ value: CBORValue) {
        for namespace in (value["nameSpaces"]?.map ?? []).prefix(Self.maximumParts) {
            for item in (namespace.value.array ?? []).prefix(Self.maximumElements) {
                guard let inner = item.placedItem, let name = inner["elementIdentifier"]?.text,
                    let element = inner["elementValue"]
                else { continue }
                self.element(name, element)
            }
        }
        guard let auth = value["issuerAuth"] else { return }
        let signer = signature(auth)?.first
        let parts = (auth.tagged?.content ?? auth).array ?? []
        guard parts.count == 4, let wrapped = parts[2].placedItem, let object = wrapped.placedItem,
            let validity = object["validityInfo"]
        else { return }
        self.validity(validity, signer: signer)
    }

    private mutating func element(_ name: String, _ value: CBORValue) {
        switch name {
        case "birth_date", "issue_date", "expiry_date": date(value)
        case "portrait_capture_date":
            if value.tagged?.tag == 1004 { return note(.dateForTime, value.range) }
            date(value)
        case "driving_privileges":
            for privilege in (value.array ?? []).prefix(64) {
                for name in ["issue_date", "expiry_date"] {
                    if let value = privilege[name] { date(value) }
                }
            }
        default: return
        }
    }

    /// Looks at a date or a time; returns its text to the second, for one in UTC.
    @discardableResult
    private mutating func date(_ value: CBORValue) -> String? {
        if value.text != nil { note(.dateUntagged, value.range) }
        guard let text = value.text ?? value.tagged?.content.text else { return nil }
        if text.utf8.contains(UInt8(ascii: ".")) { note(.timeFraction, value.range) }
        guard (20...32).contains(text.utf8.count), text.utf8.last == UInt8(ascii: "Z") else { return nil }
        return Self.toTheSecond(text)
    }

    /// Returns a time without what follows its seconds.
    private static func toTheSecond(_ text: String) -> String { String(decoding: text.utf8.prefix(19), as: UTF8.self) }

    private mutating func validity(_ value: CBORValue, signer: Certificate?) {
        func read(_ name: String, _ finder: inout Self) -> (text: String, range: Range<Int>)? {
            guard let entry = value[name] else { return nil }
            return finder.date(entry).map { ($0, entry.range) }
        }
        let (signed, start) = (read("signed", &self), read("validFrom", &self))
        _ = (read("validUntil", &self), read("expectedUpdate", &self))
        guard let signed else { return }
        if let start, start.text < signed.text { note(.validityBeforeSigned, start.range) }
        if let signer, signed.text < Self.toTheSecond(CivilDateTime(signer.notBefore).text) {
            note(.signedBeforeCertificate, signed.range)
        }
    }
}
