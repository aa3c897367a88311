import CBOR
import COSE
import CryptoSuite
import Determinism
import MobileSession

/// The document of a simulated holder, issued by a test authority, and the answers that are made of it.
struct SimulatedDocument: Sendable {
    /// The time at which all documents are issued and judged.
    static let time = WallTime(millisecondsSinceEpoch: 1_790_000_000_000)
    static let namespace = "org.iso.18013.5.1"

    private static let issuer = Result { try makeIssuer(seed: 1) }
    private static let otherIssuer = Result { try makeIssuer(seed: 2) }

    private static func makeIssuer(seed: UInt64) throws -> TestMobileIssuer {
        var random = SeededRandom(seed: seed)
        return try TestMobileIssuer(at: time, random: &random)
    }

    /// The certificate of the authority that readers trust, in DER; throws the errors of making it.
    static func authority() throws -> [UInt8] { try issuer.get().authority }

    private let held: HeldMobileDocument
    /// A copy of the document on another device.
    private let copy: HeldMobileDocument
    /// A document of another type on another device.
    private let other: HeldMobileDocument
    private let forgery: MobileForgery?

    /// Issues a document; throws the errors of drawing keys and of signing.
    init(
        _ proof: DocumentProof, in curve: SessionCurve, forgery: MobileForgery?, seed: UInt64
    ) throws {
        var random = SeededRandom(seed: seed)
        let issuer = try (forgery == .authorityOfSameName ? Self.otherIssuer : Self.issuer).get()
        let country = forgery == .countryChanged ? "XX" : TestMobileIssuer.country
        let elements: [(name: String, value: CBORItem)] = [
            ("family_name", .text("Sample \(seed)")), ("issuing_country", .text(country)),
            ("age_over_18", .bool(true)), ("portrait", .bytes(TestMobileIssuer.portrait(byteCount: 300))),
        ]
        func issued(_ type: String) throws -> HeldMobileDocument {
            try issuer.issue(
                type: type, namespace: Self.namespace, elements: elements,
                to: proof.makeKey(in: curve, from: &random), random: &random)
        }
        held = try issued(TestMobileIssuer.licenceType)
        copy = forgery == .otherDevice ? try issued(TestMobileIssuer.licenceType) : held
        other = forgery == .otherDocument ? try issued("org.example.other") : held
        self.forgery = forgery
    }

    // MARK: Answers

    /// Returns the documents of an answer in a session; throws the errors of the proof.
    func documents(in keys: MobileSessionKeys) throws -> [CBORItem] {
        let names = held.elements.map(\.name)
        func proved(_ document: HeldMobileDocument, in keys: MobileSessionKeys) throws -> CBORItem {
            try document.document(with: names, in: keys)
        }
        switch forgery {
        case .otherSession:
            let transcript = SessionTranscript(engagement: [0xA0], readerKeyBytes: Self.readerKeyBytes(keys))
            return [
                try proved(held, in: .init(transcript: transcript, ownKey: keys.ownKey, peerKey: keys.peerKey))
            ]
        case .otherReader:
            // A reader in the middle: the device answers it, and it passes the answer on.
            let key = try Self.otherKey(keys)
            let transcript = SessionTranscript(
                engagement: Self.engagement(keys), readerKeyBytes: CBORItem.embedded(key.item).encoded)
            return [try proved(held, in: .init(transcript: transcript, ownKey: keys.ownKey, peerKey: key))]
        case .otherDevice: return [try Self.exchanged(proved(held, in: keys), proved(copy, in: keys))]
        case .otherDocument: return [try Self.exchanged(proved(held, in: keys), proved(other, in: keys))]
        case .elementOfDevice: return [try withElementOfDevice(proved(held, in: keys), keys)]
        case .secondForged:
            let genuine = try proved(held, in: keys)
            return [genuine, try Self.changed(genuine, by: .elementChanged)]
        case .none, .authorityOfSameName, .countryChanged, .expired, .notYetValid: return [try proved(held, in: keys)]
        case .proofChanged, .proofMissing, .proofTwice, .elementChanged, .elementUnknown, .elementTwice, .typeChanged,
            .signatureChanged, .objectChanged:
            return [try Self.changed(proved(held, in: keys), by: forgery)]
        }
    }

    private static func engagement(_ keys: MobileSessionKeys) -> [UInt8] {
        (try? CBORValue(parsing: keys.transcript.bytes))?.array?.first?.tagged?.content.bytes ?? []
    }

    private static func readerKeyBytes(_ keys: MobileSessionKeys) -> [UInt8] {
        Array((try? CBORValue(parsing: keys.transcript.bytes))?.array?.dropFirst().first?.encoding ?? [])
    }

    private static func otherKey(_ keys: MobileSessionKeys) throws -> COSEKey {
        var random = SeededRandom(seed: 3)
        return try AgreementKey.make(onCurveOf: keys.peerKey, from: &random)?.publicKey() ?? keys.peerKey
    }

    // MARK: Changes of bytes

