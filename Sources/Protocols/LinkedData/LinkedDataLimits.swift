/// The limits of JSON-LD processing and of RDF canonicalisation.
public struct LinkedDataLimits: Hashable, Sendable {
    /// The most contexts of one document, those that name one another counted: 32.
    package var maximumContexts = 32

    /// The most bytes of all contexts of a document together, as canonical JSON: 1 MiB.
    package var maximumContextBytes = 1 << 20

    /// The greatest depth of contexts that name one another: 8.
    package var maximumContextDepth = 8

    /// The most contexts that one document derives from others, for terms that have contexts of their own: 1,024.
    package var maximumDerivedContexts = 1024

    /// The most places of one document that are reported for one reason: 64.
    package var maximumFindings = 64

    /// The most statements of one document: 200,000.
    package var maximumQuads = 200_000

    /// The most calls of the N-degree hash (RDFC-1.0, section 4.8): 4,096.
    package var maximumHashCalls = 4096

    /// The greatest recursion depth of the N-degree hash: 128.
    package var maximumHashDepth = 128

    /// The most hashes of related blank nodes: 16,000.
    package var maximumRelatedHashes = 16_000

    /// The most steps through permutations of blank nodes during canonicalisation: 100,000.
    package var maximumPermutationSteps = 100_000

    /// Makes the default limits.
    public init() {}
}
