import DIDComm
import Determinism
import JSON

/// Reads the members of an invitation in all their spellings.
struct InvitationMemberReader {
    /// The kind of an invitation and its protocol version.
    struct KindAndVersion {
        let kind: Invitation.Kind
        let `protocol`: MessageProtocol
        let id: String
    }

    let object: JSONObject
    let head: KindAndVersion

    init(_ object: JSONObject) throws(AriesError) {
        self.object = object
        head = try Self.head(of: object)
    }

    private static func head(of object: JSONObject) throws(AriesError) -> KindAndVersion {
        if let text = object["type"]?.string, object["@type"] == nil, let type = try? MessageType(parsing: text),
            type.protocol.family == "out-of-band"
        {
            throw AriesError(
                .invitationUnsupported,
                "The invitation is of out-of-band \(type.protocol.major).\(type.protocol.minor), which belongs to version 2 "
                    + "of DIDComm, and out-of-band 1.x is understood.")
        }
        guard let text = object["@type"]?.string, let type = try? MessageType(parsing: text), type.name == "invitation",
            type.protocol.namespace == .community, let kind = Invitation.Kind(rawValue: type.protocol.family)
        else { throw AriesError(.invitationUnrecognised, "The JSON is not an invitation: its @type is that of none.") }
        guard type.protocol.major == 1 else {
            throw AriesError(
                .invitationUnsupported, "The invitation has version \(type.protocol.major), and 1 is understood.")
        }
        guard let id = object["@id"], !id.isNull else {
            throw AriesError(.invitationIncomplete, "The invitation has no @id, so answers could not refer to it.")
        }
        guard let id = id.string, (1...Message.maximumIDBytes).contains(id.utf8.count) else {
            throw AriesError(.invitationMalformed, "The @id of the invitation is not text of 1 to 256 bytes.")
        }
        return KindAndVersion(kind: kind, protocol: type.protocol, id: id)
    }

    private var reader: JSONValueReader { JSONValueReader(object: object) }

    // Simple members.

    /// Returns the text of the first of `names` that is present; an empty text counts as absent.
    func text(_ names: String...) throws(AriesError) -> String? {
        for name in names {
            let text = try AriesError.reading(.invitationMalformed) { () throws(JSONError) in
                try reader.optionalString(name)
            }
            if let text, !text.isEmpty { return text }
        }
        return nil
    }

    func texts(_ name: String) throws(AriesError) -> [String] {
        let texts = try AriesError.reading(.invitationMalformed) { () throws(JSONError) in
            try reader.optionalStrings(name) ?? []
        }
        try checkCount(texts.count, name)
        return texts
    }

    func did(_ name: String) throws(AriesError) -> DID? {
        guard let text = try text(name) else { return nil }
        return try AriesError.checking(.invitationMalformed) { () throws(DIDCommError) in try DID(parsing: text) }
    }

    func expiry() throws(AriesError) -> WallTime? {
        guard let value = object["~timing"]?["expires_time"], !value.isNull else { return nil }
        guard let time = value.string.flatMap({ WallTime(message: $0) }) else {
            throw AriesError(.invitationMalformed, "The invitation says when it ends in a form that cannot be read.")
        }
        return time
    }

    private func checkCount(_ count: Int, _ name: String) throws(AriesError) {
        guard count <= Invitation.maximumEntries else {
            throw AriesError(
                .invitationMalformed, "The invitation has more than \(Invitation.maximumEntries) of \(name).")
        }
    }

    // Members with two spellings.

    /// Returns true when both spellings of a member are present.
    func hasBoth(_ names: (String, String)) -> Bool { isThere(names.0) && isThere(names.1) }

    static let serviceNames = ("services", "service")
    static let requestNames = ("requests~attach", "request~attach")

    /// Returns the member name to use: the one that is present, or of two the one of the version.
    private func spelling(_ names: (plural: String, singular: String)) -> String {
        guard isThere(names.plural) else { return names.singular }
        guard isThere(names.singular) else { return names.plural }
        return head.protocol.minor == 0 ? names.singular : names.plural
    }

