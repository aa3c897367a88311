public import DIDComm
public import Determinism
public import JSON

/// The client of a mediator: requests mediation, and registers and removes keys.
///
/// One request is under way at a time, with retries; changes that are asked for meanwhile wait. The
/// address of a key is available only after the mediator has confirmed that it knows the key. Mediators in wide
/// use name no thread in their answers, so an answer without one counts as the one that is waited for; a grant counts
/// whenever it comes, once the service was asked for, because it may have waited at the mediator. Source: RFC 0211.
public struct MediationClient: StateMachine, Sendable {
    /// An input of the mediation client: a fact, a command of the caller, or the passing of time.
    public enum Input: Hashable, Sendable {
        /// Request mediation, or continue after a restart.
        case start
        /// Register or remove keys at the mediator; the last change of a key counts.
        case change([KeylistUpdate])
        /// The caller has taken this key over, and stores it; the client forgets the address of the key.
        case taken(Verkey)
        /// Ask the mediator for its list of keys.
        case query
        /// A message arrived on the connection with the mediator.
        case received(ReceivedMessage)
        /// The message with this `@id` could not be delivered.
        case sendFailed(id: String)
        /// The time given by `nextDeadline` is reached.
        case timeReached
    }

    /// An output of the mediation client: an action or an event.
    ///
    /// The caller handles outputs in their order.
    public enum Output: Hashable, Sendable {
        /// Store `state` durably before carrying out the outputs that follow.
        case persist
        /// Send this message to the mediator.
        case send(OutgoingMessage)
        /// The mediator granted mediation.
        case granted(MediationGrant)
        /// The mediator denied mediation.
        case denied
        /// The mediator registered this key, so that `address(of:)` may be published.
        case added(Verkey)
        /// The mediator has removed this key.
        case removed(Verkey)
        /// The complete list of keys that are registered at the mediator.
        case listed([Verkey])
        /// The mediator refused to change this key.
        case refused(Verkey, AriesError)
        /// A request failed; `start` tries it again.
        case failed(AriesError)
        /// A message was ignored, for this reason.
        case ignored(AriesError)
    }

    /// The answer of the mediator that the client waits for.
    enum PendingAnswer: Hashable, Sendable {
        /// The answer to the request for mediation.
        case grant
        /// The answer to these key changes.
        case update([KeylistUpdate])
        /// The answer to the request for a separate routing key for this recipient key.
        case keyGrant(Verkey)
        /// A page of the key list, from this offset on.
        case list(offset: Int)
    }

    /// The mediator's list of keys, which comes in parts.
    private struct KeyList: Sendable {
        var isWanted = false
        var keys: [Verkey] = []
        var parts = 0
    }

    /// The most key changes in one message.
    public static let maximumChanges = 32

    /// The most key changes in the queue.
    public static let maximumWaiting = 1024

    /// The most keys requested in one page of the key list.
    public static let listPage = 250

    /// The most keys in the key list that the client accepts.
    public static let maximumListed = 100_000

    /// The most pages of a mediator's key list.
    public static let maximumParts = 1000

    /// The connection with the mediator.
    public let connection: Connection

    /// The mediator's grant; nil before the mediator has granted mediation.
    public private(set) var grant: MediationGrant?

    /// The keys that the mediator has confirmed and that are not in use, in the order of their registration.
    public private(set) var keys: [Verkey] = []

    /// The mediator's grants for single keys of `keys`.
    private var keyGrants: [Verkey: MediationGrant] = [:]

    private(set) var waiting: [KeylistUpdate] = []
    private var step: PendingAnswer?
    private var message: Message?
    /// The `@id` of the mediation request, which stays the same after a restart.
    private var askedID: String?
    private var list = KeyList()
    private var random: any RandomSource
    private var retry: RetryTimer

    /// The `@id` of the message whose answer the client waits for; nil for none.
    public var awaitedID: String? { message?.id }

    /// True when no answer is pending and no key change is queued.
    public var isIdle: Bool { step == nil && waiting.isEmpty }

