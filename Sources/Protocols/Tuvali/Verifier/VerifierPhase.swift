import Bluetooth
import Determinism

extension VerifierSession {
    /// Where a session is; each case holds what exists only then.
    enum Phase: Sendable {
        /// Nothing has begun.
        case idle
        /// Anyone may connect; the first wallet that identifies itself gets the session.
        case advertising
        /// The session belongs to this link; the length is owed.
        case awaitingSize(LinkID)
        /// The length is known; chunks come in.
        case receiving(LinkID)
        /// The payload was delivered; a decision is owed by the user. Without a link the wallet has left and does not learn
        /// the decision.
        case deciding(LinkID?)
        /// The decision is on its way; the wallet owes us the disconnection.
        case concluding(LinkID, VerificationStatus)
        /// Whoever is connected has been asked to go.
        case parting(SessionEnding)
        /// Whoever is connected has been cut off; then the session ends so.
        case closing(SessionEnding)
        /// The session has ended.
        case closed
    }

    /// A central that is connected.
    struct Connection: Sendable {
        let link: LinkID
        var mtu = 23
        /// When the link is ended unless a wallet has identified itself on it; counts only while advertising.
        var identifyDeadline: MonotonicInstant
        /// Whether the link was asked to end because its ATT MTU is too small; an Identify on it has no effect.
        var isRefused = false
        /// What was advertised when it connected.
        var profile: WireProfile
    }

    /// The link that the session belongs to, once a wallet has identified itself.
    var boundLink: LinkID? {
        switch phase {
        case .awaitingSize(let link), .receiving(let link), .concluding(let link, _): link
        case .deciding(let link): link
        case .idle, .advertising, .parting, .closing, .closed: nil
        }
    }

    func mtu(of link: LinkID) -> Int { links.first { $0.link == link }?.mtu ?? 23 }
}
