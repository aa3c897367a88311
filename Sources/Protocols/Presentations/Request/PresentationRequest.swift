import JSON

/// A verifier's request as read by a wallet: its signer, its queries and its session.
public struct PresentationRequest: Hashable, Sendable {
    /// The signer of a request, and whether the user trusts it.
    public enum Signer: Hashable, Sendable {
        /// The request has no signature.
        case unsigned
        /// A key of this identifier signed the request, but it is neither pinned nor vouched for by a root.
        case unknown(String)
        /// The user pinned the signer, or a root that the user trusts vouches for it.
        case known(String)
    }

    /// The verifier as the request names it: `client_id`, else `iss`; nil when it names none.
    ///
    /// Untrusted text: neutralise it before showing it.
    public let clientID: String?

    /// The signer of the request, and whether the user trusts it.
    public internal(set) var signer: Signer

    /// The nonce of the request, from which the nonce of the answer is derived.
    public let nonce: String

    /// The claim `ble_key`; nil when the request is bound to no session.
    public let channelKey: String?

    /// The queries for credentials, in the order of the request.
    public let queries: [CredentialQuery]

    /// A set of alternative lists of queries, of which an answer meets one.
    public struct CredentialSet: Hashable, Sendable {
        /// The lists of query ids, the verifier's favourite first; all queries of one list suffice.
        public let options: [[String]]
        /// True when an answer must contain one of the lists.
        public let isRequired: Bool
    }

    /// The sets of credentials; empty asks for every query.
    public let sets: [CredentialSet]

    /// The purpose that the request states, untrusted text; nil when it states none.
    public let purpose: String?

    /// The audience that presentations in the answer must name.
    public var audience: String { clientID ?? channelKey.map { "ble_key:" + $0 } ?? "unbound" }

    /// Returns the ids of the queries to answer, of those in `fitting`; nil when the request cannot be answered.
    ///
    /// The wallet has credentials for `fitting`. The answer is for all queries, or for the first possible list of each
    /// required set.
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