    /// Returns true when a message answers the pending request, or is the requested grant.
    public func awaits(_ message: Message) -> Bool {
        guard let step = awaited(by: message) else { return false }
        if let thread = message.thread.id { return thread == (step == .grant ? askedID : awaitedID) }
        // Another process on the same store may wait for an answer without a thread, too.
        guard case .update(let changes) = step, let results = try? Self.results(message) else { return true }
        return results.contains { result in changes.contains(result.change) }
    }

    /// Makes a client of a mediator without a request so far.
    public init(_ connection: Connection, random: any RandomSource, policy: HandshakePolicy = HandshakePolicy()) {
        self.connection = connection
        self.random = random
        retry = RetryTimer(policy)
    }

    /// Returns this agent's address with a key; nil unless the mediator granted mediation and registered the key.
    public func address(of key: Verkey) -> AgentAddress? {
        guard let grant = keyGrants[key] ?? grant, keys.contains(key) else { return nil }
        return AgentAddress(key: key, routingKeys: grant.routingKeys, endpoint: grant.endpoint)
    }

    /// The number of key changes that are queued or pending, of at most `maximumWaiting`.
    public var waitingCount: Int { waiting.count }

    /// Returns true when a change of this key is queued or pending.
    public func isWaiting(for key: Verkey) -> Bool { waiting.contains { $0.key == key } }

    /// The time at which the caller gives the input `timeReached`; nil while no deadline is pending.
    public var nextDeadline: MonotonicInstant? { step == nil ? nil : retry.deadline }

    /// Handles one input and appends the outputs that it causes.
    public mutating func handle(_ input: Input, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch input {
        case .start: if step == nil { proceed(at: now, into: &outputs, begins: true) }
        case .change(let changes): enqueue(changes, at: now, into: &outputs)
        case .taken(let key):
            keys.removeAll { $0 == key }
            keyGrants[key] = nil
            outputs.append(.persist)
        case .query:
            list.isWanted = true
            if step == nil { proceed(at: now, into: &outputs, begins: false) }
        case .received(let received): receive(received, at: now, into: &outputs)
        case .sendFailed(let id): if id == message?.id { retry.failed(at: now) }
        case .timeReached: timeReached(at: now, into: &outputs)
        }
    }

    private mutating func enqueue(_ changes: [KeylistUpdate], at now: MonotonicInstant, into outputs: inout [Output]) {
        let keys = Set(changes.map(\.key))
        waiting.removeAll { keys.contains($0.key) }
        var named: Set<Verkey> = []
        let wanted = Array(changes.reversed().filter { named.insert($0.key).inserted }.reversed())
        let room = max(0, Self.maximumWaiting - waiting.count)
        waiting += wanted.prefix(room)
        for change in wanted.dropFirst(room) {
            let error = AriesError(.mediationRefused, "Too many changes of keys wait.")
            outputs.append(.refused(change.key, error))
        }
        guard !wanted.prefix(room).isEmpty else { return }
        outputs.append(.persist)
        if step == nil { proceed(at: now, into: &outputs, begins: false) }
    }

    /// Sends the next request, if there is one; requests mediation only at `start`.
    private mutating func proceed(at now: MonotonicInstant, into outputs: inout [Output], begins: Bool) {
        guard grant != nil else {
            guard begins else { return }
            if askedID == nil {
                askedID = Message.makeID(from: &random)
                outputs.append(.persist)
            }
            send("mediate-request", [:], .grant, at: now, into: &outputs)
            return
        }
        guard !waiting.isEmpty else {
            if list.isWanted { askForList(from: 0, at: now, into: &outputs) }
            return
        }
        if let first = waiting.first, first.isAddition, grant?.offersKeyGrants == true {
            let body: JSONObject = ["recipient_key": .string(first.key.didKey)]
            return send("mediate-request", body, .keyGrant(first.key), at: now, into: &outputs)
        }
        let changes = Array(
            waiting.prefix(Self.maximumChanges).prefix { !$0.isAddition || grant?.offersKeyGrants == false })
        let updates = changes.map { change -> JSONValue in
            ["recipient_key": .string(change.key.didKey), "action": change.isAddition ? "add" : "remove"]
        }
        send("keylist-update", ["updates": .array(updates)], .update(changes), at: now, into: &outputs)
    }

