import ByteCoding
public import CBOR
package import COSE
import Credentials
package import CryptoSuite
package import Determinism

/// A mobile document that a holder has: what the issuer signed, and the device's key (ISO/IEC 18013-5, clause 10.3).
public struct HeldMobileDocument: Sendable {
    /// The device's key, and the proof that it gives in its whole life: one of the two (clause 12.4).
    package enum DeviceKey: Sendable {
        /// The device signs.
        case signing(CertificateTemplate.SigningKey)
        /// The device proves itself by a MAC, which takes a session on the curve of this key.
        case agreement(AgreementKey)

        /// Returns the public key; throws the errors of computing it, and `crypto.invalid-key` for a key of RSA.
        package func publicKey() throws(CryptoError) -> COSEKey {
            switch self {
            case .agreement(let key): return try key.publicKey()
            case .signing(.ecdsa(let key)): return .ecdsa(key.publicKey)
            case .signing(.ed25519(let seed)): return .ed25519(try Ed25519.publicKey(for: seed))
            case .signing(.ed448(let seed)): return .ed448(try Ed448.publicKey(for: seed))
            case .signing(.rsa): throw CryptoError(.invalidKey, "a device has no key of RSA")
            }
        }
    }

    /// The type of the document, as the issuer signed it.
    public let type: String
    /// The names of the elements in the order of the document, with their encoded IssuerSignedItemBytes.
    public let elements: [(name: DeviceRequest.ElementName, item: [UInt8], value: CBORValue)]

    /// True for a copy that is shown once: then another one, with another device key, takes its place.
    public let isSingleUse: Bool
    /// The name of the document for its holder: 16 hexadecimal digits, from the digest of what the issuer signed.
    public var id: String { Hex.encode(SHA256.hash(issuerAuth).prefix(8)) }

    /// The encoded IssuerSigned, as it came.
    let issuerSigned: [UInt8]
    /// The key of the device that the issuer signed; nil for one of a kind that is not known.
    let signedDeviceKey: COSEKey?
    package let deviceKey: DeviceKey
    private let issuerAuth: [UInt8]
    /// The ends of its validity, in seconds since 1970; nil for one that cannot be read.
    private let validity: (from: Double?, until: Double?)

    /// The device's key, if it proves itself by MACs.
    package var agreementKey: AgreementKey? {
        if case .agreement(let key) = deviceKey { key } else { nil }
    }

    /// Returns true unless the document is not valid yet, or any more, with a minute of tolerance.
    package func isValid(at time: WallTime) -> Bool {
        let now = Double(time.millisecondsSinceEpoch) / 1000
        return (validity.from ?? now) <= now + 60 && now <= (validity.until ?? now) + 60
    }

    /// Returns true when the device can prove itself in a session: a MAC takes keys of one curve.
    package func canProve(in keys: MobileSessionKeys) -> Bool {
        guard let agreementKey else { return true }
        return (try? agreementKey.sharedSecret(with: keys.peerKey)) != nil
    }

    /// Reads an encoded IssuerSigned, with the key that its signed object names.
    ///
    /// Throws `mdoc.response-malformed` for bytes that are none.
    package init(
        issuerSigned bytes: [UInt8], deviceKey: DeviceKey, isSingleUse: Bool = false
    ) throws(MobileSessionError) {
        var limits = CBORLimits()
        limits.maximumBytes = ReaderSession.maximumResponseBytes
        guard let value = try? CBORValue(parsing: bytes, limits: limits), let auth = value["issuerAuth"],
            let parts = (auth.tagged?.content ?? auth).array, parts.count == 4,
            let object = try? parts[2].encoded().embedded(), let type = object["docType"]?.text
        else { throw MobileSessionError(.responseMalformed, "The document is not one that an issuer signed.") }
        var elements: [(name: DeviceRequest.ElementName, item: [UInt8], value: CBORValue)] = []
        for namespace in value["nameSpaces"]?.map ?? [] {
            for item in namespace.value.array ?? [] {
                guard let name = namespace.key.text, let inner = try? item.embedded(limits: limits),
                    let identifier = inner["elementIdentifier"]?.text, let value = inner["elementValue"]
                else { throw MobileSessionError(.responseMalformed, "An element of the document has no name.") }
                elements.append((.init(name, identifier), Array(item.encoding), value))
            }
        }
        let ends = ["validFrom", "validUntil"].map { name in
            object["validityInfo"]?[name]?.tagged?.content.text.flatMap {
                try? CredentialTime.seconds(dateTime: $0, name)
            }
        }
        self.type = type
        self.elements = elements
        validity = (ends[0], ends[1])
        self.deviceKey = deviceKey
        self.isSingleUse = isSingleUse
        issuerSigned = bytes
        signedDeviceKey = object["deviceKeyInfo"]?["deviceKey"].flatMap { try? COSEKey($0) }
        issuerAuth = Array(auth.encoding)
    }

