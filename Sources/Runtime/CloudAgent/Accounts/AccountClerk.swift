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
            office.tally.add(to: \.storeFailures)
            return .failed
        }
    }

    private func answer(to command: MediatorCommand) async throws(CloudAgentError) -> MediatorAnswer {
        switch command {
        case .grant(let key): return try await grant(key)
        case .change(let changes): return .changed(try await change(changes))
        case .list(let offset, let limit): return .keys(try await list(offset, limit))
        case .status(let key): return .status(try await store.status(of: account, key: key.map(secret.hash)))
        case .fetch(let selection, let limit, let maximumBytes, let claim):
            let found = try await store.fetch(
                stored(selection), of: account, limit: limit, maximumBytes: maximumBytes,
                claim: claim.map { StoredRequest(secret.claim($0), .handsOut) })
            guard case .first(let messages) = found else { return .replayed }
            return .messages(messages)
        case .remove(let ids): return .status(try await store.remove(ids, of: account))
        case .keep(let connection):
            let new = AccountBody(routing: body.routing, name: body.name, .connected(connection))
            try await store.update(account, body: new.sealed(by: secret), isServed: nil, seen: nil)
            return .done
        case .wake: return .waking(try await waking())
        case .setWake(let call): return try await setWake(call)
        case .end:
            _ = try await store.closeAccount(account)
            return .done
        }
    }

    // Wake-ups.

    private func waking() async throws(CloudAgentError) -> WakeState? {
        guard office.wakes != nil, let entry = try await store.wake(of: account) else { return nil }
        return state(try WakeBody(entry.body, by: secret).call)
    }

    private func setWake(_ call: WakeCall?) async throws(CloudAgentError) -> MediatorAnswer {
        guard let desk = office.wakes else { return .denied }
        guard let call else {
            try await store.setWake(nil, of: account)
            return .waking(nil)
        }
        guard desk.rules.allows(call.webhook) else { return .denied }
        let body = WakeBody(routing: body.routing, call: call)
        try await store.setWake(body.sealed(by: secret), of: account)
        desk.registered(account)
        return .waking(state(call))
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

    /// A name that is not on the operator's list any more keeps the keys that it has, and gets no more.
    private func change(_ changes: [KeyChange]) async throws(CloudAgentError) -> [KeyChange.Result] {
        let mayAdd = office.guests.allows(body.name)
        let allowed = changes.filter { mayAdd || !$0.isAddition }
        let outcome = try await store.change(.keys(allowed.map(stored)), of: account, by: nil) { _ in [] }
        guard case .first(.keys(let made)) = outcome else { return [] }
        var results = made[...]
        return changes.map { mayAdd || !$0.isAddition ? results.popFirst() ?? .serverError : .clientError }
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

    private func grant(_ key: Verkey?) async throws(CloudAgentError) -> MediatorAnswer {
        guard let key else {
            try await store.update(account, body: nil, isServed: true, seen: office.wallTime())
            return .granted(
                MediationGrant(endpoint: office.endpoints.http, routingKeys: [body.routing], offersPlaces: true))
        }
        guard office.guests.allows(body.name) else { return .denied }
        let own = office.pool.take()
        let place = AccountChange.place(
            stored(KeyChange(key, isAddition: true), through: own.verkey),
            routing: KeyCabinet.stored(own, .routing, by: secret))
        guard
            case .first(.place(let opened?)) = try await store.change(place, of: account, by: nil, answer: { _ in [] })
        else { return .denied }
        let routing = try office.cabinet.key(opened).key.verkey
        let name = Base64URL.encode(Array(secret.hash(routing).bytes.prefix(12)))
        guard let endpoint = try? office.endpoints.place(name) else { return .failed }
        return .granted(MediationGrant(endpoint: endpoint, routingKeys: [routing]))
    }
}
