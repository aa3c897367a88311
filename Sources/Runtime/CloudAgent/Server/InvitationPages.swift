import Aries
import ByteCoding
import DIDComm
import JSON
import QRCode
import WebAssets
import WebTransport

/// The answers of the mediator's port to GET: short links of its invitations and of its clients', a page for people who
/// open an invitation in a browser, and a hint for everything else.
///
/// A short link is the public address, `/i`, and for a name on the operator's list a slash and 24 hexadecimal digits
/// that only the operator's secret yields. A wallet gets the invitation as JSON (RFC 0434, URL shortening), a browser a
/// page. Paths are compared from their end, so a proxy may add a prefix.
struct InvitationPages: Sendable {
    static let greeting = "This is a cloud agent. Open this link with a wallet, not with a browser.\n"
    /// The most bytes of an address that the page repeats as a code.
    private static let maximumAddressBytes = 2000

    let service: @Sendable () -> MediatorService?

    func response(to request: HTTPRequest) async -> HTTPResponse {
        let segments = request.target.path.parts(at: "/")
        if segments.suffix(2) == ["assets", "status.css"] { return PageAssets.statusStyle.response(to: request) }
        guard let service = service() else { return MediatorService.later }
        let isBrowser = request.headers["accept"].map { $0.holds("text/html") } ?? false
        if let short = Self.shortName(segments) {
            guard let (invitation, link) = service.invited.invitation(short: short) else {
                if let invitation = await service.channels.accounts.commands.shortLinks.invitation(named: short) {
                    let link = "\(service.context.endpoints.http.text)/i/\(short)"
                    return isBrowser ? page(forUnchecked: link, depth: 1) : Self.json(invitation)
                }
                let words = "There is no invitation at this address. It may have been taken back: ask for a new one."
                return isBrowser ? page(404, "No invitation", words, service) : HTTPResponse(404, text: words + "\n")
            }
            guard isBrowser else { return Self.json(invitation) }
            return page(for: invitation, at: link, depth: short.isEmpty ? 0 : 1, service)
        }
        guard isBrowser else { return HTTPResponse(200, text: Self.greeting) }
        return page(forQuery: request.target, service)
    }

    private static func json(_ invitation: Invitation) -> HTTPResponse {
        HTTPResponse(
            200, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
            body: invitation.object.encoded)
    }

    /// The name behind `/i`, empty for the general invitation; nil for another path.
    private static func shortName(_ segments: [Substring]) -> String? {
        if segments.last == "i" { return "" }
        guard segments.count > 1, segments[segments.count - 2] == "i", let name = segments.last else { return nil }
        return String(name)
    }

    /// The page of an invitation of the mediator.
    private func page(
        for invitation: Invitation, at link: String, depth: Int, _ service: MediatorService
    ) -> HTTPResponse {
        let label = HTMLEscaping.escaped(invitation.label ?? "A cloud agent")
        let long = invitation.link(base: service.context.endpoints.http.text)
        let body = """
            <h1>\(label)</h1>
            <p>This is an invitation for a wallet. The cloud agent behind it takes messages for the wallet while that is away, \
            and keeps them until they are fetched.</p>
            <h2>How to go on</h2>
            <p>Scan this code with the wallet, or copy one of the links below into it.</p>
            <figure>\(Self.code(of: link))</figure>
            <h2>Short link</h2>
            <p><code>\(HTMLEscaping.escaped(link))</code></p>
            <h2>The same with the whole invitation in it</h2>
            <p><code>\(HTMLEscaping.escaped(long))</code></p>
            <p>With Symbolon’s program: <code>symbolon mediator use VAULT LINK</code></p>
            """
        return page(200, title: "Invitation", body, depth: depth)
    }

    /// The page for an address without a short link: it shows the invitation in the query, if there is one.
    private func page(forQuery target: RequestTarget, _ service: MediatorService) -> HTTPResponse {
        let holdsInvitation = target.query.contains { ["oob", "c_i", "d_m", "oob_url"].contains($0.name) }
        guard holdsInvitation else {
            return page(
                200, "A cloud agent",
                "This is a cloud agent: it takes messages for wallets that are away. There is nothing to see here.",
                service)
        }
        var link = service.context.endpoints.http.text
        if let query = target.text.utf8.firstIndex(of: UInt8(ascii: "?")) { link += target.text[query...] }
        return page(forUnchecked: link, depth: target.path.parts(at: "/").count)
    }

    /// The page of an invitation that the mediator has not checked; it shows nothing of what the invitation says.
    private func page(forUnchecked link: String, depth: Int) -> HTTPResponse {
        let code = link.utf8.count <= Self.maximumAddressBytes ? "<figure>\(Self.code(of: link))</figure>" : ""
        let body = """
            <h1>An invitation for a wallet</h1>
            <p>The link that you opened invites a wallet to connect. A browser cannot follow it. Who made it is not checked here.</p>
            <h2>How to go on</h2>
            <p>\(code.isEmpty ? "Copy the address of this page into the wallet." : "Scan this code with the wallet, or copy the address of this page into it.")</p>
            \(code)
            <p>With Symbolon’s program: <code>symbolon invite accept VAULT LINK</code></p>
            """
        return page(200, title: "Invitation", body, depth: depth)
    }

    private func page(_ status: Int, _ title: String, _ words: String, _ service: MediatorService) -> HTTPResponse {
        page(status, title: title, "<h1>\(title)</h1>\n<p>\(words)</p>", depth: nil)
    }

    /// - Parameter depth: how many folders deep the page lies, for the address of its style sheet; nil for a page
    ///   without one.
    private func page(_ status: Int, title: String, _ body: String, depth: Int?) -> HTTPResponse {
        let sheet = depth.map { depth in
            let folder = String(repeating: "../", count: max(0, depth))
            return #"<link rel="stylesheet" href="\#(folder)\#(PageAssets.statusStyle.path.dropFirst())">"# + "\n"
        }
        let text = """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="robots" content="noindex">
            <title>\(title)</title>
            \(sheet ?? "")<main>
            \(body)
            </main>
            </html>

            """
        var response = HTTPResponse(status, "text/html; charset=utf-8", Array(text.utf8))
        for field in PageSecurityPolicy().headers.fields { response.headers[field.name] = field.value }
        response.headers["Cache-Control"] = "no-store"
        return response
    }

    /// The code of a link as a picture in the page; empty when it does not fit into a code.
    static func code(of link: String) -> String {
        guard let code = try? QRCode(link) else { return "" }
        return code.svg(moduleSize: link.utf8.count < 200 ? 6 : 4)
    }
}