    private mutating func askForList(from offset: Int, at now: MonotonicInstant, into outputs: inout [Output]) {
        list.isWanted = false
        if offset == 0 { list = KeyList() }
        let page: JSONValue = ["limit": .int(Self.listPage), "offset": .int(offset)]
        send("keylist-query", ["paginate": page], .list(offset: offset), at: now, into: &outputs)
    }

    private mutating func send(
        _ name: String, _ body: JSONObject, _ step: PendingAnswer, at now: MonotonicInstant,
        into outputs: inout [Output]
    ) {
        let id = step == .grant ? askedID : nil
        let message = Message(
            MessageType(.mediation10, name), id: id ?? Message.makeID(from: &random), body: body
        ).askingForReturnRoute
        self.step = step
        self.message = message
        retry.begin(at: now)
        transmit(message, into: &outputs)
    }

    private mutating func transmit(_ message: Message, into outputs: inout [Output]) {
        do throws(AriesError) {
            outputs.append(.send(try connection.outgoing(message)))
        } catch {
            end()
            outputs.append(.failed(error))
        }
    }

    private mutating func end() { (step, message) = (nil, nil) }

    private mutating func timeReached(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard step != nil, let message, let action = retry.reached(at: now) else { return }
        switch action {
        case .sendAgain: transmit(message, into: &outputs)
        case .giveUp:
            end()
            outputs.append(.failed(AriesError(.timeout, "The mediator did not answer in time.")))
        }
    }

    // Answers.

    private mutating func receive(
        _ received: ReceivedMessage, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        do throws(AriesError) {
            try connection.check(received)
            guard let step = awaited(by: received.message) else { throw .unexpected(received.message) }
            guard awaits(received.message) else {
                throw AriesError(.wrongThread, "A message of \(received.message.type) belongs to another exchange.")
            }
            let next = try take(received.message, step, into: &outputs)
            end()
            if let next { return askForList(from: next, at: now, into: &outputs) }
            proceed(at: now, into: &outputs, begins: false)
        } catch {
            outputs.append(.ignored(error))
        }
    }

    /// Returns the pending request that a message answers; nil for none.
    private func awaited(by message: Message) -> PendingAnswer? {
        if case .keyGrant = step { return step }
        if Self.isGrant(message) { return grant == nil && askedID != nil ? .grant : nil }
        return step
    }

    private static func isGrant(_ message: Message) -> Bool {
        message.type.isSame(as: MessageType(.mediation10, "mediate-grant"))
    }

    /// Applies an answer of the mediator to the request under way.
    ///
    /// - Returns: the offset in the key list of the next page to request; nil when no page follows.
    private mutating func take(
        _ message: Message, _ step: PendingAnswer, into outputs: inout [Output]
    ) throws(AriesError) -> Int? {
        if let report = ProblemReport(message) {
            if case .update(let changes) = step { drop(changes) }
            if case .keyGrant(let key) = step { drop([KeylistUpdate(key, isAddition: true)]) }
            outputs.append(.failed(.rejected(report)))
            return nil
        }
        switch step {
        case .grant where message.type.isSame(as: MessageType(.mediation10, "mediate-deny")): outputs.append(.denied)
        case .grant where Self.isGrant(message):
            let grant = try MediationGrant(message)
            self.grant = grant
            outputs.append(.persist)
            outputs.append(.granted(grant))
        case .keyGrant(let key) where message.type.isSame(as: MessageType(.mediation10, "mediate-deny")):
            apply([KeylistUpdate(key, isAddition: true)], [], into: &outputs)
        case .keyGrant(let key) where Self.isGrant(message):
            let grant = try MediationGrant(message)
            guard message.object["recipient_key"]?.string.flatMap({ try? Verkey(parsing: $0) }) == key else {
                throw AriesError(.messageMalformed, "The mediator answers for another key than it was asked about.")
            }
            let change = KeylistUpdate(key, isAddition: true)
            keyGrants[key] = grant
            apply([change], [(change, true)], into: &outputs)
        case .update(let changes) where message.type.isSame(as: MessageType(.mediation10, "keylist-update-response")):
            apply(changes, try Self.results(message), into: &outputs)
        case .list(let offset) where message.type.isSame(as: MessageType(.mediation10, "keylist")):
            return try takeList(message, from: offset, into: &outputs)
        case .grant, .keyGrant, .update, .list: throw .unexpected(message)
        }
        return nil
    }

