import Aries
import ByteCoding
import JSON
import WebTransport

/// Answers GET requests to the endpoint of an agent: its open invitations at short links, and a hint for browsers.
///
/// A short link is the agent's address, `/i/` and the random identifier of the invitation. A wallet gets the invitation
/// as JSON (RFC 0434, URL shortening), a browser a page. Reading it does not use it up.
enum ShortInvitationLinks {
    static let greeting = "This is a wallet. Open this link with another wallet, not with a browser.\n"

    static func response(to request: HTTPRequest, _ agent: Agent?) async -> HTTPResponse {
        let segments = request.target.path.parts(at: "/")
        guard segments.count > 1, segments[segments.count - 2] == "i", let id = segments.last else {
            return HTTPResponse(200, text: greeting)
        }
        guard let agent else { return HTTPResponse(503, text: "Try again later.\n") }
        let name = String(id)
        let found = try? await agent.perform { agent in try await agent.parts.invitations.open(name) }
        guard let invitation = found ?? nil else {
            return HTTPResponse(404, text: "There is no open invitation at this address. Ask for a new one.\n")
        }
        guard request.headers["accept"]?.holds("text/html") == true else {
            return HTTPResponse(
                200, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
                body: invitation.object.encoded)
        }
        var response = HTTPResponse(200, "text/html; charset=utf-8", Array(page(for: invitation).utf8))
        response.headers["Cache-Control"] = "no-store"
        response.headers["Content-Security-Policy"] = "default-src 'none'; frame-ancestors 'none'"
        response.headers["Referrer-Policy"] = "no-referrer"
        return response
    }

    private static func page(for invitation: Invitation) -> String {
        let label = HTMLEscaping.escaped(invitation.label ?? "")
        let goal = invitation.goal.map { "<p>What for: \(HTMLEscaping.escaped($0))</p>\n" } ?? ""
        return """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="robots" content="noindex">
            <title>Invitation</title>
            <h1>An invitation to connect\(label.isEmpty ? "" : " with \(label)")</h1>
            \(goal)<p>A browser cannot follow it, a wallet can: copy the address of this page into the wallet, or let it scan the \
            code that brought you here.</p>
            <p>With Symbolon’s program: <code>symbolon invite accept VAULT LINK</code></p>
            </html>

            """
    }
}
