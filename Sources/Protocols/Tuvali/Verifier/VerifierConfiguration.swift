package import Compression

/// The settings of a verifier that an application decides; all other limits and deadlines are constants.
public struct VerifierConfiguration: Hashable, Sendable {
    /// The Tuvali profiles that the verifier serves.
    ///
    /// It publishes the services of all, and advertises them in turn, a second each.
    ///
    /// The wallet that identifies itself decides which of them the session speaks. Never empty. An application that
    /// meets wallets of several generations names them all.
    public var profiles: [WireProfile] = [.tuvali05]

    /// The first of the profiles; setting it removes all others.
    public var profile: WireProfile {
        get { profiles.first ?? .tuvali05 }
        set { profiles = [newValue] }
    }

    /// The largest sealed payload that a wallet may announce, in bytes.
    ///
    /// A larger one is refused before anything is allocated.
    ///
    /// An application on a device with little memory lowers it.
    public var maximumSealedBytes = 4 << 20

    /// The most reports in a row that are sent without a request when a wallet falls silent after a chunk; 0: none.
    ///
    /// Any write of the wallet then begins the count anew.
    ///
    /// Only for wallets that write their length as a command: they write the report request so too, the command may be
    /// lost, and they have no retry. Wallets that write with response know that their request arrived. An application
    /// that measures a wallet's own behaviour sets 0.
    public var unsolicitedReportLimit = 3

    /// The most refused messages that are reported as events; further ones are only counted.
    ///
    /// An application that keeps a record of all refusals raises it.
    public var refusalNoteLimit = 16

    /// The longest time for which the verifier advertises, as long as an application shows its code.
    public var advertisingWait: Duration = .seconds(3600)

    /// True when a wallet must have read the whole request before it announces a payload.
    ///
    /// Otherwise the session ends before any chunk is stored (`tuvali.verifier.request-unread`). Without a request it
    /// changes nothing.
    ///
    /// Deployed wallets read no requests. Without this their payload is received as without a request.
    public var requiresAnswer = false

    /// The longest wait for the verifier's user to decide; deployed wallets wait for a few minutes.
    public var decisionWait: Duration = .seconds(300)

    /// The delay before the verifier answers a report request that came as a write command.
    ///
    /// Deployed Android wallets write so, and listen for the report only after that: an answer within their threads'
    /// delay is lost, and they wait for ever. Wallets that write with response are answered at once.
    package var commandReportDelay: Duration = .milliseconds(50)

    /// The shortest delay between the success report and the decision.
    ///
    /// For wallets whose report request came as a write command.
    ///
    /// Deployed Android wallets handle the two on different threads, and end when the decision is handled: without this
    /// time an app may hear of the decision first, or never that everything was sent. Zero: none.
    package var commandStatusDelay: Duration = .milliseconds(100)

    /// The longest time that a central may be connected without identifying itself before its link is ended.
    package var identifyWait: Duration = .seconds(10)

    /// The most reads of a request that a session answers; 64 KiB over the smallest MTU take 1,111.
    package var requestReadLimit = 4096

    /// The longest time without a new chunk before the transfer fails.
    package var stallWait: Duration = .seconds(30)

    /// The longest wait for the wallet to disconnect after the decision or the request to disconnect.
    package var disconnectWait: Duration = .seconds(1)

    /// The longest wait for the link to go down after the verifier ended it.
    package var closeWait: Duration = .seconds(3)

    /// Makes the default configuration.
    public init() {}
}

/// The limits and deadlines that are the same for all verifiers.
extension VerifierConfiguration {
    /// The time for which each of several profiles is advertised before the next one.
    static let profilePeriod: Duration = .seconds(1)

    /// The limits of decompressing a payload: the most bytes, and the highest ratio.
    package static let unzipLimits = Gzip.Limits(maximumBytes: 16 << 20, maximumRatio: 100)

    /// The most centrals that may be connected before one of them has identified itself.
    static let linkLimit = 4

    /// The most reports that a session answers; a stock wallet asks for 16 at most.
    static let reportLimit = 64

    /// The silence of a wallet before the first unsolicited report; each further wait is twice as long.
    ///
    /// For a wallet that writes its length as a command.
    static let unsolicitedReportWait: Duration = .milliseconds(1500)

    /// The longest wait for the announced length after a chunk has arrived without one.
    static let lateSizeWait: Duration = .seconds(2)

    /// The longest wait for the wallet's user to consent, until the wallet announces the length.
    ///
    /// The wallet's user has 30 s less.
    static let consentWait: Duration = .seconds(330)

    /// The longest duration of a whole transfer.
    static let transferWait: Duration = .seconds(1800)
}