    /// Handles one page of the key list; a mediator without paging sends the whole list at once.
    private mutating func takeList(
        _ message: Message, from offset: Int, into outputs: inout [Output]
    ) throws(AriesError) -> Int? {
        let entries = message.object["keys"]?.array ?? []
        list.parts += 1
        // Entries that cannot be read count too.
        guard entries.count <= Self.maximumListed - offset, list.parts <= Self.maximumParts else {
            list.keys = []
            outputs.append(.failed(AriesError(.messageMalformed, "The mediator lists more keys than anybody has.")))
            return nil
        }
        list.keys += entries.compactMap { $0["recipient_key"]?.string.flatMap { try? Verkey(parsing: $0) } }
        let remaining = message.object["pagination"]?["remaining"]?.int ?? 0
        if remaining > 0, !entries.isEmpty { return offset + entries.count }
        outputs.append(.listed(list.keys))
        list.keys = []
        return nil
    }

    private mutating func drop(_ changes: [KeylistUpdate]) { waiting.removeAll(where: changes.contains) }

    private mutating func apply(
        _ changes: [KeylistUpdate], _ results: [(change: KeylistUpdate, isDone: Bool)], into outputs: inout [Output]
    ) {
        drop(changes)
        var outcomes: [Output] = []
        for change in changes {
            guard results.first(where: { $0.change == change })?.isDone == true else {
                let error = AriesError(.mediationRefused, "The mediator did not change the key \(change.key).")
                outcomes.append(.refused(change.key, error))
                continue
            }
            keys.removeAll { $0 == change.key }
            if change.isAddition { keys.append(change.key) } else { keyGrants[change.key] = nil }
            outcomes.append(change.isAddition ? .added(change.key) : .removed(change.key))
        }
        outputs.append(.persist)
        outputs += outcomes
    }

    /// Reads the result of each key change; keys may be in base 58 or as did:key.
    private static func results(_ message: Message) throws(AriesError) -> [(change: KeylistUpdate, isDone: Bool)] {
        let entries = message.object["updated"]?.array ?? []
        guard entries.count <= maximumChanges else {
            throw AriesError(.messageMalformed, "The mediator answers for more keys than it was asked about.")
        }
        return entries.compactMap { entry in
            guard let text = entry["recipient_key"]?.string, let key = try? Verkey(parsing: text),
                let action = entry["action"]?.string
            else { return nil }
            let isDone = ["success", "no_change"].contains(entry["result"]?.string)
            return (KeylistUpdate(key, isAddition: action == "add"), isDone)
        }
    }

    // Storing.

    /// The state of the client as JSON for a store.
    public var state: JSONObject {
        JSONObject(present: [
            "version": .int(StoredStateReader.version), "kind": "mediation", "connection": .object(connection.json),
            "asked": askedID.map { .string($0) }, "grant": grant.map { .object($0.json) },
            "keys": .strings(keys.map(\.base58)),
            "places": keyGrants.isEmpty
                ? nil
                : .array(
                    keyGrants.sorted { $0.key < $1.key }.map { key, grant in
                        ["key": .string(key.base58), "grant": .object(grant.json)]
                    }),
            "waiting": .array(waiting.map { ["key": .string($0.key.base58), "add": .bool($0.isAddition)] }),
        ])
    }

