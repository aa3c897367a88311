// The lines of the failure table for HTTP and WebSocket.
extension FailureTable {
    static let wires = [
        Entry(
            "web.address.malformed", .dataInvalid,
            "A target, an address or a host name cannot be used as one.",
            "Check the address for blanks, missing slashes and wrong percent signs."),
        Entry(
            "web.message.malformed", .dataInvalid,
            "A request or an answer of this side holds what HTTP cannot carry.",
            "Report this as a defect."),
        Entry(
            "web.listen.failed", .permission,
            "The server cannot listen at the address.",
            "Choose another port, or an address of this machine."),
        Entry(
            "web.tls.configuration", .permission,
            "A certificate, a key or a file of roots cannot be read or do not fit.",
            "Check that the files exist, are PEM and belong together."),
        Entry(
            "web.tls.untrusted", .authentication,
            "The peer's certificate is not to be trusted for that name.",
            "Check the name and the clock; give the file of roots of a private authority."),
        Entry(
            "web.tls.failed", .authentication,
            "The TLS handshake failed.",
            "Check that the peer speaks TLS 1.2 or later at that port."),
        Entry(
            "web.connect.failed", .notFound,
            "Nobody answers at the address.",
            "Check the address and that the server runs."),
        Entry(
            "web.deadline", .timeout,
            "The work was not done when its deadline came.",
            "Try again later, or allow more time."),
        Entry(
            "web.connection.lost", .linkLost,
            "The connection ended before the answer was whole.",
            "Try again."),
        Entry(
            "web.response.malformed", .dataInvalid,
            "The answer does not follow HTTP.",
            "Check that the address is that of a web server."),
        Entry(
            "web.response.too-large", .limit,
            "The answer or its header is larger than allowed.",
            "Check the address; nothing there should be that large."),
        Entry(
            "web.response.header-too-large", .limit,
            "The header of the answer is larger than allowed.",
            "Check the address; no honest header is that large."),
        Entry(
            "web.upgrade.refused", .refused,
            "The server answered the request for a WebSocket with something else.",
            "Check the path, and that the server offers WebSockets there."),
        Entry(
            "web.socket.closed", .linkLost,
            "The WebSocket is closed.",
            "Connect again."),
        Entry(
            "web.socket.message-too-large", .limit,
            "The peer sent a message larger than allowed.",
            "Ask the peer for smaller messages."),
        Entry(
            "web.socket.violation", .dataInvalid,
            "The peer broke a rule of the WebSocket protocol.",
            "Report this as a defect of the peer."),
        Entry(
            "web.socket.silent", .timeout,
            "The peer answered no ping in time.",
            "Connect again; look at the network between."),
        Entry(
            "web.send.too-large", .limit,
            "What should be sent is larger than the connection's limit.",
            "Send less at a time."),
        Entry(
            "web.service.stopped", .permission,
            "The service was stopped, or could not start.",
            "Start it again."),
        Entry(
            "web.connections.too-many", .limit,
            "As many connections are open as are allowed.",
            "Wait until some have ended."),
    ]
}
