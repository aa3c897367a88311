import JSON

extension DIDDocument {
    /// Makes the document that a DID contains: did:key, did:peer:0, did:peer:2 and the long did:peer:4.
    ///
    /// Nil for all others, whose document comes from elsewhere. Throws as `init(reading:of:)`, and
    /// `didcomm.did.malformed` when a service of a did:peer:2 is no JSON object.
    public init?(of did: DID) throws(DIDCommError) {
        switch did.method {
        case .key(let key), .peer(.key(let key)):
            self.init(
                did: did, methods: [VerificationMethod(fragment: key.multibase, key: key)],
                authentication: key.kind == .ed25519 ? [key] : [], agreement: key.kind == .x25519 ? [key] : [],
                services: [])
        case .peer(.parts(let parts)): try self.init(parts: parts, of: did)
        case .peer(.long(_, let document)): try self.init(embedded: document, of: did)
        case .peer(.genesis), .peer(.partsHash), .peer(.short), .sov, .other: return nil
        }
    }

    private init(embedded document: [UInt8], of did: DID) throws(DIDCommError) {
        let value = try DIDCommError.reading { () throws(JSONError) in
            try JSONValue(parsing: document, limits: Self.limits)
        }
        guard let object = value.object, object["id"] == nil else {
            throw DIDCommError(.documentMalformed, "the document in a did:peer:4 is an object without id")
        }
        try self.init(body: JSONValueReader(value), did: did, namedBy: nil)
    }

    private init(parts: [PeerDID.PeerDIDElement], of did: DID) throws(DIDCommError) {
        var methods: [VerificationMethod] = []
        var lists: [PeerDID.Purpose: [Curve25519PublicKey]] = [:]
        var services: [DIDServiceEntry] = []
        for part in parts {
            switch part {
            case .key(let purpose, let key):
                methods.append(VerificationMethod(fragment: "key-\(methods.count + 1)", key: key))
                if let key { lists[purpose, default: []].append(key) }
            case .service(let bytes):
                for service in try Self.services(inPart: bytes) { services += Self.entries(of: service) }
            }
        }
        self.init(
            did: did, methods: methods, authentication: lists[.authentication] ?? [],
            agreement: lists[.agreement] ?? [], services: services)
    }

    /// Reads the services in one part of a did:peer:2: an object, or, from older agents, an array of objects.
    private static func services(inPart bytes: [UInt8]) throws(DIDCommError) -> [JSONValueReader] {
        let value = try DIDCommError.reading(.didMalformed) { () throws(JSONError) in
            try JSONValue(parsing: bytes, limits: limits)
        }
        let objects = value.array ?? [value]
        guard objects.count <= maximumServices else {
            throw DIDCommError(.documentTooLarge, "the DID has more than \(maximumServices) services")
        }
        var readers: [JSONValueReader] = []
        for object in objects {
            guard case .object(let object) = object, let plain = ServiceAbbreviations.expanded(object) else {
                throw DIDCommError(.didMalformed, "a service of the did:peer:2 is not an object, or says a thing twice")
            }
            readers.append(JSONValueReader(object: plain))
        }
        return readers
    }
}

/// The abbreviated member names of a service in a did:peer:2.
enum ServiceAbbreviations {
    private static let names = ["t": "type", "s": "serviceEndpoint", "r": "routingKeys", "a": "accept"]
    private static let messaging = (short: "dm", long: "DIDCommMessaging")

    /// Returns the service with its member names in full; nil when a name occurs in both forms.
    static func expanded(_ object: JSONObject) -> JSONObject? {
        var result = JSONObject()
        for member in object {
            let name = names[member.name] ?? member.name
            var value = member.value
            if name == "type", value.string == messaging.short { value = .string(messaging.long) }
            if name == "serviceEndpoint" {
                guard let endpoint = expandedEndpoint(value) else { return nil }
                value = endpoint
            }
            guard result.append(name, value) else { return nil }
        }
        return result
    }

    private static func expandedEndpoint(_ value: JSONValue) -> JSONValue? {
        switch value {
        case .object(let object): return expanded(object).map(JSONValue.object)
        case .array(let values):
            var result: [JSONValue] = []
            for value in values {
                guard case .object(let object) = value else {
                    result.append(value)
                    continue
                }
                guard let object = expanded(object) else { return nil }
                result.append(.object(object))
            }
            return .array(result)
        case .null, .bool, .number, .string: return value
        }
    }
}
