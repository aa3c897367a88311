public import Aries
import DIDComm
import Determinism

/// Short links of our invitations, which the other side of a connection serves: our mediator.
extension AgentConnection {
    /// Asks the mediator to serve an invitation of ours at a short link, which is stored with the invitation.
    ///
    /// - Parameter link: the invitation's link, whose JSON has at most `ShortLinkRequest.maximumBytes` bytes.
    /// - Throws: `aries.connection.rejected` with the words of a mediator that does not know the request or refuses it,
    ///   `agent.answer.missing`, `agent.delivery.*`, `agent.connection.*`, `agent.*`, and errors of the store.
    public func shortLink(
        for invitation: Invitation, at link: String, within limit: Duration
    ) async throws -> ShortLink {
        var seconds = ShortLinkRequest.usualSeconds
        if let expires = invitation.expires {
            let now = agent.context.wallTime().millisecondsSinceEpoch
            let left = (expires.millisecondsSinceEpoch - now) / 1000
            seconds = Int(min(max(1, left), Int64(ShortLinkRequest.usualSeconds)))
        }
        let request = ShortLinkRequest(link, seconds: seconds).message(id: await agent.makeID())
        let made = try await ask(.shortLink, request, within: limit) { event -> ShortLink? in
            guard case .other(let answer) = event, answer.threadID == request.id else { return nil }
            return ShortLink(answer)
        }.value
        try await agent.perform { agent in
            try await agent.parts.invitations.note(made.address, for: invitation.id)
        }
        return made
    }

    /// Asks the mediator to serve a short link of ours no longer.
    ///
    /// - Throws: as `shortLink(for:at:within:)`; `aries.connection.rejected` also for a link that has expired.
    public func removeShortLink(_ address: String, within limit: Duration) async throws {
        let request = ShortLinkRequest.removal(of: address, id: await agent.makeID())
        _ = try await ask(.shortLinkRemoval, request, within: limit) { event -> Bool? in
            if case .acknowledged(request.id, _) = event { true } else { nil }
        }
    }
}
