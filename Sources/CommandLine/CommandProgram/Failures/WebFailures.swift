// The lines of the failure table for addresses of the web and what is fetched from them.
extension FailureTable {
    static let addresses = [
        Entry("address.too-long", .limit, "The address is too long.", "Ask whoever gave it for a shorter one."),
        Entry(
            "address.control-character", .dataInvalid, "The address holds a control character.",
            "Copy it again; do not use it if the character is really there."),
        Entry(
            "address.character", .dataInvalid, "The address holds a character that must be encoded.",
            "Copy it again, or percent-encode the character."),
        Entry(
            "address.percent-encoding", .dataInvalid, "A per cent sign in the address is not followed by two digits.",
            "Copy the address whole."),
        Entry(
            "address.scheme", .dataInvalid, "This is no address of the web.",
            "Give one that begins with https, http, wss or ws."),
        Entry(
            "address.credentials", .dataInvalid, "A user name or password stands in the address.",
            "Leave it out: it would be sent wherever the address leads."),
        Entry(
            "address.host", .dataInvalid, "The address names no host that can be read.",
            "Check the host; put IPv6 addresses in brackets."),
        Entry(
            "address.host-number", .dataInvalid, "The host is a number in an unusual spelling.",
            "Write an IPv4 address as four decimal numbers with dots."),
        Entry(
            "address.port", .dataInvalid, "The port is no number from 1 to 65535.",
            "Check the port, or leave it out with its colon."),
    ]

    static let fetches = [
        Entry(
            "web.fetch.scheme", .dataInvalid, "Nothing is fetched by a WebSocket.",
            "Give an address that begins with https."),
        Entry(
            "web.fetch.insecure", .permission, "The address has no TLS.",
            "Use https; --allow-http allows http, for a network that you trust."),
        Entry(
            "web.fetch.target", .dataInvalid, "The address asks for what cannot be asked for.",
            "Ask whoever gave it for another one."),
        Entry(
            "web.fetch.address-refused", .permission, "The address leads where a stranger must not send this machine.",
            "If you run both ends, give --allow-private."),
        Entry(
            "web.fetch.name-not-found", .notFound, "The name of the host does not exist.",
            "Check the address, and that this machine has a network."),
        Entry(
            "web.fetch.name-server-failed", .notFound, "The name servers gave no answer.",
            "Try again; check this machine's name servers."),
        Entry(
            "web.fetch.name-server-busy", .limit, "Too many names are being resolved.",
            "Try again when some have ended."),
        Entry(
            "web.fetch.unreachable", .notFound, "Nobody answers at the address.",
            "Check the address, and that the server runs."),
        Entry(
            "web.fetch.certificate-expired", .authentication, "The server's certificate is not valid now.",
            "Check this machine's clock; else the server's owner must renew it."),
        Entry(
            "web.fetch.certificate-name", .authentication, "The server's certificate is for another name.",
            "Check the address; do not trust this server."),
        Entry(
            "web.fetch.certificate-untrusted", .authentication, "Nobody whom we trust signed the server's certificate.",
            "Do not trust this server; if it is yours, add its authority to this machine's certificates."),
        Entry(
            "web.fetch.handshake", .authentication, "No protected connection came about.",
            "Check that the server speaks TLS 1.2 or later at that port."),
        Entry("web.fetch.deadline", .timeout, "The answer was not whole in the time allowed.", "Try again later."),
        Entry(
            "web.fetch.body-too-large", .limit, "The answer is too large.",
            "Check the address; nothing there should be that large."),
        Entry(
            "web.fetch.header-too-large", .limit, "The header of the answer is too large.",
            "Check the address; no honest header is that large."),
        Entry("web.fetch.truncated", .linkLost, "The connection ended before the answer was whole.", "Try again."),
        Entry(
            "web.fetch.malformed", .dataInvalid, "The answer does not follow HTTP.",
            "Check that the address is that of a web server."),
        Entry(
            "web.fetch.encoded", .dataInvalid, "The answer is compressed though none was asked for.",
            "Ask the server's owner; it ignores what a request accepts."),
        Entry(
            "web.fetch.status", .refused, "The server did not give what was asked for.",
            "Check the address; the status above tells more."),
        Entry(
            "web.fetch.redirect-malformed", .dataInvalid, "The address leads on to one that cannot be read.",
            "Ask whoever gave it for a direct one."),
        Entry(
            "web.fetch.redirect-scheme", .dataInvalid, "The address leads out of the web.",
            "Open it with the application that it is for."),
        Entry(
            "web.fetch.redirect-downgrade", .permission, "The address leads on to one without TLS.",
            "Ask whoever gave it for a direct one with https."),
        Entry(
            "web.fetch.redirect-loop", .dataInvalid, "The address leads in a circle.",
            "Ask whoever gave it; the server is set up wrongly."),
        Entry(
            "web.fetch.redirect-limit", .limit, "The address leads on too many times.",
            "Ask whoever gave it for a direct one."),
        Entry("web.fetch.cancelled", .interrupted, "The fetch was cancelled.", "Run the command again."),
        Entry(
            "web.fetch.local", .permission, "This machine could not carry out the fetch.",
            "Read the cause above; try again when less is going on."),
    ]
}
