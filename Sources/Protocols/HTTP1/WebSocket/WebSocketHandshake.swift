import ByteCoding
import CryptoSuite

/// The opening handshake of a WebSocket (RFC 6455 section 4).
public enum WebSocketHandshake {
    /// The result of checking a request for the WebSocket protocol.
    public enum UpgradeRequestCheck: Hashable, Sendable {
        /// A valid handshake with this value of `Sec-WebSocket-Accept` for the answer 101.
        case accepted(accept: String)
        /// The handshake is malformed; the server answers with 400.
        case malformed(reason: String)
        /// Another WebSocket version than 13, or none; answered with 426 and version 13 (RFC 6455 section 4.4).
        case versionNotServed
    }

    /// Checks a request whose head has `asksForWebSocket` (RFC 6455 section 4.2.1).
    ///
    /// The path, the origin and the subprotocols are the caller's matter.
    public static func judge(_ head: HTTPRequestHead) -> UpgradeRequestCheck {
        guard head.asksForWebSocket, head.method == "GET", head.bodyLength.isEmpty else {
            return .malformed(reason: "The request to change the protocol is malformed.")
        }
        guard head.fields.count(of: "sec-websocket-version") <= 1 else {
            return .malformed(reason: "There must be one version of the WebSocket protocol.")
        }
        guard head.fields.onlyValue(of: "sec-websocket-version") == "13" else { return .versionNotServed }
        guard let key = head.fields.onlyValue(of: "sec-websocket-key"), isKey(key) else {
            return .malformed(reason: "There must be one key of 16 bytes in base64.")
        }
        return .accepted(accept: accept(for: key))
    }

    /// Returns the reason why a 101 response does not open the WebSocket (RFC 6455 section 4.1); nil when it does.
    ///
    /// - Parameters:
    ///   - key: The key of the request.
    ///   - protocols: The subprotocols that the request offered.
    public static func fault(of head: HTTPResponseHead, key: String, protocols: [String] = []) -> String? {
        let fields = head.fields
        guard head.status == 101 else { return "The server does not change the protocol." }
        guard fields.list(of: "upgrade", holds: "websocket"), fields.list(of: "connection", holds: "upgrade") else {
            return "The server changes to another protocol."
        }
        guard fields.onlyValue(of: "sec-websocket-accept") == accept(for: key) else {
            return "The server did not read the key of the request."
        }
        guard fields.count(of: "sec-websocket-extensions") == 0 else { return "The server uses an extension." }
        switch fields.count(of: "sec-websocket-protocol") {
        case 0: return nil
        case 1:
            let chosen = fields.onlyValue(of: "sec-websocket-protocol") ?? ""
            return protocols.contains(chosen) ? nil : "The server chose a subprotocol that was not offered."
        default: return "The server chose several subprotocols."
        }
    }

    /// Returns the `Sec-WebSocket-Key` of a request from 16 random bytes.
    public static func key(_ random: [UInt8]) -> String {
        precondition(random.count == 16, "a key has 16 bytes")
        return Base64.encode(random)
    }

    /// Returns `Sec-WebSocket-Accept` for a key, which proves that the server read it (RFC 6455 section 4.2.2).
    public static func accept(for key: String) -> String {
        Base64.encode(SHA1.hash(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
    }

    private static func isKey(_ text: String) -> Bool {
        text.utf8.count == 24 && Base64.decode(text)?.count == 16
    }
}
