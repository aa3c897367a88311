/// A verifier's requirements for a credential, which the input never changes.
public struct VerificationPolicy: Hashable, Sendable {
    /// The effect of a kind of check on the verdict.
    public enum CheckRequirement: String, CaseIterable, Hashable, Sendable {
        /// A failed check refuses the credential; one that was not done makes the verdict not checked.
        case required
        /// A failed check refuses the credential; one that was not done counts only when its cause has a code.
        ///
        /// Not done for a cause with a code makes the verdict not checked; a credential that has nothing to look at is
        /// not affected.
        case named
        /// A failed check refuses the credential; one that was not done has no effect.
        case wanted
        /// The check is only listed in the report.
        case reported
    }

    /// The kinds of checks that are required by default: all but status and holder.
    ///
    /// Status counts where the credential names one, and holder is wanted.
    public static let usuallyRequired = Set(CredentialCheck.Kind.allCases).subtracting([.status, .holder])

    private var demands: [CredentialCheck.Kind: CheckRequirement] = [:]

    /// The largest difference between the clocks of issuer and verifier, in seconds either way: 60.
    public var toleranceSeconds: Double = 60

    /// The most seconds that a holder's proof may be old: 600.
    static let holderProofSeconds: Double = 600

    /// The nonce or challenge that a presentation must contain; nil when the verifier issued none.
    ///
    /// A nonce demands the holder's proof, because a presenter could leave the proof out (RFC 9901, section 7.3).
    public var nonce: String?

    /// The verifier's own name, which a presentation must name as audience or domain; nil when it has none.
    ///
    /// It demands the holder's proof, as a nonce does.
    public var audience: String?

    /// The accepted types: `vct`, a type of a W3C credential or a document type; empty for all.
    public var types: [String] = []

    /// True when a valid proof of the holder is required: by the policy, a nonce or an audience.
    ///
    /// Setting it decides for the policy alone.
    public var requiresHolderProof: Bool {
        get { demand(on: .holder) == .required }
        set { setDemand(newValue ? .required : .wanted, on: .holder) }
    }

    /// True when a credential whose status is unknown may still be genuine.
    public var isStatusOptional: Bool {
        get { demand(on: .status) == .wanted }
        set { setDemand(newValue ? .wanted : .named, on: .status) }
    }

    /// True when an outdated status list refuses the credential, instead of leaving the check not done.
    public var requiresFreshStatus = false

    /// True when deprecated spellings that many issuers still write are accepted.
    ///
    /// These are `vc+sd-jwt`, tokens of a status list as StatusList2021, and padded base 64 in the key of `cnf`.
    public var acceptsFormerSpellings = true

    /// The limits on work and memory of the verification.
    public var limits = VerificationLimits()

    /// Makes the default policy.
    public init() {}

    /// Returns the effect of a kind of check on the verdict.
    public func demand(on kind: CredentialCheck.Kind) -> CheckRequirement {
        if kind == .holder, nonce != nil || audience != nil { return .required }
        if let demand = demands[kind] { return demand }
        return kind == .status ? .named : kind == .holder ? .wanted : .required
    }

    /// Sets the effect of a kind of check on the verdict.
    public mutating func setDemand(_ demand: CheckRequirement, on kind: CredentialCheck.Kind) { demands[kind] = demand }
}
