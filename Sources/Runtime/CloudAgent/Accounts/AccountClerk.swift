import Aries
import ByteCoding
import CryptoSuite
import DIDComm
import Determinism

/// Does in the store what the session of an account wants.
struct AccountClerk: Sendable {
    private let account: Int64
    private let body: AccountBody
    private let office: AgentOffice

    init(_ account: Int64, _ body: AccountBody, _ office: AgentOffice) {
        self.account = account
        self.body = body
        self.office = office
    }

    private var store: any AgentStore { office.store }
    private var secret: AgentSecret { office.secret }

    /// Does it; a store that fails is an answer, too.
    func perform(_ command: MediatorCommand) async -> MediatorAnswer {
        do throws(CloudAgentError) {
            return try await answer(to: command)
        } catch {
            office.storeFailed(error)
            return .failed
        }
    }

    private func answer(to command: MediatorCommand) async throws(CloudAgentError) -> MediatorAnswer {
        switch command {
        case .once(let change, let request): return try await once(change, request)
        case .list(let offset, let limit): return .keys(try await list(offset, limit))
        case .status(let key): return .status(try await store.status(of: account, key: key.map(secret.hash)))
        case .fetch(let selection, let limit, let maximumBytes, let claim):
            guard office.mayHandOut(selection, of: account) else { return .failed }
            let found = try await store.fetch(
                stored(selection), of: account, limit: limit, maximumBytes: maximumBytes,
                claim: claim.map { stored($0, .handsOut) })
            switch found {
            case .first(let messages): return .messages(messages)
            case .repeated: return .replayed
            case .outdated: return .outdated
            }
        case .remove(let ids): return .status(try await remove(ids))
        case .wake: return .waking(try await waking())
        case .end:
            _ = try await store.closeAccount(account)
            return .done
        }
    }

    private func remove(_ ids: [String]) async throws(CloudAgentError) -> QueueStatus {
        do throws(CloudAgentError) {
            let status = try await store.remove(ids, of: account)
            office.redelivery.withLock { $0.succeeded(account) }
            return status
        } catch {
            let now = office.timekeeper.now()
            office.redelivery.withLock { $0.failed(account, at: now) }
            throw error
        }
    }

    // Wake-ups.

    private func waking() async throws(CloudAgentError) -> WakeState? {
        guard office.wakes != nil, let entry = try await store.wake(of: account) else { return nil }
        return state(try WakeBody(entry.body, by: secret).call)
    }

    private func state(_ call: WakeCall) -> WakeState {
        WakeState(call: call, secret: secret.wakeKey(of: body.routing, for: call.webhook).shown)
    }

    private func stored(_ selection: MediatorCommand.Selection) -> MailSelection {
        switch selection {
        case .after(let position, let recipient): .after(position, key: recipient.map(secret.hash))
        case .ids(let ids): .ids(ids)
        }
    }

    private func stored(_ change: KeyChange) -> StoredKeyChange { stored(change, through: body.routing) }

    private func stored(_ change: KeyChange, through routing: Verkey) -> StoredKeyChange {
        StoredKeyChange(
            secret.hash(change.key), isAddition: change.isAddition, routing: secret.hash(routing),
            body: secret.seal(change.key.bytes, as: .clientKey))
    }

    private func list(_ offset: Int, _ limit: Int) async throws(CloudAgentError) -> KeyPage {
        let (bodies, total) = try await store.keys(of: account, offset: offset, limit: limit)
        var keys: [Verkey] = []
        for body in bodies {
            guard let key = Verkey(try secret.open(body, as: .clientKey)) else {
                throw CloudAgentError(.damaged, "A client's key in the store has another length.")
            }
            keys.append(key)
        }
        return KeyPage(keys: keys, total: total)
    }

    // What is done once for each message.

    private func once(
        _ change: MediatorCommand.Change, _ request: RequestIdentity
    ) async throws(CloudAgentError) -> MediatorAnswer {
        switch change {
        case .grant(nil):
            return try await perform(.serve(office.wallTime()), for: request) { _ in .sharedPlace }
        case .grant(let key?): return try await place(key, request)
        case .keys(let changes): return try await changeKeys(changes, request)
        case .wake(let call): return try await setWake(call, request)
        case .document(let connection):
            let new = AccountBody(routing: body.routing, name: body.name, .connected(connection))
            return try await perform(.body(new.sealed(by: secret)), for: request) { _ in .done }
        case .delivery: return try await perform(.nothing, for: request, kind: .handsOut) { _ in .done }
        }
    }

