import Aries

@testable import CloudAgent

/// Makes the invitation of a cloud agent that has the tests' secret.
enum OwnInvitation {
    static func current(at address: String) throws -> Invitation {
        let label = CloudAgentConfiguration().label
        return try MediatorInvitations(label, endpoints: MediatorEndpoints(address), secret: RunningAgent.secret())
            .current
            .invitation
    }
}
