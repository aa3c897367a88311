public import CBOR
public import JSON
public import LinkedData

/// The limits on the work and memory that verifying takes; each has a code of its own and ends in not checked.
public struct VerificationLimits: Hashable, Sendable {
    /// The most bytes of an input: 1 MiB; `credential.limit-input`.
    public var maximumBytes = 1 << 20

    /// The deepest nesting of JSON objects and arrays: 64; `credential.limit-depth`.
    public var maximumJSONDepth = 64

    /// The most disclosures of one SD-JWT: 4,096; `credential.limit-disclosures`.
    public var maximumDisclosures = 4096

    /// The most certificates of one chain: 8; `credential.limit-certificates`.
    public var maximumCertificates = 8

    /// The most proofs of one document, and credentials of one presentation: 16; `credential.limit-proofs`.
    public var maximumProofs = 16

    /// The most bytes of a status list after decompression: 16 MiB; `credential.st-bomb`.
    public var maximumStatusBytes = 16 << 20

    /// The limits of the CBOR reader.
    public var cbor = CBORLimits()

    /// The limits of JSON-LD and of canonical order.
    public var linkedData = LinkedDataLimits()

    /// Makes the usual limits.
    public init() {}

    /// The limits of the JSON reader that follow from these.
    public var json: JSONLimits {
        JSONLimits(
            maximumBytes: maximumBytes, maximumDepth: min(maximumJSONDepth, JSONLimits.greatestDepth),
            maximumStringBytes: maximumBytes, maximumMembers: 20_000, maximumElements: 100_000)
    }
}
