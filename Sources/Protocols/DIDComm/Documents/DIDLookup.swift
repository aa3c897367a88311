import ByteCoding
import DataStructures
public import Determinism
import JSON
public import WebAddressing

/// Decides where a DID's document is fetched, what counts as its document, and how long it is cached.
///
/// A core without input or output: `next` says what to fetch, the caller fetches and gives the body to `take`.
/// Documents that were given, and those that DIDs hold themselves, are found without a fetch. did:web is fetched from
/// its own host, every other method from the resolver, and none without one. Sources: DID Core 1.0, section 7; the
/// method did:web; the HTTP interface of DID Resolution, `GET /1.0/identifiers/DID`.
public struct DIDLookup: Sendable {
    /// The next step of a look-up: use a known document, or fetch one.
    public enum DIDLookupStep: Hashable, Sendable {
        /// The document is known and need not be fetched.
        case found(DIDDocument)
        /// The document is at this https address of its owner's host (did:web).
        case web(WebAddress)
        /// The document is at this address of the configured resolver.
        case resolver(WebAddress)
    }

    /// The most documents that are cached.
    public static let maximumDocuments = 128

    /// The default time for which a fetched document is cached.
    public static let usualLifetime = Duration.seconds(600)

    /// The most bytes of a fetched answer: a document and a resolver's metadata.
    public static let maximumAnswerBytes = 2 * DIDDocument.limits.maximumBytes

    /// The value of the header field `Accept` for hosts and resolvers.
    public static let mediaTypes =
        "application/did-resolution, application/did+json;q=0.9, application/did+ld+json;q=0.9, application/json;q=0.8"

    private struct CachedDIDDocument {
        let document: DIDDocument
        let end: MonotonicInstant
    }

    private let known: StaticDIDResolver
    private let resolver: WebAddress?
    private let lifetime: Duration
    private var fetched = GenerationalCache<String, CachedDIDDocument>(capacity: maximumDocuments)

    /// Makes a look-up with an empty cache.
    ///
    /// - Parameters:
    ///   - known: documents that were given, which count before all others.
    ///   - resolver: the address of a resolver, to which `/1.0/identifiers/DID` is added; nil for none.
    ///   - lifetime: the time for which a fetched document is used.
    public init(
        known: StaticDIDResolver = StaticDIDResolver(), resolver: WebAddress? = nil, lifetime: Duration = usualLifetime
    ) {
        self.known = known
        self.resolver = resolver
        self.lifetime = lifetime
    }

    /// Returns the document of `did`, or the address at which it is fetched.
    ///
    /// Throws the codes of a document in the DID, `didcomm.did.malformed` for a did:web that names no host, and
    /// `didcomm.did.unresolved` and `didcomm.did.method-unsupported` where nothing resolves it.
    public mutating func next(_ did: DID, at now: MonotonicInstant) throws(DIDCommError) -> DIDLookupStep {
        if let document = try known.document(of: did) { return .found(document) }
        if let entry = fetched.use(did.identity) {
            if now < entry.end { return .found(entry.document) }
            fetched.remove(did.identity)
        }
        if did.method == .other("web") { return .web(try Self.webAddress(of: did)) }
        guard let resolver else { throw StaticDIDResolver.unresolved(did) }
        return .resolver(try Self.address(of: did, at: resolver))
    }

    /// Reads and caches the body that was fetched for `did`: a resolution result or a bare document.
    ///
    /// Throws `didcomm.document.…` for what is no document of this DID, `didcomm.document.wrong-id` among them,
    /// `didcomm.key.…`, `didcomm.did.not-found`, `didcomm.did.deactivated`, `didcomm.did.method-unsupported` and
    /// `didcomm.did.unresolved` where a resolver says so.
    public mutating func take(
        _ body: [UInt8], for did: DID, at now: MonotonicInstant
    ) throws(DIDCommError) -> DIDDocument {
        let document = try Self.document(in: body, of: did)
        fetched.insert(CachedDIDDocument(document: document, end: now + lifetime), for: did.identity)
        return document
    }

    /// Returns the error for an HTTP status other than success; nil when it says nothing about the DID.
    public static func refusal(status: Int) -> DIDCommError? {
        switch status {
        case 404: DIDCommError(.didNotFound, "there is no document of the DID where its method has it")
        case 410: DIDCommError(.didDeactivated, "the owner of the DID has deactivated it")
        case 501: DIDCommError(.didMethodUnsupported, "the resolver does not know the method of the DID")
        default: nil
        }
    }

