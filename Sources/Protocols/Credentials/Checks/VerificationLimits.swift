public import JSON

/// The limits on work and memory of a verification; each has its own code and makes the verdict not checked.
public struct VerificationLimits: Hashable, Sendable {
    /// The most bytes of an input: 1 MiB; `credential.limit-input`.
    ///
    /// A program that reads larger credentials, with pictures for example, raises it.
    public var maximumBytes = 1 << 20

    /// The deepest nesting of JSON objects and arrays: 64; `credential.limit-depth`.
    static let maximumJSONDepth = 64

    /// The most disclosures of one SD-JWT: 4,096; `credential.limit-disclosures`.
    static let maximumDisclosures = 4096

    /// The most certificates of one chain: 8; `credential.limit-certificates`.
    static let maximumCertificates = 8

    /// The most proofs of one document, and credentials of one presentation: 16; `credential.limit-proofs`.
    static let maximumProofs = 16

    /// The most bytes of a decompressed status list: 16 MiB; `credential.st-bomb`.
    static let maximumStatusBytes = 16 << 20

    /// Makes the usual limits.
    public init() {}

    /// The limits of the JSON reader that follow from these limits.
    public var json: JSONLimits {
        JSONLimits(
            maximumBytes: maximumBytes, maximumDepth: Self.maximumJSONDepth,
            maximumStringBytes: maximumBytes, maximumMembers: 20_000, maximumElements: 100_000)
    }
}
