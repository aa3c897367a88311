import ByteCoding
public import JSON

/// A parsed DID document: the keys by their names, and the DIDComm services.
///
/// Read are the form of RFC 0160 (`publicKey`, `authentication` with references in objects) and that of DID Core with
/// keys of the 2018, 2020 and Multikey types or JWK, embedded or referred to, by whole or relative names. A connection
/// uses the `PeerDocument` that `DIDResolution` makes of it.
public struct DIDDocument: Hashable, Sendable {
    /// The most keys that a document may have, all lists together.
    public static let maximumKeys = 32

    /// The most services that a document may have.
    public static let maximumServices = 16

    /// The limits for the JSON of a document.
    public static let limits = JSONLimits(
        maximumBytes: 32 * 1024, maximumDepth: 16, maximumStringBytes: 16 * 1024, maximumMembers: 256,
        maximumElements: 256)

    /// The DID that the document describes.
    public let did: DID

    let methods: [VerificationMethod]
    let authentication: [Curve25519PublicKey]
    let agreement: [Curve25519PublicKey]
    let services: [DIDServiceEntry]

    /// A service of the document, or the error for which it is not used.
    enum DIDServiceEntry: Hashable, Sendable {
        case service(DIDService)
        case refused(DIDCommError)
    }

    /// Parses the bytes of a DID document like `init(reading:of:)`.
    ///
    /// Throws also `didcomm.document.too-large` for more than 32 KiB, and `didcomm.document.malformed` for what is no
    /// JSON within `limits`.
    public init(parsing bytes: [UInt8], of did: DID? = nil) throws(DIDCommError) {
        guard bytes.count <= Self.limits.maximumBytes else {
            throw DIDCommError(.documentTooLarge, "the document has more than \(Self.limits.maximumBytes) bytes")
        }
        let value = try DIDCommError.reading { () throws(JSONError) in
            try JSONValue(parsing: bytes, limits: Self.limits)
        }
        try self.init(reading: JSONValueReader(value), of: did)
    }

    /// Reads a DID document in a message.
    ///
    /// - Parameter did: the DID that the document must have; nil accepts the DID that it names.
    ///
    /// Throws `didcomm.document.wrong-id` when it names another, `didcomm.document.malformed`,
    /// `didcomm.document.too-large`, `didcomm.document.key-missing` for a reference that leads nowhere, and
    /// `didcomm.key.…` for its keys. A service that cannot be used is no error here.
    public init(reading reader: JSONValueReader, of did: DID? = nil) throws(DIDCommError) {
        let id = try DIDCommError.reading { () throws(JSONError) in try reader.string("id") }
        let named = try DID(parsing: id)
        guard did?.isSame(as: named) ?? true else {
            throw DIDCommError(.documentWrongID, "the document is that of another DID than the one it came with")
        }
        try self.init(body: reader, did: did ?? named, namedBy: did ?? named)
    }

    /// Reads the inline service of an invitation, or an invitation that is one itself, as the document of its keys.
    ///
    /// The DID is the did:key of the first recipient key. Throws `didcomm.service.malformed`,
    /// `didcomm.service.no-key`, `didcomm.endpoint.…`, `didcomm.document.too-large` and `didcomm.key.…`.
    public init(inlineService reader: JSONValueReader) throws(DIDCommError) {
        let services = try DIDService.read(reader, assumesType: true)
        guard let service = services.first else {
            throw DIDCommError(.serviceMalformed, "the service is of a kind that does not speak DIDComm")
        }
        var keys: [Verkey] = []
        for text in service.recipientKeys { keys.append(try Verkey(parsing: text)) }
        guard let first = keys.first else { throw DIDCommError(.serviceKeyless, "the service names no key") }
        did = .key(first.publicKey)
        methods = []
        authentication = keys.map(\.publicKey)
        agreement = []
        self.services = services.map(DIDServiceEntry.service)
    }

    init(
        did: DID, methods: [VerificationMethod], authentication: [Curve25519PublicKey],
        agreement: [Curve25519PublicKey],
        services: [DIDServiceEntry]
    ) {
        self.did = did
        self.methods = methods
        self.authentication = authentication
        self.agreement = agreement
        self.services = services
    }

    /// Reads all members of a DID document but the `id`.
    ///
    /// - Parameter namedBy: the DID that absolute references have to begin with; nil when only relative ones count.
    init(body reader: JSONValueReader, did: DID, namedBy: DID?) throws(DIDCommError) {
        var keys = try DocumentKeys(reader, did: namedBy)
        let authentication = try keys.list("authentication", in: reader)
        let signing = keys.methods.compactMap(\.key).filter { $0.kind == .ed25519 }
        self.did = did
        self.authentication = authentication ?? signing
        agreement = try keys.list("keyAgreement", in: reader) ?? []
        for name in ["assertionMethod", "capabilityInvocation", "capabilityDelegation"] {
            try keys.addEmbedded(name, in: reader)
        }
        methods = keys.methods
        services = try Self.services(in: reader)
    }

