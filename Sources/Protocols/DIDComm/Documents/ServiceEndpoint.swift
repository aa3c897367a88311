/// Where a service is reached: the shape of the address alone; whether it may be connected to is decided where its name
/// is resolved.
///
/// Taken are `http`, `https`, `ws` and `wss` with a host and without credentials, and `didcomm:transport/queue`, by which
/// an agent without an address says that it fetches its messages.
public struct ServiceEndpoint: Hashable, Sendable, CustomStringConvertible {
    /// How messages are carried there.
    public enum Transport: String, Hashable, Sendable, CaseIterable {
        /// HTTP without TLS.
        case http
        /// HTTP over TLS.
        case https
        /// WebSocket without TLS.
        case ws
        /// WebSocket over TLS.
        case wss
        /// Not at all: they are waited for.
        case queue
    }

    /// The longest address that is taken.
    public static let maximumCharacters = 2048

    /// The address of an agent that has none.
    public static let queue = ServiceEndpoint(text: "didcomm:transport/queue", transport: .queue, host: "", port: nil)

    /// The address as it came.
    public let text: String

    /// How messages are carried there.
    public let transport: Transport

    /// The host, in brackets when it is an IPv6 address; empty for `queue`.
    public let host: String

    /// The port when the address names one.
    public let port: UInt16?

    private init(text: String, transport: Transport, host: String, port: UInt16?) {
        self.text = text
        self.transport = transport
        self.host = host
        self.port = port
    }

    /// Reads an address.
    ///
    /// Throws `didcomm.endpoint.malformed` for characters that no address has, a missing host, a bad port or
    /// credentials, and `didcomm.endpoint.transport-unsupported` for another scheme.
    public init(parsing text: String) throws(DIDCommError) {
        guard text != Self.queue.text else {
            self = .queue
            return
        }
        guard !text.isEmpty, text.utf8.count <= Self.maximumCharacters, text.utf8.allSatisfy(Self.isAddressCharacter)
        else { throw Self.malformed("it is empty, too long, or has characters that no address has") }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let transport = Transport(rawValue: parts[0].lowercased()), transport != .queue else {
            throw DIDCommError(.endpointTransport, "the service is not reached by http, https, ws or wss")
        }
        guard parts.count == 2, parts[1].hasPrefix("//") else { throw Self.malformed("it has no host") }
        let authority = parts[1].dropFirst(2).prefix { !"/?#".contains($0) }
        guard !authority.contains("@") else { throw Self.malformed("it holds credentials") }
        let (host, port) = try Self.split(authority)
        self.init(text: text, transport: transport, host: host, port: port)
    }

    /// The address as it came.
    public var description: String { text }

    private static func split(_ authority: Substring) throws(DIDCommError) -> (String, UInt16?) {
        let bracket = authority.hasPrefix("[") ? authority.firstIndex(of: "]") : authority.startIndex
        guard let bracket else { throw malformed("a bracket is not closed") }
        guard let colon = authority[bracket...].firstIndex(of: ":") else {
            guard !authority.isEmpty, isHost(authority) else { throw malformed("it has no host") }
            return (String(authority), nil)
        }
        let digits = authority[authority.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits), port > 0 else {
            throw malformed("its port is no number from 1 to 65535")
        }
        guard isHost(authority[..<colon]) else { throw malformed("it has no host") }
        return (String(authority[..<colon]), port)
    }

    private static func isHost(_ text: Substring) -> Bool {
        guard text.hasPrefix("[") else {
            return !text.isEmpty
                && text.utf8.allSatisfy { isNameCharacter($0) || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F }
        }
        return text.hasSuffix("]") && text.utf8.count > 3
            && text.utf8.dropFirst().dropLast().allSatisfy { isNameCharacter($0) || $0 == 0x3A || $0 == 0x2E }
    }

    private static func isNameCharacter(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    /// Printing characters of ASCII but those that RFC 3986 keeps out of every address.
    private static func isAddressCharacter(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !"\"<>\\^`{|}".utf8.contains(byte)
    }

    private static func malformed(_ reason: String) -> DIDCommError {
        DIDCommError(.endpointMalformed, "the address of a service cannot be used: \(reason)")
    }
}
