import DIDComm
import WebAddressing

/// Which clients a cloud agent wakes, and how often.
public struct WakeRules: Hashable, Sendable {
    /// Hosts that posts may go to.
    public struct Hosts: Hashable, Sendable {
        /// The most names in a list.
        public static let maximumCount = 64

        private let names: [String]

        /// Reads a list of names or addresses with commas between them; `*.example.org` stands for all names below
        /// that one, `*` for all hosts.
        ///
        /// Nil for what is no such list, or an empty one.
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

        /// Whether a host is among them.
        func contain(_ host: WebHost) -> Bool {
            let text = "\(host)".lowercased()
            return names.contains { name in
                if name == "*" || name == text { return true }
                guard name.utf8.starts(with: "*.".utf8), case .name = host else { return false }
                return text.utf8.count >= name.utf8.count && text.hasSuffix(name.dropFirst())
            }
        }
    }

    /// Where posts may go.
    public var hosts: Hosts
    /// Whether an address without TLS is taken.
    public var allowsInsecure = false
    /// How long after one wake-up the next of the same account comes at the earliest.
    public var interval = Duration.seconds(60)
    /// How long a message waits for the client to fetch it before the client is woken.
    public var grace = Duration.seconds(1)
    /// How long a live client may send nothing while a message waits, before it is woken all the same.
    public var patience = Duration.seconds(90)
    /// How long to wait after each failure before the same is tried again.
    public var retryAfter: [Duration] = [.seconds(5), .seconds(30), .seconds(120), .seconds(600), .seconds(1800)]
    /// How long after the first attempt nothing is tried any more.
    public var deadline = Duration.seconds(3600)

    /// Wakes clients by posts to these hosts.
    public init(hosts: Hosts) { self.hosts = hosts }

    /// Whether an address may be posted to, as far as its text tells.
    func allows(_ webhook: ServiceEndpoint) -> Bool {
        guard let address = webhook.address, !address.scheme.isWebSocket, address.scheme.isSecure || allowsInsecure
        else {
            return false
        }
        return hosts.contain(address.host)
    }
}
