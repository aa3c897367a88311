import JSON
import LinkedData

/// The RDF statements of a JSON-LD document, and the members that no statement contains.
struct DocumentStatements: Sendable {
    /// A member of the document that a signature over statements does not protect.
    struct UnprotectedMember: Hashable, Sendable {
        /// The location of the member in the document, as a JSON Pointer.
        let pointer: String
        /// The reason why the signature does not protect the member, in one sentence for people.
        let reason: String

        init(at path: JSONPath, _ reason: String) {
            pointer = CheckLocation(path).description
            self.reason = reason
        }
    }

    /// The statements of the document as RDF.
    var dataset: RDFDataset
    /// The origin of each statement in the document; empty unless a proof needs it.
    var origins: [StatementOrigin] = []
    /// The members and values that are in no statement.
    var dropped: [UnprotectedMember] = []
    /// The locations whose JSON could change or move without changing the statements.
    var movable: [UnprotectedMember] = []
    /// The names of claims that mean the same as another name.
    var ambiguous: [UnprotectedMember] = []
    /// The facts for people: contexts with digests, and ambiguous names that a pin accepts.
    var notes: [String] = []
}
