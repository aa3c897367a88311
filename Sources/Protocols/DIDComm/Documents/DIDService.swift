import JSON

/// One address of one service in a DID document, with references to keys and DIDs that are not resolved yet.
struct DIDService: Hashable, Sendable {
    /// The types of services for DIDComm; others are ignored.
    enum Kind: String, Hashable, Sendable, CaseIterable {
        case didCommunication = "did-communication"
        case indyAgent = "IndyAgent"
        case didCommMessaging = "DIDCommMessaging"
    }

    /// The address of a service: an endpoint, or the DID of a mediator.
    enum Endpoint: Hashable, Sendable {
        case address(ServiceEndpoint)
        case did(DID)
    }

    static let maximumKeys = 16
    static let maximumProfiles = 16
    static let maximumAddresses = 8

    let id: String
    let kind: Kind
    let priority: Int
    let recipientKeys: [String]
    let routingKeys: [String]
    let accept: [String]
    let endpoint: Endpoint

    /// Reads a service: one value per address, none for a service without DIDComm.
    ///
    /// A service without a type counts as `did-communication` where `assumesType` says so, as in invitations.
    static func read(_ reader: JSONValueReader, assumesType: Bool = false) throws(DIDCommError) -> [DIDService] {
        let types: [String] = try DIDCommError.reading(.serviceMalformed) { () throws(JSONError) in
            try Self.types(in: reader)
        }
        let kinds = types.isEmpty && assumesType ? [.didCommunication] : types.compactMap { Kind(rawValue: $0) }
        // A service of another kind is not read further.
        guard let kind = kinds.first else { return [] }
        let head = try DIDCommError.reading(.serviceMalformed) { () throws(JSONError) in try ServiceFields(reader) }
        guard head.addresses.count <= maximumAddresses else {
            throw DIDCommError(.documentTooLarge, "a service has more than \(maximumAddresses) addresses")
        }
        guard !head.addresses.isEmpty else { throw DIDCommError(.serviceMalformed, "a service has no address") }
        var services: [DIDService] = []
        for address in head.addresses {
            let lists = [head.recipientKeys, head.routingKeys + address.routingKeys]
            guard lists.allSatisfy({ $0.count <= maximumKeys }) else {
                throw DIDCommError(.documentTooLarge, "a service has more than \(maximumKeys) keys")
            }
            let accept = head.accept + address.accept
            guard accept.count <= maximumProfiles, accept.allSatisfy({ $0.utf8.count <= 128 }) else {
                throw DIDCommError(.documentTooLarge, "a service names too many profiles, or too long ones")
            }
            services.append(
                DIDService(
                    id: head.id, kind: kind, priority: head.priority, recipientKeys: lists[0], routingKeys: lists[1],
                    accept: accept, endpoint: try endpoint(address.uri)))
        }
        return services
    }

    /// Reads the types of a service, which are one text or a list (DID Core 1.0, section 5.4).
    private static func types(in reader: JSONValueReader) throws(JSONError) -> [String] {
        guard let type = try reader.optional("type") else { return [] }
        return type.value.array == nil ? [try type.string()] : try type.strings()
    }

    private static func endpoint(_ text: String) throws(DIDCommError) -> Endpoint {
        guard text.hasPrefix("did:") else { return .address(try ServiceEndpoint(parsing: text)) }
        return .did(try DID(parsing: DIDKeyReference(text).base ?? text))
    }

    /// One address of a service with its own routing keys and profiles.
    private struct Address {
        let uri: String
        var routingKeys: [String] = []
        var accept: [String] = []

        init(_ reader: JSONValueReader) throws(JSONError) {
            guard reader.value.string == nil else {
                uri = try reader.string()
                return
            }
            uri = try reader.string("uri")
            routingKeys = try reader.optionalStrings("routingKeys") ?? []
            accept = try reader.optionalStrings("accept") ?? []
        }
    }

    private struct ServiceFields {
        let id: String
        let priority: Int
        let recipientKeys: [String]
        let routingKeys: [String]
        let accept: [String]
        let addresses: [Address]

        init(_ reader: JSONValueReader) throws(JSONError) {
            id = try reader.optionalString("id") ?? ""
            priority = try reader.optionalInt("priority") ?? 0
            recipientKeys = try reader.optionalStrings("recipientKeys") ?? []
            routingKeys = try reader.optionalStrings("routingKeys") ?? []
            accept = try reader.optionalStrings("accept") ?? []
            let endpoint = try reader.member("serviceEndpoint")
            let entries = endpoint.value.array == nil ? [endpoint] : try endpoint.elements()
            var addresses: [Address] = []
            for entry in entries { addresses.append(try Address(entry)) }
            self.addresses = addresses
        }
    }
}
