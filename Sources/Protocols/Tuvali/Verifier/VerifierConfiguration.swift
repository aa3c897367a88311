public import Compression

/// The limits and deadlines of a verifier.
public struct VerifierConfiguration: Hashable, Sendable {
    /// The profiles that the verifier serves: it publishes the services of all, and advertises them in turn,
    /// `profilePeriod` each.
    ///
    /// The wallet that identifies itself decides which of them the session speaks. Never empty.
    public var profiles: [WireProfile] = [.tuvali05]

    /// The time for which each of several profiles is advertised before the next; one advertising set is enough.
    public var profilePeriod: Duration = .seconds(1)

    /// The first profile; setting it leaves this one alone.
    public var profile: WireProfile {
        get { profiles.first ?? .tuvali05 }
        set { profiles = [newValue] }
    }

    /// The largest sealed payload that a wallet may announce, in bytes; a larger one is refused before anything is
    /// allocated.
    public var maximumSealedBytes = 4 << 20

    /// The largest payload after unzipping, and the highest ratio.
    public var unzipLimits = Gzip.Limits(maximumBytes: 16 << 20, maximumRatio: 100)

    /// The most centrals that may be connected before one of them has identified itself.
    public var linkLimit = 4

    /// The most reports that a session answers; a stock wallet asks for 16 at most.
    public var reportLimit = 64

    /// The delay before a report request that came as a write command is answered.
    ///
    /// Deployed Android wallets write so, and listen for the report only after that: an answer within their threads'
    /// delay is lost, and they wait for ever. Wallets that write with response are answered at once.
    public var commandReportDelay: Duration = .milliseconds(50)

    /// The least time between the report that all arrived and the decision, for wallets whose report request came as a
    /// write command.
    ///
    /// Deployed Android wallets handle the two on different threads, and end when the decision is handled: without this
    /// time an app may hear of the decision first, or never that everything was sent. Zero: none.
    public var commandStatusDelay: Duration = .milliseconds(100)

    /// The most reports in a row that are sent without a request when a wallet falls silent after a chunk; 0: none.
    ///
    /// Any write of the wallet then begins the count anew.
    ///
    /// Only for wallets that write their length as a command: they write the report request so too, the command may be
    /// lost, and they have no retry. Wallets that write with response know that their request arrived.
    public var unsolicitedReportLimit = 3

    /// The silence of such a wallet before the first of these reports; each further one waits twice as long as the one
    /// before.
    public var unsolicitedReportWait: Duration = .milliseconds(1500)

    /// The longest wait for the length after a chunk has arrived without one.
    public var lateSizeWait: Duration = .seconds(2)

    /// The most refused messages that are reported as events; further ones are only counted.
    public var refusalNoteLimit = 16

    /// The longest time for which the verifier advertises.
    public var advertisingWait: Duration = .seconds(3600)

    /// The longest time that a central may be connected without identifying itself before its link is ended.
    public var identifyWait: Duration = .seconds(10)

    /// The most reads of a request that a session answers; 64 KiB over the smallest MTU take 1,111.
    public var requestReadLimit = 4096

    /// Ends the session when a wallet announces a payload without having read the whole request, before any chunk is
    /// stored (`tuvali.verifier.request-unread`); without a request it changes nothing.
    ///
    /// Deployed wallets read no requests. Without this their payload is received as without a request.
    public var requiresAnswer = false

    /// The longest wait for the wallet's user to consent, until the wallet announces the length.
    public var consentWait: Duration = .seconds(330)

    /// The longest time without a new chunk.
    public var stallWait: Duration = .seconds(30)

    /// The longest duration of a whole transfer.
    public var transferWait: Duration = .seconds(1800)

    /// The longest wait for the verifier's user to decide.
    public var decisionWait: Duration = .seconds(300)

    /// The longest wait for the wallet to disconnect after the status or the request to disconnect.
    public var disconnectWait: Duration = .seconds(1)

    /// The longest wait after that for the link to go down.
    public var closeWait: Duration = .seconds(3)

    /// Makes the default configuration.
    public init() {}
}