    /// Returns a map with its members, of which some are exchanged.
    private static func map(_ value: CBORValue, with changes: [String: CBORItem]) -> CBORItem {
        .ordered(
            (value.map ?? []).map { entry in
                let change = entry.key.text.flatMap { changes[$0] }
                return [.raw(Array(entry.key.encoding)), change ?? .raw(Array(entry.value.encoding))]
            })
    }

    private static func parsed(_ document: CBORItem) throws -> CBORValue { try CBORValue(parsing: document.encoded) }

    /// Returns a document with the device's proof of another one.
    private static func exchanged(_ document: CBORItem, _ other: CBORItem) throws -> CBORItem {
        let proof = try parsed(other)["deviceSigned"]?.encoding ?? []
        return map(try parsed(document), with: ["deviceSigned": .raw(Array(proof))])
    }

    private static func changed(_ document: CBORItem, by forgery: MobileForgery?) throws -> CBORItem {
        let value = try parsed(document)
        guard let signed = value["issuerSigned"], let device = value["deviceSigned"], let auth = device["deviceAuth"]
        else { return document }
        func with(auth: CBORItem) -> CBORItem {
            map(value, with: ["deviceSigned": map(device, with: ["deviceAuth": auth])])
        }
        let proofs = (auth.map ?? []).map { (name: $0.key.text ?? "", value: $0.value) }
        switch forgery {
        case .proofMissing: return with(auth: .map([:]))
        case .proofTwice:
            return with(
                auth: .ordered(
                    ["deviceSignature", "deviceMac"].map { name in
                        [.text(name), .raw(Array(proofs.first?.value.encoding ?? []))]
                    }))
        case .proofChanged:
            return with(
                auth: .ordered(proofs.map { [.text($0.name), flipped($0.value)] }))
        case .typeChanged: return map(value, with: ["docType": .text("org.iso.18013.5.1.other")])
        case .signatureChanged:
            let auth = signed["issuerAuth"].map(flipped) ?? .null
            return map(value, with: ["issuerSigned": map(signed, with: ["issuerAuth": auth])])
        case .objectChanged:
            let parts = signed["issuerAuth"]?.array ?? []
            // The signed object ends in the text of a time; another second leaves it readable.
            let object = (parts[2].bytes ?? []).dropLast(2) + Array("9Z".utf8)
            let auth = CBORItem.array(
                parts.enumerated().map { $0 == 2 ? .bytes(Array(object)) : .raw(Array($1.encoding)) })
            return map(value, with: ["issuerSigned": map(signed, with: ["issuerAuth": auth])])
        default:
            return map(value, with: ["issuerSigned": map(signed, with: ["nameSpaces": items(of: signed, forgery)])])
        }
    }

    /// Returns a COSE object whose signature or code has another last bit.
    private static func flipped(_ object: CBORValue) -> CBORItem {
        let parts = object.array ?? []
        return .array(
            parts.enumerated().map { index, part in
                guard index == 3, var bytes = part.bytes, let last = bytes.indices.last else {
                    return .raw(Array(part.encoding))
                }
                bytes[last] ^= 1
                return .bytes(bytes)
            })
    }

    /// Returns the namespaces with a changed element, one more, or one twice.
    private static func items(of signed: CBORValue, _ forgery: MobileForgery?) -> CBORItem {
        var items = (signed["nameSpaces"]?.map?.first?.value.array ?? []).map { Array($0.encoding) }
        func item(_ digest: Int, _ name: String, _ value: CBORItem) -> [UInt8] {
            CBORItem.embedded(
                .ordered([
                    [.text("digestID"), .int(digest)], [.text("random"), .bytes([UInt8](repeating: 7, count: 32))],
                    [.text("elementIdentifier"), .text(name)], [.text("elementValue"), value],
                ])
            ).encoded
        }
        switch forgery {
        case .elementUnknown: items.append(item(99, "age_over_65", .bool(true)))
        case .elementTwice: items += items.prefix(1)
        default: items[0] = item(0, "family_name", .text("Other"))
        }
        return .ordered([[.text(namespace), .array(items.map { .raw($0) })]])
    }

    /// Returns a document in which the device signed an element that its key is not authorised for.
    private func withElementOfDevice(_ document: CBORItem, _ keys: MobileSessionKeys) throws -> CBORItem {
        guard case .signing(let key) = held.deviceKey else { return document }
        let namespaces = CBORItem.embedded(
            .ordered([[.text(Self.namespace), .ordered([[.text("age_over_65"), .bool(true)]])]]))
        let message = CBORItem.embedded(
            .array([.text("DeviceAuthentication"), .raw(keys.transcript.bytes), .text(held.type), namespaces])
        ).encoded
        let auth = CBORItem.ordered([
            [.text("deviceSignature"), try COSESign1.make(over: message, isDetached: true, by: key)]
        ])
        return Self.map(
            try Self.parsed(document),
            with: [
                "deviceSigned": .ordered([[.text("nameSpaces"), namespaces], [.text("deviceAuth"), auth]])
            ])
    }
}
