import Aries

@testable import CloudAgent

/// What an agent with the secret of tests invites to.
enum OwnInvitation {
    static func current(at address: String) throws -> Invitation {
        let label = CloudAgentConfiguration().label
        return try OwnInvitations(label, MediatorEndpoints(address), RunningAgent.secret()).current.invitation
    }
}
