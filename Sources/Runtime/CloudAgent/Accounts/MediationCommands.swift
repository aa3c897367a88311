import Aries
import ByteCoding
import CryptoSuite
import DIDComm
import Determinism

/// Performs the commands of clients' sessions in the store.
struct MediationCommands: Sendable {
    /// The client whose session gives a command.
    struct CommandingAccount: Sendable {
        /// The number of the client's account.
        let number: Int64
        /// The routing key that the account's keys share.
        let routing: Verkey
        /// The name on the operator's list under which the account was opened; nil for none.
        let name: String?
    }

    let context: MediatorContext
    let storage: MonitoredStore
    let keyCache: KeyCache
    let invited: AccountInvitations
    let pool: KeyPool
    /// The sender of webhook calls; nil when webhooks are off.
    let notifier: WebhookNotifier?
    let redelivery: Lock<RedeliveryBackoff>

    private var secret: MediatorSecret { context.secret }

    /// The invitations of clients at short links.
    var shortLinks: ShortLinks { ShortLinks(context: context, storage: storage) }

    /// True when clients can set a webhook.
    var wakesClients: Bool { notifier != nil }

    /// Performs a command; a failure of the store becomes an answer, too.
    func perform(_ command: MediatorStoreCommand, for client: CommandingAccount) async -> MediatorStoreAnswer {
        do throws(CloudAgentError) {
            return try await answer(to: command, client)
        } catch {
            storage.health.failed(error)
            return .failed
        }
    }

    /// The connection of an account as the store has it; nil when the store fails, and when the account is gone.
    func connection(of account: Int64) async -> Connection? {
        do throws(CloudAgentError) {
            guard let entry = try await storage.store.read({ try $0.accounts.account(account) }) else { return nil }
            return try AccountRecord(entry.body, by: secret).connection
        } catch {
            storage.health.failed(error)
            return nil
        }
    }

    private func answer(
        to command: MediatorStoreCommand, _ client: CommandingAccount
    ) async throws(CloudAgentError) -> MediatorStoreAnswer {
        let account = client.number
        switch command {
        case .once(let change, let request): return try await once(change, request, client)
        case .list(let offset, let limit): return .keys(try await list(offset, limit, of: account))
        case .status(let key, let exceptions):
            let hash = key.map(secret.hash)
            return .status(
                try await storage.store.read { try $0.mail.status(of: account, key: hash, except: exceptions) })
        case .fetch(let selection, let limit, let maximumBytes, let claim):
            guard mayHandOut(selection, of: account) else { return .failed }
            let found = try await storage.store.fetch(
                stored(selection), of: account, limit: limit, maximumBytes: maximumBytes,
                claim: claim.map { stored($0, .handsOut) })
            switch found {
            case .first(let messages): return .messages(messages)
            case .repeated: return .replayed
            case .outdated: return .outdated
            }
        case .remove(let ids, let exceptions): return .status(try await remove(ids, of: account, except: exceptions))
        case .wake: return .waking(try await waking(client))
        case .shorten(let invitation, let end, let id):
            return .shortLink(try await shortLinks.keep(invitation, until: end, for: id, of: account))
        case .removeShortLink(let address):
            return try await shortLinks.remove(address, of: account) ? .done : .denied
        case .end:
            _ = try await storage.store.write { try $0.accounts.close(account) }
            return .done
        }
    }

    /// Returns true when messages of an account may be delivered now.
    ///
    /// Messages behind a position in its queue are no redelivery.
    private func mayHandOut(_ selection: MediatorStoreCommand.MessageSelection, of account: Int64) -> Bool {
        if case .after(let position, _, _) = selection, position > 0 { return true }
        let now = context.clock.now()
        return redelivery.withLock { $0.admits(account, at: now) }
    }

    private func remove(
        _ ids: [String], of account: Int64, except exceptions: [UInt64]
    ) async throws(CloudAgentError) -> QueueStatus {
        do throws(CloudAgentError) {
            let status = try await storage.store.remove(ids, of: account, except: exceptions)
            redelivery.withLock { $0.succeeded(account) }
            return status
        } catch {
            let now = context.clock.now()
            redelivery.withLock { $0.failed(account, at: now) }
            throw error
        }
    }

    // Wake-ups.

    private func waking(_ client: CommandingAccount) async throws(CloudAgentError) -> WebhookState? {
        guard wakesClients, let entry = try await storage.store.read({ try $0.wakes.entry(of: client.number) }) else {
            return nil
        }
        return state(try WebhookRecord(entry.body, by: secret).call, client)
    }

    private func state(_ call: ClientWebhook, _ client: CommandingAccount) -> WebhookState {
        WebhookState(call: call, secret: secret.wakeKey(of: client.routing, for: call.webhook).shown)
    }

    private func stored(_ selection: MediatorStoreCommand.MessageSelection) -> MailSelection {
        switch selection {
        case .after(let position, let recipient, let exceptions):
            .after(position, key: recipient.map(secret.hash), except: exceptions)
        case .ids(let ids): .ids(ids)
        }
    }

    private func stored(_ change: KeylistUpdate, through routing: Verkey) -> StoredKeyChange {
        StoredKeyChange(
            secret.hash(change.key), isAddition: change.isAddition, routing: secret.hash(routing),
            body: secret.seal(change.key.bytes, as: .clientKey))
    }

