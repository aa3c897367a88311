import ByteCoding
public import DIDComm
import JSON
import WebAddressing

/// A property of an invitation that the user should know before accepting it, without being an error.
public enum InvitationRisk: String, Hashable, Sendable, CaseIterable {
    /// An address lacks TLS; messages stay encrypted, but both sides' names are visible in transit.
    case addressWithoutTLS = "address-without-tls"
    /// An address is this machine or in a private network.
    case addressIsPrivate = "address-is-private"
    /// Label, goal or code hold characters that control a terminal, change the text direction, or are invisible.
    case textSteersDisplay = "text-steers-display"
    /// The label is unusually long.
    case labelIsLong = "label-is-long"
    /// The inviter gives no label.
    case labelIsMissing = "label-is-missing"
    /// The invitation names several keys or services, any of which may answer.
    case severalKeys = "several-keys"
    /// The invitation has a member in two spellings that differ; that of its version is used.
    case spellingsDiffer = "spellings-differ"
    /// The invitation names a picture; fetching it would reveal to its owner that the invitation was read.
    case pictureIsRemote = "picture-is-remote"
    /// The inviter's document must be resolved before anything can be sent.
    case needsResolver = "needs-resolver"
    /// The invitation carries a request beside the connection.
    case asksAtOnce = "asks-at-once"

    /// The most characters of a label that is not reported as long.
    static let longLabelCharacters = 64

    /// Returns the risks of an invitation, in the order of the cases.
    static func all(in fields: InvitationMemberReader, services: [InvitationService]) -> [InvitationRisk] {
        let texts = ["label", "goal", "goal_code"].compactMap { fields.object[$0]?.string }
        let addresses = addresses(in: fields) + addresses(in: services)
        let label = fields.object["label"]?.string ?? ""
        return allCases.filter { risk in
            switch risk {
            case .addressWithoutTLS, .addressIsPrivate: all(of: addresses).contains(risk)
            case .textSteersDisplay: texts.contains(where: HiddenCodePoint.isPart)
            case .labelIsLong: label.unicodeScalars.count > longLabelCharacters
            case .labelIsMissing: label.isEmpty
            case .severalKeys: namesSeveral(services)
            case .spellingsDiffer:
                differ(InvitationMemberReader.serviceNames, in: fields)
                    || differ(InvitationMemberReader.requestNames, in: fields)
            case .pictureIsRemote:
                ["imageUrl", "image_url", "profileUrl"].contains { fields.object[$0]?.string?.isEmpty == false }
            case .needsResolver: services.contains(where: needsResolver)
            case .asksAtOnce: (try? fields.requests().isEmpty) == false
            }
        }
    }

    /// Returns true when several keys or DIDs are named; one key at several addresses counts once.
    private static func namesSeveral(_ services: [InvitationService]) -> Bool {
        let names = services.map { service in
            service.did.map { [$0.identity] } ?? service.recipientKeys.map(\.base58)
        }
        return Set(names).count > 1 || names.contains { $0.count > 1 }
    }

    /// Returns the risks of endpoint addresses, as in a DID document.
    public static func all(of addresses: [ServiceEndpoint]) -> [InvitationRisk] {
        var risks: [InvitationRisk] = []
        if addresses.contains(where: { [.http, .ws].contains($0.transport) }) { risks.append(.addressWithoutTLS) }
        if addresses.contains(where: isPrivate) { risks.append(.addressIsPrivate) }
        return risks
    }

    private static func differ(_ names: (String, String), in fields: InvitationMemberReader) -> Bool {
        fields.hasBoth(names) && fields.object[names.0] != fields.object[names.1]
    }

    /// Returns true when a DID document must be resolved: that of the inviter, or of its mediator.
    private static func needsResolver(_ service: InvitationService) -> Bool {
        if let did = service.did, (try? DIDDocument(of: did)) == nil { return true }
        if case .needs = try? service.resolution.progress() { return true }
        return false
    }

    /// Returns the endpoint addresses in the invitation itself.
    private static func addresses(in fields: InvitationMemberReader) -> [ServiceEndpoint] {
        let services =
            fields.head.kind == .connections
            ? [JSONValue.object(fields.object)]
            : ["services", "service"].compactMap { fields.object[$0] }.flatMap { $0.array ?? [$0] }
        return services.compactMap { $0["serviceEndpoint"]?.string }.compactMap { try? ServiceEndpoint(parsing: $0) }
    }

    /// Returns the endpoint addresses in the DIDs of services.
    private static func addresses(in services: [InvitationService]) -> [ServiceEndpoint] {
        services.filter { $0.did != nil }.flatMap { service -> [ServiceEndpoint] in
            guard case .resolved(let document)? = try? service.resolution.progress() else { return [] }
            return document.services.map(\.endpoint)
        }
    }

    /// Returns true when the text of an endpoint's host shows that it is not on the public internet.
    ///
    /// Other names are checked when they are resolved.
    private static func isPrivate(_ endpoint: ServiceEndpoint) -> Bool {
        guard let host = endpoint.address?.host else { return false }
        if case .name(let name) = host, name.hasSuffix(".local") { return true }
        switch host.knownKind {
        case .loopback, .private, .linkLocal, .uniqueLocal, .carrier, .metadata, .unspecified: return true
        case .public, .multicast, .broadcast, .documentation, .reserved, nil: return false
        }
    }
}
