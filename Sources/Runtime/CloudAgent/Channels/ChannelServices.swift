import Determinism

/// The parts of a mediator that the channels of all clients use.
final class ChannelServices: Sendable {
    let context: MediatorContext
    let accounts: AccountServices
    let live: LiveDeliveryControl
    let keyCache: KeyCache
    let outbound: OutboundDelivery
    let locks = AccountLocks()
    let timers: ChannelTimers

    init(
        _ context: MediatorContext, accounts: AccountServices, live: LiveDeliveryControl, keyCache: KeyCache,
        outbound: OutboundDelivery
    ) {
        self.context = context
        self.accounts = accounts
        self.live = live
        self.keyCache = keyCache
        self.outbound = outbound
        timers = ChannelTimers(clock: context.clock)
    }
}

/// Reads and changes the accounts of clients.
struct AccountServices: Sendable {
    let commands: MediationCommands
    let invited: AccountInvitations
    let removal: AccountRemoval
    let heardClients: LastSeenRecorder
}

/// Begins and ends the live delivery of accounts.
struct LiveDeliveryControl: Sendable {
    let channels: LiveChannels
    /// The live holds of a store that instances share; nil where one instance has the store alone.
    let holds: LiveClientHolds?
    let delivery: EndpointDelivery

    /// Begins live delivery.
    ///
    /// In a store that instances share, the hold of the account is written before this returns.
    func begin(_ client: any LiveClient, for account: Int64) async {
        guard let holds else { return channels.add(client, for: account) }
        await holds.makeLive(client, for: account)
    }

    /// Ends live delivery; a client with an address of its own gets its mail delivered there.
    func end(_ client: any LiveClient, for account: Int64) async {
        guard channels.remove(client, for: account) else { return }
        holds?.endedLive(account)
        await delivery.note(.endedLive, of: account)
    }
}
