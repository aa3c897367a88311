import DIDComm
import WebAddressing

/// The rules of wake-ups: which hosts, and how often.
public struct WebhookRules: Hashable, Sendable {
    /// The hosts that posts may go to.
    public struct WebhookHostList: Hashable, Sendable {
        /// The most names in a list.
        public static let maximumCount = 64

        private let names: [String]

        /// Reads a list of names or addresses with commas between them; `*.example.org` stands for all names below
        /// that one, `*` for all hosts.
        ///
        /// Nil for a malformed or empty list.
        public init?(parsing text: String) {
            var names: [String] = []
            for part in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
                let bytes = Array(part).filter { $0 != UInt8(ascii: " ") }
                let name = String(decoding: bytes, as: UTF8.self)
                let host = bytes.starts(with: Array("*.".utf8)) ? String(name.dropFirst(2)) : name
                if name != "*", (try? WebHost(parsing: host)) == nil { return nil }
                names.append(name == "*" ? name : name.lowercased())
            }
            guard (1...Self.maximumCount).contains(names.count) else { return nil }
            self.names = names
        }

        /// Returns true when a host is among the names.
        func contain(_ host: WebHost) -> Bool {
            let text = "\(host)".lowercased()
            return names.contains { name in
                if name == "*" || name == text { return true }
                guard name.utf8.starts(with: "*.".utf8), case .name = host else { return false }
                return text.utf8.count >= name.utf8.count && text.hasSuffix(name.dropFirst())
            }
        }
    }

    /// The network policy of posts.
    public var hosts: WebhookHostList
    /// True when a webhook without TLS is accepted.
    public var allowsInsecure = false
    /// The least interval between two wake-ups of an account.
    public var interval = Duration.seconds(60)
    /// The grace period in which the client may fetch a message before it is woken.
    package var grace = Duration.seconds(1)
    /// The longest silence of a live client while a message waits, before it is woken all the same.
    package var patience = Duration.seconds(90)
    /// The wait after each failure before a retry.
    package var retryAfter: [Duration] = [.seconds(5), .seconds(30), .seconds(120), .seconds(600), .seconds(1800)]
    /// The deadline of retries, from the first attempt on.
    package var deadline = Duration.seconds(3600)

    /// Allows posts to these hosts.
    public init(hosts: WebhookHostList) { self.hosts = hosts }

    /// Returns true when the text of a webhook allows posts to it.
    func allows(_ webhook: ServiceEndpoint) -> Bool {
        guard let address = webhook.address, !address.scheme.isWebSocket, address.scheme.isSecure || allowsInsecure
        else {
            return false
        }
        return hosts.contain(address.host)
    }
}
