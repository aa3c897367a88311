public import Aries
public import DIDComm
public import Determinism
import WebTransport

/// Resolves the services of invitations as an agent of a configuration does.
///
/// Documents come from the `resolver` of the configuration, from DIDs that hold them, and then from its `didResolver`.
public struct InviterLookup: Sendable {
    private let configuration: AgentConfiguration
    private let clock: any MonotonicClock

    /// Makes a look-up with the resolvers of a configuration.
    public init(_ configuration: AgentConfiguration, clock: any MonotonicClock = SystemMonotonicClock()) {
        self.configuration = configuration
        self.clock = clock
    }

    /// Resolves the DIDs that a service of an invitation refers to, with all documents that this takes.
    ///
    /// - Throws: as `DIDResolver`, and the codes of `DIDResolution.progress()`.
    public func resolve(_ service: InvitationService) async throws -> PeerService {
        var resolution = service.resolution
        while true {
            switch try resolution.progress() {
            case .resolved(let document): return try configuration.service(of: document)
            case .needs(let did):
                do {
                    try resolution.provide(try await document(of: did), for: did)
                } catch let error as DIDCommError {
                    resolution.fail(did, error)
                }
            }
        }
    }

    /// The first service of an invitation that can be reached; one that no transport reaches comes last.
    ///
    /// - Throws: the error of the first service when none can be reached; as `resolve(_:)`.
    func inviter(of invitation: Invitation) async throws -> PeerService {
        var (failure, unreached): ((any Error)?, PeerService?) = (nil, nil)
        for service in invitation.services {
            do {
                let found = try await resolve(service)
                if configuration.reaches(found) { return found }
                unreached = unreached ?? found
            } catch {
                try Task.checkCancellation()
                failure = failure ?? error
            }
        }
        if let unreached { return unreached }
        throw failure ?? DIDCommError(.serviceNone, "the invitation names no service")
    }

    /// The inviter's service, if accepting the invitation may begin a handshake for which a document is looked for.
    ///
    /// - Throws: as `Agent.accept`, for an invitation that begins a handshake.
    func inviter(of invitation: Invitation, by agent: Agent) async throws -> PeerService? {
        guard invitation.risks.contains(.needsResolver) else { return nil }
        switch try await agent.plan(for: invitation) {
        case .handshake: return try await inviter(of: invitation)
        // It is needed only if the inviter refuses the reuse of a connection, so that a failed lookup is no error yet.
        case .reuse: return try? await inviter(of: invitation)
        case .acceptedBefore, .useExisting, .answerAlone: return nil
        }
    }

    /// The document of a DID.
    ///
    /// - Throws: as `DIDResolver`.
    func document(of did: DID) async throws -> DIDDocument {
        if let document = try configuration.resolver.document(of: did) { return document }
        guard let resolver = configuration.didResolver else { throw StaticDIDResolver.unresolved(did) }
        let document = try await ask(resolver, for: did)
        // A resolver of an application is not believed without a look.
        guard document.did.isSame(as: did) else {
            throw DIDCommError(.documentWrongID, "the document is that of another DID than the one that was asked for")
        }
        return document
    }

    /// The answer of a resolver of an application, which need not return in time, nor when it is cancelled.
    private func ask(_ resolver: any DIDResolver, for did: DID) async throws -> DIDDocument {
        let (answers, continuation) = AsyncStream.makeStream(of: Result<DIDDocument, any Error>.self)
        let end = clock.now() + AgentConfiguration.resolverWait
        let asking = Task {
            do { continuation.yield(.success(try await resolver.document(of: did))) } catch {
                continuation.yield(.failure(error))
            }
        }
        let waiting = Task { [clock] in
            try? await clock.wait(until: end)
            continuation.finish()
        }
        defer {
            asking.cancel()
            waiting.cancel()
        }
        for await answer in answers { return try answer.get() }
        try Task.checkCancellation()
        throw DIDCommError(
            .didUnresolved, "the resolver gave no document in \(Int(AgentConfiguration.resolverWait.inSeconds)) s")
    }

    /// The document of a DID for a handshake, which knows errors of `DIDCommError` alone.
    ///
    /// The code of a fetch stands in the reason of `didcomm.did.unresolved`.
    func answer(for did: DID) async -> Result<DIDDocument, DIDCommError> {
        do { return .success(try await document(of: did)) } catch let error as DIDCommError {
            return .failure(error)
        } catch let error as FetchError {
            return .failure(DIDCommError(.didUnresolved, "\(error.reason) (\(error.code.rawValue))"))
        } catch {
            return .failure(DIDCommError(.didUnresolved, "the resolver of the application failed"))
        }
    }
}