    /// Reads a stored client that `state` wrote; its next input is `start`.
    ///
    /// Throws `aries.state.malformed`.
    public init(
        stored reader: JSONValueReader, random: any RandomSource, policy: HandshakePolicy = HandshakePolicy()
    ) throws(AriesError) {
        self = try StoredStateReader.reading {
            try StoredStateReader.check(reader, kind: "mediation")
            var client = MediationClient(
                try Connection(stored: reader.member("connection")), random: random, policy: policy)
            client.askedID = try reader.optionalString("asked")
            client.grant = try reader.optional("grant").map { try MediationGrant(stored: $0) }
            client.keys = try reader.strings("keys").map { try Verkey(parsing: $0) }
            for entry in try reader.optionalElements("places") ?? [] {
                client.keyGrants[try Verkey(parsing: entry.string("key"))] = try MediationGrant(
                    stored: entry.member("grant"))
            }
            client.waiting = try reader.elements("waiting").map {
                KeylistUpdate(try Verkey(parsing: $0.string("key")), isAddition: try $0.bool("add"))
            }
            return client
        }
    }
}

/// The grant of a mediator: the endpoint and the routing keys for messages to this agent.
public struct MediationGrant: Hashable, Sendable {
    /// The most routing keys that are accepted.
    public static let maximumKeys = 8

    /// The endpoint for messages to this agent.
    public let endpoint: ServiceEndpoint

    /// The routing keys of the mediator, nearest to this agent first.
    public let routingKeys: [Verkey]

    /// True when the mediator offers a separate routing key for each recipient key, named by `recipient_key`.
    ///
    /// Beyond RFC 0211: a grant says so by `recipient_key_grants`, which other agents ignore.
    public let offersKeyGrants: Bool

    /// Makes a grant from its parts; 1 to `maximumKeys` keys, or it traps.
    public init(endpoint: ServiceEndpoint, routingKeys: [Verkey], offersKeyGrants: Bool = false) {
        precondition((1...Self.maximumKeys).contains(routingKeys.count), "a grant names a few routing keys")
        self.endpoint = endpoint
        self.routingKeys = routingKeys
        self.offersKeyGrants = offersKeyGrants
    }

    init(_ message: Message) throws(AriesError) {
        let reader = message.reader
        let (address, names) = try AriesError.reading(.messageMalformed) { () throws(JSONError) in
            (try reader.string("endpoint"), try reader.strings("routing_keys"))
        }
        guard (1...Self.maximumKeys).contains(names.count) else {
            throw AriesError(.messageMalformed, "The mediator names no routing key, or too many.")
        }
        offersKeyGrants = message.object["recipient_key_grants"]?.bool ?? false
        (endpoint, routingKeys) = try AriesError.checking(.messageMalformed) { () throws(DIDCommError) in
            var keys: [Verkey] = []
            for name in names {
                let key = try Verkey(parsing: name)
                try key.checkSafety()
                keys.append(key)
            }
            return (try ServiceEndpoint(parsing: address), keys)
        }
    }

    var json: JSONObject {
        JSONObject(present: [
            "endpoint": .string(endpoint.text), "routingKeys": .strings(routingKeys.map(\.base58)),
            "places": offersKeyGrants ? true : nil,
        ])
    }

    init(stored reader: JSONValueReader) throws {
        endpoint = try ServiceEndpoint(parsing: reader.string("endpoint"))
        routingKeys = try reader.strings("routingKeys").map { try Verkey(parsing: $0) }
        offersKeyGrants = try reader.optional("places")?.bool() ?? false
    }
}

extension MessageProtocol {
    /// The protocol coordinate-mediation 1.0 of RFC 0211.
    public static let mediation10 = MessageProtocol("coordinate-mediation", 1, 0)
    /// The protocol messagepickup 1.0 of RFC 0212.
    public static let pickup10 = MessageProtocol("messagepickup", 1, 0)
    /// The protocol messagepickup 2.0 of RFC 0685.
    public static let pickup20 = MessageProtocol("messagepickup", 2, 0)
}