    private func list(_ offset: Int, _ limit: Int, of account: Int64) async throws(CloudAgentError) -> KeylistPage {
        let (bodies, total) = try await storage.store.read {
            try $0.keys.list(of: account, offset: offset, limit: limit)
        }
        var keys: [Verkey] = []
        for body in bodies {
            guard let key = Verkey(try secret.open(body, as: .clientKey)) else {
                throw CloudAgentError(.damaged, "A client's key in the store has another length.")
            }
            keys.append(key)
        }
        return KeylistPage(keys: keys, total: total)
    }

    // Changes that are made once for each message.

    private func once(
        _ change: MediatorStoreCommand.MediatorStoreChange, _ request: ClientRequestIdentity,
        _ client: CommandingAccount
    ) async throws(CloudAgentError) -> MediatorStoreAnswer {
        switch change {
        case .grant(nil):
            return try await perform(.serve(context.wallTime()), request, client) { _ in .sharedGrant }
        case .grant(let key?): return try await grantKey(key, request, client)
        case .keys(let changes): return try await changeKeys(changes, request, client)
        case .wake(let call): return try await setWake(call, request, client)
        case .document(let connection):
            let new = AccountRecord(routing: client.routing, name: client.name, .connected(connection))
            return try await perform(.body(new.sealed(by: secret)), request, client) { _ in .done }
        case .delivery: return try await perform(.nothing, request, client, kind: .handsOut) { _ in .done }
        }
    }

    /// Makes a change of the client's account once for its request; a repeated request gets the stored answer.
    ///
    /// - Parameters:
    ///   - call: the webhook of the request, which the stored answer does not repeat.
    ///   - answer: makes the answer to store; called on the store's thread.
    private func perform(
        _ change: AccountChange, _ request: ClientRequestIdentity, _ client: CommandingAccount,
        kind: StoredRequestKind = .changes,
        call: ClientWebhook? = nil, answer: @escaping @Sendable (AccountChange.Result) -> StoredRequestAnswer
    ) async throws(CloudAgentError) -> MediatorStoreAnswer {
        let secret = secret
        let outcome = try await storage.store.change(change, of: client.number, by: stored(request, kind)) { result in
            answer(result).sealed(by: secret)
        }
        switch outcome {
        case .first(let result): return try mediatorAnswer(answer(result), call, client)
        case .repeated(let kept):
            // A request that only delivers messages has no stored answer.
            guard !kept.isEmpty, kind == .changes else { return .replayed }
            let known = try StoredRequestAnswer(kept, by: secret)
            return known == .done ? .replayed : try mediatorAnswer(known, call, client)
        case .outdated: return .outdated
        }
    }

    private func mediatorAnswer(
        _ answer: StoredRequestAnswer, _ call: ClientWebhook?, _ client: CommandingAccount
    ) throws(CloudAgentError) -> MediatorStoreAnswer {
        switch answer {
        case .done: return .done
        case .denied: return .denied
        case .sharedGrant:
            return .granted(
                MediationGrant(
                    endpoint: context.endpoints.http, routingKeys: [client.routing], offersKeyGrants: true))
        case .keyGrant(let routing):
            let name = Base64URL.encode(Array(secret.hash(routing).bytes.prefix(12)))
            guard let endpoint = try? context.endpoints.address(forGrant: name) else { return .failed }
            return .granted(MediationGrant(endpoint: endpoint, routingKeys: [routing]))
        case .keys(let results): return .changed(results)
        case .waking: return .waking(call.map { state($0, client) })
        }
    }

    private func grantKey(
        _ key: Verkey, _ request: ClientRequestIdentity, _ client: CommandingAccount
    ) async throws(CloudAgentError) -> MediatorStoreAnswer {
        guard invited.allows(client.name) else {
            return try await perform(.nothing, request, client) { _ in .denied }
        }
        let own = pool.take()
        let change = AccountChange.keyGrant(
            stored(KeylistUpdate(key, isAddition: true), through: own.verkey),
            routing: KeyCache.stored(own, .routing, by: secret))
        let keyCache = keyCache
        return try await perform(change, request, client) { result in
            // A key that cannot be unsealed counts as none.
            guard case .keyGrant(let opened?) = result, let routing = try? keyCache.key(opened).key.verkey else {
                return .denied
            }
            return .keyGrant(routing)
        }
    }

    /// Adds and removes keys; an account whose name was removed from the operator's list may only remove them.
    private func changeKeys(
        _ changes: [KeylistUpdate], _ request: ClientRequestIdentity, _ client: CommandingAccount
    ) async throws(CloudAgentError) -> MediatorStoreAnswer {
        let mayAdd = invited.allows(client.name)
        let allowed = changes.filter { mayAdd || !$0.isAddition }.map { stored($0, through: client.routing) }
        return try await perform(.keys(allowed), request, client) { result in
            guard case .keys(let made) = result else { return .keys([]) }
            var rest = made[...]
            return .keys(changes.map { mayAdd || !$0.isAddition ? rest.popFirst() ?? .serverError : .clientError })
        }
    }

    private func setWake(
        _ call: ClientWebhook?, _ request: ClientRequestIdentity, _ client: CommandingAccount
    ) async throws(CloudAgentError) -> MediatorStoreAnswer {
        guard let notifier, call.map({ notifier.rules.allows($0.webhook) }) ?? true else {
            return try await perform(.nothing, request, client) { _ in .denied }
        }
        let body = call.map { WebhookRecord(routing: client.routing, call: $0).sealed(by: secret) }
        let answer = try await perform(.wake(body), request, client, call: call) { _ in .waking }
        if call != nil { notifier.registered(client.number) }
        return answer
    }

    private func stored(_ request: ClientRequestIdentity, _ kind: StoredRequestKind) -> StoredClientRequest {
        StoredClientRequest(secret.claim(request.id), kind, sent: request.sent)
    }
}
