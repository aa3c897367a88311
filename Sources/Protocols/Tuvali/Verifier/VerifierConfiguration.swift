public import Compression

/// The limits and deadlines of a verifier.
public struct VerifierConfiguration: Hashable, Sendable {
    /// The profiles that the verifier serves: it publishes the services of all, and advertises them in turn,
    /// `profilePeriod` each.
    ///
    /// The wallet that identifies itself decides which of them the session speaks. Never empty.
    public var profiles: [WireProfile] = [.tuvali05]

    /// How long each profile is advertised before the next, where there are several; one advertising set is enough.
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

    /// How many reports a session answers; a stock wallet asks for 16 at most.
    public var reportLimit = 64

    /// How long a report request that came as a write command waits for its answer.
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

    /// How long such a wallet may be silent before the first of these reports; each further one waits twice as long as
    /// the one before.
    public var unsolicitedReportWait: Duration = .milliseconds(1500)

    /// How long the length may still take after a chunk has arrived without one.
    public var lateSizeWait: Duration = .seconds(2)

    /// How many refused messages are reported as events; the rest is only counted.
    public var refusalNoteLimit = 16

    /// How long the verifier advertises.
    public var advertisingWait: Duration = .seconds(3600)

    /// How long a central may be connected without identifying itself before its link is ended.
    public var identifyWait: Duration = .seconds(10)

    /// How many reads of a request a session answers; 64 KiB over the smallest MTU take 1,111.
    public var requestReadLimit = 4096

    /// Ends the session when a wallet announces a payload without having read the whole request, before any chunk is
    /// stored (`tuvali.verifier.request-unread`); without a request it changes nothing.
    ///
    /// Deployed wallets read no requests. Without this their payload is received as without a request.
    public var requiresAnswer = false

    /// How long the wallet's user may think before the length is announced.
    public var consentWait: Duration = .seconds(330)

    /// How long no new chunk may arrive.
    public var stallWait: Duration = .seconds(30)

    /// How long a transfer may take in all.
    public var transferWait: Duration = .seconds(1800)

    /// How long the user may think before deciding.
    public var decisionWait: Duration = .seconds(300)

    /// How long the wallet may take to disconnect after the status or the request to disconnect.
    public var disconnectWait: Duration = .seconds(1)

    /// How long the link may take to go down after that.
    public var closeWait: Duration = .seconds(3)

    /// Makes the default configuration.
    public init() {}
}