    /// Returns the address of the document of a did:web.
    ///
    /// Shape: `did:web:HOST[%3APORT][:PART…]` is `https://HOST[:PORT]/.well-known/did.json`, or
    /// `https://HOST[:PORT]/PART/…/did.json`. Throws `didcomm.did.malformed`. Source: the method did:web, section 3.2.
    public static func webAddress(of did: DID) throws(DIDCommError) -> WebAddress {
        let parts = did.text.parts(at: ":", omittingEmptySubsequences: false).dropFirst(2).map(String.init)
        guard did.method == .other("web"), let first = parts.first, !parts.contains("") else { throw noHost }
        // Only the colon before a port is escaped; another escape in a host would name another host than it shows.
        let host = first.substituting("%3A", by: ":").substituting("%3a", by: ":")
        guard !host.utf8.contains(UInt8(ascii: "%")) else { throw noHost }
        let path = parts.count == 1 ? ".well-known" : parts.dropFirst().joined(separator: "/")
        guard parts.dropFirst().allSatisfy({ ![".", ".."].contains($0) && !$0.lowercased().holds("%2e") }) else {
            throw DIDCommError(.didMalformed, "a part of the did:web leads to another path")
        }
        do throws(WebAddressError) {
            return try WebAddress(parsing: "https://\(host)/\(path)/did.json")
        } catch {
            throw noHost
        }
    }

    private static var noHost: DIDCommError { DIDCommError(.didMalformed, "the did:web names no host") }

    /// Returns the address at which a resolver has the document.
    private static func address(of did: DID, at resolver: WebAddress) throws(DIDCommError) -> WebAddress {
        var path = resolver.path
        while path.hasSuffix("/") { path.removeLast() }
        // A per cent sign of the DID itself must not be decoded on the way.
        let name = did.identity.substituting("%", by: "%25")
        do throws(WebAddressError) {
            return try WebAddress(parsing: "\(resolver.origin)\(path)/1.0/identifiers/\(name)")
        } catch {
            throw DIDCommError(.didTooLong, "the DID is too long for the address of a resolver")
        }
    }

    // Answers.

    private static let answerLimits = JSONLimits(
        maximumBytes: maximumAnswerBytes, maximumDepth: 20, maximumStringBytes: 16 * 1024, maximumMembers: 512,
        maximumElements: 512)

    /// Reads a document, bare or in a resolution result.
    ///
    /// - Parameter did: the DID that it must have; nil accepts the DID that it names.
    ///
    /// Throws as `take`.
    public static func document(in body: [UInt8], of did: DID? = nil) throws(DIDCommError) -> DIDDocument {
        guard body.count <= maximumAnswerBytes else {
            throw DIDCommError(.documentTooLarge, "the answer has more than \(maximumAnswerBytes) bytes")
        }
        let answer = try DIDCommError.reading { () throws(JSONError) in
            try JSONValueReader(JSONValue(parsing: body, limits: answerLimits)).object()
        }
        guard answer["didDocument"] != nil || answer["didResolutionMetadata"] != nil else {
            return try DIDDocument(reading: JSONValueReader(object: answer), of: did)
        }
        if answer["didDocumentMetadata"]?["deactivated"] == .bool(true) {
            throw DIDCommError(.didDeactivated, "the owner of the DID has deactivated it")
        }
        if let error = answer["didResolutionMetadata"]?["error"], error != .null {
            throw refusal(error.string ?? "")
        }
        guard let document = answer["didDocument"], document != .null else {
            throw DIDCommError(.didNotFound, "the resolver gives no document of the DID")
        }
        return try DIDDocument(reading: JSONValueReader(document), of: did)
    }

    /// Returns the error that a resolver names, in the spelling of DID Core or the URL of DID Resolution 1.0.
    private static func refusal(_ error: String) -> DIDCommError {
        let name = error.parts(at: "#").last.map(String.init) ?? ""
        switch name.lowercased().filter({ $0 != "_" }) {
        case "notfound": return DIDCommError(.didNotFound, "the resolver says that the DID does not exist")
        case "deactivated": return DIDCommError(.didDeactivated, "the owner of the DID has deactivated it")
        case "methodnotsupported":
            return DIDCommError(.didMethodUnsupported, "the resolver does not know the method of the DID")
        default: return DIDCommError(.didUnresolved, "the resolver could not resolve the DID")
        }
    }
}
