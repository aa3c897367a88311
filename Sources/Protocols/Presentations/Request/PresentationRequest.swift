import JSON

/// A verifier's request as a wallet understands it: its author, its queries and its session.
public struct PresentationRequest: Hashable, Sendable {
    /// The signer of a request, as far as it is known.
    public enum Signer: Hashable, Sendable {
        /// The request has no signature.
        case unsigned
        /// A key of the identifier signed it, which is neither pinned nor vouched for.
        case unknown(String)
        /// The user pinned the signer, or a root that the user trusts vouches for it.
        case known(String)
    }

    /// The verifier as the request names it: `client_id`, else `iss`; nil when it names none.
    ///
    /// Untrusted text: neutralise it before showing it.
    public let clientID: String?

    /// The signer of the request.
    public internal(set) var signer: Signer

    /// The nonce, from which the nonce of the answer is made.
    public let nonce: String

    /// The claim `ble_key`; nil when the request is bound to no session.
    public let channelKey: String?

    /// The queries for credentials, in the order of the request.
    public let queries: [CredentialQuery]

    /// Alternatives of credentials; empty asks for every query.
    public struct CredentialSet: Hashable, Sendable {
        /// Lists of ids of queries, the verifier's favourite first; all of one list suffice.
        public let options: [[String]]
        /// True when an answer must have one of the lists.
        public let isRequired: Bool
    }

    /// The sets of credentials; empty asks for every query.
    public let sets: [CredentialSet]

    /// The purpose that the request states, untrusted text; nil when it states none.
    public let purpose: String?

    /// The audience that presentations of the answer must have.
    public var audience: String { clientID ?? channelKey.map { "ble_key:" + $0 } ?? "unbound" }

    /// The ids of the queries that an answer is for, where the wallet has credentials for those of `fitting`: all, or
    /// the first possible list of each required set; nil when the request cannot be answered.
    public func answered(fitting: Set<String>) -> Set<String>? {
        guard !sets.isEmpty else { return queries.allSatisfy { fitting.contains($0.id) } ? fitting : nil }
        var ids: Set<String> = []
        for set in sets where set.isRequired {
            guard let option = set.options.first(where: { $0.allSatisfy(fitting.contains) }) else { return nil }
            ids.formUnion(option)
        }
        // A request whose sets are all optional is answered with the first that the wallet has.
        guard ids.isEmpty else { return ids }
        return sets.lazy.flatMap(\.options).first { $0.allSatisfy(fitting.contains) }.map { Set($0) }
    }

    /// True when the request names the session that it was written for.
    public var isBound: Bool { channelKey != nil }
}
