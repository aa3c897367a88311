public import DIDComm
public import Determinism
public import WebAddressing
public import WebTransport

/// Resolves did:web from its host, and DIDs of other methods by a resolver with the HTTP interface of DID Resolution.
///
/// `DIDLookup` decides; this fetches. A host of a did:web is a stranger's word: the rules of `GuardedFetch` apply to it
/// and to each of its redirects. The resolver is the user's own choice, so that it may be on this machine; a redirect
/// of it is refused. Documents are remembered for ten minutes, 128 at most.
public actor WebDIDResolver: DIDResolver {
    /// The sources of documents, and the limits for fetching them.
    public struct Settings: Sendable {
        /// Documents that were given by hand, which count before all others.
        public var documents = StaticDIDResolver()
        /// The address of a resolver, without `/1.0/identifiers`; nil for none.
        public var resolver: WebAddress?
        /// The rules for the hosts of did:web: addresses, sizes, time and trusted roots.
        public var rules: FetchRules

        /// Makes settings with the usual values.
        public init() {
            rules = FetchRules()
            rules.accept = DIDLookup.mediaTypes
            rules.maximumBodyBytes = DIDLookup.maximumAnswerBytes
        }
    }

    private let fetch: GuardedFetch
    private let clock: any MonotonicClock
    private let webRules: FetchRules
    private let resolverRules: FetchRules
    private var lookup: DIDLookup

    /// Makes a resolver that fetches by `fetch`.
    public init(
        _ fetch: GuardedFetch, _ settings: Settings = Settings(), clock: any MonotonicClock = SystemMonotonicClock()
    ) {
        self.fetch = fetch
        self.clock = clock
        webRules = settings.rules
        var rules = settings.rules
        rules.policy = .allowPrivate
        rules.allowsInsecure = true
        rules.maximumRedirects = 0
        resolverRules = rules
        lookup = DIDLookup(known: settings.documents, resolver: settings.resolver)
    }

    /// The document of a DID; see `DIDResolver`.
    public func document(of did: DID) async throws -> DIDDocument {
        let result: FetchResult
        do {
            switch try lookup.next(did, at: clock.now()) {
            case .found(let document): return document
            case .web(let address): result = try await fetch.get(address, rules: webRules)
            case .resolver(let address): result = try await fetch.get(address, rules: resolverRules)
            }
        } catch let error as FetchError {
            throw error.wireCode.flatMap { DIDLookup.refusal(status: $0) } ?? error
        }
        return try lookup.take(result.body, for: did, at: clock.now())
    }
}
