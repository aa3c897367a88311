/// What a verifier demands of a credential; decided by the verifier, never by the input.
public struct VerificationPolicy: Hashable, Sendable {
    /// How much a kind of check counts.
    public enum Demand: String, CaseIterable, Hashable, Sendable {
        /// Failed: refused. Not done: not checked.
        case required
        /// Failed: refused. Not done: no matter.
        case wanted
        /// Stands in the report and decides nothing.
        case reported
    }

    /// The kinds that are required unless a policy says otherwise: all but status and holder, which are wanted.
    public static let usuallyRequired = Set(CredentialCheck.Kind.allCases).subtracting([.status, .holder])

    private var demands: [CredentialCheck.Kind: Demand] = [:]

    /// How far the clocks of issuer and verifier may lie apart, in seconds either way: 60.
    public var toleranceSeconds: Double = 60

    /// The most seconds that a holder's proof may be old: 600.
    public var holderProofSeconds: Double = 600

    /// The nonce or challenge that a presentation must carry; nil when none was given out.
    public var nonce: String?

    /// The verifier's own name, which a presentation must be for: audience, or domain; nil when it has none.
    public var audience: String?

    /// The types that are taken: `vct`, a type of a W3C credential or a document type; empty for all.
    public var types: [String] = []

    /// Whether the holder's proof must be there.
    public var requiresHolderProof = false

    /// Whether a status list that is too old refuses the credential, instead of leaving the check not done.
    public var requiresFreshStatus = false

    /// Whether deprecated spellings are taken that many issuers still write: `vc+sd-jwt`, tokens of a status list as
    /// StatusList2021, padded base 64 in the key of `cnf`.
    public var acceptsFormerSpellings = true

    /// True when a credential whose named status is not known may still be genuine.
    public var isStatusOptional = false

    /// The limits on work and memory.
    public var limits = VerificationLimits()

    /// Makes the usual policy.
    public init() {}

    /// How much a kind of check counts.
    public func demand(on kind: CredentialCheck.Kind) -> Demand {
        demands[kind] ?? (Self.usuallyRequired.contains(kind) ? .required : .wanted)
    }

    /// Sets how much a kind of check counts.
    public mutating func setDemand(_ demand: Demand, on kind: CredentialCheck.Kind) { demands[kind] = demand }
}
