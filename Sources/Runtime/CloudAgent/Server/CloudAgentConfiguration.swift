public import Aries
import DIDComm
import Determinism
public import WebTransport

/// How a cloud agent presents itself, and what it allows.
public struct CloudAgentConfiguration: Sendable {
    /// Who may open an account.
    public enum Admission: String, Hashable, Sendable, CaseIterable {
        /// Every client that has the invitation.
        case open
        /// No new client; existing accounts are served.
        case closed
    }

    /// Its name in invitations and connections.
    public var label = "Symbolon cloud agent"

    /// Where it listens; this machine alone unless it is said otherwise.
    public var server = ServerConfiguration()

    /// The address in its invitations, such as that of a proxy in front; nil for where it listens.
    public var publicAddress: String?

    /// Who may open an account.
    public var admission = Admission.open

    /// The names that may open an account, each by an invitation of its own; nil when any client may.
    public var allowList: AllowList?

    /// How much is done at once for one client.
    public var session = MediatorSession.Limits()

    /// How long a message waits before it is dropped.
    public var messageAge = MailboxQuota.account.age

    /// How often old messages are looked for.
    public var upkeepInterval = Duration.seconds(60)

    /// How long a new client may take to confirm before its account is forgotten.
    public var confirmationWait = Duration.seconds(3600)

    /// How long a client may not be heard before its account is ended; nil for no end.
    ///
    /// Counted from the first start of a program that knows this at the earliest.
    public var accountIdle: Duration?

    /// How long to wait before an answer to a client's own address is sent again, once for each time.
    public var retryAfter: [Duration] = [.seconds(1), .seconds(5), .seconds(30)]

    /// How long to wait before mail for a client that has an address of its own is brought again, once for each failure in a
    /// row; the last for all that follow.
    public var redeliverAfter: [Duration] = [.seconds(1), .seconds(5), .seconds(30), .seconds(120), .seconds(600)]

    /// How long to wait before mail that the address of a client refused, and that was set aside, is brought once more.
    public var bringBackAfter = Duration.seconds(3600)

    /// Which clients it wakes, and how; nil when it wakes none.
    public var wakes: WakeRules?

    /// How many envelopes one source may bring in a second over time; 0 for no limit.
    ///
    /// This machine, which a proxy may be on, is not limited.
    public var perSourceRate = 500

    /// How many envelopes one source may bring at once.
    public var perSourceBurst = 2000

    /// How many accounts one source may open in an hour; 0 for no limit.
    ///
    /// This machine is not limited.
    public var perSourceAccounts = 1000

    /// How many answers to addresses of clients may be under way; one more is dropped, and its client asks again.
    public var maximumDeliveries = 1000

    /// How many bytes such answers may have together.
    public var maximumDeliveryBytes = 64 << 20

    /// What a client's WebSocket allows it: messages of 1 MiB from it, and of what they become when they are wrapped to it.
    static let socketLimits: WebSocketLimits = {
        var limits = WebSocketLimits()
        limits.maximumSentMessageBytes = MediatorContext.outgoingLimits.maximumBytes
        return limits
    }()

    /// Makes a configuration with what is usual.
    public init() {
        server.limits.maximumConnectionsPerHost = 1000
        server.limits.limitsOwnMachine = false
    }
}
