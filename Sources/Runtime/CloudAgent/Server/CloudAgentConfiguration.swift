package import Aries
import DIDComm
import Determinism
public import WebTransport

/// The settings of a cloud agent.
public struct CloudAgentConfiguration: Sendable {
    /// The admission of new accounts.
    public enum AccountAdmission: String, Hashable, Sendable, CaseIterable {
        /// Every client that has the invitation.
        case open
        /// No new client; existing accounts are served.
        case closed
    }

    /// The mediator's label in invitations and connections, which its users read.
    public var label = "Symbolon cloud agent"

    /// The listening address; this machine only by default.
    public var server = ServerConfiguration()

    /// The address in its invitations, for example that of a proxy in front; nil for the listening address.
    public var publicAddress: String?

    /// The folder of the DID documents that are published: `NAME.json` at `/NAME/did.json`, and `well-known.json` at
    /// `/.well-known/did.json`; nil for none.
    public var documentFolder: String?

    /// The admission of new accounts; an operator closes it who moves or ends the service.
    public var admission = AccountAdmission.open

    /// The names that may open an account, each by an invitation of its own; nil when any client may.
    public var allowList: AllowList?

    /// The time for which a message waits before it is dropped, as an operator promises it to the users.
    public var messageAge = MailboxQuota.account.age

    /// The longest silence of a client before its account is deleted; nil for no limit.
    ///
    /// Counted from the first start of a program version that has this setting at the earliest.
    public var accountIdle: Duration?

    /// The rules of webhooks; nil for no webhooks.
    public var wakes: WebhookRules?

    /// The most envelopes a second from one source over time; 0 for no limit.
    ///
    /// This machine, which may be a proxy, is not limited. An operator whose users share addresses raises it.
    public var perSourceRate = 500

    /// The most envelopes from one source at once.
    public var perSourceBurst = 2000

    /// The most accounts that one source may open in an hour; 0 for no limit.
    ///
    /// This machine is not limited. An operator whose users share addresses raises it.
    public var perSourceAccounts = 1000

    /// The limits of one delivery and of the live window.
    package var session = MediatorSession.Limits()

    /// The interval between removals of old messages.
    package var maintenanceInterval = Duration.seconds(60)

    /// The longest time for a new client to confirm before its account is deleted.
    package var confirmationWait = Duration.seconds(3600)

    /// The wait before mail for a client that has an address of its own is retried, one for each failure in a
    /// row; the last one for all that follow.
    package var redeliverAfter: [Duration] = [.seconds(1), .seconds(5), .seconds(30), .seconds(120), .seconds(600)]

    /// The wait before mail that the address of a client refused, and that was set aside, is retried.
    package var refusedRetryAfter = Duration.seconds(3600)

    /// The wait before each retry of an answer to a client's own address.
    static let retryAfter: [Duration] = [.seconds(1), .seconds(5), .seconds(30)]

    /// The most answers to addresses of clients under way; one more is dropped, and its client asks again.
    static let maximumDeliveries = 1000

    /// The most bytes of such answers together.
    static let maximumDeliveryBytes = 64 << 20

    /// The limits of a client's WebSocket: messages of 1 MiB from it, and such messages wrapped for it.
    static let socketLimits: WebSocketLimits = {
        var limits = WebSocketLimits()
        limits.maximumSentMessageBytes = MediatorContext.outgoingLimits.maximumBytes
        return limits
    }()

    /// Makes a configuration with the usual values.
    public init() {
        server.limits.maximumConnectionsPerHost = 1000
        server.limits.limitsOwnMachine = false
    }
}
