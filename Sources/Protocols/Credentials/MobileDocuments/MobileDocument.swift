import CBOR
import COSE

/// The parts of a received mobile document before any check (ISO/IEC 18013-5, clauses 8.3 and 9.1).
struct MobileDocument {
    /// The document type outside the signature; nil for a bare IssuerSigned.
    let type: String?
    /// The issuer's COSE signature, whose payload is the mobile security object.
    let issuerAuth: COSESign1
    /// The issuer's COSE object as received.
    let issuerAuthValue: CBORValue
    /// The elements that the issuer signed, by namespace.
    let namespaces: [(name: String, items: [IssuerSignedItem])]
    /// The elements that the device signed, with its proof; nil without any.
    let deviceSigned: DeviceSigned?

    /// Returns the documents in an input: one IssuerSigned, one Document, or those of a DeviceResponse.
    ///
    /// Throws `credential.md-form`, `credential.md-version`, `credential.limit-proofs`, and the codes of the readers.
    static func documents(in value: CBORValue) throws(CredentialError) -> [CBORValue] {
        guard let documents = value["documents"] else {
            guard value["version"] == nil else {
                throw CredentialError(.mdForm, "The response has no documents.", at: value.place)
            }
            return [value]
        }
        guard let version = value["version"]?.text, version.hasPrefix("1."),
            (1...4).contains(version.utf8.count - 2),
            version.utf8.dropFirst(2).allSatisfy({ (0x30...0x39).contains($0) })
        else {
            throw CredentialError(.mdVersion, "The response is of a version that is not known.", at: value.place)
        }
        guard value["status"]?.int == 0, let elements = documents.array, !elements.isEmpty else {
            throw CredentialError(.mdForm, "The response has no documents or tells of an error.", at: value.place)
        }
        guard elements.count <= VerificationLimits.maximumProofs else {
            throw CredentialError(.limitProofs, "The response has \(elements.count) documents.", at: documents.place)
        }
        return elements
    }

    /// Reads an IssuerSigned or a Document.
    ///
    /// Throws `credential.md-form` and the codes of the readers.
    init(_ value: CBORValue, _ limits: VerificationLimits) throws(CredentialError) {
        let issuerSigned: CBORValue
        if let inner = value["issuerSigned"] {
            guard let type = value["docType"]?.text else {
                throw CredentialError(.mdForm, "The document has no type.", at: value.place)
            }
            self.type = type
            issuerSigned = inner
        } else {
            type = nil
            issuerSigned = value
        }
        guard let issuerAuth = issuerSigned["issuerAuth"] else {
            throw CredentialError(.mdForm, "The document has no signature of its issuer.", at: issuerSigned.place)
        }
        issuerAuthValue = issuerAuth
        self.issuerAuth = try COSESign1(issuerAuth, limits)
        namespaces = try Self.namespaces(issuerSigned["nameSpaces"], limits)
        deviceSigned = try value["deviceSigned"].map { (value) throws(CredentialError) in
            try DeviceSigned(value, limits)
        }
    }

    /// Returns true when the issuer signed an element of this name.
    func holds(_ identifier: String, in namespace: String) -> Bool {
        namespaces.contains { part in
            part.name.isExactly(namespace) && part.items.contains { $0.identifier.isExactly(identifier) }
        }
    }

    private static func namespaces(
        _ value: CBORValue?, _ limits: VerificationLimits
    ) throws(CredentialError) -> [(name: String, items: [IssuerSignedItem])] {
        guard let value else { return [] }
        guard let entries = value.map else {
            throw CredentialError(.mdForm, "The namespaces are not a map.", at: value.place)
        }
        var namespaces: [(name: String, items: [IssuerSignedItem])] = []
        for entry in entries {
            guard let name = entry.key.text, let elements = entry.value.array, !elements.isEmpty else {
                throw CredentialError(.mdForm, "A namespace has no name or no items.", at: entry.value.place)
            }
            var items: [IssuerSignedItem] = []
            for element in elements { items.append(try IssuerSignedItem(element, limits)) }
            namespaces.append((name, items))
        }
        return namespaces
    }
}

/// An element with its salt, whose digest the issuer signed (ISO/IEC 18013-5, clause 9.1.2.4).
struct IssuerSignedItem {
    /// The complete IssuerSignedItemBytes as received, with the tag; digests are computed over it.
    let value: CBORValue
    /// The identifier of the element's digest in its namespace.
    let digestID: Int
    /// The name of the element.
    let identifier: String
    /// The value of the element.
    let element: CBORValue
    /// The number of bytes of the element's salt.
    let saltCount: Int

    /// The fewest bytes of a salt that the standard allows.
    static let leastSaltCount = 16

    /// The largest number of a digest that the standard allows.
    static let largestDigestID = (1 << 31) - 1

    /// Reads an issuer-signed item in a byte string with tag 24.
    ///
    /// Throws `credential.md-form` and the codes of the CBOR reader.
    init(_ value: CBORValue, _ limits: VerificationLimits) throws(CredentialError) {
        let item = try CredentialCBORReader.embedded(value, "An element", limits)
        guard let digestID = item["digestID"]?.int, (0..<(1 << 32)).contains(digestID),
            let salt = item["random"]?.bytes, let identifier = item["elementIdentifier"]?.text,
            let element = item["elementValue"]
        else { throw CredentialError(.mdForm, "An element lacks a part.", at: value.place) }
        self.value = value
        self.digestID = digestID
        self.identifier = identifier
        self.element = element
        saltCount = salt.count
    }
}
