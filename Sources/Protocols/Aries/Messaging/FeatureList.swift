public import DIDComm
import JSON

/// A list of features that an agent discloses, as an answer to feature queries (RFC 0031, RFC 0557).
///
/// A full answer would make an agent recognisable (fingerprinting), so only protocols on the list are named.
public struct FeatureList: Hashable, Sendable {
    /// A feature: a protocol with its supported roles.
    public struct Feature: Hashable, Sendable {
        /// The protocol that is supported.
        public let `protocol`: MessageProtocol
        /// The supported roles, in the words of the protocol.
        public let roles: [String]

        /// Makes a feature from its parts.
        public init(_ protocol: MessageProtocol, roles: [String] = []) {
            self.protocol = `protocol`
            self.roles = roles
        }
    }

    /// The most queries in one message, and the most features in one answer.
    public static let maximumEntries = 64

    /// The features that may be disclosed.
    public let features: [Feature]

    /// The default features that any peer may learn: the protocols that every connection supports.
    public static let usual = FeatureList([
        Feature(.trustPing10, roles: ["sender", "receiver"]), Feature(.basicMessage10, roles: ["sender", "receiver"]),
        Feature(.discoverFeatures10, roles: ["requester", "responder"]),
        Feature(.discoverFeatures20, roles: ["requester", "responder"]),
        Feature(.outOfBand11, roles: ["sender", "receiver"]),
    ])

    /// Makes a feature list from its parts.
    public init(_ features: [Feature]) { self.features = features }

    /// Makes a query for the other side's features, in the old or the new version of the protocol.
    public static func query(_ pattern: String = "*", version: MessageProtocol, id: String) -> Message {
        version.major == 1
            ? Message(MessageType(.discoverFeatures10, "query"), id: id, body: ["query": .string(pattern)])
            : Message(
                MessageType(.discoverFeatures20, "queries"), id: id,
                body: ["queries": [["feature-type": "protocol", "match": .string(pattern)]]])
    }

    /// Returns the answer to a feature query of either version; nil for other messages.
    public func answer(to message: Message, id: String) -> Message? {
        let thread = MessageThread(id: message.threadID)
        if message.type.isSame(as: MessageType(.discoverFeatures10, "query")) {
            let found = matches(message.object["query"]?.string)
            return Message(
                MessageType(.discoverFeatures10, "disclose"), id: id, thread: thread,
                body: [
                    "protocols": .array(
                        found.map { ["pid": .string($0.protocol.description), "roles": .strings($0.roles)] })
                ])
        }
        guard message.type.isSame(as: MessageType(.discoverFeatures20, "queries")) else { return nil }
        let patterns = (message.object["queries"]?.array ?? []).prefix(Self.maximumEntries).filter {
            $0["feature-type"]?.string == "protocol"
        }.map { $0["match"]?.string }
        let found = features.filter { feature in patterns.contains { matches($0).contains(feature) } }
        return Message(
            MessageType(.discoverFeatures20, "disclosures"), id: id, thread: thread,
            body: [
                "disclosures": .array(
                    found.map {
                        [
                            "feature-type": "protocol", "id": .string($0.protocol.description),
                            "roles": .strings($0.roles),
                        ]
                    })
            ])
    }

    /// Reads the other side's features from an answer of either version; nil for other messages.
    ///
    /// Unreadable entries are left out.
    public init?(_ message: Message) {
        let isOld = message.type.isSame(as: MessageType(.discoverFeatures10, "disclose"))
        guard isOld || message.type.isSame(as: MessageType(.discoverFeatures20, "disclosures")) else { return nil }
        let entries = message.object[isOld ? "protocols" : "disclosures"]?.array ?? []
        let listed = entries.prefix(Self.maximumEntries).compactMap { entry -> Feature? in
            guard isOld || entry["feature-type"]?.string == "protocol",
                let text = entry[isOld ? "pid" : "id"]?.string, let found = try? MessageProtocol(parsing: text)
            else { return nil }
            return Feature(found, roles: (entry["roles"]?.array ?? []).prefix(8).compactMap(\.string))
        }
        // Some agents name each protocol once for each prefix.
        var features: [Feature] = []
        for feature in listed {
            guard let index = features.firstIndex(where: { $0.protocol == feature.protocol }) else {
                features.append(feature)
                continue
            }
            let roles = features[index].roles
            features[index] = Feature(
                feature.protocol, roles: roles + feature.roles.filter { !roles.contains($0) })
        }
        self.features = features
    }

    /// Returns true when a protocol of the same major version is in the list.
    public func contains(_ protocol: MessageProtocol) -> Bool {
        features.contains { $0.protocol.isCompatible(with: `protocol`) }
    }

    /// Returns the features that match a pattern: a protocol, or its beginning and an asterisk.
    private func matches(_ pattern: String?) -> [Feature] {
        guard let pattern else { return [] }
        guard pattern.hasSuffix("*") else {
            guard let wanted = try? MessageProtocol(parsing: pattern) else { return [] }
            return features.filter { $0.protocol == wanted }
        }
        let start = pattern.dropLast()
        return features.filter { feature in
            let rest = feature.protocol.description.dropFirst(MessageProtocol.prefix.count)
            return MessageProtocol.communityPrefixes.contains { ($0 + rest).hasPrefix(start) }
        }
    }
}
