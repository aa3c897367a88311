import CBOR
import CryptoSuite
import JSON

/// Checks that the issuer signed the digest of each element.
enum MobileDocumentDigestCheck {
    /// Records every element whose digest the issuer did not sign.
    static func check(_ document: MobileDocument, _ object: MobileSecurityObject, into list: inout CredentialCheckList)
    {
        guard let algorithm = object.digestAlgorithm else {
            return list.fail(.mdAlg, "The digest algorithm is not one of SHA-256, SHA-384 and SHA-512.")
        }
        for (name, items) in document.namespaces {
            var (identifiers, numbers) = (Set<JSONMemberName>(), Set<Int>())
            let digests = object.digests[JSONMemberName(text: name)] ?? [:]
            for item in items {
                if !identifiers.insert(JSONMemberName(text: item.identifier)).inserted
                    || !numbers.insert(item.digestID).inserted
                {
                    list.fail(.mdDoubled, "An element or its digest is there twice.", at: item.value.place)
                }
                guard let digest = digests[item.digestID] else {
                    list.fail(.mdDigestMissing, "The issuer signed no digest for an element.", at: item.value.place)
                    continue
                }
                // Over the bytes as they came, with tag 24 and the head of the string.
                if algorithm.hash(item.value.encoding) != digest {
                    list.fail(.mdDigest, "An element is not the one that the issuer signed.", at: item.value.place)
                }
            }
        }
        guard !list.failed(.digests) else { return }
        let count = document.namespaces.reduce(0) { $0 + $1.items.count }
        list.pass(.digests, "Each of the \(count) elements is one that the issuer signed.")
    }
}

/// Fills a report's content from a mobile document.
enum MobileDocumentContent {
    /// Fills in the document type, the validity, and the elements by namespace.
    static func fill(_ content: inout CredentialContent, _ document: MobileDocument, _ object: MobileSecurityObject) {
        content.types = [object.type]
        content.validity = CredentialContent.ValidityPeriod(
            from: object.text("validFrom").map(JSONValue.string), until: object.text("validUntil").map(JSONValue.string)
        )
        var namespaces = JSONObject()
        for (name, items) in document.namespaces {
            var elements = JSONObject()
            for item in items where elements[item.identifier] == nil {
                elements[item.identifier] = ElementDisplayJSON.json(of: item.element)
                if content.pictures.count < 4, case .bytes(let bytes) = item.element.content,
                    ElementDisplayJSON.isPicture(bytes)
                {
                    content.pictures.append(
                        CredentialContent.Picture(path: [name, item.identifier], bytes: bytes))
                }
            }
            namespaces[name] = .object(elements)
        }
        content.claims = .object(namespaces)
        let shown = document.namespaces.reduce(0) { $0 + $1.items.count }
        let signed = object.digests.values.reduce(0) { $0 + $1.count }
        if signed > shown { content.notes.append("The holder withheld \(signed - shown) of \(signed) elements.") }
        fill(&content, byDevice: document.deviceSigned?.elements ?? [])
    }

    /// Fills in what the device says; what the issuer says is never mixed with it.
    private static func fill(
        _ content: inout CredentialContent, byDevice elements: [(namespace: String, name: String, value: CBORValue)]
    ) {
        guard !elements.isEmpty else { return }
        var namespaces: [(name: String, elements: JSONObject)] = []
        for element in elements {
            let value = ElementDisplayJSON.json(of: element.value)
            if namespaces.last?.name.isExactly(element.namespace) != true {
                namespaces.append((element.namespace, JSONObject()))
            }
            namespaces[namespaces.count - 1].elements[element.name] = value
            if content.notes.count < 64 {
                let text = value.string ?? value.text
                content.notes.append("The device itself says of \(element.name) in \(element.namespace): \(text)")
            }
        }
        var claims = JSONObject()
        for namespace in namespaces { claims[namespace.name] = .object(namespace.elements) }
        content.deviceClaims = .object(claims)
    }
}