    private static func services(in reader: JSONValueReader) throws(DIDCommError) -> [DIDServiceEntry] {
        let readers = try DIDCommError.reading { () throws(JSONError) in try reader.optionalElements("service") ?? [] }
        guard readers.count <= maximumServices else {
            throw DIDCommError(.documentTooLarge, "the document has more than \(maximumServices) services")
        }
        return readers.flatMap(entries)
    }

    static func entries(of reader: JSONValueReader) -> [DIDServiceEntry] {
        do throws(DIDCommError) {
            return try DIDService.read(reader).map(DIDServiceEntry.service)
        } catch {
            return [.refused(error)]
        }
    }

    /// Returns the verkey that a service names: in base 58, as did:key, or by reference into this document.
    func verkey(named text: String) throws(DIDCommError) -> Verkey {
        let isReference = text.holds("#") && !text.hasPrefix(Curve25519PublicKey.didKeyPrefix)
        if !isReference,
            text.hasPrefix(Curve25519PublicKey.didKeyPrefix) || !methods.contains(where: { $0.fragment == text })
        {
            return try Verkey(parsing: text)
        }
        guard let fragment = DIDKeyReference(text).fragment(in: did),
            let method = methods.first(where: { $0.fragment == fragment })
        else { throw DIDCommError(.documentKeyMissing, "a service refers to a key that the document does not have") }
        guard let key = method.key else {
            throw DIDCommError(.keyUnsupported, "a service refers to a key of a kind that is not used here")
        }
        guard let verkey = Verkey(key) else {
            throw DIDCommError(
                .keyWrongKind, "a service refers to a key for agreement where one for signatures is needed")
        }
        return verkey
    }
}

/// Collects the keys of a DID document.
private struct DocumentKeys {
    private(set) var methods: [VerificationMethod] = []
    private let did: DID?

    init(_ reader: JSONValueReader, did: DID?) throws(DIDCommError) {
        self.did = did
        for name in ["verificationMethod", "publicKey"] {
            for entry in try Self.elements(name, in: reader) ?? [] { try add(entry) }
        }
    }

    /// Reads a list of key references and embedded keys; nil when there is no such list, or an empty one.
    mutating func list(_ name: String, in reader: JSONValueReader) throws(DIDCommError) -> [Curve25519PublicKey]? {
        guard let entries = try Self.elements(name, in: reader), !entries.isEmpty else { return nil }
        var keys: [Curve25519PublicKey] = []
        for entry in entries {
            if let reference = try Self.reference(entry) {
                guard let fragment = DIDKeyReference(reference).fragment(in: did),
                    let method = methods.first(where: { $0.fragment == fragment })
                else {
                    throw DIDCommError(.documentKeyMissing, "the document refers to a key that it does not have")
                }
                if let key = method.key { keys.append(key) }
            } else if let key = try add(entry) {
                keys.append(key)
            }
        }
        return keys
    }

    /// Adds the keys embedded in a list, for services that refer to them.
    mutating func addEmbedded(_ name: String, in reader: JSONValueReader) throws(DIDCommError) {
        for entry in try Self.elements(name, in: reader) ?? [] where try Self.reference(entry) == nil { try add(entry) }
    }

    @discardableResult
    private mutating func add(_ reader: JSONValueReader) throws(DIDCommError) -> Curve25519PublicKey? {
        let method = try VerificationMethod(reading: reader, of: did)
        if let known = methods.first(where: { $0.fragment == method.fragment }) {
            guard known == method else {
                throw DIDCommError(.documentMalformed, "two keys of the document have one name")
            }
            return method.key
        }
        guard methods.count < DIDDocument.maximumKeys else {
            throw DIDCommError(.documentTooLarge, "the document has more than \(DIDDocument.maximumKeys) keys")
        }
        methods.append(method)
        return method.key
    }

    /// Returns the name when an entry is a reference: a string, or an object whose `publicKey` is one (RFC 0160).
    private static func reference(_ entry: JSONValueReader) throws(DIDCommError) -> String? {
        if let text = entry.value.string { return text }
        return try DIDCommError.reading { () throws(JSONError) in try entry.optionalString("publicKey") }
    }

    private static func elements(_ name: String, in reader: JSONValueReader) throws(DIDCommError) -> [JSONValueReader]?
    {
        let elements = try DIDCommError.reading { () throws(JSONError) in try reader.optionalElements(name) }
        guard elements?.count ?? 0 <= DIDDocument.maximumKeys else {
            throw DIDCommError(.documentTooLarge, "the document has more than \(DIDDocument.maximumKeys) keys")
        }
        return elements
    }
}
