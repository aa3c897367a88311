public import Credentials

/// The result of verifying what a person shows: the report about the credential, and the layers around it.
public struct CodeReport: Sendable {
    /// A signed token in a member of the credential, with a report of its own that does not change that of the
    /// credential.
    public struct MemberToken: Sendable {
        /// The names of the members from the outermost to the token's.
        public let path: [String]
        /// The report about the token.
        public let report: CredentialReport
    }

    /// The report about the credential; of a text that is none, its check `parse` says what it looks like.
    public let credential: CredentialReport
    /// The layers around the credential, the outermost first; empty for a credential that is given as it is.
    public let layers: [CodeLayer]
    /// The tokens in members of the credential, at most eight.
    public let members: [MemberToken]

    /// True for a credential that was in a code: a code is copied as easily as it is shown, and shows no holder.
    public var isCode: Bool { !layers.isEmpty }
}
