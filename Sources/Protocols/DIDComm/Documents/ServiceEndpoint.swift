public import WebAddressing

/// The endpoint address of a service; only its form is checked here.
///
/// The address is checked against the rules for connections when its name is resolved. Taken are `http`, `https`, `ws`
/// and `wss` as `WebAddress` reads them, and `didcomm:transport/queue`, by which an agent without an address says that
/// it fetches its messages. Endpoints are equal when their texts are.
public struct ServiceEndpoint: Hashable, Sendable, CustomStringConvertible {
    /// The transport by which messages reach an endpoint.
    public enum Transport: String, Hashable, Sendable, CaseIterable {
        /// The endpoint is reached by HTTP without TLS.
        case http
        /// The endpoint is reached by HTTP over TLS.
        case https
        /// The endpoint is reached by WebSocket without TLS.
        case ws
        /// The endpoint is reached by WebSocket over TLS.
        case wss
        /// The endpoint has no transport: the agent fetches its messages.
        case queue

        /// The HTTP transports, with TLS and without.
        public static let ofHTTP: Set<Self> = [.http, .https]
        /// The WebSocket transports, with TLS and without.
        public static let ofWebSocket: Set<Self> = [.ws, .wss]

        init(_ scheme: WebScheme) {
            self =
                switch scheme {
                case .http: .http
                case .https: .https
                case .ws: .ws
                case .wss: .wss
                }
        }
    }

    /// The longest endpoint address that is accepted, in bytes.
    public static let maximumBytes = 2048

    /// The endpoint of an agent that has no address and fetches its messages.
    public static let queue = ServiceEndpoint(text: "didcomm:transport/queue", address: nil)

    /// The endpoint address as it was read.
    public let text: String

    /// The web address of the endpoint; nil for `queue`.
    public let address: WebAddress?

    private init(text: String, address: WebAddress?) {
        self.text = text
        self.address = address
    }

    /// Reads an endpoint address.
    ///
    /// Throws `didcomm.endpoint.malformed` for what `WebAddress` refuses, credentials among it, and for more than
    /// `maximumBytes`; and `didcomm.endpoint.transport-unsupported` for another scheme.
    public init(parsing text: String) throws(DIDCommError) {
        guard text != Self.queue.text else {
            self = .queue
            return
        }
        guard text.utf8.count <= Self.maximumBytes else {
            throw DIDCommError(.endpointMalformed, "the address of a service has more than \(Self.maximumBytes) bytes")
        }
        do throws(WebAddressError) {
            self.init(text: text, address: try WebAddress(parsing: text))
        } catch {
            let code: DIDCommError.Code = error.code == .scheme ? .endpointTransport : .endpointMalformed
            throw DIDCommError(code, "the address of a service cannot be used: \(error.reason)")
        }
    }

    /// The transport by which messages reach the endpoint.
    public var transport: Transport { address.map { Transport($0.scheme) } ?? .queue }

    /// The endpoint address as it was read.
    public var description: String { text }
}
