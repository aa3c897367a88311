import Aries
import ByteCoding
import DIDComm
import Determinism

/// The invitations that open accounts: one for any client, or with an operator's list one for each name on it.
final class AccountInvitations: Sendable {
    /// A name on the operator's list, with its invitations and its short link.
    struct InvitedAccountName: Sendable {
        let listed: AllowList.AllowedAccountName
        let invitations: MediatorInvitations
        /// The name of the short link.
        let shortName: String
    }

    private struct GuardedState {
        var isInUse = false
        var entries: [Verkey: InvitedAccountName] = [:]
        var names: [[UInt8]: Verkey] = [:]
        var shortNames: [String: Verkey] = [:]
    }

    /// The invitations that any client may follow while there is no list.
    let general: MediatorInvitations
    private let generalInvitations: [IssuedInvitation]
    private let label: String
    private let endpoints: MediatorEndpoints
    private let secret: MediatorSecret
    private let state: Lock<GuardedState>

    /// Makes the invitations of a mediator, at first without an operator's list.
    ///
    /// - Throws: `aries.*` for a label or an address that no invitation holds.
    init(_ context: MediatorContext) throws(AriesError) {
        label = context.configuration.label
        endpoints = context.endpoints
        secret = context.secret
        general = try MediatorInvitations(label, endpoints: endpoints, secret: secret)
        generalInvitations = [general.current, general.older]
        state = Lock(try Self.state(context.configuration.allowList, label, endpoints, secret))
    }

    private static func state(
        _ list: AllowList?, _ label: String, _ endpoints: MediatorEndpoints, _ secret: MediatorSecret
    ) throws(AriesError) -> GuardedState {
        var state = GuardedState(isInUse: list != nil)
        for listed in list?.entries ?? [] {
            let invitations = try MediatorInvitations(label, endpoints: endpoints, secret: secret, name: listed.name)
            let shortName = secret.identifier("short link for \(listed.name)").start(scalars: 24)
            state.entries[invitations.key.verkey] = InvitedAccountName(
                listed: listed, invitations: invitations, shortName: shortName)
            state.names[Array(listed.name.utf8)] = invitations.key.verkey
            state.shortNames[shortName] = invitations.key.verkey
        }
        return state
    }

    /// Replaces the list; nil for no list.
    ///
    /// - Throws: `aries.*` for an address that no invitation holds; the list before stays then.
    func take(_ list: AllowList?) throws(AriesError) {
        let new = try Self.state(list, label, endpoints, secret)
        state.withLock { $0 = new }
    }

    /// True when the operator has given a list of names.
    var isInUse: Bool { state.withLock { $0.isInUse } }

    /// The names on the list, sorted; nil without a list.
    var listedNames: [String]? {
        state.withLock { state in state.isInUse ? state.entries.values.map(\.listed.name).sorted() : nil }
    }

    /// The keys of all invitations, which are not in the store.
    var keys: [CachedKey] {
        let named = state.withLock { $0.entries.values.map(\.invitations.key) }
        return ([general.key] + named).map { CachedKey(key: $0, kind: .invitation, account: nil) }
    }

    /// The entry whose invitation has this key.
    func entry(of key: Verkey?) -> InvitedAccountName? { state.withLock { state in key.flatMap { state.entries[$0] } } }

    /// The entry of a name.
    func entry(named name: String) -> InvitedAccountName? {
        state.withLock { state in state.names[Array(name.utf8)].flatMap { state.entries[$0] } }
    }

    /// The invitation at a short link, and the link; nil for a name that is none.
    ///
    /// - Parameter name: the name behind `/i`; empty for the general invitation, which a list takes the place of.
    func invitation(short name: String) -> (invitation: Invitation, link: String)? {
        let base = endpoints.http.text + "/i"
        guard !name.isEmpty else { return isInUse ? nil : (general.current.invitation, base) }
        let entry = state.withLock { state in state.shortNames[name].flatMap { state.entries[$0] } }
        return entry.map { ($0.invitations.current.invitation, "\(base)/\(name)") }
    }

    /// The short link of a name on the list, or of the general invitation; nil for another name, and of the general
    /// invitation while there is a list.
    func shortLink(for name: String?) -> String? {
        guard let name else { return invitation(short: "")?.link }
        return entry(named: name).map { "\(endpoints.http.text)/i/\($0.shortName)" }
    }

    /// The invitations that a client may refer to: those for any client, and those of the name of its account.
    func invitations(for name: String?) -> [IssuedInvitation] {
        // One array for all channels of clients without a name, which are most.
        guard let own = name.flatMap({ entry(named: $0) })?.invitations else { return generalInvitations }
        return generalInvitations + [own.current, own.older]
    }

    /// Returns true when an account that was opened under a name, or none, may have more keys.
    func allows(_ name: String?) -> Bool {
        state.withLock { state in !state.isInUse || name.map { state.names[Array($0.utf8)] != nil } ?? false }
    }
}
