extension WalletSession {
    /// The name of a wallet session's phase without its values.
    ///
    /// For logs, and for counting the phases that a simulation has reached.
    public enum Stage: String, Hashable, Sendable, CaseIterable {
        /// The session waits for the input `start`.
        case idle
        /// The wallet scans; it has not found its verifier yet.
        case scanning
        /// The wallet has requested a connection.
        case connecting
        /// The link is up; the wallet requested an MTU.
        case exchangingMTU = "exchanging-mtu"
        /// The wallet waits for the verifier's characteristics.
        case discovering
        /// A discovery failed; the wallet repeats it soon.
        case waitingToDiscover = "waiting-to-discover"
        /// The wallet subscribes to the values that the verifier notifies.
        case subscribing
        /// The wallet sends its key to the verifier.
        case identifying
        /// The wallet waits for the size of the verifier's request.
        case readingRequestSize = "reading-request-size"
        /// The wallet reads the verifier's request.
        case readingRequest = "reading-request"
        /// The verifier has the wallet's key; the wallet waits for the payload from its user.
        case ready
        /// The wallet announces the length of the payload.
        case announcing
        /// Chunks of the payload are being written.
        case sending
        /// All chunks are written, and the wallet requests a report.
        case requestingReport = "requesting-report"
        /// The report request failed; the wallet repeats it soon.
        case waitingToRequestReport = "waiting-to-request-report"
        /// The wallet waits for the verifier's report.
        case awaitingReport = "awaiting-report"
        /// The whole payload arrived; the wallet waits for the verifier's decision.
        case awaitingStatus = "awaiting-status"
        /// The wallet ends the link.
        case closing
        /// The session has ended.
        case closed
    }

    /// True once the session has ended, after its output `finished`.
    public var isFinished: Bool {
        stage == .closed
    }

    /// True while the user may send a payload.
    public var isReady: Bool {
        stage == .ready
    }

    /// True while the session still holds its keys or a sealed payload.
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