    private func isThere(_ name: String) -> Bool { object[name].map { !$0.isNull } ?? false }

    /// True when the invitation is of connections 1.0, or lists handshake protocols, supported or not.
    var hasHandshakes: Bool {
        head.kind == .connections || !(object["handshake_protocols"]?.array?.isEmpty ?? true)
    }

    /// Returns the handshake protocols with readable names; a connections 1.0 invitation is one itself.
    func handshakes() throws(AriesError) -> [MessageProtocol] {
        guard head.kind == .outOfBand else { return [head.protocol] }
        return try texts("handshake_protocols").compactMap { try? MessageProtocol(parsing: $0) }
    }

    func requests() throws(AriesError) -> [MessageAttachment] {
        let name = spelling(Self.requestNames)
        guard head.kind == .outOfBand, let value = object[name], !value.isNull else { return [] }
        return try AriesError.checking(.invitationMalformed) { () throws(DIDCommError) in
            try MessageAttachment.all(
                in: JSONValueReader(value, at: .member(.root, name)), maximum: Invitation.maximumEntries)
        }
    }

    // Services.

    func services() throws(AriesError) -> [InvitationService] {
        switch head.kind {
        case .connections: [try connectionsService()]
        case .outOfBand: try outOfBandServices()
        }
    }

    private func outOfBandServices() throws(AriesError) -> [InvitationService] {
        let name = spelling(Self.serviceNames)
        guard let value = object[name], !value.isNull else {
            throw AriesError(.invitationIncomplete, "The invitation does not say how the inviter is reached.")
        }
        let values = value.array ?? [value]
        try checkCount(values.count, name)
        guard !values.isEmpty else {
            throw AriesError(.invitationIncomplete, "The invitation does not say how the inviter is reached.")
        }
        var services: [InvitationService] = []
        for (index, value) in values.enumerated() {
            services.append(try Self.service(JSONValueReader(value, at: .element(.member(.root, name), index))))
        }
        return services
    }

    private static func service(_ reader: JSONValueReader) throws(AriesError) -> InvitationService {
        guard let text = reader.value.string else { return try inlineService(reader) }
        let base = text.prefix { $0 != "#" && $0 != "?" && $0 != ";" }
        let did = try AriesError.checking(.invitationMalformed) { () throws(DIDCommError) in
            try DID(parsing: String(base))
        }
        return .did(did, text: text)
    }

    private static func inlineService(_ reader: JSONValueReader) throws(AriesError) -> InvitationService {
        let names = try AriesError.reading(.invitationMalformed) { () throws(JSONError) in
            try reader.optionalStrings("recipientKeys") ?? []
        }
        guard !names.isEmpty, reader.value["serviceEndpoint"].map({ !$0.isNull }) ?? false else {
            throw AriesError(.invitationIncomplete, "The invitation names an inviter without key or address.")
        }
        return try AriesError.checking(.invitationMalformed) { () throws(DIDCommError) in
            var keys: [Verkey] = []
            for name in names { keys.append(try Verkey(parsing: name)) }
            return .inline(try DIDDocument(inlineService: reader), recipientKeys: keys)
        }
    }

    /// Reads the service of a connections 1.0 invitation (RFC 0160): a DID, or keys with an address.
    private func connectionsService() throws(AriesError) -> InvitationService {
        let hasKeys = isThere("recipientKeys") || isThere("serviceEndpoint")
        guard isThere("did") else {
            guard hasKeys else {
                throw AriesError(.invitationIncomplete, "The invitation names neither a DID nor keys and an address.")
            }
            return try Self.inlineService(reader)
        }
        guard !hasKeys else {
            throw AriesError(
                .invitationContradictory, "The invitation names a DID and keys, which may be of different inviters.")
        }
        return try Self.service(
            AriesError.reading(.invitationMalformed) { () throws(JSONError) in try reader.member("did") })
    }
}
