import Aries
import AriesConnections
import CommandProgram
import DIDComm
import Determinism
import Terminal
import WebAddressing
import WebTransport

/// The documents of DIDs: given by hand, fetched from the host of a did:web, or by a resolver that the user names.
struct DIDDocumentSource: Sendable {
    static let resolver = ValueOption(
        "resolver", address, "A resolver for DIDs that do not hold their document, asked at URL/1.0/identifiers/DID.")
    static let document = ValueOption(
        "did-document", .path("FILE"), "The document of a DID, or a resolver's answer; counts before all others.",
        isRepeatable: true)
    static let roots = ValueOption(
        "ca-file", .path("FILE"), "Trusts the roots in this PEM file, and no others, for did:web and --resolver.")
    static let options = [resolver.declaration, document.declaration, roots.declaration].under("Documents of DIDs")

    private static let address = ValueKind<WebAddress>("URL") { (text) throws(InvalidValue) in
        guard let address = try? WebAddress(parsing: text), !address.scheme.isWebSocket, address.query == nil,
            address.fragment == nil
        else {
            throw InvalidValue(
                "is not an address of a resolver", advice: "Write https:// and a host, without /1.0/identifiers")
        }
        return address
    }

    private let settings: WebDIDResolver.Settings

    /// Reads the options about DID documents, and the files that they name.
    ///
    /// - Throws: `input.*`, and the codes of `DIDCommError` for a file that holds no document; `usage.bad-value` for a
    ///   resolver elsewhere without TLS.
    init(_ context: CommandContext) throws {
        var settings = WebDIDResolver.Settings()
        for path in context.arguments.all(Self.document) {
            let bytes = try BoundedFile.read(path, limit: DIDLookup.maximumAnswerBytes)
            settings.documents.add(try DIDLookup.document(in: bytes))
        }
        settings.resolver = context.arguments[Self.resolver]
        if let resolver = settings.resolver, !resolver.scheme.isSecure, resolver.host.knownKind != .loopback,
            !context.arguments[InvitationSource.allowHTTP]
        {
            throw FetchError(.insecure, "The resolver is on another machine and has no TLS.", at: resolver)
        }
        settings.rules.policy = context.arguments[Options.allowPrivate] ? .allowPrivate : .publicOnly
        if let path = context.arguments[Self.roots] {
            guard POSIXFile.exists(path) else {
                throw CommandError(.inputNotFound, "\(TerminalText.sanitised(path)): there is no such file.")
            }
            settings.rules.roots = .file(path)
        }
        settings.rules.deadline = context.environment.fetchDeadline
        self.settings = settings
    }

    /// True when the user has named a resolver of DIDs.
    var hasResolver: Bool { settings.resolver != nil }

    /// Configures an agent with the documents and a resolver that fetches by `service`; nil for the documents only.
    func apply(to configuration: inout AgentConfiguration, _ service: WebService?, _ clock: any MonotonicClock) {
        configuration.resolver = settings.documents
        configuration.didResolver = service.map { service in
            WebDIDResolver(GuardedFetch(exchanger: HTTPClient(service), clock: clock), settings, clock: clock)
        }
    }

    /// Resolves each service of an invitation as an agent that accepts it does.
    ///
    /// - Parameter fetches: whether anything is fetched; nil stands for a service whose did:web was not.
    func services(
        of invitation: Aries.Invitation, fetches: Bool, _ clock: any MonotonicClock
    ) async -> [Result<PeerService, any Error>?] {
        let service = fetches ? WebService() : nil
        var configuration = AgentConfiguration(label: "")
        apply(to: &configuration, service, clock)
        let lookup = InviterLookup(configuration)
        var found: [Result<PeerService, any Error>?] = []
        for entry in invitation.services {
            do {
                found.append(.success(try await lookup.resolve(entry)))
            } catch {
                found.append(!fetches && awaitsWeb(entry) ? nil : .failure(error))
            }
        }
        await service?.stop()
        return found
    }

    private func awaitsWeb(_ service: InvitationService) -> Bool {
        var resolution = service.resolution
        while case .needs(let did)? = try? resolution.progress() {
            guard let document = try? settings.documents.document(of: did) else {
                return did.method == .other("web")
            }
            guard (try? resolution.provide(document, for: did)) != nil else { return false }
        }
        return false
    }
}
