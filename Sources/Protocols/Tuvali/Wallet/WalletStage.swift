extension WalletSession {
    /// Where a session is, by name alone: the phases without what they hold, which is private, for logs and for counting
    /// what a simulation has visited.
    public enum Stage: String, Hashable, Sendable, CaseIterable {
        /// Before the input `start`.
        case idle
        /// Advertisers are heard; none was the right one so far.
        case scanning
        /// A connection has been asked for.
        case connecting
        /// The link is up; an MTU was requested.
        case exchangingMTU = "exchanging-mtu"
        /// The list of characteristics is owed.
        case discovering
        /// A discovery failed; the next one is due soon.
        case waitingToDiscover = "waiting-to-discover"
        /// The radio is asked for the values that the verifier pushes.
        case subscribing
        /// The wallet's key is on its way.
        case identifying
        /// The verifier has the wallet's key; the user is asked.
        case ready
        /// The length is on its way.
        case announcing
        /// Chunks are going out.
        case sending
        /// All chunks are out; a report is asked for.
        case requestingReport = "requesting-report"
        /// Asking failed; the next attempt is due soon.
        case waitingToRequestReport = "waiting-to-request-report"
        /// The report is owed.
        case awaitingReport = "awaiting-report"
        /// Everything arrived; the verifier's decision is owed.
        case awaitingStatus = "awaiting-status"
        /// The link is going down.
        case closing
        /// The session has ended.
        case closed
    }
}
