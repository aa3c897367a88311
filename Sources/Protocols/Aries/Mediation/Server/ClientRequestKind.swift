import DIDComm

/// The kind of a client's message to its mediator, by the message's type.
enum ClientRequestKind: Hashable, Sendable {
    case mediation
    case pickup20
    case pickup10
    case webhook
    case shortLink
    case reuse
    /// An unsupported version of mediation or pickup, which is answered by a problem report.
    case otherVersion
    case other

    init(_ type: MessageType) {
        let spoken = type.protocol
        self =
            if spoken.isCompatible(with: .mediation10) {
                .mediation
            } else if spoken.isCompatible(with: .pickup20) {
                .pickup20
            } else if spoken.isCompatible(with: .pickup10) {
                .pickup10
            } else if spoken.isCompatible(with: .pushWebhook10) {
                .webhook
            } else if spoken.isCompatible(with: .shortenURL10) {
                .shortLink
            } else if type.isSame(as: MessageType(.outOfBand11, "handshake-reuse")) {
                .reuse
            } else if Self.families.contains(spoken.family), spoken.namespace == .community {
                .otherVersion
            } else {
                .other
            }
    }

    private static let families = [MessageProtocol.mediation10.family, MessageProtocol.pickup10.family]
}
