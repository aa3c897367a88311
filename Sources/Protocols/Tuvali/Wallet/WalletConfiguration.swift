/// The limits and deadlines of a wallet; the defaults are the documented constants where there are any.
public struct WalletConfiguration: Hashable, Sendable {
    /// The profiles that are looked for, all at once; the first is preferred.
    public var profiles: [WireProfile] = WireProfile.allCases

    /// The time for which a verifier heard with another profile than the first is listened to before the wallet
    /// connects: one that serves several advertises them in turn, a second each.
    public var preferredProfileWait: Duration = .milliseconds(1500)

    /// An ATT MTU that the wallet requests before the documented ones, 67 to 517; nil for none.
    ///
    /// 498 fills two link-layer packets of 251 bytes to the last byte, where 512 needs a third for 14 bytes.
    public var preferredMTU: Int? = 498

    /// The ATT MTUs that the wallet requests in turn, the next one when the verifier refused the one before; any answer
    /// ends the requests.
    ///
    /// Source: Tuvali documentation "Dynamic MTU negotiation".
    public var mtuRequests = [512, 185, 100]

    /// The longest wait for the answer to one MTU request.
    public var mtuWait: Duration = .milliseconds(500)

    /// Waits between attempts to find the service: at most ten.
    public var discoveryBackOff = BackOff.Configuration(retryLimit: 10)

    /// Waits between attempts to write the report request: at most five.
    public var reportRequestBackOff = BackOff.Configuration(retryLimit: 5)

    /// The most times that missing chunks are sent again before the transfer is given up.
    public var failureFrameLimit = 15

    /// The failure frame from which on missing chunks are written with response, so that none is lost again; before it
    /// the wallet uses write commands, which are faster.
    public var confirmedFailureFrame = 2

    /// The number of tries of a connection that breaks before the wallet has identified itself.
    public var connectAttempts = 3

    /// The longest search for the verifier.
    public var scanWait: Duration = .seconds(10)

    /// The longest duration of one connection attempt.
    public var connectWait: Duration = .seconds(5)

    /// The longest wait for each of discovery, subscribing and identifying.
    public var setupWait: Duration = .seconds(10)

    /// True when the wallet reads REQUEST_SIZE after its Identify.
    ///
    /// A verifier whose code says that it asks is asked for its request in any case.
    public var readsRequest = false

    /// True when the wallet goes on without a request although the verifier's QR code says that it holds one.
    public var acceptsMissingRequest = false

    /// The longest wait for the answer to the read of REQUEST_SIZE before the wallet goes on with write commands alone.
    public var requestSizeWait: Duration = .milliseconds(1500)

    /// The longest time for reading the whole request.
    public var requestWait: Duration = .seconds(300)

    /// The longest wait for the user to consent to sending.
    public var consentWait: Duration = .seconds(300)

    /// The longest standstill of a transfer.
    public var stallWait: Duration = .seconds(20)

    /// The longest wait for a report before the wallet requests it again.
    public var reportWait: Duration = .seconds(2)

    /// The number of unanswered report requests after which the transfer fails.
    public var reportAttempts = 5

    /// The longest wait for the verifier's decision.
    public var statusWait: Duration = .seconds(330)

    /// The longest wait for the link to go down.
    public var closeWait: Duration = .seconds(3)

    /// The most advertisers that are remembered during the search; the oldest is forgotten.
    public var sightingLimit = 256

    /// Makes the default configuration.
    public init() {}

    /// Waits for the MTU once, and for as long as finding services may take besides, because the system exchanges it by
    /// itself: nothing is gained by asking again.
    public mutating func leaveMTUToSystem() {
        preferredMTU = nil
        mtuRequests = [ChunkLayout.largestMTU]
        mtuWait = mtuWait + setupWait + setupWait
    }
}
