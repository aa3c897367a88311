extension WalletSession {
    /// The name of a session's phase without the values that it holds; for logs, and for counting the phases that a
    /// simulation has reached.
    public enum Stage: String, Hashable, Sendable, CaseIterable {
        /// The session waits for the input `start`.
        case idle
        /// The wallet scans; no advertiser was the right one so far.
        case scanning
        /// The wallet has requested a connection.
        case connecting
        /// The link is up; an MTU was requested.
        case exchangingMTU = "exchanging-mtu"
        /// The verifier owes its list of characteristics.
        case discovering
        /// A discovery failed; the next one is due soon.
        case waitingToDiscover = "waiting-to-discover"
        /// The wallet subscribes to the values that the verifier pushes.
        case subscribing
        /// The wallet's key is on its way.
        case identifying
        /// The verifier owes the size of its request.
        case readingRequestSize = "reading-request-size"
        /// The verifier's request is being read.
        case readingRequest = "reading-request"
        /// The verifier has the wallet's key; the user is asked.
        case ready
        /// The length of the payload is on its way.
        case announcing
        /// Chunks of the payload are being written.
        case sending
        /// All chunks are written, and the wallet requests a report.
        case requestingReport = "requesting-report"
        /// The report request failed; the next attempt is due soon.
        case waitingToRequestReport = "waiting-to-request-report"
        /// The verifier owes its report.
        case awaitingReport = "awaiting-report"
        /// The whole payload arrived; the verifier owes its decision.
        case awaitingStatus = "awaiting-status"
        /// The link is going down.
        case closing
        /// The session has ended.
        case closed
    }

    /// True once the session has ended, after its output `finished`.
    public var isFinished: Bool {
        stage == .closed
    }

    /// True while a payload may be sent.
    public var isReady: Bool {
        stage == .ready
    }

    /// True while the session still holds its keys, or a payload that they sealed.
    package var holdsSecrets: Bool {
        switch stage {
        case .closing, .closed: false
        case .idle, .scanning, .connecting, .exchangingMTU, .discovering, .waitingToDiscover, .subscribing,
            .identifying, .readingRequestSize, .readingRequest, .ready, .announcing, .sending, .requestingReport,
            .waitingToRequestReport, .awaitingReport, .awaitingStatus:
            true
        }
    }
}
