/// Resolves a DID or a document to a `PeerDocument`; requests the documents that it needs.
///
/// Call `progress()`; when it needs a DID, find its document (in a store, on a ledger, with a resolver), pass it to
/// `provide`, or the error to `fail`, and call `progress()` again. At most `maximumQuestions` documents are requested.
public struct DIDResolution: Sendable {
    /// The state of a resolution.
    public enum ResolutionState: Hashable, Sendable {
        /// The resolution is complete.
        case resolved(PeerDocument)
        /// The resolution needs the document of this DID to continue.
        case needs(DID)
    }

    /// The most documents that one resolution requests.
    public static let maximumQuestions = 4

    /// The envelope profiles that this module reads and writes.
    public static let profiles: Set<String> = ["didcomm/aip1", "didcomm/aip2;env=rfc19"]

    private let subject: DID
    private var documents: [String: DIDDocument] = [:]
    private var failures: [String: DIDCommError] = [:]

    /// Begins the resolution of a DID, whose document may have to be requested.
    public init(_ did: DID) { subject = did }

    /// Begins the resolution of a document that is known.
    public init(_ document: DIDDocument) {
        subject = document.did
        documents[document.did.identity] = document
    }

    /// Adds a document to the resolution, requested or not.
    ///
    /// Throws `didcomm.document.wrong-id` when it is not the document of `did`.
    public mutating func provide(_ document: DIDDocument, for did: DID) throws(DIDCommError) {
        guard document.did.isSame(as: did) else {
            throw DIDCommError(.documentWrongID, "the document is that of another DID than the one that was asked for")
        }
        documents[did.identity] = document
    }

    /// Records the error for a DID whose document cannot be obtained.
    public mutating func fail(_ did: DID, _ error: DIDCommError) { failures[did.identity] = error }

    /// Returns the result, or the DID whose document is missing.
    ///
    /// Throws the error that `fail` got for the DID itself, and the codes of its document and keys. A service that
    /// cannot be used is left out and is no error.
    public func progress() throws(DIDCommError) -> ResolutionState {
        var document: DIDDocument
        switch try lookUp(subject) {
        case .found(let found): document = found
        case .missing: return .needs(subject)
        case .failed(let error): throw error
        }
        var signing: [Verkey] = []
        var agreement: [Curve25519PublicKey] = []
        for key in document.authentication + document.agreement {
            try key.checkSafety()
            if let verkey = Verkey(key) { signing.append(verkey) } else { agreement.append(key) }
        }
        var services: [PeerService] = []
        var refusals: [DIDCommError] = []
        for entry in document.services {
            switch read(entry, of: document, signing: signing) {
            case .found(let service): services.append(service)
            case .missing(let did): return .needs(did)
            case .failed(let error): refusals.append(error)
            }
        }
        return .resolved(
            PeerDocument(
                did: subject, authenticationKeys: signing, agreementKeys: agreement,
                services: Self.sorted(services), refusals: refusals))
    }

    private enum Lookup<Value> {
        case found(Value)
        case missing(DID)
        case failed(DIDCommError)
    }

    private func lookUp(_ did: DID) throws(DIDCommError) -> Lookup<DIDDocument> {
        if let document = documents[did.identity] { return .found(document) }
        if let error = failures[did.identity] { return .failed(error) }
        if let document = try DIDDocument(of: did) { return .found(document) }
        guard documents.count + failures.count < Self.maximumQuestions else {
            return .failed(DIDCommError(.documentTooLarge, "the document leads to too many others"))
        }
        return .missing(did)
    }

    private static func sorted(_ services: [PeerService]) -> [PeerService] {
        services.enumerated().sorted {
            ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset)
        }.map(\.element)
    }

    private func read(
        _ entry: DIDDocument.DIDServiceEntry, of document: DIDDocument, signing: [Verkey]
    ) -> Lookup<PeerService> {
        do throws(DIDCommError) {
            let service: DIDService
            switch entry {
            case .service(let read): service = read
            case .refused(let error): throw error
            }
            let (recipients, routing) = try Self.keys(of: service, in: document, signing: signing)
            switch service.endpoint {
            case .address(let endpoint): return .found(Self.service(service, recipients, routing, endpoint))
            case .did(let did):
                switch try hop(did) {
                case .found(let hop):
                    return .found(Self.service(service, recipients, routing + hop.keys, hop.endpoint))
                case .missing(let did): return .missing(did)
                case .failed(let error): return .failed(error)
                }
            }
        } catch {
            return .failed(error)
        }
    }

    private static func service(
        _ service: DIDService, _ recipients: [Verkey], _ routing: [Verkey], _ endpoint: ServiceEndpoint
    ) -> PeerService {
        PeerService(
            id: service.id, priority: service.priority, recipientKeys: recipients, routingKeys: routing,
            accept: service.accept, endpoint: endpoint)
    }

    /// Returns the routing keys and the endpoint of a service whose address is a DID.
    ///
    /// That DID's own recipient key follows the routing keys of the service (RFC 0160). Its address may not be a DID.
    private func hop(_ did: DID) throws(DIDCommError) -> Lookup<(keys: [Verkey], endpoint: ServiceEndpoint)> {
        let document: DIDDocument
        switch try lookUp(did) {
        case .found(let found): document = found
        case .missing(let did): return .missing(did)
        case .failed(let error): return .failed(error)
        }
        let signing = document.authentication.compactMap(Verkey.init)
        var refusal: DIDCommError?
        for entry in document.services {
            do throws(DIDCommError) {
                guard case .service(let service) = entry, case .address(let endpoint) = service.endpoint else {
                    continue
                }
                let (recipients, routing) = try Self.keys(of: service, in: document, signing: signing)
                return .found((recipients.prefix(1) + routing, endpoint))
            } catch { refusal = refusal ?? error }
        }
        throw refusal ?? DIDCommError(.serviceNone, "the DID that a service gives as its address has no address itself")
    }

    private static func keys(
        of service: DIDService, in document: DIDDocument, signing: [Verkey]
    ) throws(DIDCommError) -> (recipients: [Verkey], routing: [Verkey]) {
        guard service.accept.isEmpty || service.accept.contains(where: profiles.contains) else {
            throw DIDCommError(.serviceProfile, "the service takes only envelopes of a kind that is not written here")
        }
        var recipients: [Verkey] = []
        for name in service.recipientKeys { recipients.append(try document.verkey(named: name)) }
        if recipients.isEmpty, service.kind == .didCommMessaging { recipients = signing }
        guard !recipients.isEmpty else { throw DIDCommError(.serviceKeyless, "the service names no key") }
        var routing: [Verkey] = []
        for name in service.routingKeys { routing.append(try document.verkey(named: name)) }
        for key in recipients + routing { try key.checkSafety() }
        return (recipients, routing)
    }
}