    /// - Parameters:
    ///   - call: by what the client asks to be woken, which no answer that is kept says again.
    ///   - answer: the answer to what was done; called on the store's thread.
    private func perform(
        _ change: AccountChange, for request: RequestIdentity, kind: RequestKind = .changes, call: WakeCall? = nil,
        answer: @escaping @Sendable (AccountChange.Result) -> KeptAnswer
    ) async throws(CloudAgentError) -> MediatorAnswer {
        let secret = secret
        let outcome = try await store.change(change, of: account, by: stored(request, kind)) { result in
            answer(result).sealed(by: secret)
        }
        switch outcome {
        case .first(let result): return try told(answer(result), call)
        case .repeated(let kept):
            // Nothing is kept for what only hands out.
            guard !kept.isEmpty, kind == .changes else { return .replayed }
            let known = try KeptAnswer(kept, by: secret)
            return known == .done ? .replayed : try told(known, call)
        case .outdated: return .outdated
        }
    }

    private func told(_ answer: KeptAnswer, _ call: WakeCall?) throws(CloudAgentError) -> MediatorAnswer {
        switch answer {
        case .done: return .done
        case .denied: return .denied
        case .sharedPlace:
            return .granted(
                MediationGrant(endpoint: office.endpoints.http, routingKeys: [body.routing], offersPlaces: true))
        case .place(let routing):
            let name = Base64URL.encode(Array(secret.hash(routing).bytes.prefix(12)))
            guard let endpoint = try? office.endpoints.place(name) else { return .failed }
            return .granted(MediationGrant(endpoint: endpoint, routingKeys: [routing]))
        case .keys(let results): return .changed(results)
        case .waking: return .waking(call.map(state))
        }
    }

    private func place(_ key: Verkey, _ request: RequestIdentity) async throws(CloudAgentError) -> MediatorAnswer {
        guard office.guests.allows(body.name) else { return try await perform(.nothing, for: request) { _ in .denied } }
        let own = office.pool.take()
        let change = AccountChange.place(
            stored(KeyChange(key, isAddition: true), through: own.verkey),
            routing: KeyCabinet.stored(own, .routing, by: secret))
        let cabinet = office.cabinet
        return try await perform(change, for: request) { result in
            // A key that does not open is as bad as none.
            guard case .place(let opened?) = result, let routing = try? cabinet.key(opened).key.verkey else {
                return .denied
            }
            return .place(routing)
        }
    }

    /// A name that is not on the operator's list any more keeps the keys that it has, and gets no more.
    private func changeKeys(
        _ changes: [KeyChange], _ request: RequestIdentity
    ) async throws(CloudAgentError) -> MediatorAnswer {
        let mayAdd = office.guests.allows(body.name)
        let allowed = changes.filter { mayAdd || !$0.isAddition }
        return try await perform(.keys(allowed.map(stored)), for: request) { result in
            guard case .keys(let made) = result else { return .keys([]) }
            var rest = made[...]
            return .keys(changes.map { mayAdd || !$0.isAddition ? rest.popFirst() ?? .serverError : .clientError })
        }
    }

    private func setWake(_ call: WakeCall?, _ request: RequestIdentity) async throws(CloudAgentError) -> MediatorAnswer
    {
        guard let desk = office.wakes, call.map({ desk.rules.allows($0.webhook) }) ?? true else {
            return try await perform(.nothing, for: request) { _ in .denied }
        }
        let body = call.map { WakeBody(routing: self.body.routing, call: $0).sealed(by: secret) }
        let answer = try await perform(.wake(body), for: request, call: call) { _ in .waking }
        if call != nil { desk.registered(account) }
        return answer
    }

    private func stored(_ request: RequestIdentity, _ kind: RequestKind) -> StoredRequest {
        StoredRequest(secret.claim(request.id), kind, sent: request.sent)
    }
}
