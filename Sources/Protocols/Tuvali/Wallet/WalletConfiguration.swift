/// The settings of a wallet that an application decides.
///
/// All other limits and deadlines are constants, the documented ones where there are any.
public struct WalletConfiguration: Hashable, Sendable {
    /// The profiles of the verifiers that the wallet looks for, all at once; the first is preferred.
    ///
    /// An application that meets verifiers of one generation only names that one.
    public var profiles: [WireProfile] = WireProfile.allCases

    /// The longest search for the verifier.
    public var scanWait: Duration = .seconds(10)

    /// The longest duration of one connection attempt.
    public var connectWait: Duration = .seconds(5)

    /// True when the wallet reads REQUEST_SIZE after its Identify, as it does to answer requests.
    ///
    /// A verifier whose code says that it asks is asked for its request in any case.
    public var readsRequest = false

    /// True when the wallet continues without a request although the verifier's QR code announces one.
    ///
    /// An application whose user chooses what to send without knowing the request turns it on.
    public var acceptsMissingRequest = false

    /// An ATT MTU that the wallet requests before the documented ones, 67 to 517; nil for none.
    ///
    /// 498 fills two link-layer packets of 251 bytes to the last byte, where 512 needs a third for 14 bytes.
    package var preferredMTU: Int? = 498

    /// The ATT MTUs that the wallet requests in turn.
    ///
    /// The next one when the verifier refused the one before; any answer ends the requests.
    ///
    /// Source: Tuvali documentation "Dynamic MTU negotiation".
    package private(set) var mtuRequests = [512, 185, 100]

    /// The longest wait for the answer to one MTU request.
    package var mtuWait: Duration = .milliseconds(500)

    /// The waits between at most ten attempts to find the service.
    ///
    /// Source: Tuvali documentation "Retry scenarios".
    package var discoveryBackOff = BackOff.Configuration(retryLimit: 10)

    /// The most times that missing chunks are sent again before the transfer is given up.
    package var failureFrameLimit = 15

    /// The longest wait for each of discovery, subscribing and identifying.
    package var setupWait: Duration = .seconds(10)

    /// The longest time without progress before the transfer fails.
    package var stallWait: Duration = .seconds(20)

    /// The longest wait for a report before the wallet requests it again.
    package var reportWait: Duration = .seconds(2)

    /// The longest wait for the link to go down after the wallet ended it.
    package var closeWait: Duration = .seconds(3)

    /// The most advertisers that the wallet remembers during the search; the oldest is evicted.
    package var sightingLimit = 256

    /// Makes the default configuration.
    public init() {}

    /// Leaves the MTU exchange to the system, and waits for it once.
    ///
    /// It waits for as long as finding services may take besides; nothing is gained by asking again.
    package mutating func leaveMTUToSystem() {
        preferredMTU = nil
        mtuRequests = [ChunkLayout.largestMTU]
        mtuWait = mtuWait + setupWait + setupWait
    }
}

/// The limits and deadlines that are the same for all wallets.
extension WalletConfiguration {
    /// The wait for the preferred profile after a verifier was received with another one.
    ///
    /// A verifier that serves several advertises them in turn, a second each.
    static let preferredProfileWait: Duration = .milliseconds(1500)

    /// The waits between at most five attempts to write the report request.
    ///
    /// Source: Tuvali documentation "Retry scenarios".
    static let reportRequestBackOff = BackOff.Configuration(retryLimit: 5)

    /// The failure frame from which on missing chunks are written with response, so that none is lost again.
    ///
    /// Before it the wallet uses write commands, which are faster.
    static let confirmedFailureFrame = 2

    /// The most attempts to connect when the link breaks before the wallet has identified itself.
    static let connectAttempts = 3

    /// The longest wait for the value of REQUEST_SIZE before the wallet continues with write commands only.
    static let requestSizeWait: Duration = .milliseconds(1500)

    /// The longest time for reading the whole request of the verifier.
    static let requestWait: Duration = .seconds(300)

    /// The longest wait for the user to consent to sending; a verifier waits 30 s longer.
    static let consentWait: Duration = .seconds(300)

    /// The number of unanswered report requests after which the transfer fails.
    static let reportAttempts = 5

    /// The longest wait for the verifier's decision; its user has 30 s less.
    static let statusWait: Duration = .seconds(330)
}