    /// Returns the elements that answer a request, of those that the person allows.
    ///
    /// An element that is not there is answered by the first whole set of its alternatives, if all of it is allowed,
    /// and an age by the age rule. Without `requiredElement(for:)` nothing is answered.
    package func answer(
        to request: DeviceRequest.DocumentRequest, allowed: (DeviceRequest.ElementName) -> Bool = { _ in true }
    ) -> [DeviceRequest.ElementName] {
        let required = requiredElement(for: request)
        guard required.map(allowed) ?? true else { return [] }
        let names = Set(elements.map(\.name))
        var chosen: [DeviceRequest.ElementName] = []
        for element in request.elements {
            let name = element.name
            var found: [DeviceRequest.ElementName] = []
            if names.contains(name) {
                found = [name]
            } else if let statement = age(for: name) {
                found = [statement]
            } else {
                let sets = request.alternatives.first { $0.requested == name }?.sets ?? []
                found = sets.first { $0.allSatisfy(names.contains) } ?? []
            }
            guard found.allSatisfy(allowed) else { continue }
            for name in found where !chosen.contains(name) { chosen.append(name) }
        }
        return chosen
    }

    /// Returns the element that goes with anything else of an answer: the portrait of a driving licence, if it is asked
    /// for and here (clause 13.4).
    package func requiredElement(for request: DeviceRequest.DocumentRequest) -> DeviceRequest.ElementName? {
        let portrait = DeviceRequest.ElementName("org.iso.18013.5.1", "portrait")
        guard type == "org.iso.18013.5.1.mDL", request.elements.contains(where: { $0.name == portrait }),
            elements.contains(where: { $0.name == portrait })
        else { return nil }
        return portrait
    }

    private func age(for name: DeviceRequest.ElementName) -> DeviceRequest.ElementName? {
        guard let asked = AgeRule.age(of: name.identifier) else { return nil }
        var statements: [Int: Bool] = [:]
        for element in elements where element.name.namespace == name.namespace {
            guard let age = AgeRule.age(of: element.name.identifier), case .bool(let isOver) = element.value.content
            else { continue }
            statements[age] = isOver
        }
        return AgeRule.answer(to: asked, from: statements).map { .init(name.namespace, AgeRule.identifier(of: $0)) }
    }

    /// Returns the document with the chosen elements and the device's proof in a session, as CBOR.
    ///
    /// Throws the errors of signing, and `crypto.invalid-key` for a MAC in a session on another curve.
    package func document(
        with chosen: [DeviceRequest.ElementName], in keys: MobileSessionKeys
    ) throws(CryptoError) -> CBORItem {
        var namespaces: [(name: String, items: [CBORItem])] = []
        for element in elements where chosen.contains(element.name) {
            if let index = namespaces.firstIndex(where: { $0.name == element.name.namespace }) {
                namespaces[index].items.append(.raw(element.item))
            } else {
                namespaces.append((element.name.namespace, [.raw(element.item)]))
            }
        }
        var signed: [[CBORItem]] = []
        if !namespaces.isEmpty {
            signed.append([.text("nameSpaces"), .ordered(namespaces.map { [.text($0.name), .array($0.items)] })])
        }
        signed.append([.text("issuerAuth"), .raw(issuerAuth)])
        let empty = CBORItem.embedded(.map([:]))
        let message = CBORItem.embedded(
            .array([.text("DeviceAuthentication"), .raw(keys.transcript.bytes), .text(type), empty])
        ).encoded
        return .ordered([
            [.text("docType"), .text(type)], [.text("issuerSigned"), .ordered(signed)],
            [
                .text("deviceSigned"),
                .ordered([[.text("nameSpaces"), empty], [.text("deviceAuth"), try proof(over: message, in: keys)]]),
            ],
        ])
    }

    private func proof(over message: [UInt8], in keys: MobileSessionKeys) throws(CryptoError) -> CBORItem {
        switch deviceKey {
        case .signing(let key):
            return .ordered([
                [.text("deviceSignature"), try COSESign1.make(over: message, isDetached: true, by: key)]
            ])
        case .agreement(let key):
            let macKey = try HKDF.deriveSHA256(
                inputKey: try key.sharedSecret(with: keys.peerKey), salt: keys.transcript.salt,
                info: Array("EMacKey".utf8), count: 32)
            return .ordered([[.text("deviceMac"), COSEMac0.makeDetached(over: message, key: macKey)]])
        }
    }
}
