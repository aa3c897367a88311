public import DIDComm

/// Finds the documents of DIDs that neither hold them nor are known to the agent.
///
/// An application gives its own to `AgentConfiguration.didResolver`, or uses `WebDIDResolver`. The agent asks outside
/// of its queue of jobs, so that a slow resolver holds up nothing but the connection that needs the document.
public protocol DIDResolver: Sendable {
    /// The document of `did`; after 30 s it is not waited for.
    ///
    /// - Throws: the codes of `DIDCommError` (`didcomm.did.unresolved`, `didcomm.did.method-unsupported`,
    ///   `didcomm.did.not-found`, `didcomm.did.deactivated`, `didcomm.document.…`) and those of the transport, such as
    ///   `web.fetch.deadline`.
    func document(of did: DID) async throws -> DIDDocument
}
