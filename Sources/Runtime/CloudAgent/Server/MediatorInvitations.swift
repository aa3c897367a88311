import Aries
import DIDComm

/// The invitations of a cloud agent: one key, and a form for each generation of agents.
struct MediatorInvitations: Sendable {
    let key: AgentKey
    /// The invitation in the form out-of-band 1.1.
    let current: IssuedInvitation
    /// The invitation in the form connections 1.0.
    let older: IssuedInvitation

    /// Makes both forms of the invitation, with the key that all instances derive for it.
    ///
    /// - Parameter name: the operator's name that they are for; nil for any client.
    init(_ label: String, endpoints: MediatorEndpoints, secret: MediatorSecret, name: String? = nil)
        throws(AriesError)
    {
        let suffix = name.map { " for \($0)" } ?? ""
        key = secret.key("invitation", name.map { [Array($0.utf8)] } ?? [])
        let address = AgentAddress(key: key.verkey, endpoint: endpoints.http)
        var draft = InvitationDraft(.outOfBand, label: label)
        // ACA-Py accepts no goal code without the goal.
        draft.goalCode = "mediation"
        draft.goal = "To take messages for you while you are away"
        current = IssuedInvitation(
            try draft.invitation(id: secret.identifier("invitation" + suffix), address: address), address: address,
            isMultiUse: true)
        let older = InvitationDraft(.connections, label: label)
        self.older = IssuedInvitation(
            try older.invitation(id: secret.identifier("older invitation" + suffix), address: address),
            address: address,
            isMultiUse: true)
    }

    /// The invitation that a request refers to.
    func issued(for request: Message) -> IssuedInvitation {
        request.thread.parentID == older.invitation.id ? older : current
    }
}
