import JSON
import LinkedData

/// The statements of a JSON-LD document, and the members that no statement holds.
struct DocumentStatements: Sendable {
    /// A member that a signature over statements does not protect.
    struct UnprotectedMember: Hashable, Sendable {
        /// The place of the member in the document, as a JSON Pointer.
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
    /// The origin of each statement; empty unless a proof needs them.
    var origins: [StatementOrigin] = []
    /// Members and values that went into no statement.
    var dropped: [UnprotectedMember] = []
    /// Places whose JSON could be written otherwise, or elsewhere, with the same statements.
    var movable: [UnprotectedMember] = []
    /// Names of claims that mean the same as another name.
    var ambiguous: [UnprotectedMember] = []
    /// Facts for people: contexts with their digests, ambiguous names that a pin accepts.
    var notes: [String] = []
}
