import Aries
import ByteCoding
import DIDComm
import WebTransport

/// The page with the invitations of a cloud agent, for its operator alone.
enum OperatorInvitationPage {
    /// Writes the page as HTML; nil before the mediator runs, and for a name that is not on the list.
    ///
    /// - Parameter name: the name on the list whose invitation is shown; nil for the general one, or for the list.
    static func html(_ agent: CloudAgentServer, name: String?) -> String? {
        guard let endpoints = agent.endpoints else { return nil }
        if let name {
            guard let (current, older) = agent.invitations(for: name) else { return nil }
            return page(
                "Invitation for \(HTMLEscaping.escaped(name))",
                invitation(current, older, agent.shortLink(for: name), endpoints))
        }
        if let names = agent.listedNames {
            let rows = names.map {
                "<li><a href=\"/invitation?name=\(percentEncoded($0))\">\(HTMLEscaping.escaped($0))</a>"
            }
            return page(
                "Invitations",
                "<p>Each name on the list has one of its own.</p>\n<ul>\n\(rows.joined(separator: "\n"))\n</ul>")
        }
        guard let current = agent.invitation, let older = agent.olderInvitation else { return nil }
        return page("Invitation", invitation(current, older, agent.shortLink(), endpoints))
    }

    private static func invitation(
        _ current: Invitation, _ older: Invitation, _ short: String?, _ endpoints: MediatorEndpoints
    ) -> String {
        let long = current.link(base: endpoints.http.text)
        let shown = short ?? long
        return """
            <figure>\(InvitationPages.code(of: shown))</figure>
            <h2>Short link, which the agent serves</h2>
            <p><code>\(HTMLEscaping.escaped(short ?? "none"))</code></p>
            <h2>The whole invitation (out-of-band 1.1)</h2>
            <p><code>\(HTMLEscaping.escaped(long))</code></p>
            <h2>For agents that know connections 1.0 alone</h2>
            <p><code>\(HTMLEscaping.escaped(older.link(base: endpoints.http.text)))</code></p>
            """
    }

    private static func page(_ title: String, _ body: String) -> String {
        OperatorStatusPage.document(
            title, "<h1>\(title)</h1>\n<p><a href=\"/\">Back to the numbers</a></p>\n\(body)", refreshes: false)
    }

    private static func percentEncoded(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: return String(decoding: [byte], as: UTF8.self)
            default: return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }
}
