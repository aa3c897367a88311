import ByteCoding
public import DIDComm
import JSON
import WebAddressing

/// A property of an invitation that the user should know before accepting it, and that does not forbid it.
public enum InvitationRisk: String, Hashable, Sendable, CaseIterable {
    /// Messages go to an address without TLS; they are encrypted all the same, but not the names of the two sides.
    case addressWithoutTLS = "address-without-tls"
    /// Messages go to this machine or to a private network.
    case addressIsPrivate = "address-is-private"
    /// Label, goal or code hold characters that control a terminal, change the direction of writing, or cannot be seen.
    case textSteersDisplay = "text-steers-display"
    /// The label is unusually long.
    case labelIsLong = "label-is-long"
    /// The inviter gives no label.
    case labelIsMissing = "label-is-missing"
    /// Several keys or services are named, any of which may answer.
    case severalKeys = "several-keys"
    /// A member is present in two spellings that differ; that of the version is used.
    case spellingsDiffer = "spellings-differ"
    /// A picture is named; fetching it would tell its owner that the invitation was read.
    case pictureIsRemote = "picture-is-remote"
    /// The inviter's document must be resolved before anything can be sent.
    case needsResolver = "needs-resolver"
    /// The invitation carries a request beside the connection.
    case asksAtOnce = "asks-at-once"

    /// A label of more code points is long.
    static let longLabelCharacters = 64

    /// The risks of an invitation, in the order of the cases.
    static func all(in fields: InvitationFields, services: [InvitationService]) -> [InvitationRisk] {
        let texts = ["label", "goal", "goal_code"].compactMap { fields.object[$0]?.string }
        let addresses = addresses(in: fields) + addresses(in: services)
        let label = fields.object["label"]?.string ?? ""
        return allCases.filter { risk in
            switch risk {
            case .addressWithoutTLS, .addressIsPrivate: all(of: addresses).contains(risk)
            case .textSteersDisplay: texts.contains(where: HiddenScalar.isPart)
            case .labelIsLong: label.unicodeScalars.count > longLabelCharacters
            case .labelIsMissing: label.isEmpty
            case .severalKeys: namesSeveral(services)
            case .spellingsDiffer:
                differ(InvitationFields.serviceNames, in: fields) || differ(InvitationFields.requestNames, in: fields)
            case .pictureIsRemote:
                ["imageUrl", "image_url", "profileUrl"].contains { fields.object[$0]?.string?.isEmpty == false }
            case .needsResolver: services.contains(where: needsResolver)
            case .asksAtOnce: (try? fields.requests().isEmpty) == false
            }
        }
    }

    /// True when several keys or DIDs are named; one key at several addresses is one inviter.
    private static func namesSeveral(_ services: [InvitationService]) -> Bool {
        let names = services.map { service in
            service.did.map { [$0.identity] } ?? service.recipientKeys.map(\.base58)
        }
        return Set(names).count > 1 || names.contains { $0.count > 1 }
    }

    /// The risks of addresses, as documents of DIDs name them.
    public static func all(of addresses: [ServiceEndpoint]) -> [InvitationRisk] {
        var risks: [InvitationRisk] = []
        if addresses.contains(where: { [.http, .ws].contains($0.transport) }) { risks.append(.addressWithoutTLS) }
        if addresses.contains(where: isPrivate) { risks.append(.addressIsPrivate) }
        return risks
    }

    private static func differ(_ names: (String, String), in fields: InvitationFields) -> Bool {
        fields.hasBoth(names) && fields.object[names.0] != fields.object[names.1]
    }

    /// Returns true when a DID document must be resolved: that of the inviter, or of its mediator.
    private static func needsResolver(_ service: InvitationService) -> Bool {
        if let did = service.did, (try? DIDDocument(of: did)) == nil { return true }
        if case .needs = try? service.resolution.progress() { return true }
        return false
    }

    /// The addresses that stand in the invitation itself.
    private static func addresses(in fields: InvitationFields) -> [ServiceEndpoint] {
        let services =
            fields.head.kind == .connections
            ? [JSONValue.object(fields.object)]
            : ["services", "service"].compactMap { fields.object[$0] }.flatMap { $0.array ?? [$0] }
        return services.compactMap { $0["serviceEndpoint"]?.string }.compactMap { try? ServiceEndpoint(parsing: $0) }
    }

    /// The addresses that stand in the DIDs of services.
    private static func addresses(in services: [InvitationService]) -> [ServiceEndpoint] {
        services.filter { $0.did != nil }.flatMap { service -> [ServiceEndpoint] in
            guard case .resolved(let document)? = try? service.resolution.progress() else { return [] }
            return document.services.map(\.endpoint)
        }
    }

    /// Returns true when the text of a host shows that it is not on the public internet.
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
