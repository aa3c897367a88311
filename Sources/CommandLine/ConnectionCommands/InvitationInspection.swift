import Aries
import CodedErrors
import DIDComm
import JSON
import Terminal

/// The contents of an invitation, as text and as JSON fields.
struct InvitationInspection {
    private let invitation: Aries.Invitation
    private let plan: Result<InvitationAcceptancePlan, AriesError>
    /// The resolved services of the invitation; nil for one whose document was not fetched.
    private let services: [Result<PeerService, any Error>?]

    /// Inspects an invitation that would be handled as `plan` says, with its services as they were resolved.
    init(
        _ invitation: Aries.Invitation, plan: Result<InvitationAcceptancePlan, AriesError>,
        services: [Result<PeerService, any Error>?]
    ) {
        self.invitation = invitation
        self.plan = plan
        self.services = services
        problem = Self.problem(plan, services)
    }

    /// The reason why the invitation cannot be accepted, with the code that accepting reports; nil when it can.
    let problem: (any Error)?

    /// Returns the error that keeps us from reaching the inviter, which a plan does not check; nil when there is none.
    private static func problem(
        _ plan: Result<InvitationAcceptancePlan, AriesError>, _ services: [Result<PeerService, any Error>?]
    ) -> (any Error)? {
        do {
            guard case .handshake = try plan.get() else { return nil }
            var first: (any Error)?
            for service in services {
                guard case .failure(let error)? = service else { return nil }
                first = first ?? error
            }
            return first
        } catch {
            return error
        }
    }

    /// True when accepting depends on a document that was not fetched.
    private var awaitsDocument: Bool {
        guard problem == nil, case .success(.handshake) = plan else { return false }
        return reached.isEmpty
    }

    // MARK: - As fields

    var fields: [JSONText.Member] {
        [
            .init("kind", .string(invitation.kind.rawValue)),
            .init("protocol", .string(invitation.protocol.description)), .init("id", .string(invitation.id)),
            .init("label", .string(invitation.label)), .init("goalCode", .string(invitation.goalCode)),
            .init("goal", .string(invitation.goal)), .init("imageURL", .string(invitation.imageURL)),
            .init("handshakeProtocols", texts(invitation.handshakeProtocols.map(\.description))),
            .init("requests", texts(requestTypes)), .init("accept", texts(invitation.accept)),
            .init("dids", texts(invitation.dids.map(\.description))),
            .init("recipientKeys", texts(invitation.recipientKeys.map(\.base58))),
            .init("endpoints", texts(reached.map(\.endpoint.description))),
            .init("routingKeys", texts(reached.flatMap(\.routingKeys).map(\.base58))),
            .init("expires", .string(invitation.expires?.messageText)),
            .init("risks", texts(risks.map(\.rawValue))), .init("outcome", .string(outcome.name)),
            .init("uses", .string(outcome.uses)), .init("connection", .string(known)),
        ]
    }

    private func texts(_ values: [String]) -> JSONText { .array(values.map(JSONText.string)) }

    private var reached: [PeerService] { services.compactMap { try? $0?.get() } }

    /// The risks of the invitation, and of the addresses in the documents that were resolved.
    private var risks: [InvitationRisk] {
        let found = invitation.risks + InvitationRisk.all(of: reached.map(\.endpoint))
        return InvitationRisk.allCases.filter { found.contains($0) }
    }

    /// The types of the attached requests; one that cannot be read is marked so.
    private var requestTypes: [String] {
        invitation.requests.map { request in
            (try? request.json())?["@type"]?.string ?? "unreadable"
        }
    }

