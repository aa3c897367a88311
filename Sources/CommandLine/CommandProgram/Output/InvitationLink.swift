package import Aries
package import DIDComm
package import Terminal

/// An invitation to connect, with its link and its short link.
package struct InvitationLink: Sendable {
    package let invitation: Aries.Invitation
    package let text: String
    /// The link at which an agent that listens at the endpoint serves the invitation.
    package let short: String

    package init(_ invitation: Aries.Invitation, at endpoint: ServiceEndpoint) {
        self.invitation = invitation
        let base = Self.base(of: endpoint)
        text = invitation.link(base: base)
        short = "\(base.hasSuffix("/") ? String(base.dropLast()) : base)/i/\(invitation.id)"
    }

    /// The endpoint with the `http` or `https` scheme that browsers and scanners open.
    private static func base(of endpoint: ServiceEndpoint) -> String {
        let text = endpoint.text
        if text.hasPrefix("ws://") { return "http://" + text.dropFirst(5) }
        if text.hasPrefix("wss://") { return "https://" + text.dropFirst(6) }
        return text
    }

    package var fields: [JSONText.Member] {
        [
            .init("id", .string(invitation.id)), .init("kind", .string(invitation.kind.rawValue)),
            .init("protocol", .string(invitation.protocol.description)), .init("link", .string(text)),
            .init("expires", .string(invitation.expires?.messageText)),
        ]
    }
}
