import JSON
import LinkedData

/// What a JSON-LD document states, and which of its members no statement holds.
struct DocumentStatements: Sendable {
    /// A member that a signature over statements does not protect.
    struct Finding: Hashable, Sendable {
        /// Where the member stands.
        let pointer: String
        /// One sentence for people.
        let reason: String
    }

    /// The statements.
    var dataset: RDFDataset
    /// Members and values that went into no statement.
    var dropped: [Finding] = []
    /// Names of claims that mean the same as another name.
    var ambiguous: [Finding] = []
    /// Facts for people: contexts with their digests, ambiguous names that a pin accepts.
    var notes: [String] = []
}

/// Reads the statements of a document, with contexts that the trust store pins.
struct StatementReader: Sendable {
    /// Gives the statements of an object; throws the codes of contexts and limits.
    let read: @Sendable (JSONObject) throws(CredentialError) -> DocumentStatements
}