    /// The effect of accepting, in one word, and the protocol that accepting uses.
    private var outcome: (name: String, uses: String?) {
        if let problem {
            return ("refused", (problem as? any CodedError).map { Self.code(of: $0) })
        }
        if awaitsDocument { return ("needs-document", nil) }
        return switch plan {
        case .success(.handshake(let used, _)): ("connects", used.description)
        case .success(.answerAlone): ("answers-without-connection", nil)
        case .success(.reuse(_, let fallback, _)): ("reuses-connection", fallback.description)
        case .success(.useExisting): ("uses-connection", nil)
        case .success(.acceptedBefore): ("accepted-before", nil)
        case .failure(let error): ("refused", error.code.rawValue)
        }
    }

    private static func code(of error: some CodedError) -> String { error.code.rawValue }

    /// The existing connection with the inviter; nil when there is none.
    private var known: String? {
        switch plan {
        case .success(.reuse(let id, _, _)), .success(.useExisting(let id, _)), .success(.acceptedBefore(let id)): id
        case .success(.handshake), .success(.answerAlone), .failure: nil
        }
    }

    // MARK: - In words

    var lines: [String] {
        let kind = invitation.kind == .connections ? "Invitation to connect" : "Out-of-band invitation"
        return ["\(kind) (\(invitation.protocol.description))"]
            + rows.map { "  " + TerminalText.padded($0.0, to: 14) + InviteInspectCommand.shown($0.1) }
    }

    private var rows: [(String, String)] {
        var rows = [("from", invitation.label ?? "an inviter without a name")]
        if let goal = invitation.goal ?? invitation.goalCode { rows.append(("goal", goal)) }
        rows += [("identifier", invitation.id)]
        rows += invitation.dids.map { ("DID", $0.description) }
        for service in services {
            switch service {
            case nil: rows.append(("address", "not known: its document is fetched with --fetch, and when accepting"))
            case .success(let service)?:
                rows += service.recipientKeys.map { ("key", $0.base58) }
                rows.append(("address", service.endpoint.description))
                rows += service.routingKeys.map { ("by way of", $0.base58) }
            case .failure(let error)?:
                let reason = (error as? any CodedError)?.reason ?? "it cannot be resolved"
                rows.append(("address", "not known: \(reason)"))
            }
        }
        if !invitation.handshakeProtocols.isEmpty {
            rows.append(("offers", invitation.handshakeProtocols.map(\.description).joined(separator: ", ")))
        }
        rows += requestTypes.map { ("asks", $0) }
        if let expires = invitation.expires { rows.append(("expires", expires.messageText)) }
        if let picture = invitation.imageURL { rows.append(("picture", picture + " (not fetched)")) }
        rows.append(("accepting", outcomeDescription))
        return rows + risks.map { ("note", Self.words(for: $0)) }
    }

    private var outcomeDescription: String {
        switch outcome {
        case ("connects", let used?): "makes a new connection by \(used)"
        case ("answers-without-connection", _): "keeps the request, and makes no connection"
        case ("refused", _): "is not possible"
        case ("needs-document", _): "makes a new connection, if the inviter's document is found"
        case ("accepted-before", _): "does nothing: it was accepted before" + knownDescription
        case ("reuses-connection", _): "asks the inviter to use a connection that exists" + knownDescription
        default: "uses a connection that exists" + knownDescription
        }
    }

    private var knownDescription: String { known.map { " (\($0))" } ?? "" }

    private static func words(for risk: InvitationRisk) -> String {
        switch risk {
        case .addressWithoutTLS: "the address has no TLS: the network sees which two sides talk with each other"
        case .addressIsPrivate: "the address is of this machine or a private network"
        case .textSteersDisplay:
            "the inviter's words hold characters that steer a display or are not seen; they are shown here as \\u{…}"
        case .labelIsLong: "the label is longer than names are"
        case .labelIsMissing: "the inviter gives no name"
        case .severalKeys: "several keys or services are named, and any of them may answer"
        case .spellingsDiffer: "something is there in two spellings that differ"
        case .pictureIsRemote: "fetching the picture would tell its owner that the invitation was read"
        case .needsResolver: "the inviter's DID does not contain its document: its server notices who fetches it"
        case .asksAtOnce: "it asks for something at once"
        }
    }
}
